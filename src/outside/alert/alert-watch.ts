import { type Clock, LeasedRounds } from "../../clock/index.ts";
import { type Alert, alertOf, budgetOf, webhookOf } from "../../registry/index.ts";
import {
  type AlertStore,
  everyEntry,
  type GatewayStore,
  type GovernanceStore,
  type NewDelivery,
  type RegistryStore,
} from "../../store/index.ts";
import { deliveryOf, type DeliveryNotice, noticeMessage } from "../delivery/index.ts";
import {
  approvalFindings,
  budgetFindings,
  failureFindings,
  failureWindow,
  type Finding,
  gatewayFinding,
  keyPrefix,
  periodsBegan,
} from "./rule.ts";

/** An alert that has fired, for counters and logs. */
export interface Fired {
  readonly orgId: string;
  readonly alert: string;
  readonly on: Alert["on"];
  readonly message: string;
  /** Whether it is also written to the log. */
  readonly isForLog: boolean;
}

export interface AlertWatchOptions {
  readonly store: AlertStore &
    RegistryStore &
    Pick<GovernanceStore, "readCounters"> &
    Pick<GatewayStore, "listGatewayLinks" | "gatewayHistory">;
  readonly clock: Clock;
  /** Returns the deliveries to channels; default: none. */
  readonly deliveriesOf?: (notice: AlertNotice) => Promise<readonly NewDelivery[]>;
  readonly onFired: (fired: Fired) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** The notice of an alert, for receivers whose own rules decide whether they want it. */
export interface AlertNotice extends DeliveryNotice {
  readonly type: "alert.fired";
}

const APPROVALS_MAX = 100;
const HISTORY_MAX = 1;
const FIRED_MAX = 10_000;
/** Matches recipients in the `to` of an alert that are not webhooks. */
const PEOPLE = /^(?:role|team|user):/;
const LOG = "log";

/** Checks every half minute, in one process at a time, whether an alert has to fire. */
export class AlertWatch {
  readonly #options: AlertWatchOptions;
  readonly rounds: LeasedRounds;
  /** Alerts known to have fired, to save database queries. */
  readonly #fired = new Set<string>();
  /** Alerts by organisation, with the configuration version they were read at. */
  readonly #alerts = new Map<string, { readonly version: number; readonly alerts: readonly Alert[] }>();

  constructor(options: AlertWatchOptions) {
    this.#options = options;
    const { store: leases, clock, onTrouble } = options;
    const round = (): Promise<void> => this.#checkAll();
    this.rounds = new LeasedRounds({ leases, clock, lease: "alerts", what: "alerts", round, onTrouble });
  }

  async #checkAll(): Promise<void> {
    const { store, onTrouble } = this.#options;
    for (const [orgId, version] of await store.configVersions()) {
      try {
        for (const alert of await this.#alertsOf(orgId, version)) await this.#lookFor(orgId, alert);
      } catch (error) {
        onTrouble(`alerts of ${orgId} could not be looked for`, error);
      }
    }
  }

  async #alertsOf(orgId: string, version: number): Promise<readonly Alert[]> {
    const known = this.#alerts.get(orgId);
    if (known?.version === version) return known.alerts;
    const alerts = (await everyEntry(this.#options.store, orgId, "alert")).map(alertOf);
    this.#alerts.set(orgId, { version, alerts });
    return alerts;
  }

  async #lookFor(orgId: string, alert: Alert): Promise<void> {
    const now = this.#options.clock.now();
    for (const finding of await this.#findings(orgId, alert, now)) {
      const mark = JSON.stringify([orgId, finding.key]);
      if (this.#fired.has(mark)) continue;
      await this.#fire(orgId, alert, finding, now);
      if (this.#fired.size >= FIRED_MAX) this.#fired.clear();
      this.#fired.add(mark);
    }
  }

  async #findings(orgId: string, alert: Alert, now: number): Promise<readonly Finding[]> {
    const { store } = this.#options;
    switch (alert.on) {
      case "budget": {
        const budgets = (await everyEntry(store, orgId, "budget")).map(budgetOf);
        const { envelopes } = await store.readCounters(orgId, periodsBegan(budgets, now));
        return budgetFindings(alert, budgets, envelopes, now);
      }
      case "failure_rate":
        return failureFindings(alert, await store.countEnded(orgId, failureWindow(now)), now);
      case "approval_age": {
        const before = now - alert.threshold * 1_000;
        const overdue = await store.listOverdueApprovals(orgId, before, keyPrefix(alert), APPROVALS_MAX);
        return approvalFindings(alert, overdue, now);
      }
      case "gateway_down":
        return this.#gatewaysDown(orgId, alert, now);
    }
  }

  async #gatewaysDown(orgId: string, alert: Alert, now: number): Promise<readonly Finding[]> {
    const { store } = this.#options;
    const findings: Finding[] = [];
    for (const link of await store.listGatewayLinks(orgId)) {
      if (link.status !== "offline") continue;
      const [last] = await store.gatewayHistory(orgId, link.gatewayId, HISTORY_MAX);
      const finding = last === undefined ? null : gatewayFinding(alert, link, last.at, now);
      if (finding !== null) findings.push(finding);
    }
    return findings;
  }

  async #fire(
    orgId: string,
    alert: Alert,
    { key, subject, value, message, audit }: Finding,
    at: number,
  ): Promise<void> {
    const { store, deliveriesOf, onFired, onTrouble } = this.#options;
    const { id, on, threshold, to } = alert;
    const notify = to.filter((name) => PEOPLE.test(name));
    const data = { alert: id, on, threshold, subject, value, message, notify };
    const notice = noticeMessage("alert.fired", key, at, data);
    const deliveries: NewDelivery[] = [];
    const missingWebhooks: string[] = [];
    for (const name of new Set(to)) {
      if (name === LOG || PEOPLE.test(name)) continue;
      const entry = await store.getEntry(orgId, "webhook", name);
      if (entry !== undefined && webhookOf(entry).isEnabled) deliveries.push(deliveryOf(notice, orgId, name));
      else missingWebhooks.push(name);
    }
    deliveries.push(...((await deliveriesOf?.({ orgId, type: "alert.fired", key, at, data })) ?? []));
    if (!(await store.fireAlert(orgId, key, { at, deliveries, audit }))) return;
    onFired({ orgId, alert: id, on, message, isForLog: to.includes(LOG) });
    if (missingWebhooks.length === 0) return;
    const names = missingWebhooks.map((name) => `"${name}"`).join(", ");
    onTrouble(`the alert "${id}"`, new Error(`there is no enabled webhook ${names} to send it to: ${message}`));
  }
}
