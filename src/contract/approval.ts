/** Approvals: requests that wait for a person, and their answers. */
import { z } from "zod";
import { APPROVAL_SOURCES, APPROVAL_STATUSES, DECISIONS, type FormFields, type Subject } from "../core/event/index.ts";
import { type Answered, type Asked, count, jsonObject, moment, objectOf } from "./field.ts";

export const approvalSchema = z.object({
  id: z.string(),
  runId: z.string().nullable().describe("Id of the run; null for the approval of a launch, which has no run yet"),
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
  workflow: z.string().nullable().describe("Name of the workflow; null for approvals opened before this was stored"),
  title: z.string().describe("The question, with its templates filled"),
  subject: objectOf<Subject>()
    .nullable()
    .describe(
      "Content shown to the person who answers. Null in lists without `include=subject`, and for approvals of older versions",
    ),
  subjectDigest: z.string().nullable().describe("Digest of the subject. An answer with another digest is refused"),
  quorum: count.describe("Number of different people who have to approve"),
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
    .describe("Answers given to the current subject, oldest first"),
  hop: count.describe(
    "Number of steps the chain of approvers has advanced. All approvers up to and including this one may answer",
  ),
  form: objectOf<FormFields>()
    .nullable()
    .describe("Fields that the person fills in. They become the outputs of the gate"),
  entered: jsonObject.nullable().describe("Values entered into the form"),
  confirm: z
    .literal("sign_in")
    .nullable()
    .describe("`sign_in`: the person has to sign in; a link in a message is not enough"),
  assignee: z.string().nullable().describe("Person the approval is assigned to; null when there is none"),
});
export type Approval = Answered<typeof approvalSchema>;

export const answerBody = z.strictObject({
  decision: z.enum(DECISIONS),
  reason: z.string().max(10_000).optional(),
  digest: z
    .string()
    .max(200)
    .optional()
    .describe("Digest of the request that the person saw. An answer with another digest is refused"),
  subjectDigest: z.string().max(200).optional().describe("Digest of the subject that the person saw"),
  modifications: jsonObject
    .optional()
    .describe(
      "Changes with the approval. `inputs`: values to send instead. `outputs`: the result, so that nothing is sent. For a tool call: `args` to call with, or the result of a call that never reported",
    ),
  form: jsonObject.optional().describe("Values entered into the form"),
  grant: z
    .strictObject({
      for: z
        .enum(["run", "agent"])
        .default("run")
        .describe("Whether the grant covers calls of this run, or of the agent in all runs"),
      where: z
        .string()
        .max(4_000)
        .optional()
        .describe("Expression over tool.args that limits the grant to calls for which it is true"),
      until: z.string().max(40).describe("Time at which the grant expires"),
    })
    .optional()
    .describe("For an approved tool call: a grant for further calls of the tool without an approval"),
  override: z
    .boolean()
    .optional()
    .describe("Answers in place of the approvers. Requires governance:write and a reason"),
});
export type Answer = Asked<typeof answerBody>;
