import { z } from "zod";
import { FAILURE_CLASSES, type Json, type JsonObject } from "../core/base/index.ts";
import { envelopeSchema } from "../core/event/index.ts";
import type { AdapterFiles } from "./adapter-files.ts";
import { resumeSchema, type TurnHooks, type TurnSupport } from "./agent-turn.ts";
import type { FindSecret, SecretReference } from "./handed-secret.ts";

/** Incremented only when an adapter written for the old number could no longer work. */
export const ADAPTER_SPECIFICATION = "v1";

/**
 * Code that runs a request somewhere: a model, a tool, a process. It holds no business logic: it does not retry,
 * does not decide what a failure means for the run, and reports what happened exactly once.
 */
export interface Adapter {
  readonly specificationVersion: typeof ADAPTER_SPECIFICATION;
  /** The id by which a dispatch names this adapter. */
  readonly provider: string;
  initialize(config: JsonObject): Promise<void>;
  shutdown(): Promise<void>;
  checkHealth(): Promise<AdapterHealth>;
  capabilities(): AdapterCapabilities;
  /** The models that the adapter calls and their prices, as far as its configuration defines them. Read after `initialize`. */
  models?(): AdapterModels;
  /** The registered secrets that the configuration refers to. Read after `initialize`. Only these are sent with dispatches. */
  secrets?(): readonly SecretReference[];
  /** Resolves with every outcome that the adapter can foresee. A rejection counts as `adapter_bug`. */
  execute(request: AdapterRequest, hooks: AdapterHooks): Promise<AdapterResult>;
  /** Best effort, for work that continues elsewhere after the signal was aborted. */
  cancel(dispatchId: string): Promise<void>;
}

export interface AdapterHealth {
  readonly status: "healthy" | "degraded" | "offline";
  readonly message?: string;
}

export interface AdapterCapabilities {
  readonly streaming: boolean;
  readonly structuredOutput: boolean;
  readonly tools: boolean;
  readonly deferred: boolean;
  /** `opaque` when absent. */
  readonly turns?: TurnSupport;
}

const usdPerMtok = z.number().nonnegative().max(1_000_000);

/** The operator's own prices by `vendor:model`, in dollars per million tokens. */
const adapterPricesSchema = z.record(
  z.string().max(300),
  z.object({
    input_usd_per_mtok: usdPerMtok,
    output_usd_per_mtok: usdPerMtok,
    cached_usd_per_mtok: usdPerMtok.optional(),
  }),
);

export const adapterModelsSchema = z.object({
  /** The model that is called when a dispatch names none. */
  defaultModel: z.string().max(200).optional(),
  prices: adapterPricesSchema.optional(),
});
export type AdapterModels = z.infer<typeof adapterModelsSchema>;

/** The reason why the signal of an attempt is aborted. `stopped`: the process that runs it ends; another execution may continue it. */
export type AbortReason = "timeout" | "cancelled" | "stopped";

/**
 * The hooks of an adapter call. The turn hooks are absent where no calls are judged: in tests of an adapter alone, and in a browser page.
 */
export interface AdapterHooks extends Partial<TurnHooks> {
  /** Aborted, with an `AbortReason`, when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** Receives the new piece only, never the whole text so far. */
  readonly onPartial: (part: StreamPart) => void;
  readonly onLog: (line: LogLine) => void;
  /** Absent when there is no file storage. */
  readonly files?: AdapterFiles;
  /** Finds registered secrets by name and tool. Absent when no secrets came with the dispatch. */
  readonly secret?: FindSecret;
}

export type StreamPart =
  | { readonly text: string }
  | { readonly media: { readonly url: string; readonly mime: string } };

export interface LogLine {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
}

const json: z.ZodType<Json> = z.json();
const jsonObject = z.record(z.string(), json);
const count = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);

/** The request that a Bridge receives. On this wire a node is called `stepId`. */
export const adapterRequestSchema = z.object({
  dispatchId: z.string().min(1),
  runId: z.string().min(1),
  stepId: z.string().min(1),
  attempt: z.number().int().positive(),
  idempotencyKey: z.string().min(1),
  provider: z.string().min(1),
  model: z.string().optional(),
  agentId: z.string(),
  systemPrompt: z.string().optional(),
  message: z.string(),
  stdin: z.string().optional(),
  inputs: jsonObject,
  tools: z.array(z.string()).optional(),
  /** The step tools among `tools`, which the server runs: an adapter offers them to its model, but never makes their calls. */
  stepTools: z
    .array(z.object({ name: z.string(), description: z.string().optional(), parameters: jsonObject }))
    .optional(),
  /** The tool call that the node itself is, already judged. When present, the adapter may call nothing else. */
  tool: z.string().optional(),
  outputSchema: jsonObject.optional(),
  outputStrategy: z.enum(["text", "json", "tool", "files"]),
  /** Null when there is no limit. */
  timeoutMs: z.number().positive().nullable(),
  maxOutputTokens: z.number().int().positive().optional(),
  context: z.object({
    runId: z.string(),
    workflow: z.string(),
    phase: z.string().nullable(),
    upstreamDigest: z.string().nullable(),
  }),
  /** Absent when the Bridge runs in the engine's own process. */
  callbackUrl: z.string().optional(),
  streamUrl: z.string().optional(),
  /** URL to which an external service may report once, until the attempt's deadline, after the adapter answered `deferred`. */
  externalCallbackUrl: z.string().optional(),
  /** URL for the files of this attempt while it is open. Absent when it has no files, or they are available in the same process. */
  filesUrl: z.string().optional(),
  traceparent: z.string().optional(),
  effects: z.enum(["at_least_once", "at_most_once"]),
  /** Number of this execution within the attempt. Absent for the first execution. */
  segment: z.number().int().nonnegative().optional(),
  /** The state from which the attempt continues. Absent when the attempt starts from the beginning. */
  resume: resumeSchema.optional(),
  /** URL that receives rounds and judges tool calls. Absent when this happens in the same process, or no calls are judged. */
  turnUrl: z.string().optional(),
});
export type AdapterRequest = z.infer<typeof adapterRequestSchema>;

/** Maximum cost of one result. A higher amount means that the metering is broken, not that the run is expensive. */
const COST_USD_MAX = 1_000_000;

const usage = {
  model: z.string().optional(),
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  thinkingTokens: count.optional(),
  cachedTokens: count.optional(),
  costUsd: z.number().nonnegative().max(COST_USD_MAX).optional(),
  /** The id of the price that the cost was calculated with. */
  priceId: z.string().max(400).optional(),
  /** Model calls after the first one, made because an answer did not fit the contract. */
  extraCalls: count.optional(),
  /** The agent's conversation thread that this result belongs to, and its messages, oldest first. */
  sessionId: z.string().max(200).optional(),
  messages: z.array(jsonObject).max(10_000).optional(),
  /** Number of extra deliveries of the same report. Set by adapters that simulate an unreliable network. */
  duplicates: count.max(100).optional(),
};

export const adapterResultSchema = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("completed"),
    stdout: z.string().optional(),
    outputs: jsonObject.optional(),
    envelope: envelopeSchema.optional(),
    ...usage,
  }),
  z.object({
    status: z.literal("failed"),
    failure: z.enum(FAILURE_CLASSES),
    message: z.string(),
    retryAfterMs: z.number().nonnegative().optional(),
    /** False when the same request would fail again, whatever the failure class is. */
    retryable: z.boolean().optional(),
    ...usage,
  }),
  /** An external service reports the result later, before the attempt's deadline. */
  z.object({ status: z.literal("deferred") }),
  /** A person decides about a call, or the turn was stopped. The attempt is dispatched again later, with its transcript. */
  z.object({ status: z.literal("suspended"), transcript: json.optional() }),
]);
export type AdapterResult = z.infer<typeof adapterResultSchema>;
/** The results that end an attempt. */
export type FinalResult = Exclude<AdapterResult, { status: "deferred" | "suspended" }>;
