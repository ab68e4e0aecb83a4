/** Triggers: their deliveries, and the test of a sample delivery. */
import { z } from "zod";
import { type Answered, json, jsonObject, moment } from "./field.ts";
import { sentProblemSchema } from "./problem.ts";

export const triggerDeliverySchema = z.object({
  id: z.string().describe("As the sender names it"),
  state: z.enum(["started", "filtered", "refused"]),
  runId: z.string().nullable(),
  code: z.string().nullable().describe("Why no run was started"),
  reason: z.string().nullable(),
  receivedAt: moment,
});
export type TriggerDelivery = Answered<typeof triggerDeliverySchema>;

/** A sample delivery, as it is passed to the filter and the args of a trigger. */
export const sampleBody = z.strictObject({
  body: json.optional().describe("Default: an empty object"),
  headers: jsonObject.optional().describe("Names in lower case"),
  query: jsonObject.optional(),
});

export const triggerTestSchema = z.object({
  starts: z.boolean().describe("Whether a run would be started"),
  filter: z.boolean().nullable().describe("Whether the filter holds; null: there is none, or it cannot be evaluated"),
  args: jsonObject.nullable().describe("What the run would be given"),
  problems: z.array(sentProblemSchema).describe("Why none would be started"),
});
export type TriggerTest = Answered<typeof triggerTestSchema>;

/** The answer to a delivery. */
export const triggerAnswerSchema = z.object({
  started: z.boolean().describe("False: the filter did not hold"),
  runId: z.string().optional(),
  repeated: z.boolean().optional().describe("The same delivery has started this run before"),
});
export type TriggerAnswer = Answered<typeof triggerAnswerSchema>;
export interface TriggerSample {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
}
