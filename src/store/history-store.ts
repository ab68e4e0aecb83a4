import type { AuditEntry } from "../core/audit/index.ts";
import type { MemoryRecord } from "./agent-memory-store.ts";
import type { ApprovalCommentRecord } from "./approval-inbox-store.ts";
import type { ErasureRecord, ErasureStore } from "./erasure-store.ts";
import type { AttemptReport } from "./registry-store.ts";

/** Deletion of runs that have ended. It always deletes whole families, and never a family that an open run still needs. */
export interface HistoryStore extends ErasureStore {
  /**
   * Deletes a run, its child runs and all their data, in one transaction with the audit entry. Large values that only
   * they refer to are deleted too; files are left to the sweep. Audit records, usage, and the outcomes of schedule
   * slots and trigger deliveries stay: none of them has content of the run. With `as`, deletes only if the family is
   * unchanged since then.
   */
  deleteFamily(orgId: string, runId: string, note: NoteDeletion, as?: readonly FamilyMember[]): Promise<Deletion>;
  /** Deletes several families that are unchanged since they were seen, in one transaction; returns how many. */
  deleteFamilies(orgId: string, families: readonly SeenFamily[], note: NoteDeletion): Promise<number>;
  /** Returns a run, its child runs and theirs, the run itself first; empty when the run does not exist. */
  familyOf(orgId: string, runId: string): Promise<readonly FamilyMember[]>;
  /** Returns runs without a parent whose retention has expired, by the time they ended; only those after a given run, if there is one. */
  listEndedRuns(
    orgId: string,
    selection: EndedSelection,
    after: EndedRun | null,
    limit: number,
  ): Promise<readonly EndedRun[]>;
  /** Deletes verdicts of runs whose retention has expired, at most `limit` rows; returns how many. */
  pruneVerdicts(orgId: string, selection: EndedSelection, limit: number): Promise<number>;
  /** Deletes, in the same way, what attempts reported besides their results. */
  pruneReports(orgId: string, selection: EndedSelection, limit: number): Promise<number>;
  /**
   * Deletes approvals of launches that were requested before the instant and that start no run any more, with their
   * comments, at most `limit`; returns how many.
   */
  pruneLaunches(orgId: string, selection: EndedSelection, limit: number): Promise<number>;
  /** Returns what attempts of a run reported besides their results. */
  reportsOfRun(orgId: string, runId: string): Promise<readonly AttemptReport[]>;
  /** Returns the memories that agents keep of a run. */
  memoriesOfRun(orgId: string, runId: string): Promise<readonly MemoryRecord[]>;
  /**
   * Marks runs as imported: their retention counts from now, not from their end. Also restores the comments on their
   * approvals, and their erasures.
   */
  markImported(
    orgId: string,
    runIds: readonly string[],
    comments: readonly ArchivedComment[],
    erasures: readonly ErasureRecord[],
  ): Promise<void>;
  /** Returns, for each organisation with a registered retention, a text that changes when any of its retentions changes. */
  retentionMarks(): Promise<ReadonlyMap<string, string>>;
  /** Stores the record of an archive; replaces the earlier record of the same run. */
  putArchive(archive: ArchiveRecord): Promise<void>;
  getArchive(orgId: string, runId: string): Promise<ArchiveRecord | undefined>;
  /** Returns archives by run id. */
  listArchives(orgId: string, afterRunId: string, limit: number): Promise<readonly ArchiveRecord[]>;
}

/** Selects runs that ended before an instant and were not imported since. */
export interface EndedSelection {
  readonly before: number;
  /** Only runs of this workflow; null selects all workflows except those in `except`. */
  readonly workflow: string | null;
  readonly except: readonly string[];
}

export interface EndedRun {
  readonly runId: string;
  readonly workflow: string;
  readonly endedAt: number;
}

export type ArchivedComment = ApprovalCommentRecord & { readonly approvalId: string };

/** The archive file of a family, written before the family was deleted. */
export interface ArchiveRecord {
  readonly orgId: string;
  readonly runId: string;
  readonly workflow: string;
  /** Place as named in the retention: a folder, or `s3`. */
  readonly place: string;
  /** Name of the file at that place. */
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  readonly archivedAt: number;
}

export type NoteDeletion = (deleted: DeletedFamily) => AuditEntry;

export interface FamilyMember {
  readonly runId: string;
  readonly rowVersion: number;
  readonly isOpen: boolean;
}

export interface SeenFamily {
  readonly runId: string;
  readonly as: readonly FamilyMember[];
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
  /** The run is a child run, and is deleted only with its root run. */
  | { readonly kind: "child"; readonly rootRunId: string }
  /** A run of the family has not ended. */
  | { readonly kind: "open"; readonly runId: string }
  /** The family has changed since the caller read it. */
  | { readonly kind: "changed" }
  /** An open run was started from a run of the family. */
  | { readonly kind: "in_use"; readonly by: string };

/** Whether a family is unchanged since it was seen, in any order. */
export function isSameFamily(seen: readonly FamilyMember[], found: readonly FamilyMember[]): boolean {
  const versions = new Map(seen.map(({ runId, rowVersion }) => [runId, rowVersion]));
  return seen.length === found.length && found.every(({ runId, rowVersion }) => versions.get(runId) === rowVersion);
}
