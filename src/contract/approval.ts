/** Questions that wait for a person, and their answers. */
import { z } from "zod";
import { APPROVAL_SOURCES, APPROVAL_STATUSES, DECISIONS } from "../core/event/index.ts";
import { type Answered, type Asked, count, jsonObject, moment } from "./field.ts";

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
});
export type Approval = Answered<typeof approvalSchema>;

export const answerBody = z.strictObject({
  decision: z.enum(DECISIONS),
  reason: z.string().max(10_000).optional(),
  digest: z.string().max(200).optional().describe("Digest of what was seen; the answer counts only for that"),
  modifications: jsonObject.optional(),
});
export type Answer = Asked<typeof answerBody>;
