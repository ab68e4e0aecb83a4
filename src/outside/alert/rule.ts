import { auditEntry, type AuditEntry, ENGINE_ACTOR } from "../../core/audit/index.ts";
import type { Json, JsonObject } from "../../core/base/index.ts";
import { type Budget, periodOf, usdText } from "../../core/governance/index.ts";
import type { Alert } from "../../registry/index.ts";
import type { EndedRuns, EnvelopeCounter, GatewayLink, OverdueApproval } from "../../store/index.ts";

/** A condition of an alert that is currently met. */
export interface Finding {
  /** The alert fires once for each key. */
  readonly key: string;
  readonly subject: string;
  readonly value: Json;
  readonly message: string;
  readonly audit: AuditEntry | null;
}

const HOUR_MS = 3_600_000;
/** The failure rate of fewer runs is not meaningful. */
const RUNS_MIN = 5;

/** The prefix contains the alert id, so that several alerts on the same subject fire separately. */
export function keyPrefix({ id, on }: Alert): string {
  return `rule/${on}/${id}/`;
}

/** Finds budgets whose spending has reached the threshold. Fires once per budget period. */
export function budgetFindings(
  alert: Alert,
  budgets: readonly Budget[],
  counters: readonly EnvelopeCounter[],
  now: number,
): readonly Finding[] {
  return budgets.flatMap((budget): Finding[] => {
    const { id, amountMicros, period, isEnabled } = budget;
    const { start } = periodOf(period, now);
    const found = counters.find(({ envelopeId, periodStart }) => envelopeId === id && periodStart === start);
    const spent = found?.spent ?? 0;
    if (!isEnabled || amountMicros <= 0 || spent <= 0 || spent < alert.threshold * amountMicros) return [];
    const share = spent / amountMicros;
    const [spentUsd, amountUsd] = [usdText(spent), usdText(amountMicros)];
    const detail: JsonObject = { alert: alert.id, share: alert.threshold, spentUsd, amountUsd, periodStart: start };
    return [
      {
        key: `${keyPrefix(alert)}${id}/${start}`,
        subject: `budget/${id}`,
        value: share,
        message: `${spentUsd} of the ${amountUsd} dollars of the budget ${id} are spent.`,
        audit: auditEntry({ at: now, type: "budget.alert", actor: ENGINE_ACTOR, resource: `budget/${id}`, detail }),
      },
    ];
  });
}

export function periodsBegan(budgets: readonly Budget[], now: number): number {
  return Math.min(now, ...budgets.map(({ period }) => periodOf(period, now).start));
}

/** Finds a high failure rate in the last hour. Fires at most once per clock hour. */
export function failureFindings(alert: Alert, { all, failed }: EndedRuns, now: number): readonly Finding[] {
  const rate = all === 0 ? 0 : failed / all;
  if (all < RUNS_MIN || rate < alert.threshold || failed === 0) return [];
  return [
    {
      key: `${keyPrefix(alert)}${Math.floor(now / HOUR_MS)}`,
      subject: "runs",
      value: rate,
      message: `${failed} of the ${all} runs that ended in the last hour failed.`,
      audit: null,
    },
  ];
}

export function failureWindow(now: number): number {
  return now - HOUR_MS;
}

/** Finds unanswered approvals. Fires once for each. */
export function approvalFindings(alert: Alert, overdue: readonly OverdueApproval[], now: number): readonly Finding[] {
  return overdue.map(({ approvalId, runId, requestedAt }) => {
    const seconds = Math.floor((now - requestedAt) / 1_000);
    return {
      key: `${keyPrefix(alert)}${approvalId}`,
      subject: `approval/${approvalId}`,
      value: seconds,
      message: `The approval ${approvalId} of the run ${runId} waits for ${seconds} s.`,
      audit: null,
    };
  });
}

/** Finds an offline gateway. Fires once for each outage. `since`: start of the outage. */
export function gatewayFinding(alert: Alert, { gatewayId }: GatewayLink, since: number, now: number): Finding | null {
  const seconds = Math.floor((now - since) / 1_000);
  if (seconds < alert.threshold) return null;
  return {
    key: `${keyPrefix(alert)}${gatewayId}/${since}`,
    subject: `gateway/${gatewayId}`,
    value: seconds,
    message: `The gateway ${gatewayId} is offline for ${seconds} s.`,
    audit: null,
  };
}
