/** What is shown of verdicts, usage and what would have been, once for checking, for types and for the OpenAPI document. */
import { z } from "zod";
import { USAGE_BUCKETS, USAGE_GROUPS } from "../store/index.ts";

const count = z.number().int().nonnegative();
const micros = z.number().int().describe("Millionths of a US dollar");
const usd = z.string().describe("US dollars as people write them");
const moment = z.iso.datetime().describe("ISO 8601, UTC");
const anyObject = z.record(z.string(), z.unknown());
const disposition = z.enum(["allow", "block", "hold"]);

/** The same in API, command line and console. */
export const explanationSchema = z.object({
  gate: z.string(),
  code: z.string(),
  message: z.string(),
  facts: anyObject.describe("The numbers that were compared"),
  unblock: z.array(z.object({ action: z.string(), target: z.string(), detail: z.string() })),
});

const trailSchema = z.array(
  z.object({
    gate: z.string(),
    outcome: z.enum(["pass", "warn", "block", "hold", "not_evaluated"]),
    detail: z.string().optional(),
  }),
);

/** A verdict as the log tells of it, and why it was given. */
export const decidedSchema = z.object({
  eventId: count,
  verdictId: z.string().nullable(),
  disposition,
  gate: z.string().nullable(),
  code: z.string().nullable(),
  explanation: explanationSchema.nullable(),
});

export const judgedSchema = z.object({
  verdictId: z.string(),
  nodeId: z.string(),
  attempt: count.nullable().describe("The attempt it let begin; null when it let none"),
  at: moment,
  disposition,
  gate: z.string().nullable().describe("The gate that decided; null when all passed"),
  code: z.string().nullable(),
  explanation: explanationSchema.nullable(),
  trail: trailSchema,
  policies: z.array(z.string()).describe("name@version of every policy it was made under"),
  matched: z.array(anyObject).describe("Policies whose condition held"),
});

export const verdictSchema = judgedSchema.extend({
  facts: anyObject.describe("What the gates were told"),
  hash: z.string().describe("SHA-256 of what is kept of it"),
});

const spending = {
  count: count.describe("Reports of cost"),
  inputTokens: count,
  outputTokens: count,
  thinkingTokens: count,
  cachedTokens: count,
  costMicros: micros,
  costUsd: usd,
};

export const usageSchema = z.object({
  bucket: z.enum(USAGE_BUCKETS),
  by: z.enum(USAGE_GROUPS).nullable(),
  since: moment,
  until: moment,
  data: z.array(
    z.object({
      bucketStart: moment,
      group: z.string().nullable().describe("The agent, model, workflow or gateway; null when there is none"),
      ...spending,
    }),
  ),
  totals: z.object(spending),
});

export const backtestSchema = z.object({
  policy: z.object({ name: z.string(), version: count.describe("The version the draft would become") }),
  since: moment.nullable(),
  looked: count.describe("Verdicts it was tried on, newest first"),
  isLimited: z.boolean().describe("There are more verdicts than are looked at"),
  unreadable: count.describe("Verdicts whose facts cannot be read any more"),
  matched: count.describe("Verdicts for which the condition held"),
  changed: count,
  uncertain: count.describe("Verdicts of which not all args were kept, although the condition reads some"),
  counts: z.array(z.object({ before: disposition, after: disposition, count })),
  examples: z.array(
    z.object({
      verdictId: z.string(),
      runId: z.string(),
      nodeId: z.string(),
      agentId: z.string(),
      at: moment,
      before: disposition,
      after: disposition,
      gate: z.string().nullable(),
      message: z.string().nullable(),
      isUncertain: z.boolean(),
    }),
  ),
  notes: z.array(z.string()),
});

const nodeForecast = z.object({
  nodeId: z.string(),
  kind: z.string(),
  status: z.string(),
  verdict: disposition.nullable().describe("Null: no gate was asked"),
  gate: z.string().nullable(),
  code: z.string().nullable(),
  explanation: explanationSchema.nullable(),
  waitsForPerson: z.boolean(),
  instances: count.nullable(),
  attempts: count,
  reservedMicros: micros,
  costMicros: micros,
  durationMs: z.number().nullable(),
});

export const simulationSchema = z.object({
  workflow: z.string(),
  governance: z.enum(["live", "none"]),
  status: z.string().describe("How it would end; refused when a launch gate says no, waiting when it needs more"),
  plan: anyObject,
  launch: z.object({ disposition, explanation: explanationSchema.nullable(), trail: trailSchema }),
  nodes: z.array(nodeForecast),
  verdicts: z.array(judgedSchema.omit({ matched: true })),
  approvals: z.array(
    z.object({
      nodeId: z.string(),
      source: z.string(),
      summary: z.string(),
      approvers: z.array(z.string()),
      decision: z.string().nullable().describe("How it was answered here; null when it was left open"),
    }),
  ),
  events: z.array(anyObject),
  forecast: z.object({
    costMicros: micros,
    costUsd: usd,
    reservedMicros: micros,
    durationMs: z.number(),
    criticalPath: z.array(z.string()),
    waitsForPerson: z.array(z.string()),
  }),
});
