/** The verdicts of the gates, with their reasons. */
import { z } from "zod";
import type { Explanation, MatchedPolicy } from "../core/governance/index.ts";
import { type Answered, count, jsonObject, moment, objectOf } from "./field.ts";

export const dispositionSchema = z.enum(["allow", "block", "hold"]);
export type Disposition = Answered<typeof dispositionSchema>;

/** The explanation of a verdict. Identical in the API, the command line and the console. */
export const explanationSchema = z.object({
  gate: z.string(),
  code: z.string(),
  message: z.string(),
  facts: jsonObject.describe("Numbers that were compared"),
  unblock: z.array(z.object({ action: z.string(), target: z.string(), detail: z.string() })),
}) satisfies z.ZodType<Explanation>;
export type { Explanation };

export const trailSchema = z.array(
  z.object({
    gate: z.string(),
    outcome: z.enum(["pass", "warn", "block", "hold", "not_evaluated"]),
    detail: z.string().optional(),
  }),
);

/** A recorded verdict with its explanation. */
export const decidedSchema = z.object({
  eventId: count,
  verdictId: z.string().nullable(),
  disposition: dispositionSchema,
  gate: z.string().nullable(),
  code: z.string().nullable(),
  explanation: explanationSchema.nullable(),
});

export const aboutCall = z
  .string()
  .optional()
  .describe("Id of the tool call that was judged; absent when the node was judged");

const judged = {
  verdictId: z.string(),
  nodeId: z.string(),
  attempt: count.nullable().describe("Number of the attempt that the verdict allowed; null when it allowed none"),
  at: moment,
  disposition: dispositionSchema,
  gate: z.string().nullable().describe("Gate that decided; null when all gates passed"),
  code: z.string().nullable(),
  explanation: explanationSchema.nullable(),
  trail: trailSchema,
  policies: z.array(z.string()).describe("Policies that were applied, as name@version"),
};

/** The verdicts of the gates on a node. */
export const judgedNodeSchema = z.object(judged);
export type JudgedNode = Answered<typeof judgedNodeSchema>;

export const verdictSchema = z.object({
  ...judged,
  callId: aboutCall,
  matched: z.array(objectOf<MatchedPolicy>()).describe("Policies whose condition was true"),
  facts: jsonObject.describe("Facts that the gates read"),
  hash: z.string().describe("SHA-256 of the stored verdict"),
});
export type NodeVerdict = Answered<typeof verdictSchema>;
