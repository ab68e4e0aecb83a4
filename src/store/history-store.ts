import type { AuditEntry } from "../core/audit/index.ts";

/** Letting go of runs that have ended: always whole families, and never one that something open still needs. */
export interface HistoryStore {
  /**
   * Removes a run, its child runs and everything that is kept of them, in one transaction with the audit entry. What only
   * they referred to of large values goes with them; files are left to the sweep. Records of the audit, usage, and what
   * became of slots of schedules and of deliveries to triggers stay: none of them holds content of the run.
   */
  deleteFamily(orgId: string, runId: string, note: (deleted: DeletedFamily) => AuditEntry): Promise<Deletion>;
}

export interface DeletedFamily {
  readonly runId: string;
  readonly workflow: string;
  /** The run itself first, then its child runs and theirs. */
  readonly runIds: readonly string[];
}

export type Deletion =
  | ({ readonly kind: "deleted" } & DeletedFamily)
  | { readonly kind: "unknown" }
  /** It is a child run, and is deleted with the run it belongs to. */
  | { readonly kind: "child"; readonly rootRunId: string }
  /** A run of the family has not ended. */
  | { readonly kind: "open"; readonly runId: string }
  /** An open run was started from a run of the family. */
  | { readonly kind: "in_use"; readonly by: string };
