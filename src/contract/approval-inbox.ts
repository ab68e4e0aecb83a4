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
    .describe("closed: whatever does not wait any more"),
  workflow: filterText.optional(),
  source: z.enum(APPROVAL_SOURCES).optional(),
  run: filterText.optional().describe("Only approvals of this run"),
  agent: filterText.optional().describe("Only approvals of the work of this agent"),
  assignee: filterText.optional().describe("A name, `me`, or `none` for approvals without an assignee"),
  mine: z.enum(["true", "false"]).default("false").describe("true: only what the caller may answer"),
  older_than: filterText.optional().describe("Requested before a time, or longer ago than a duration: 4h, 2d"),
  q: filterText.optional().describe("Text in the title, summary, workflow, node, run id or args"),
  group: filterText.optional().describe("`group` of an approval: only those that differ in nothing but their args"),
  order: z.enum(APPROVAL_ORDERS).default("newest"),
  grouped: z
    .enum(["true", "false"])
    .default("false")
    .describe("true: of open approvals that differ in nothing but their args only the first, with their number"),
  include: z.literal("subject").optional().describe("With the subject of each approval"),
});
/** The query of a client for approvals. Contains only the filters that are set. */
export type ApprovalsQuery = PageOptions &
  Partial<Pick<Asked<typeof approvalsQuery>, "status" | "source" | "order" | "include" | "mine" | "grouped">> &
  Readonly<Partial<Record<"workflow" | "run" | "agent" | "assignee" | "older_than" | "q" | "group", string>>>;

export const inboxItemSchema = approvalSchema.extend({
  group: z.string().nullable().describe("The same for approvals that differ in nothing but their args"),
  groupSize: count.nullable().describe("With `grouped`: how many approvals of the list this one stands for"),
});
export type InboxItem = Answered<typeof inboxItemSchema>;

export const approvalCountsSchema = z.object({
  waiting: count,
  mine: count.describe("Of these, those the caller may answer"),
  assigned: count.describe("Of these, those assigned to the caller"),
});
export type ApprovalCounts = Answered<typeof approvalCountsSchema>;

/** Whether the caller may answer. Checked by the same rule as the answer itself. */
export const answerRightSchema = z.object({
  mayAnswer: z.boolean(),
  mayOverride: z.boolean().describe("May answer in the place of the approvers, with a reason"),
  code: z.string().nullable().describe("Why not"),
  message: z.string().nullable(),
  names: z.array(z.string()).describe("The names under which the caller answers"),
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
          .describe("Of what was seen; null for an approval that has none, because it was opened by an older server"),
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
      code: z.string().nullable().describe("Why it was refused"),
      message: z.string().nullable(),
      approval: approvalSchema.nullable().describe("As it is now, without its subject"),
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

export const assigneeBody = z.strictObject({ to: assigneeName.nullable().describe("Null: assigned to no one") });
