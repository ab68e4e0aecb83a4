/** Simulations: a forecast of a workflow's actions, waits and cost. */
import { z } from "zod";
import type { EventFrame } from "../core/view/index.ts";
import { type Answered, type Asked, count, jsonObject, micros, usd, versionNumber, word } from "./field.ts";
import { aboutCall, dispositionSchema, explanationSchema, judgedNodeSchema, trailSchema } from "./verdict.ts";

export const governanceModeSchema = z.enum(["live", "none"]);
export const approveAnswerSchema = z.enum(["all", "reject"]);

export const simulateBody = z.strictObject({
  source: z.string().optional().describe("Text of the workflow, in place of `workflow`"),
  workflow: word.optional().describe("Name of a saved workflow, in place of `source`"),
  version: versionNumber.optional(),
  args: jsonObject.optional(),
  gateway: word.optional(),
  script: z
    .union([z.string(), jsonObject])
    .optional()
    .describe("Scripted answers of the nodes, as YAML text or as data. Default: generated answers"),
  governance: governanceModeSchema.default("live").describe("live: the current manifests and counters"),
  approve: approveAnswerSchema.default("all").describe("Answer to every approval"),
});
export type SimulationRequest = Asked<typeof simulateBody>;

const nodeForecast = z.object({
  nodeId: z
    .string()
    .describe("Id of the node; for a step inside a block or another workflow after its node, `each/check`"),
  kind: z.string(),
  status: z.string(),
  verdict: dispositionSchema.nullable().describe("Verdict about the node; null when no gate was evaluated"),
  gate: z.string().nullable(),
  code: z.string().nullable(),
  explanation: explanationSchema.nullable(),
  waitsForPerson: z.boolean(),
  instances: count.nullable().describe("Number of times the node runs; null when it runs once"),
  attempts: count,
  reservedMicros: micros,
  costMicros: micros,
  durationMs: z.number().nullable(),
});

export const simulationSchema = z.object({
  workflow: z.string(),
  governance: governanceModeSchema,
  status: z
    .string()
    .describe(
      "Status at the end of the simulation; refused when a launch gate refuses, waiting when the run needs an answer",
    ),
  error: z
    .object({ code: z.string(), message: z.string().nullable() })
    .nullable()
    .describe("Error of a run that fails; null otherwise"),
  plan: jsonObject,
  launch: z.object({
    disposition: dispositionSchema,
    explanation: explanationSchema.nullable(),
    trail: trailSchema,
  }),
  nodes: z.array(nodeForecast),
  verdicts: z.array(judgedNodeSchema.extend({ callId: aboutCall })),
  calls: z
    .array(
      z.object({
        nodeId: z.string(),
        callId: z.string(),
        round: count,
        tool: z.string(),
        server: z.string().nullable(),
        action: z.string(),
        disposition: z.enum(["allow", "deny", "hold"]).describe("Disposition before any person answered"),
        gate: z.string().nullable(),
        code: z.string().nullable(),
        reason: z
          .string()
          .nullable()
          .describe("Reason why the call would be denied or held; null when it would be made"),
      }),
    )
    .describe("Tool calls of scripted rounds, in the order in which they were requested"),
  approvals: z.array(
    z.object({
      nodeId: z.string(),
      source: z.string(),
      summary: z.string(),
      approvers: z.array(z.string()),
      decision: z.string().nullable().describe("Answer in the simulation; null when there was none"),
    }),
  ),
  events: z.array(jsonObject),
  forecast: z.object({
    costMicros: micros,
    costUsd: usd,
    reservedMicros: micros,
    durationMs: z.number(),
    criticalPath: z.array(z.string()),
    waitsForPerson: z.array(z.string()),
  }),
});
export type SimulationReport = Omit<Answered<typeof simulationSchema>, "events"> & {
  readonly events: readonly EventFrame[];
};
