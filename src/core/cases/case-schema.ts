import { z } from "zod";
import type { Json, JsonObject } from "../base/index.ts";
import { DECISIONS, NODE_STATUSES } from "../event/index.ts";

/** Maximum number of cases in one file. */
const CASES_MAX = 10_000;

const json: z.ZodType<Json> = z.json();
const object = z.record(z.string(), json);
const text = z.string().min(1);
const duration = z
  .union([text, z.number().nonnegative()])
  .describe("Duration in simulated time, such as 90s, 2h or 3d; a number is in seconds");

const answer = z.strictObject({
  decision: z.enum(DECISIONS),
  reason: text.optional(),
  by: text.optional().describe("Person who answers. Default: a person of the case"),
  form: object.optional().describe("Values entered into the form. Default: generated"),
  after: duration.optional(),
});
const answers = z.union([z.enum(DECISIONS), answer]);

const sentEvent = z.strictObject({
  type: text.optional().describe("Type of an event that is sent to all runs"),
  signal: text.optional().describe("Name of a signal that is sent to this run"),
  key: object.optional(),
  data: json.optional(),
  after: duration.optional().describe("Time after the start of the run. Default: 0"),
});

/** Conditions that must hold, or expected values by name. */
const values = z.union([text, z.array(text), object]);

const expectedNode = z.strictObject({
  status: z.enum(NODE_STATUSES).optional(),
  attempts: z.number().int().nonnegative().optional(),
  error: text.optional().describe("Error code of the node"),
  outputs: values.optional(),
});

export const DISPOSITIONS = ["allow", "block", "hold"] as const;
const expectedVerdict = z.strictObject({
  verdict: z.enum(DISPOSITIONS).optional(),
  gate: text.optional(),
  code: text.optional(),
});

const askedSchema = z.strictObject({
  node: text.optional(),
  tool: text.optional(),
  text: z.string().optional().describe("Complete text of the request"),
  contains: z
    .union([text, z.array(text)])
    .optional()
    .describe("Text that the request contains"),
  args: object.optional().describe("Args of the tool call"),
});

export const RUN_ENDINGS = ["completed", "failed", "cancelled", "timed_out", "waiting", "refused"] as const;

export const expectSchema = z.strictObject({
  status: z.enum(RUN_ENDINGS).optional(),
  error: text.optional().describe("Error code of the run"),
  outputs: values.optional(),
  nodes: z.record(text, z.union([z.enum(NODE_STATUSES), expectedNode])).optional(),
  gates: z
    .record(text, z.union([z.enum(DISPOSITIONS), expectedVerdict]))
    .optional()
    .describe("Verdicts of the gates about nodes, or about the launch"),
  cost_below: z.number().nonnegative().optional().describe("Upper limit of the cost in US dollars"),
  asked: z
    .array(z.union([text, askedSchema]))
    .optional()
    .describe("Nodes and tools that were called, or for which a person was asked"),
  never_called: z.array(text).optional().describe("Nodes, tools, agents and workflows that were not called"),
  snapshot: z
    .boolean()
    .optional()
    .describe("Compares the run with the snapshot beside the file. --update writes the snapshot"),
});

export const caseSchema = z.strictObject({
  name: text.max(200),
  args: object.optional(),
  answers: z.union([text, object]).optional().describe("A script, its nodes, or the path of a script"),
  recorded: text.optional().describe("Id of a recorded run, or path of a recording"),
  approvals: z
    .union([z.enum(["all", "reject", "none"]), z.record(text, z.union([answers, z.array(answers).min(1)]))])
    .optional()
    .describe("Answers of people: one for all approvals, or by node. Default: none"),
  events: z.array(sentEvent).optional(),
  clock: text.optional().describe("Time at which the run starts, in ISO 8601"),
  expect: expectSchema.optional().describe("Expected results. Default: the run completes"),
});

export const fileSchema = z.strictObject({
  workflow: z.union([text, object]).describe("Path of the workflow, relative to the folder of this file"),
  registry: z
    .union([text, z.array(text)])
    .optional()
    .describe("Files or folders with the manifests that the gates read"),
  library: text.optional(),
  cases: z.array(caseSchema).min(1).max(CASES_MAX),
});

export type WrittenCase = z.infer<typeof caseSchema>;
export type Expected = z.infer<typeof expectSchema>;
export type ExpectedValues = z.infer<typeof values>;
export type WrittenAnswer = z.infer<typeof answer>;

/** Returns the JSON Schema (2020-12) of a file of cases, for editors. */
export function casesJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(fileSchema) as JsonObject;
  return { $id: "urn:sluice:schema:cases", title: "Sluice cases", ...schema };
}
