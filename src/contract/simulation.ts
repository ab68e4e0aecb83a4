/** Simulations: a forecast of a workflow's actions, waits and cost. */
import { z } from "zod";
import type { EventFrame } from "../core/view/index.ts";
import { type Answered, type Asked, count, jsonObject, micros, usd, versionNumber, word } from "./field.ts";
import { aboutCall, dispositionSchema, explanationSchema, judgedNodeSchema, trailSchema } from "./verdict.ts";

export const governanceModeSchema = z.enum(["live", "none"]);
export const approveAnswerSchema = z.enum(["all", "reject"]);

export const simulateBody = z.strictObject({
  source: z.string().optional().describe("The text of a workflow; or else:"),
  workflow: word.optional().describe("The name of one that is saved"),
  version: versionNumber.optional(),
  args: jsonObject.optional(),
  gateway: word.optional(),
  script: z
    .union([z.string(), jsonObject])
    .optional()
    .describe("What the nodes answer, as YAML text or as data; without it answers are made up"),
  governance: governanceModeSchema.default("live").describe("live: with what is registered and counted now"),
  approve: approveAnswerSchema.default("all").describe("How every approval is answered"),
});
export type SimulationRequest = Asked<typeof simulateBody>;

const nodeForecast = z.object({
  nodeId: z.string(),
  kind: z.string(),
  status: z.string(),
  verdict: dispositionSchema.nullable().describe("Null: no gate was asked"),
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
  governance: governanceModeSchema,
  status: z.string().describe("How it would end; refused when a launch gate says no, waiting when it needs more"),
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
        disposition: z.enum(["allow", "deny", "hold"]).describe("Before any person answered"),
        gate: z.string().nullable(),
        code: z.string().nullable(),
        reason: z.string().nullable().describe("Why it would be denied, or held; null: it would be made"),
      }),
    )
    .describe("Tool calls of scripted rounds, in the order in which they were asked for"),
  approvals: z.array(
    z.object({
      nodeId: z.string(),
      source: z.string(),
      summary: z.string(),
      approvers: z.array(z.string()),
      decision: z.string().nullable().describe("How it was answered here; null when it was left open"),
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
