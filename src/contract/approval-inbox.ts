/** The inbox of an approver: lists of pending approvals, answers to several approvals at once, comments and assignment. */
import { z } from "zod";
import { APPROVAL_SOURCES, APPROVAL_STATUSES, DECISIONS } from "../core/event/index.ts";
import { approvalSchema } from "./approval.ts";
import { type Answered, type Asked, count, moment } from "./field.ts";
import { filterText, type PageOptions, pageQuery } from "./page.ts";

/** Maximum number of answers in one request. */
export const BULK_MAX = 200;
const COMMENT_LENGTH_MAX = 10_000;

export const APPROVAL_ORDERS = ["newest", "oldest", "expiring"] as const;

/** The assignee of an approval: a name as in a list of approvers, or the caller. */
const assigneeName = z
  .string()
  .regex(
    /^(?:me|(?:user|role|team|key):[^\p{Cc}\p{Surrogate}]{1,200})$/u,
    'Invalid name: write it as "user:", "role:", "team:" or "key:" and a name, or "me"',
  );

export const approvalsQuery = pageQuery.extend({
  status: z
    .enum([...APPROVAL_STATUSES, "closed"])
    .optional()
    .describe("`closed` selects all approvals that no longer wait"),
  workflow: filterText.optional(),
  source: z.enum(APPROVAL_SOURCES).optional(),
  run: filterText.optional().describe("Selects the approvals of this run"),
  agent: filterText.optional().describe("Selects the approvals of the work of this agent"),
  assignee: filterText
    .optional()
    .describe("Selects by assignee: a name, `me`, or `none` for approvals without an assignee"),
  mine: z.enum(["true", "false"]).default("false").describe("`true` selects the approvals that the caller may answer"),
  older_than: filterText
    .optional()
    .describe("Selects approvals requested before this time, or longer ago than this duration: 4h, 2d"),
  q: filterText.optional().describe("Text to search for in title, summary, workflow, node, run id and args"),
  group: filterText
    .optional()
    .describe("`group` of an approval. Selects the approvals that differ from it only in their args"),
  order: z.enum(APPROVAL_ORDERS).default("newest"),
  grouped: z
    .enum(["true", "false"])
    .default("false")
    .describe(
      "`true` returns only the first of the open approvals that differ only in their args, with their number in `groupSize`",
    ),
  include: z.literal("subject").optional().describe("`subject` adds the subject of each approval"),
});
/** The query of a client for approvals. Contains only the filters that are set. */
export type ApprovalsQuery = PageOptions &
  Partial<Pick<Asked<typeof approvalsQuery>, "status" | "source" | "order" | "include" | "mine" | "grouped">> &
  Readonly<Partial<Record<"workflow" | "run" | "agent" | "assignee" | "older_than" | "q" | "group", string>>>;

export const inboxItemSchema = approvalSchema.extend({
  group: z.string().nullable().describe("Id shared by all approvals that differ only in their args"),
  groupSize: count.nullable().describe("With `grouped`: number of approvals in the list that this one represents"),
});
export type InboxItem = Answered<typeof inboxItemSchema>;

export const approvalCountsSchema = z.object({
  waiting: count,
  mine: count.describe("Number of these that the caller may answer"),
  assigned: count.describe("Number of these that are assigned to the caller"),
});
export type ApprovalCounts = Answered<typeof approvalCountsSchema>;

/** Whether the caller may answer. Checked by the same rule as the answer itself. */
export const answerRightSchema = z.object({
  mayAnswer: z.boolean(),
  mayOverride: z.boolean().describe("Whether the caller may override the approvers, with a reason"),
  code: z.string().nullable().describe("Code of the reason why the caller may not answer; null when it may"),
  message: z.string().nullable(),
  names: z.array(z.string()).describe("Names in approver lists that the caller answers as"),
});
export type AnswerRight = Answered<typeof answerRightSchema>;

export const bulkAnswerBody = z.strictObject({
  answers: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(200),
        decision: z.enum(DECISIONS),
        reason: z.string().max(10_000).optional(),
        subjectDigest: z
          .string()
          .max(200)
          .nullable()
          .describe(
            "Digest of the subject that was shown; null when the approval has none because an older server opened it",
          ),
      }),
    )
    .min(1)
    .max(BULK_MAX),
});
export type BulkAnswer = Asked<typeof bulkAnswerBody>;

export const bulkAnsweredSchema = z.object({
  answered: count,
  refused: count,
  data: z.array(
    z.object({
      id: z.string(),
      isAnswered: z.boolean(),
      code: z.string().nullable().describe("Code of the refusal; null when the answer was accepted"),
      message: z.string().nullable(),
      approval: approvalSchema.nullable().describe("The approval after the answer, without its subject"),
    }),
  ),
});
export type BulkAnswered = Answered<typeof bulkAnsweredSchema>;

export const commentBody = z.strictObject({ text: z.string().trim().min(1).max(COMMENT_LENGTH_MAX) });

export const commentSchema = z.object({
  id: z.string(),
  at: moment,
  by: z.string(),
  byId: z.string().nullable(),
  personId: z.string().nullable(),
  text: z.string(),
});
export type ApprovalComment = Answered<typeof commentSchema>;

export const assigneeBody = z.strictObject({
  to: assigneeName.nullable().describe("The new assignee; null removes the assignment"),
});
