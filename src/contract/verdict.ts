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
  facts: jsonObject.describe("The numbers that were compared"),
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

export const aboutCall = z.string().optional().describe("The tool call it is about; absent: it is about the node");

const judged = {
  verdictId: z.string(),
  nodeId: z.string(),
  attempt: count.nullable().describe("The attempt it let begin; null when it let none"),
  at: moment,
  disposition: dispositionSchema,
  gate: z.string().nullable().describe("The gate that decided; null when all passed"),
  code: z.string().nullable(),
  explanation: explanationSchema.nullable(),
  trail: trailSchema,
  policies: z.array(z.string()).describe("name@version of every policy it was made under"),
};

/** The verdicts of the gates on a node. */
export const judgedNodeSchema = z.object(judged);
export type JudgedNode = Answered<typeof judgedNodeSchema>;

export const verdictSchema = z.object({
  ...judged,
  callId: aboutCall,
  matched: z.array(objectOf<MatchedPolicy>()).describe("Policies whose condition held"),
  facts: jsonObject.describe("What the gates were given"),
  hash: z.string().describe("SHA-256 of what is kept of it"),
});
export type NodeVerdict = Answered<typeof verdictSchema>;
