/** What goes over the wire, once for checking, for types and for the OpenAPI document. */
import { z } from "zod";
import type { Json } from "../core/base/index.ts";
import {
  APPROVAL_SOURCES,
  APPROVAL_STATUSES,
  DECISIONS,
  EVENT_TYPES,
  NODE_STATUSES,
  RUN_STATUSES,
  WAITING_REASONS,
} from "../core/event/index.ts";
import { decidedSchema, explanationSchema } from "./governance-schemas.ts";
import { PERMISSIONS, ROLES } from "./permission.ts";
import { workflowSettings } from "./registry-schemas.ts";

/** Bodies come out of a reader that knows nothing but JSON, so that there is nothing left to check. */
export const json: z.ZodType<Json> = z.custom<Json>();
export const jsonObject = z.record(z.string(), json);
const count = z.number().int().nonnegative();
const micros = z.number().int().describe("Millionths of a US dollar");
const moment = z.iso.datetime().describe("ISO 8601, UTC");

export const problemItem = z.object({
  code: z.string(),
  message: z.string(),
  path: z.string(),
  line: count.optional(),
  column: count.optional(),
  hint: z.string().optional(),
});

export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  detail: z.string(),
  problems: z.array(problemItem).optional(),
  explanation: explanationSchema.optional().describe("Why a launch gate said no, and what would let it through"),
  requestId: z.string(),
});

export const planSchema = z.object({
  name: z.string(),
  format: z.string(),
  nodes: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      dependsOn: z.array(z.string()),
      dependents: z.array(z.string()),
      wave: count,
      label: z.string().describe("What people call it; the id when the author did not say"),
      phase: z.string().nullable(),
    }),
  ),
  layers: z.array(z.array(z.string())),
});

export const validationSchema = z.object({
  ok: z.boolean(),
  problems: z.array(problemItem),
  warnings: z.array(problemItem),
  plan: planSchema.optional(),
});

const versionHead = {
  name: z.string(),
  version: z.number().int().positive(),
  hash: z.string(),
  format: z.string(),
};

export const savedWorkflowSchema = z.object({ ...versionHead, warnings: z.array(problemItem) });
export const workflowSchema = z.object({ ...versionHead, ...workflowSettings, savedAt: moment });
export const versionSchema = z.object({
  ...versionHead,
  savedAt: moment,
  source: z.string(),
  plan: planSchema.nullable(),
});

export const runSchema = z.object({
  id: z.string(),
  workflow: z.string(),
  version: z.number().int().nullable(),
  hash: z.string(),
  status: z.enum(RUN_STATUSES),
  args: jsonObject,
  trigger: z.string(),
  model: z.string().nullable(),
  gateway: z.string().nullable(),
  roleBindings: z.record(z.string(), z.string()),
  traceId: z.string(),
  rootSpanId: z.string(),
  parentRunId: z.string().optional(),
  sourceRunId: z.string().optional().describe("The run this one was restarted or branched from"),
  recursionDepth: count,
  epoch: count,
  createdAt: moment,
  startedAt: moment.optional(),
  completedAt: moment.optional(),
  costMicros: micros,
  lastEventId: count,
  warnings: z
    .array(problemItem)
    .optional()
    .describe("Only when it has just been started: what newer checks would refuse in a version that was saved before"),
});

export const relaunchedSchema = runSchema.extend({
  carriedOver: z.array(z.string()).describe("Nodes and instances whose results are kept, in the order of the log"),
  runsAgain: z.array(z.string()).describe("Nodes that run again, in plan order"),
});

const blobRef = z.object({ path: z.array(z.string()), hash: z.string(), bytes: count });
const refs = z.array(blobRef).optional().describe("Large values: null at `path`, the value at /blobs/{hash}");

export const nodeResultSchema = z.object({
  nodeId: z.string(),
  label: z.string(),
  wave: count,
  status: z.enum(NODE_STATUSES),
  waitingReason: z.enum(WAITING_REASONS).nullable(),
  attempts: count,
  retries: count,
  startedAt: moment.nullable(),
  completedAt: moment.nullable(),
  durationMs: z.number().nullable(),
  outputs: jsonObject.nullable(),
  output: z.string().nullable(),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  costMicros: micros,
  refs,
});

export const stateSchema = z.object({
  runId: z.string(),
  workflowId: z.string(),
  status: z.enum(RUN_STATUSES),
  isPaused: z.boolean(),
  isCancelling: z.boolean(),
  activeNodeIds: z.array(z.string()),
  pendingCount: count,
  waitingCount: count,
  inFlightCount: count,
  executedCount: count,
  failedCount: count,
  upstreamFailedCount: count.describe("Of the failed ones: nodes that did not run because another had failed"),
  nodeResults: z.array(nodeResultSchema),
  upstreamCount: count,
  downstreamCount: count,
  parentRunId: z.string().nullable(),
  recursionDepth: count,
  costMicros: micros,
  lastEventId: count,
});

export const eventSchema = z.object({
  eventId: count,
  sequence: count,
  type: z.enum(EVENT_TYPES),
  runId: z.string(),
  workflowId: z.string(),
  timestamp: moment,
  correlation: z.object({
    traceId: z.string(),
    parentEventId: count.optional(),
    wave: count.optional(),
    phase: z.enum(["engine", "transport", "client"]),
  }),
  payload: jsonObject,
  refs,
});

export const checkpointSchema = z.object({
  eventId: count,
  type: z.enum(EVENT_TYPES),
  nodeId: z.string().optional(),
  attempt: count.optional(),
  timestamp: moment,
});

export const checkpointStateSchema = checkpointSchema.extend({ state: stateSchema });

const attemptSchema = z.object({
  attempt: count,
  status: z.enum(NODE_STATUSES),
  startedAt: moment.nullable(),
  endedAt: moment.nullable(),
  durationMs: z.number().nullable(),
  verdictId: z.string().nullable(),
  route: z.object({
    agentId: z.string().nullable(),
    gatewayId: z.string().nullable(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    executionPath: z.string().nullable(),
  }),
  /** What it was sent, bound and rendered again from the log up to its start. */
  request: z.object({ message: z.string(), stdin: z.string().nullable(), inputs: jsonObject }).nullable(),
  /** What it was told, layer by layer: the work itself is layer 6, what callers gave layer 8. */
  instructions: z.array(z.object({ layer: count, source: z.string(), text: z.string() })),
  outputs: jsonObject.nullable(),
  output: z.string().nullable(),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  costMicros: micros,
  inputTokens: count,
  outputTokens: count,
  streamedText: z.string(),
  logs: z.array(z.object({ eventId: count, level: z.string(), message: z.string(), detail: json.optional() })),
  /** What the adapter logged, and what was said in its conversation; filled once the attempt has reported. */
  adapterLogs: z.array(jsonObject),
  sessionId: z.string().nullable(),
  conversation: z.array(jsonObject),
});

export const threadSchema = z.object({
  agentId: z.string(),
  sessionId: z.string(),
  attempts: z.array(
    z.object({ runId: z.string(), nodeId: z.string(), attempt: count, at: moment, messages: z.array(jsonObject) }),
  ),
});

export const nodeDetailSchema = z.object({
  runId: z.string(),
  node: nodeResultSchema,
  /** What the newest attempt was sent, bound and rendered again from the log up to its start. */
  request: z
    .object({ attempt: count, message: z.string(), stdin: z.string().nullable(), inputs: jsonObject })
    .nullable(),
  attempts: z.array(attemptSchema),
  verdicts: z.array(decidedSchema),
  inputs: z.array(
    z.object({
      sourceRunId: z.string(),
      sourceNodeId: z.string().nullable(),
      sourceOutputPath: z.string(),
      targetInputPath: z.string(),
      transform: z.string().optional(),
    }),
  ),
});

export const approvalSchema = z.object({
  id: z.string(),
  runId: z.string().nullable().describe("Null: the approval of a launch, before there is a run"),
  nodeId: z.string().nullable(),
  attempt: count.nullable(),
  epoch: count,
  source: z.enum(APPROVAL_SOURCES),
  summary: z.string(),
  agentId: z.string().nullable(),
  digest: z.string(),
  rendered: z.string(),
  choices: z.array(z.enum(DECISIONS)),
  approvers: z.array(z.object({ who: z.string(), withinMs: z.number().nullable() })),
  isSeparate: z.boolean(),
  status: z.enum(APPROVAL_STATUSES),
  decision: z.enum(DECISIONS).nullable(),
  requestedAt: moment,
  expiresAt: moment,
  resolvedBy: z.string().nullable(),
  resolvedAt: moment.nullable(),
  reason: z.string().nullable(),
  modifications: jsonObject.nullable(),
});

export const keySchema = z.object({
  id: z.string(),
  label: z.string(),
  permissions: z.array(z.string()),
  agent: z.string().nullable(),
  createdBy: z.string().nullable().describe("The key or token it was made with; null: the operator made it"),
  createdAt: moment,
  expiresAt: moment.nullable(),
  revokedAt: moment.nullable(),
});
export const mintedKeySchema = keySchema.extend({ key: z.string().describe("The secret; shown this once") });
export const permissionSchema = z.enum(PERMISSIONS);
export const roleSchema = z.enum(ROLES);

export function listOf<S extends z.ZodType>(item: S) {
  return z.object({ data: z.array(item), nextCursor: z.string().optional() });
}
