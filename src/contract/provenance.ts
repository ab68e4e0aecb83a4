/** The provenance of values. */
import { z } from "zod";
import type { Json } from "../core/base/index.ts";
import { NODE_STATUSES } from "../core/event/index.ts";
import { type Answered, type Asked, count, jsonObject, moment } from "./field.ts";
import { listOf } from "./page.ts";

const FORMATS = ["json", "prov", "openlineage"] as const;
const place = z.string().regex(/^[^\p{Cc}\p{Surrogate}]{1,500}$/u, "Invalid text: at most 500 printable characters");
export const provenanceQuery = z.object({
  format: z.enum(FORMATS).default("json").describe("json: hand-offs; prov: W3C PROV-JSON; openlineage: run events"),
  node: place.optional().describe("Node whose lineage is returned in place of hand-offs"),
  output: place
    .optional()
    .describe("Output of the node to which the lineage is limited. Without a node: an arg, as args.name"),
  direction: z.enum(["up", "down"]).default("up").describe("up: the sources of the value; down: the uses of the value"),
});
/** Query for the lineage of one value. Without `node` the value is an arg, named in `output` as `args.name`. */
export type LineageQuery = Omit<Asked<typeof provenanceQuery>, "format">;
/** Without node and output, the result is the hand-offs of the run, or a document in a standard format. */
export type ProvenanceQuery = LineageQuery | { readonly format: (typeof FORMATS)[number] };

export const handoffSchema = z.object({
  sourceRunId: z.string(),
  sourceWorkflow: z.string(),
  sourceNodeId: z.string().nullable().describe("Node that produced the value; null when it is an arg of the run"),
  sourceOutputPath: z.string(),
  targetRunId: z.string(),
  targetWorkflow: z.string(),
  targetNodeId: z.string().nullable().describe("Node that received the value; null when it is an arg of the run"),
  targetInputPath: z.string(),
  transform: z.string().nullable(),
});
export type Handoff = Answered<typeof handoffSchema>;

const approvalFactsSchema = z.object({
  approvalId: z.string(),
  source: z.string(),
  status: z.string(),
  decision: z.string().nullable(),
  by: z.string().nullable(),
  reason: z.string().nullable(),
  changed: z.array(z.string()).describe("Names of the values that the approver changed"),
});
export type ApprovalFacts = Answered<typeof approvalFactsSchema>;

const madeBySchema = z.object({
  runId: z.string(),
  workflow: z.string(),
  version: z.number().int().nullable(),
  nodeId: z.string(),
  attempt: count,
  status: z.enum(NODE_STATUSES),
  startedAt: moment,
  endedAt: moment.nullable(),
  agentId: z.string().nullable(),
  gatewayId: z.string().nullable(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  promptRef: z.string().describe("Reference to the rendered prompt"),
  promptDigest: z
    .string()
    .nullable()
    .describe("Digest of the prompt that a person was shown or wrote; null when there is none"),
  promptBy: z.string().nullable().describe("Person who wrote the prompt in place of the step; null when the step did"),
  verdictId: z.string().nullable(),
  policies: z.array(z.string()).describe("Policies that were applied, as name@version"),
  calls: z
    .array(
      z.object({
        callId: z.string(),
        tool: z.string(),
        server: z.string().nullable(),
        isError: z.boolean(),
        by: z.string().nullable().describe("Person who entered the result; null when the tool returned it"),
      }),
    )
    .describe("Tool calls whose results the attempt used"),
  approvals: z.array(approvalFactsSchema),
  childRunId: z.string().nullable(),
  inputTokens: count,
  outputTokens: count,
  costMicros: z.number().int(),
  isInvalidated: z.boolean(),
});
/** The attempt that produced a value. */
export type MadeBy = Answered<typeof madeBySchema>;

const lineagePointSchema = z.object({
  id: count,
  runId: z.string(),
  workflow: z.string(),
  nodeId: z.string().nullable(),
  path: z.string(),
  attempt: count.nullable().describe("Index into `attempts`"),
  end: z
    .enum(["arg", "source", "unused", "cut"])
    .nullable()
    .describe("Reason why the lineage ends at this point; null when it continues"),
  cut: z.enum(["too_large", "log_missing"]).nullable(),
});
export type LineagePoint = Answered<typeof lineagePointSchema>;

const lineageLinkSchema = z.object({ from: count, to: count, input: z.string(), transform: z.string().nullable() });
export type LineageLink = Answered<typeof lineageLinkSchema>;

export const lineageSchema = z.object({
  direction: z.enum(["up", "down"]),
  start: count.describe("Id of the start point"),
  points: z.array(lineagePointSchema),
  links: z.array(lineageLinkSchema),
  attempts: z.array(madeBySchema),
  isCut: z.boolean(),
});
export type LineageView = Answered<typeof lineageSchema>;

export const provenanceSchema = z.union([listOf(handoffSchema), lineageSchema, jsonObject, z.array(jsonObject)]);
export type ProvenanceView<Q extends ProvenanceQuery> = Q extends { readonly format: "prov" | "openlineage" }
  ? Json
  : Q extends { readonly node: string } | { readonly output: string }
    ? LineageView
    : { readonly data: readonly Handoff[] };
