/** Approvals: requests that wait for a person, and their answers. */
import { z } from "zod";
import { APPROVAL_SOURCES, APPROVAL_STATUSES, DECISIONS, type FormFields, type Subject } from "../core/event/index.ts";
import { type Answered, type Asked, count, jsonObject, moment, objectOf } from "./field.ts";

export const approvalSchema = z.object({
  id: z.string(),
  runId: z.string().nullable().describe("Null: the approval of a launch, before there is a run"),
  nodeId: z.string().nullable(),
  attempt: count.nullable(),
  epoch: count,
  source: z.enum(APPROVAL_SOURCES),
  summary: z.string(),
  agentId: z.string().nullable(),
  digest: z.string(),
  rendered: z.string(),
  choices: z.array(z.enum(DECISIONS)),
  approvers: z.array(z.object({ who: z.string(), withinMs: z.number().nullable() })),
  isSeparate: z.boolean(),
  status: z.enum(APPROVAL_STATUSES),
  decision: z.enum(DECISIONS).nullable(),
  requestedAt: moment,
  expiresAt: moment,
  resolvedBy: z.string().nullable(),
  resolvedAt: moment.nullable(),
  reason: z.string().nullable(),
  modifications: jsonObject.nullable(),
  workflow: z.string().nullable().describe("Null: opened before it was kept"),
  title: z.string().describe("What is asked, with its templates filled"),
  subject: objectOf<Subject>()
    .nullable()
    .describe(
      "What the person who answers is shown; null in lists, unless they include it, and in approvals from before",
    ),
  subjectDigest: z.string().nullable().describe("Of the subject; an answer with another one is refused"),
  quorum: count.describe("How many different people have to approve"),
  answers: z
    .array(
      z.object({
        by: z.string(),
        byId: z.string().nullable(),
        personId: z.string().nullable(),
        decision: z.enum(DECISIONS),
        at: moment,
      }),
    )
    .describe("Of the present subject, in order"),
  hop: count.describe("How far the chain of approvers has come: all of them up to this one may answer"),
  form: objectOf<FormFields>()
    .nullable()
    .describe("The fields the person fills in, which become the outputs of the gate"),
  entered: jsonObject.nullable().describe("What was entered into the form"),
  confirm: z.literal("sign_in").nullable().describe("sign_in: a link in a message is not enough to answer"),
  assignee: z.string().nullable().describe("The person it was given to"),
});
export type Approval = Answered<typeof approvalSchema>;

export const answerBody = z.strictObject({
  decision: z.enum(DECISIONS),
  reason: z.string().max(10_000).optional(),
  digest: z.string().max(200).optional().describe("Digest of what was seen; the answer counts only for that"),
  subjectDigest: z.string().max(200).optional().describe("Digest of the subject that was shown"),
  modifications: jsonObject
    .optional()
    .describe(
      "inputs: values to send instead; outputs: the result, so that nothing is sent; of a tool call: args to call with, or the result of one that never reported",
    ),
  form: jsonObject.optional().describe("What was entered into the form"),
  grant: z
    .strictObject({
      for: z.enum(["run", "agent"]).default("run").describe("Calls of this run, or of the agent in all runs"),
      where: z.string().max(4_000).optional().describe("Expression over tool.args; only calls for which it holds"),
      until: z.string().max(40).describe("From this moment on it covers nothing"),
    })
    .optional()
    .describe("With the approval of a tool call: further calls of the tool that need no approval"),
  override: z.boolean().optional().describe("Answer although others are asked; needs governance:write and a reason"),
});
export type Answer = Asked<typeof answerBody>;
