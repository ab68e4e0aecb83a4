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
  .describe("A duration in simulated time, such as 90s, 2h or 3d; a number is seconds");

const answer = z.strictObject({
  decision: z.enum(DECISIONS),
  reason: text.optional(),
  by: text.optional().describe("Who answers; default: a person of the case"),
  form: object.optional().describe("What is entered into the form; default: made up"),
  after: duration.optional(),
});
const answers = z.union([z.enum(DECISIONS), answer]);

const sentEvent = z.strictObject({
  type: text.optional().describe("Of an event to all runs"),
  signal: text.optional().describe("Name of a signal to this run"),
  key: object.optional(),
  data: json.optional(),
  after: duration.optional().describe("Since the start of the run; default: at once"),
});

/** Conditions that must hold, or expected values by name. */
const values = z.union([text, z.array(text), object]);

const expectedNode = z.strictObject({
  status: z.enum(NODE_STATUSES).optional(),
  attempts: z.number().int().nonnegative().optional(),
  error: text.optional().describe("The error code"),
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
  text: z.string().optional().describe("The whole text that was asked"),
  contains: z
    .union([text, z.array(text)])
    .optional()
    .describe("What the text that was asked contains"),
  args: object.optional().describe("Args of the tool call"),
});

export const RUN_ENDINGS = ["completed", "failed", "cancelled", "timed_out", "waiting", "refused"] as const;

export const expectSchema = z.strictObject({
  status: z.enum(RUN_ENDINGS).optional(),
  error: text.optional().describe("The error code the run failed with"),
  outputs: values.optional(),
  nodes: z.record(text, z.union([z.enum(NODE_STATUSES), expectedNode])).optional(),
  gates: z
    .record(text, z.union([z.enum(DISPOSITIONS), expectedVerdict]))
    .optional()
    .describe("What the gates decided about a node, or about the launch"),
  cost_below: z.number().nonnegative().optional().describe("US dollars"),
  asked: z
    .array(z.union([text, askedSchema]))
    .optional()
    .describe("Nodes and tools that were called or asked a person"),
  never_called: z.array(text).optional().describe("Nodes, tools, agents and workflows that were not called"),
  snapshot: z.boolean().optional().describe("Compare with the snapshot beside the file; --update writes it"),
});

export const caseSchema = z.strictObject({
  name: text.max(200),
  args: object.optional(),
  answers: z.union([text, object]).optional().describe("A script, its nodes, or the path of one"),
  recorded: text.optional().describe("The id of a recorded run, or the path of a recording"),
  approvals: z
    .union([z.enum(["all", "reject", "none"]), z.record(text, z.union([answers, z.array(answers).min(1)]))])
    .optional()
    .describe("Answers of people, by node; default: none"),
  events: z.array(sentEvent).optional(),
  clock: text.optional().describe("When the run starts, as an ISO moment"),
  expect: expectSchema.optional().describe("Default: the run completes"),
});

export const fileSchema = z.strictObject({
  workflow: z.union([text, object]).describe("The path of the workflow, from the folder of this file"),
  registry: z
    .union([text, z.array(text)])
    .optional()
    .describe("Manifests whose gates hold: files or folders"),
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
