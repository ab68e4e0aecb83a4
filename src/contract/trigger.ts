/** Triggers: their deliveries, and the test of a sample delivery. */
import { z } from "zod";
import { type Answered, json, jsonObject, moment } from "./field.ts";
import { sentProblemSchema } from "./problem.ts";

export const triggerDeliverySchema = z.object({
  id: z.string().describe("Id of the delivery, set by the sender"),
  state: z.enum(["started", "filtered", "refused"]),
  runId: z.string().nullable(),
  code: z.string().nullable().describe("Code of the reason why no run was started"),
  reason: z.string().nullable(),
  receivedAt: moment,
});
export type TriggerDelivery = Answered<typeof triggerDeliverySchema>;

/** A sample delivery, as it is passed to the filter and the args of a trigger. */
export const sampleBody = z.strictObject({
  body: json.optional().describe("Body of the message. Default: an empty object"),
  headers: jsonObject.optional().describe("Headers of the message, with names in lower case"),
  query: jsonObject.optional(),
});

export const triggerTestSchema = z.object({
  starts: z.boolean().describe("Whether a run would be started"),
  filter: z.boolean().nullable().describe("Result of the filter; null when there is none or it cannot be evaluated"),
  args: jsonObject.nullable().describe("Args that the run would get"),
  problems: z.array(sentProblemSchema).describe("Reasons why no run would be started"),
});
export type TriggerTest = Answered<typeof triggerTestSchema>;

/** The answer to a delivery. */
export const triggerAnswerSchema = z.object({
  started: z.boolean().describe("`false` when the filter was not true"),
  runId: z.string().optional(),
  repeated: z.boolean().optional().describe("Whether the same delivery had already started this run"),
});
export type TriggerAnswer = Answered<typeof triggerAnswerSchema>;
export interface TriggerSample {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
}
