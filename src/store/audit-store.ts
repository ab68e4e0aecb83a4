import type { AuditCategory, AuditEntry, AuditHead, AuditRecord, AuditType } from "../core/audit/index.ts";
import type { GovernanceStore } from "./governance-store.ts";
import type { LaunchApprovalStore } from "./launch-approval-store.ts";
import type { Listed, Page } from "./store.ts";

/**
 * The audit chain. Entries are written unchained with the change they record. Later, one replica at a time seals them:
 * each gets its number and hash. A sealed record is never changed, and is removed only with a signed statement about
 * the removed records.
 */
export interface AuditStore {
  /** Appends entries of changes that are not part of a run's commit. */
  appendAudit(orgId: string, entries: readonly AuditEntry[]): Promise<void>;
  /** Lists organisations with entries to seal, or with a segment opened before an instant and not closed yet. */
  listPendingOrganisations(openedBefore: number, limit: number): Promise<readonly string[]>;
  /**
   * Moves at most `limit` waiting batches of entries into the chain, oldest first, in one transaction; `compute`
   * returns the sealed records. Null when another replica is sealing.
   */
  seal(orgId: string, limit: number, compute: ComputeSeal): Promise<Sealed | null>;
  /** Returns the end of the chain; its beginning for an organisation without records. */
  auditHead(orgId: string): Promise<AuditHead>;
  /** Lists records, newest first. */
  listAudit(orgId: string, filter: AuditSelection, page: Page): Promise<Listed<AuditRecord>>;
  /** Returns the texts people wrote in these records, by number; erased texts are missing. */
  auditTexts(orgId: string, seqs: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Reads the records after one, up to the end of its segment or to `toSeq`, in one snapshot. Null when there are none. */
  readSegment(orgId: string, afterSeq: number, toSeq: number): Promise<SegmentRead | null>;
  /** Lists organisations that have records, by id. */
  listAudited(afterOrgId: string, limit: number): Promise<readonly string[]>;
  /** Packs one closed segment whose records are separate rows; false when there is none, or its chain is locked by another replica. */
  packAudit(): Promise<boolean>;
  /**
   * Prunes the oldest segment closed in `[from, before)` that was not yet pruned with the same `categories`; `compute`
   * returns the rest of it. False when there is none, or another replica is using the chain.
   */
  pruneSegment(orgId: string, asked: PruneAsked, compute: ComputePrune): Promise<boolean>;
}

/** Data of governance: decisions and their permanent records. */
export interface GovernedStore extends GovernanceStore, AuditStore, LaunchApprovalStore {}

export interface AuditSelection {
  readonly type?: AuditType;
  readonly category?: AuditCategory;
  readonly run?: string;
}

/** The waiting entries of one commit or one call. */
export interface PendingAudit {
  readonly id: string;
  readonly entries: readonly AuditEntry[];
}

/** `saltsOf` returns the salt of each subject, creating those that are missing. */
export type ComputeSeal = (
  head: AuditHead,
  pending: readonly PendingAudit[],
  saltsOf: (subjects: readonly string[]) => Promise<ReadonlyMap<string, string>>,
) => Sealed | Promise<Sealed>;

/** A text a person wrote, stored separately from its record, so that it can be erased without breaking the chain. */
export interface AuditText {
  readonly seq: number;
  /** The run the text concerns, or else another resource; its salt is stored under this name. */
  readonly subject: string;
  readonly text: string;
}

export interface Sealed {
  readonly head: AuditHead;
  readonly records: readonly SealedRecord[];
  readonly segments: readonly ClosedSegment[];
  /** Texts people wrote, of which the chain contains only a keyed hash; absent when there are none. */
  readonly texts?: readonly AuditText[];
}

export interface SealedRecord {
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly category: AuditCategory;
  readonly type: AuditType;
  readonly run: string | null;
  /** The record itself, as canonical JSON. */
  readonly line: string;
}

export interface ClosedSegment {
  readonly fromSeq: number;
  readonly toSeq: number;
  /** When it was closed. */
  readonly at: number;
  /** The signed checkpoint; null when no records of the segment are left. */
  readonly checkpoint: string | null;
  /** The signed statement about removed records; null while all are present. */
  readonly pruned: string | null;
}

export interface SegmentRead {
  readonly toSeq: number;
  /** Null for the segment that is still open. */
  readonly closed: ClosedSegment | null;
  readonly lines: readonly string[];
  /** The indexed columns of each line, in the same order, by which lists are filtered. */
  readonly columns: readonly RecordColumns[];
}

/** Columns a store keeps beside the line of a record. */
export interface RecordColumns extends Pick<SealedRecord, "seq" | "at" | "run"> {
  /** Null when the record is not found by category. */
  readonly category: AuditCategory | null;
  readonly type: AuditType | null;
}

export interface PruneAsked {
  /** The period of closing. */
  readonly from: number;
  readonly before: number;
  readonly categories: readonly AuditCategory[];
}

/** `previous` is the preceding segment when no records of it are left either: the two are merged. */
export type ComputePrune = (segment: SegmentRead, previous: ClosedSegment | null) => PruneAnswer;

interface PruneAnswer {
  readonly segment: ClosedSegment;
  /** Numbers of the removed records. */
  readonly gone: readonly number[];
}
