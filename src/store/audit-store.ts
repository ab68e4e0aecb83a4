import type { AuditCategory, AuditEntry, AuditHead, AuditRecord, AuditType } from "../core/audit/index.ts";
import type { GovernanceStore } from "./governance-store.ts";
import type { LaunchApprovalStore } from "./launch-approval-store.ts";
import type { Listed, Page } from "./store.ts";

/**
 * What happened, chained. Entries wait unchained, written with the change they record, until one replica at a time
 * seals them: gives each its number and hash. A sealed record is never changed, and leaves only with a signed word
 * for what is gone.
 */
export interface AuditStore {
  /** For changes that are not part of a run's commit. */
  appendAudit(orgId: string, entries: readonly AuditEntry[]): Promise<void>;
  /** Organisations with entries to seal, or with a segment that was opened before an instant and is not closed. */
  listPendingOrganisations(openedBefore: number, limit: number): Promise<readonly string[]>;
  /**
   * Moves at most `limit` waiting batches of entries into the chain, oldest first, in one transaction; `compute` returns
   * how. Null when another replica is at it.
   */
  seal(orgId: string, limit: number, compute: ComputeSeal): Promise<Sealed | null>;
  /** Where the chain ends; of an organisation nothing is known about, at its beginning. */
  auditHead(orgId: string): Promise<AuditHead>;
  /** Newest first. */
  listAudit(orgId: string, filter: AuditSelection, page: Page): Promise<Listed<AuditRecord>>;
  /** What people wrote in these records, by number; what was erased is left out. */
  auditTexts(orgId: string, seqs: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** What follows a record, up to the end of its segment or to `toSeq`; all of one moment. Null when nothing does. */
  readSegment(orgId: string, afterSeq: number, toSeq: number): Promise<SegmentRead | null>;
  /** Organisations that have records, by id. */
  listAudited(afterOrgId: string, limit: number): Promise<readonly string[]>;
  /** Packs one closed segment whose records lie in rows of their own; false when there is none, or another is at its chain. */
  packAudit(): Promise<boolean>;
  /**
   * Prunes the oldest segment closed in `[from, before)` that was not pruned with the same `categories` yet; `compute`
   * returns what is left of it. False when there is none, or another replica is at the chain.
   */
  pruneSegment(orgId: string, asked: PruneAsked, compute: ComputePrune): Promise<boolean>;
}

/** What is decided, and what stays recorded of it for ever. */
export interface GovernedStore extends GovernanceStore, AuditStore, LaunchApprovalStore {}

export interface AuditSelection {
  readonly type?: AuditType;
  readonly category?: AuditCategory;
  readonly run?: string;
}

/** Entries of one commit or one call, as JSON. */
export interface PendingAudit {
  readonly id: string;
  readonly body: string;
}

/** `saltsOf` gives each subject the salt it has, and one that has none a new one. */
export type ComputeSeal = (
  head: AuditHead,
  pending: readonly PendingAudit[],
  saltsOf: (subjects: readonly string[]) => Promise<ReadonlyMap<string, string>>,
) => Sealed | Promise<Sealed>;

/** What a person wrote, beside the record of it; it can be erased without breaking the chain. */
export interface AuditText {
  readonly seq: number;
  /** The run it is about, else what else it is about; its salt is kept under this name. */
  readonly subject: string;
  readonly text: string;
}

export interface Sealed {
  readonly head: AuditHead;
  readonly records: readonly SealedRecord[];
  readonly segments: readonly ClosedSegment[];
  /** What people wrote, of which the chain holds no more than a keyed hash; absent: nothing. */
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
  /** The signed checkpoint; null once nothing is left of the segment. */
  readonly checkpoint: string | null;
  /** The signed word for what is gone; null while everything is there. */
  readonly pruned: string | null;
}

export interface SegmentRead {
  readonly toSeq: number;
  /** Null for the segment that is still open. */
  readonly closed: ClosedSegment | null;
  readonly lines: readonly string[];
  /** What stands in columns beside each line, in the same order: lists are filtered by them. */
  readonly columns: readonly RecordColumns[];
}

/** What a store keeps of a record beside its line. */
export interface RecordColumns extends Pick<SealedRecord, "seq" | "at" | "run"> {
  /** Null: it is not found by it. */
  readonly category: AuditCategory | null;
  readonly type: AuditType | null;
}

export interface PruneAsked {
  /** Instants of closing. */
  readonly from: number;
  readonly before: number;
  readonly categories: readonly AuditCategory[];
}

/** `previous` is the segment before, when nothing is left of it either: the two become one. */
export type ComputePrune = (segment: SegmentRead, previous: ClosedSegment | null) => PruneAnswer;

interface PruneAnswer {
  readonly segment: ClosedSegment;
  /** Numbers of the records that go. */
  readonly gone: readonly number[];
}
