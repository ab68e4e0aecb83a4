import type { AuditEntry } from "../core/audit/index.ts";
import type { ChannelStore } from "./channel-store.ts";
import type { HookStore } from "./hook-store.ts";
import type { NewDelivery, WebhookStore } from "./webhook-store.ts";

/** What is kept for those outside. */
export interface OutsideStore extends WebhookStore, ChannelStore, HookStore, AlertStore {}

/** What alerts look at, and that each fires once. */
export interface AlertStore {
  /** True while this holder is the one: free, or its own, or run out. By database time. */
  takeLease(name: string, holder: string, ttlMs: number): Promise<boolean>;
  dropLease(name: string, holder: string): Promise<void>;
  /** Writes deliveries and entry under a key, the first time it is used; false every other time. */
  fireAlert(orgId: string, key: string, fired: FiredAlert): Promise<boolean>;
  /** Runs that ended at or after an instant. */
  countEnded(orgId: string, since: number): Promise<EndedRuns>;
  /** Unanswered approvals requested before an instant; oldest first, without those recorded under `prefix` + id. */
  listOverdueApprovals(
    orgId: string,
    before: number,
    prefix: string,
    limit: number,
  ): Promise<readonly OverdueApproval[]>;
}

interface FiredAlert {
  readonly at: number;
  readonly deliveries: readonly NewDelivery[];
  readonly audit: AuditEntry | null;
}

export interface EndedRuns {
  readonly all: number;
  /** Failed or timed out. */
  readonly failed: number;
}

export interface OverdueApproval {
  readonly approvalId: string;
  readonly runId: string;
  readonly requestedAt: number;
}
