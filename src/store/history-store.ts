import type { AuditEntry } from "../core/audit/index.ts";
import type { MemoryRecord } from "./agent-memory-store.ts";
import type { ApprovalCommentRecord } from "./approval-inbox-store.ts";
import type { ErasureStore } from "./erasure-store.ts";
import type { AttemptReport } from "./registry-store.ts";

/** Deletion of runs that have ended: always whole families, and never one that something open still needs. */
export interface HistoryStore extends ErasureStore {
  /**
   * Removes a run, its child runs and everything that is kept of them, in one transaction with the audit entry. What only
   * they referred to of large values goes with them; files are left to the sweep. Records of the audit, usage, and what
   * became of slots of schedules and of deliveries to triggers stay: none of them holds content of the run. With `as`, only
   * if the family is still as it was then.
   */
  deleteFamily(orgId: string, runId: string, note: NoteDeletion, as?: readonly FamilyMember[]): Promise<Deletion>;
  /** The same of several families that are still as they were, in one transaction; how many it was. */
  deleteFamilies(orgId: string, families: readonly SeenFamily[], note: NoteDeletion): Promise<number>;
  /** A run and its child runs and theirs, the run itself first; empty when there is none. */
  familyOf(orgId: string, runId: string): Promise<readonly FamilyMember[]>;
  /** Runs without a parent whose time is over, the one that ended first before the others; after one of them, if given. */
  listEndedRuns(
    orgId: string,
    selection: EndedSelection,
    after: EndedRun | null,
    limit: number,
  ): Promise<readonly EndedRun[]>;
  /** Removes verdicts of runs whose time is over, at most so many rows; how many it was. */
  pruneVerdicts(orgId: string, selection: EndedSelection, limit: number): Promise<number>;
  /** The same of what attempts reported besides their results. */
  pruneReports(orgId: string, selection: EndedSelection, limit: number): Promise<number>;
  /** What attempts of a run reported besides their results. */
  reportsOfRun(orgId: string, runId: string): Promise<readonly AttemptReport[]>;
  /** What agents keep of a run. */
  memoriesOfRun(orgId: string, runId: string): Promise<readonly MemoryRecord[]>;
  /**
   * From now on their time counts from this moment, whenever they ended; and what people noted on their approvals
   * is back.
   */
  markImported(orgId: string, runIds: readonly string[], comments: readonly ArchivedComment[]): Promise<void>;
  /** Of each organisation that has registered a retention, a text that changes with any of them. */
  retentionMarks(): Promise<ReadonlyMap<string, string>>;
  /** Replaces what was known of the archive of the same run. */
  putArchive(archive: ArchiveRecord): Promise<void>;
  getArchive(orgId: string, runId: string): Promise<ArchiveRecord | undefined>;
  /** By the id of the run. */
  listArchives(orgId: string, afterRunId: string, limit: number): Promise<readonly ArchiveRecord[]>;
}

/** Runs that ended before an instant, and were not imported since. */
export interface EndedSelection {
  readonly before: number;
  /** Only of this workflow; null: of all but those named. */
  readonly workflow: string | null;
  readonly except: readonly string[];
}

export interface EndedRun {
  readonly runId: string;
  readonly workflow: string;
  readonly endedAt: number;
}

export type ArchivedComment = ApprovalCommentRecord & { readonly approvalId: string };

/** Where a family was written before it was deleted. */
export interface ArchiveRecord {
  readonly orgId: string;
  readonly runId: string;
  readonly workflow: string;
  /** As its retention names it: a folder, or `s3`. */
  readonly place: string;
  /** Of the file there. */
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
  /** It is a child run, and is deleted with the run it belongs to. */
  | { readonly kind: "child"; readonly rootRunId: string }
  /** A run of the family has not ended. */
  | { readonly kind: "open"; readonly runId: string }
  /** It is no longer as the caller has seen it. */
  | { readonly kind: "changed" }
  /** An open run was started from a run of the family. */
  | { readonly kind: "in_use"; readonly by: string };

/** Whether a family is as it was seen, in whatever order. */
export function isSameFamily(seen: readonly FamilyMember[], found: readonly FamilyMember[]): boolean {
  const versions = new Map(seen.map(({ runId, rowVersion }) => [runId, rowVersion]));
  return seen.length === found.length && found.every(({ runId, rowVersion }) => versions.get(runId) === rowVersion);
}
