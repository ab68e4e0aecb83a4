import { type Clock, LeasedRounds } from "../clock/index.ts";
import { auditEntry, type AuditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { AlertStore, LaunchApproval, LaunchApprovalStore, NewDelivery } from "../store/index.ts";
import { type LaunchMove, moveLaunch } from "./launch-chain.ts";

/** A notice to be sent outside that has no audit entry. */
export interface LaunchNotice {
  readonly orgId: string;
  readonly type: "approval.reminded";
  /** The same key on every replica. */
  readonly key: string;
  readonly at: number;
  readonly data: JsonObject;
}

export interface LaunchWatchOptions {
  readonly store: LaunchApprovalStore & Pick<AlertStore, "takeLease" | "dropLease" | "fireAlert">;
  readonly clock: Clock;
  /** Returns the deliveries to the subscribers of a notice. */
  readonly deliveriesOf: (notice: LaunchNotice) => Promise<readonly NewDelivery[]>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const PAGE = 200;
const PAGES_MAX = 50;

/**
 * Sends reminders for launches that wait for an approval, escalates to the next approvers, and closes unanswered
 * approvals. For approvals of nodes, timers of the run do this. One process at a time runs it. If two do, each step
 * still counts once.
 */
export class LaunchWatch {
  readonly #options: LaunchWatchOptions;
  readonly rounds: LeasedRounds;

  constructor(options: LaunchWatchOptions) {
    this.#options = options;
    const { store: leases, clock, onTrouble } = options;
    const what = "approvals of launches";
    const round = (): Promise<void> => this.#checkAll();
    this.rounds = new LeasedRounds({ leases, clock, lease: "launches", what, round, onTrouble });
  }

  async #checkAll(): Promise<void> {
    const { store } = this.#options;
    await store.dropUnusedLaunches(PAGE);
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const { now, approvals } = await store.dueLaunches(PAGE);
      for (const approval of approvals) await this.#catchUp(approval, now);
      if (approvals.length < PAGE) return;
    }
  }

  /** Takes all due steps in order, also after a long interruption. */
  async #catchUp(asked: LaunchApproval, now: number): Promise<void> {
    const { store } = this.#options;
    let approval = asked;
    while (approval.status === "pending") {
      const next = moveLaunch(approval, now);
      if (next === null) return;
      await this.#remind(next.after, next.move, now);
      if (!(await store.moveLaunch(next.after, entryOf(next.after, next.move, now)))) return;
      approval = next.after;
    }
  }

  /** Sends a reminder under a unique key before it is recorded, so that it is sent exactly once despite crashes and other replicas. */
  async #remind(approval: LaunchApproval, move: LaunchMove, at: number): Promise<void> {
    if (move.kind !== "reminded") return;
    const { store, deliveriesOf } = this.#options;
    const { id, orgId, source, summary, requestedAt, expiresAt } = approval;
    const { urgency } = move;
    const key = `launch/${id}/${urgency}`;
    const data = { approvalId: id, source, urgency, summary, requestedAt, expiresAt };
    const deliveries = await deliveriesOf({ orgId, type: "approval.reminded", key, at, data });
    await store.fireAlert(orgId, key, { at, deliveries, audit: null });
  }
}

/** Returns the same audit entries as for approvals of nodes. Reminders have none there either. */
function entryOf(approval: LaunchApproval, move: LaunchMove, at: number): AuditEntry | null {
  const { id, source, status, choice, reason, resolvedAt } = approval;
  const about = { actor: ENGINE_ACTOR, resource: `approval/${id}` };
  switch (move.kind) {
    case "escalated": {
      const { hop, who } = move;
      return auditEntry({ at, type: "approval.escalated", ...about, detail: { approvalId: id, source, hop, who } });
    }
    case "resolved": {
      const detail = { approvalId: id, source, status, ...(choice === null ? {} : { decision: choice }), reason };
      return auditEntry({ at: resolvedAt ?? at, type: "approval.resolved", ...about, detail });
    }
    default:
      return null;
  }
}
