import type { AuditEntry } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { ApprovalRecord } from "./approval-record.ts";

/** Taking personal content out of runs that have ended, and leaving everything else. */
export interface ErasureStore {
  /**
   * Replaces the content of a run by what `erasing` makes of it, and removes what is nothing but content: verdicts,
   * reports of attempts, memories, comments, messages about it, events it took or sent, the key it was started under, texts of
   * the audit, large values and files that no other run refers to. One transaction with the audit entry.
   */
  eraseRun(orgId: string, runId: string, erasing: Erasing): Promise<"erased" | "already" | "open" | "unknown">;
  /** When, and by whom; undefined: it was not erased. */
  getErasure(orgId: string, runId: string): Promise<ErasureRecord | undefined>;
  /** Runs that were started from one of these, and their parents and child runs, whatever has become of them. */
  relatedRuns(orgId: string, runIds: readonly string[]): Promise<readonly string[]>;
  /**
   * Other runs in whose prompts an agent remembered one of these: rewrites the blocks of their logs that name it, and
   * removes what their attempts reported besides their results. Reads the whole log; how many blocks it changed.
   */
  eraseMentions(orgId: string, runIds: readonly string[], rewrite: (body: string) => string): Promise<number>;
  /** Removes what is left of runs that were deleted before. */
  eraseTraces(orgId: string, traces: ErasedTraces): Promise<void>;
  /** Approvals of launches, by id. */
  listLaunches(orgId: string, afterId: string, limit: number): Promise<readonly ApprovalRecord[]>;
  /** The same for the approval of a launch, which belongs to no run, with its comments. */
  eraseLaunch(orgId: string, approvalId: string, erase: (approval: ApprovalRecord) => ApprovalRecord): Promise<void>;
}

export interface ErasedTraces {
  /** Their texts of the audit go. */
  readonly runIds: readonly string[];
  /** Events of the organisation that they took or sent. */
  readonly eventIds: readonly string[];
  /** Files that no other run refers to become garbage at once. */
  readonly fileHashes: readonly string[];
}

export interface Erasing {
  readonly at: number;
  readonly by: string;
  readonly args: (args: JsonObject) => JsonObject;
  /** A block of the log, in the order of the log; with ids of events of the organisation it names. */
  readonly block: (body: string) => { readonly body: string; readonly events: readonly string[] };
  readonly approval: (approval: ApprovalRecord) => ApprovalRecord;
  /** Of all blocks as they were. */
  readonly sha256: () => string;
  readonly note: () => AuditEntry;
}

export interface ErasureRecord {
  readonly runId: string;
  readonly at: number;
  readonly by: string;
  readonly sha256: string;
}
