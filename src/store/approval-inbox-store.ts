import type { AuditEntry } from "../core/audit/index.ts";
import type { ApprovalSource, ApprovalStatus } from "../core/event/index.ts";
import type { ApprovalRecord } from "./approval-record.ts";
import type { Listed, Page } from "./store.ts";

/** The order of approvals; those of the same instant are ordered by id. */
export type ApprovalOrder = "newest" | "oldest" | "expiring";

/** Selects the listed approvals. Absent fields do not restrict. */
export interface ApprovalFilter {
  /** `closed` means any status but `pending`. */
  readonly status?: ApprovalStatus | "closed";
  readonly workflow?: string;
  readonly source?: ApprovalSource;
  readonly runId?: string;
  readonly agentId?: string;
  /** Assigned to one of these names; null for unassigned approvals. */
  readonly assignee?: readonly string[] | null;
  /** Requested at this time or earlier. */
  readonly requestedUntil?: number;
  /** Contained in the search text, ignoring case. */
  readonly text?: string;
  /** Equals `ApprovalRow.group`. */
  readonly group?: string;
  readonly answerer?: Answerer;
}

/** The data of a caller that decides which pending approvals it may answer. */
export interface Answerer {
  /** Names in approver lists under which the caller answers; null when approver lists are not enforced. */
  readonly names: readonly string[] | null;
  /** The id stored with the caller's answers: of the person, else of the key. */
  readonly id: string;
  /** Id of the agent, if the caller is one; an agent cannot answer its own approvals. */
  readonly agentId: string | null;
  /** Whether the caller's identity is known. Only then can it be the second person where one is required. */
  readonly isKnown: boolean;
  /** Requesters that the caller is or represents. It cannot be their second person. */
  readonly ownRequesters: readonly string[];
  /** Requesters for whom the caller is a deputy: their approvals may be answered only under the given, fewer names. */
  readonly deputised: readonly { readonly requester: string; readonly names: readonly string[] }[];
}

export interface ApprovalListing {
  readonly filter: ApprovalFilter;
  readonly order: ApprovalOrder;
  readonly withSubject: boolean;
  /** When true, only the first of the open approvals with the same group is listed. */
  readonly isGrouped: boolean;
}

/** Returns a listing of complete approvals with a status, newest first. */
export function listingOf(status: ApprovalStatus | null): ApprovalListing {
  return { filter: status === null ? {} : { status }, order: "newest", withSubject: true, isGrouped: false };
}

/** An approval in a list. */
export interface ApprovalRow {
  readonly approval: ApprovalRecord;
  /** Equal for approvals that differ only in their args. */
  readonly group: string | null;
  /** In a grouped list, the number of matching approvals in the group; otherwise null. */
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

/** Searches approvals, and stores assignments and comments. */
export interface ApprovalInboxStore {
  /** Lists complete approvals, newest first; null for any status. */
  listApprovals(orgId: string, status: ApprovalStatus | null, page: Page): Promise<Listed<ApprovalRecord>>;
  findApprovals(orgId: string, listing: ApprovalListing, page: Page): Promise<Listed<ApprovalRow>>;
  /** Lists the requesters of pending approvals that require a second person. */
  listSeparateRequesters(orgId: string): Promise<readonly string[]>;
  countApprovals(orgId: string, filter: ApprovalFilter): Promise<number>;
  /** False when there is no such approval. */
  assignApproval(orgId: string, approvalId: string, assignee: string | null, entry: AuditEntry): Promise<boolean>;
  /** False when there is no such approval. */
  addComment(orgId: string, approvalId: string, comment: ApprovalCommentRecord, entry: AuditEntry): Promise<boolean>;
  /** Oldest first. */
  listComments(orgId: string, approvalId: string, page: Page): Promise<Listed<ApprovalCommentRecord>>;
}
