import { z } from "zod";
import { FAILURE_CLASSES, type Json, type JsonObject } from "../core/base/index.ts";
import { envelopeSchema } from "../core/event/index.ts";
import type { AdapterFiles } from "./adapter-files.ts";
import { resumeSchema, type TurnHooks, type TurnSupport } from "./agent-turn.ts";
import type { FindSecret, SecretReference } from "./handed-secret.ts";

/** Raised only when an adapter written for the old number could no longer work. */
export const ADAPTER_SPECIFICATION = "v1";

/**
 * Code that runs a request somewhere: a model, a tool, a process. It holds no business logic: it does not retry,
 * does not decide what a failure means for the run, and reports what happened exactly once.
 */
export interface Adapter {
  readonly specificationVersion: typeof ADAPTER_SPECIFICATION;
  /** What a dispatch names it by. */
  readonly provider: string;
  initialize(config: JsonObject): Promise<void>;
  shutdown(): Promise<void>;
  checkHealth(): Promise<AdapterHealth>;
  capabilities(): AdapterCapabilities;
  /** What it calls and at which prices, as far as its configuration defines them; asked after `initialize`. */
  models?(): AdapterModels;
  /** The registered secrets its configuration refers to; asked after `initialize`. Only these come with dispatches. */
  secrets?(): readonly SecretReference[];
  /** Resolves with every outcome the adapter can foresee; a rejection is taken as `adapter_bug`. */
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
  /** Absent: `opaque`. */
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
  /** Called when a dispatch names none. */
  defaultModel: z.string().max(200).optional(),
  prices: adapterPricesSchema.optional(),
});
export type AdapterModels = z.infer<typeof adapterModelsSchema>;

/** Why the signal of an attempt is aborted. `stopped`: the process that carries it out ends, and another execution may continue it. */
export type AbortReason = "timeout" | "cancelled" | "stopped";

/** The hooks of a turn are absent where no calls are judged: in tests of an adapter alone, and in a page. */
export interface AdapterHooks extends Partial<TurnHooks> {
  /** Aborted when the result is not wanted any more, with an `AbortReason`. */
  readonly signal: AbortSignal;
  /** The new piece, never the text so far. */
  readonly onPartial: (part: StreamPart) => void;
  readonly onLog: (line: LogLine) => void;
  /** Absent where no files are kept. */
  readonly files?: AdapterFiles;
  /** Finds registered secrets by name and tool; absent: none came with the dispatch. */
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

/** What a Bridge is sent. On this wire a node is called `stepId`. */
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
  /** Those of them that the server runs: an adapter offers them to its model, and never makes their calls. */
  stepTools: z
    .array(z.object({ name: z.string(), description: z.string().optional(), parameters: jsonObject }))
    .optional(),
  /** The call that the node itself was judged as, where it is one: nothing else may be called. */
  tool: z.string().optional(),
  outputSchema: jsonObject.optional(),
  outputStrategy: z.enum(["text", "json", "tool", "files"]),
  /** Null: no limit. */
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
  /** Where a service outside may report once, until the attempt's deadline, after the adapter answered `deferred`. */
  externalCallbackUrl: z.string().optional(),
  /** Where the files of this attempt are read and written while it is open; absent: it has none, or they are at hand. */
  filesUrl: z.string().optional(),
  traceparent: z.string().optional(),
  effects: z.enum(["at_least_once", "at_most_once"]),
  /** Which execution of the attempt this is; absent: the first. */
  segment: z.number().int().nonnegative().optional(),
  /** What the attempt continues from; absent: it begins. */
  resume: resumeSchema.optional(),
  /** Where rounds and tool calls are reported and judged; absent: they are at hand, or not judged. */
  turnUrl: z.string().optional(),
});
export type AdapterRequest = z.infer<typeof adapterRequestSchema>;

/** A run cannot cost more than this per call; anything above is a broken meter, not a bill. */
const COST_USD_MAX = 1_000_000;

const usage = {
  model: z.string().optional(),
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  thinkingTokens: count.optional(),
  cachedTokens: count.optional(),
  costUsd: z.number().nonnegative().max(COST_USD_MAX).optional(),
  /** Which price the cost was made with. */
  priceId: z.string().max(400).optional(),
  /** Calls made beyond the first (contract re-asks). */
  extraCalls: count.optional(),
  /** The thread of the agent this belongs to, and its messages, oldest first. */
  sessionId: z.string().max(200).optional(),
  messages: z.array(jsonObject).max(10_000).optional(),
  /** Deliveries of the same report beyond the first: adapters that simulate a bad network set it. */
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
    /** False: the same request would fail again, whatever the class is. */
    retryable: z.boolean().optional(),
    ...usage,
  }),
  /** The result follows from elsewhere, until the attempt's deadline. */
  z.object({ status: z.literal("deferred") }),
  /** A person decides about a call, or the turn was stopped: it is dispatched again to continue, with its transcript. */
  z.object({ status: z.literal("suspended"), transcript: json.optional() }),
]);
export type AdapterResult = z.infer<typeof adapterResultSchema>;
/** Those that end an attempt. */
export type FinalResult = Exclude<AdapterResult, { status: "deferred" | "suspended" }>;
