import { type Clock, LeasedRounds } from "../clock/index.ts";
import { auditEntry, type AuditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { AlertStore, LaunchApproval, LaunchApprovalStore, NewDelivery } from "../store/index.ts";
import { type LaunchMove, moveLaunch } from "./launch-chain.ts";

/** Something to be sent outside that no audit record holds. */
export interface LaunchNotice {
  readonly orgId: string;
  readonly type: "approval.reminded";
  /** The same on every replica. */
  readonly key: string;
  readonly at: number;
  readonly data: JsonObject;
}

export interface LaunchWatchOptions {
  readonly store: LaunchApprovalStore & Pick<AlertStore, "takeLease" | "dropLease" | "fireAlert">;
  readonly clock: Clock;
  /** The subscribers, and what they are sent. */
  readonly deliveriesOf: (notice: LaunchNotice) => Promise<readonly NewDelivery[]>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const PAGE = 200;
const PAGES_MAX = 50;

/**
 * Reminds of launches that wait for an approval, asks the next in the chain, and closes what stays unanswered: what timers
 * of a run do for the approvals of its nodes. One process at a time looks; should two, each move counts once.
 */
export class LaunchWatch {
  readonly #options: LaunchWatchOptions;
  readonly rounds: LeasedRounds;

  constructor(options: LaunchWatchOptions) {
    this.#options = options;
    const { store: leases, clock, onTrouble } = options;
    const what = "approvals of launches";
    const round = (): Promise<void> => this.#lookAll();
    this.rounds = new LeasedRounds({ leases, clock, lease: "launches", what, round, onTrouble });
  }

  async #lookAll(): Promise<void> {
    const { store } = this.#options;
    await store.dropUnusedLaunches(PAGE);
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const { now, approvals } = await store.dueLaunches(PAGE);
      for (const approval of approvals) await this.#catchUp(approval, now);
      if (approvals.length < PAGE) return;
    }
  }

  /** Also after a long rest, everything comes in its order. */
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

  /** Sent under a key before it is recorded, so that no crash and no other replica sends it twice or never. */
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

/** The same entries as for the approval of a node; reminders have none there either. */
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
