import type { JsonObject } from "../core/base/index.ts";
import type { GivenAnswer, OpenApproval } from "../core/engine/index.ts";
import type { ApprovalStatus, Decision, FormFields, Subject } from "../core/event/index.ts";

/** An approval that waits for a person or was answered. */
export interface ApprovalRecord extends Omit<
  OpenApproval,
  "type" | "approvalId" | "rule" | "subject" | "subjectDigest"
> {
  readonly id: string;
  readonly orgId: string;
  readonly runId: string;
  readonly approvers: readonly { readonly who: string; readonly withinMs: number | null }[];
  readonly isSeparate: boolean;
  readonly status: ApprovalStatus;
  readonly choice: Decision | null;
  readonly resolvedBy: string | null;
  readonly resolvedAt: number | null;
  readonly reason: string | null;
  readonly modifications: JsonObject | null;
  /** Null for approvals opened before this field existed. */
  readonly workflow: string | null;
  readonly title: string;
  /** Null for approvals opened before this field existed, or when left out of a list. */
  readonly subject: Subject | null;
  readonly subjectDigest: string | null;
  /** Number of different people who must approve. */
  readonly quorum: number;
  /** Answers about the present subject, in order. */
  readonly answers: readonly GivenAnswer[];
  /** Position in the chain of approvers: all up to and including this one may answer. */
  readonly hop: number;
  /** The form the person has to fill in; null when there is none. */
  readonly form: FormFields | null;
  /** The values entered in the form. */
  readonly entered: JsonObject | null;
  readonly confirm: "sign_in" | null;
  /** The person it is assigned to; null when unassigned. */
  readonly assignee: string | null;
}

/** The fields of an open approval that an answer, a revision or an escalation changes. */
export type ApprovalChange = Pick<ApprovalRecord, "id" | "hop" | "answers"> &
  Partial<
    Pick<ApprovalRecord, "title" | "digest" | "rendered" | "subject" | "subjectDigest" | "modifications" | "entered">
  >;

export type ApprovalClosing = Pick<
  ApprovalRecord,
  "id" | "status" | "choice" | "resolvedBy" | "resolvedAt" | "reason" | "modifications"
> &
  Partial<Pick<ApprovalRecord, "answers" | "entered">>;

/** Fields of an approval without an answer or assignee. */
export const UNANSWERED = {
  status: "pending",
  choice: null,
  resolvedBy: null,
  resolvedAt: null,
  reason: null,
  modifications: null,
  entered: null,
  answers: [],
  hop: 0,
  assignee: null,
} as const satisfies Partial<ApprovalRecord>;

/** Defaults for fields that older stored approvals lack. */
const MISSING_FIELD_DEFAULTS = {
  ...UNANSWERED,
  workflow: null,
  subject: null,
  subjectDigest: null,
  quorum: 1,
  form: null,
  confirm: null,
} as const satisfies Partial<ApprovalRecord>;

/** Reads a stored approval of any age. */
export function readApproval(body: string): ApprovalRecord {
  const kept = JSON.parse(body) as ApprovalRecord;
  const { title = kept.summary } = kept as Partial<ApprovalRecord>;
  return { ...MISSING_FIELD_DEFAULTS, ...kept, title };
}
