import type { AuditEntry } from "../core/audit/index.ts";
import type { ChannelStore } from "./channel-store.ts";
import type { HookStore } from "./hook-store.ts";
import type { NewDelivery, WebhookStore } from "./webhook-store.ts";

/** Data of webhooks, channels, hooks and alerts. */
export interface OutsideStore extends WebhookStore, ChannelStore, HookStore, AlertStore {}

/** The data alerts are evaluated on, and the record that each fires once. */
export interface AlertStore {
  /** Takes or renews a lease: true when it is free, expired, or held by this holder. Uses database time. */
  takeLease(name: string, holder: string, ttlMs: number): Promise<boolean>;
  dropLease(name: string, holder: string): Promise<void>;
  /** Writes deliveries and audit entry on the first use of a key; returns false on every later use. */
  fireAlert(orgId: string, key: string, fired: FiredAlert): Promise<boolean>;
  /** Counts runs that ended at or after an instant. */
  countEnded(orgId: string, since: number): Promise<EndedRuns>;
  /** Lists unanswered approvals requested before an instant, oldest first, except those recorded under `prefix` + id. */
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
  /** Runs that failed or timed out. */
  readonly failed: number;
}

export interface OverdueApproval {
  readonly approvalId: string;
  readonly runId: string;
  readonly requestedAt: number;
}
