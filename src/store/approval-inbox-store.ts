import type { AuditEntry } from "../core/audit/index.ts";
import type { ApprovalSource, ApprovalStatus } from "../core/event/index.ts";
import type { ApprovalRecord } from "./approval-record.ts";
import type { Listed, Page } from "./store.ts";

/** How approvals are ordered; those of one instant by id. */
export type ApprovalOrder = "newest" | "oldest" | "expiring";

/** Which approvals are listed; what is absent restricts nothing. */
export interface ApprovalFilter {
  /** `closed`: any status but `pending`. */
  readonly status?: ApprovalStatus | "closed";
  readonly workflow?: string;
  readonly source?: ApprovalSource;
  readonly runId?: string;
  /** Assigned to one of these names; null: assigned to no one. */
  readonly assignee?: readonly string[] | null;
  /** Requested at this time or before. */
  readonly requestedUntil?: number;
  /** A text that the search text contains, whatever its case. */
  readonly text?: string;
  /** As `ApprovalRow.group`. */
  readonly group?: string;
  readonly answerer?: Answerer;
}

/** A caller, as far as it decides which of the approvals that wait the caller may answer. */
export interface Answerer {
  /** The names of approver lists under which the caller answers; null: whom an approval asks is not checked. */
  readonly names: readonly string[] | null;
  /** With which the answers of the caller are kept: of the person, else of the key. */
  readonly id: string;
  /** The agent the caller is; it does not answer for itself. */
  readonly agentId: string | null;
  /** Whether it is known who the caller is, so that it can be the second person where one is needed. */
  readonly isKnown: boolean;
  /** Where a second person is needed: requesters the caller is, or stands for. */
  readonly ownRequesters: readonly string[];
  /** And requesters whose work the caller answers under fewer names, because it stands in for them. */
  readonly deputised: readonly { readonly requester: string; readonly names: readonly string[] }[];
}

export interface ApprovalListing {
  readonly filter: ApprovalFilter;
  readonly order: ApprovalOrder;
  readonly withSubject: boolean;
  /** Of open approvals with the same group only the first. */
  readonly isGrouped: boolean;
}

/** Approvals of a status, newest first, whole. */
export function listingOf(status: ApprovalStatus | null): ApprovalListing {
  return { filter: status === null ? {} : { status }, order: "newest", withSubject: true, isGrouped: false };
}

/** An approval in a list. */
export interface ApprovalRow {
  readonly approval: ApprovalRecord;
  /** The same for approvals that differ in nothing but their args. */
  readonly group: string | null;
  /** In a grouped list, how many of the wanted approvals this one stands for; else null. */
  readonly groupSize: number | null;
}

export interface ApprovalCommentRecord {
  readonly id: string;
  readonly at: number;
  readonly by: string;
  readonly byId: string | null;
  readonly personId: string | null;
  readonly text: string;
}

/** Finding approvals among many, and what people add to them without answering. */
export interface ApprovalInboxStore {
  /** Newest first, whole; null: of any status. */
  listApprovals(orgId: string, status: ApprovalStatus | null, page: Page): Promise<Listed<ApprovalRecord>>;
  findApprovals(orgId: string, listing: ApprovalListing, page: Page): Promise<Listed<ApprovalRow>>;
  /** Who has requested what waits for a second person. */
  listSeparateRequesters(orgId: string): Promise<readonly string[]>;
  countApprovals(orgId: string, filter: ApprovalFilter): Promise<number>;
  /** False when there is no such approval. */
  assignApproval(orgId: string, approvalId: string, assignee: string | null, entry: AuditEntry): Promise<boolean>;
  /** False when there is no such approval. */
  addComment(orgId: string, approvalId: string, comment: ApprovalCommentRecord, entry: AuditEntry): Promise<boolean>;
  /** Oldest first. */
  listComments(orgId: string, approvalId: string, page: Page): Promise<Listed<ApprovalCommentRecord>>;
}
