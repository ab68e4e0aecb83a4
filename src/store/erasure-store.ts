import type { AuditEntry } from "../core/audit/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { ApprovalRecord } from "./approval-record.ts";

/** Removes personal content from runs that have ended, and leaves everything else. */
export interface ErasureStore {
  /**
   * Replaces the content of a run with the results of `erasing`, and removes data that is only content: verdicts,
   * reports of attempts, memories, comments, messages about it, events it took or sent, its idempotency key, audit
   * texts, and large values and files that no other run refers to. All in one transaction with the audit entry.
   */
  eraseRun(orgId: string, runId: string, erasing: Erasing): Promise<"erased" | "already" | "open" | "unknown">;
  /** Returns when the run was erased, and by whom; undefined when it was not erased. */
  getErasure(orgId: string, runId: string): Promise<ErasureRecord | undefined>;
  /**
   * Returns those of these runs that exist, and all runs connected to them, transitively: runs started from them,
   * parents, and child runs. A deleted run connects too: it is named by the runs that were started from it.
   */
  relatedRuns(orgId: string, runIds: readonly string[]): Promise<readonly string[]>;
  /**
   * Edits other runs in whose prompts an agent remembered one of these: rewrites the blocks of their logs that name it, and
   * removes what their attempts reported besides results. Also replaces the ids of the trigger deliveries that started
   * these runs, because senders choose them. Reads the whole log; returns the number of changed blocks.
   */
  eraseMentions(orgId: string, runIds: readonly string[], rewrite: (body: string) => string): Promise<number>;
  /** Removes remaining data of runs that were deleted earlier. */
  eraseTraces(orgId: string, traces: ErasedTraces): Promise<void>;
  /** Returns approvals of launches, by id. */
  listLaunches(orgId: string, afterId: string, limit: number): Promise<readonly ApprovalRecord[]>;
  /** Erases the approval of a launch, which belongs to no run, and its comments. */
  eraseLaunch(orgId: string, approvalId: string, erase: (approval: ApprovalRecord) => ApprovalRecord): Promise<void>;
}

export interface ErasedTraces {
  /** Runs whose audit texts are removed. */
  readonly runIds: readonly string[];
  /** Events of the organisation that the runs took or sent. */
  readonly eventIds: readonly string[];
  /** Files of the runs. Those that no other run refers to become garbage at once. */
  readonly fileHashes: readonly string[];
}

export interface Erasing {
  readonly at: number;
  readonly by: string;
  readonly args: (args: JsonObject) => JsonObject;
  /** Rewrites a block of the log, in log order. Also returns the ids of the organisation's events that the block names. */
  readonly block: (body: string) => { readonly body: string; readonly events: readonly string[] };
  readonly approval: (approval: ApprovalRecord) => ApprovalRecord;
  /** Returns the hash of all blocks before erasure. */
  readonly sha256: () => string;
  readonly note: () => AuditEntry;
}

export interface ErasureRecord {
  readonly runId: string;
  readonly at: number;
  readonly by: string;
  readonly sha256: string;
}
