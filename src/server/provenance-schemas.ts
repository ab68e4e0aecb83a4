/** Provenance as it goes over the wire. */
import { z } from "zod";

const count = z.number().int().nonnegative();
const moment = z.iso.datetime().describe("ISO 8601, UTC");

export const handoffSchema = z.object({
  sourceRunId: z.string(),
  sourceWorkflow: z.string(),
  sourceNodeId: z.string().nullable().describe("Null: an arg of the run"),
  sourceOutputPath: z.string(),
  targetRunId: z.string(),
  targetWorkflow: z.string(),
  targetNodeId: z.string().nullable().describe("Null: an arg of the run"),
  targetInputPath: z.string(),
  transform: z.string().nullable(),
});

const approvalFactsSchema = z.object({
  approvalId: z.string(),
  source: z.string(),
  status: z.string(),
  decision: z.string().nullable(),
  by: z.string().nullable(),
  reason: z.string().nullable(),
  changed: z.array(z.string()).describe("Names of the values the approver changed"),
});

const attemptFactsSchema = z.object({
  runId: z.string(),
  workflow: z.string(),
  version: z.number().int().nullable(),
  nodeId: z.string(),
  attempt: count,
  status: z.string(),
  startedAt: moment,
  endedAt: moment.nullable(),
  agentId: z.string().nullable(),
  gatewayId: z.string().nullable(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  promptRef: z.string().describe("Where the rendered prompt is"),
  promptDigest: z.string().nullable().describe("Of the prompt a person was shown, when one was asked"),
  verdictId: z.string().nullable(),
  policies: z.array(z.string()).describe("name@version"),
  approvals: z.array(approvalFactsSchema),
  childRunId: z.string().nullable(),
  inputTokens: count,
  outputTokens: count,
  costMicros: z.number().int(),
  isInvalidated: z.boolean(),
});

export const lineageSchema = z.object({
  direction: z.enum(["up", "down"]),
  start: count.describe("Id of the point it starts at"),
  points: z.array(
    z.object({
      id: count,
      runId: z.string(),
      workflow: z.string(),
      nodeId: z.string().nullable(),
      path: z.string(),
      attempt: count.nullable().describe("Index into attempts"),
      end: z.enum(["arg", "source", "unused", "cut"]).nullable().describe("Why it goes no further here"),
      cut: z.enum(["too_large", "log_missing"]).nullable(),
    }),
  ),
  links: z.array(z.object({ from: count, to: count, input: z.string(), transform: z.string().nullable() })),
  attempts: z.array(attemptFactsSchema),
  isCut: z.boolean(),
});
