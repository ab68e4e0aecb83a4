import type { JsonObject } from "../core/base/index.ts";
import type { GivenAnswer, OpenApproval } from "../core/engine/index.ts";
import type { ApprovalStatus, Decision, FormFields, Subject } from "../core/event/index.ts";

/** A question that waits for a person, or was answered. */
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
  /** Null: opened before it was kept. */
  readonly workflow: string | null;
  readonly title: string;
  /** Null: opened before it was kept, or left out of a list. */
  readonly subject: Subject | null;
  readonly subjectDigest: string | null;
  /** How many different people have to approve. */
  readonly quorum: number;
  /** Of the present subject, in order. */
  readonly answers: readonly GivenAnswer[];
  /** How far the chain of approvers has come: all of them up to this one may answer. */
  readonly hop: number;
  /** What the person has to enter; null: nothing. */
  readonly form: FormFields | null;
  /** What was entered. */
  readonly entered: JsonObject | null;
  readonly confirm: "sign_in" | null;
  /** The person it was given to; null: none. */
  readonly assignee: string | null;
}

/** What an answer, a revision or the next in the chain changes of an open approval. */
export type ApprovalChange = Pick<ApprovalRecord, "id" | "hop" | "answers"> &
  Partial<
    Pick<ApprovalRecord, "title" | "digest" | "rendered" | "subject" | "subjectDigest" | "modifications" | "entered">
  >;

export type ApprovalClosing = Pick<
  ApprovalRecord,
  "id" | "status" | "choice" | "resolvedBy" | "resolvedAt" | "reason" | "modifications"
> &
  Partial<Pick<ApprovalRecord, "answers" | "entered">>;

/** An approval that no person has answered or was given yet. */
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

/** What approvals were kept without before it was known. */
const BEFORE = {
  ...UNANSWERED,
  workflow: null,
  subject: null,
  subjectDigest: null,
  quorum: 1,
  form: null,
  confirm: null,
} as const satisfies Partial<ApprovalRecord>;

/** A kept approval, of any age. */
export function readApproval(body: string): ApprovalRecord {
  const kept = JSON.parse(body) as ApprovalRecord;
  const { title = kept.summary } = kept as Partial<ApprovalRecord>;
  return { ...BEFORE, ...kept, title };
}
