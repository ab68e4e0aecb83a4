/** What a server and a Bridge send to each other; both sides read it with these schemas. A node is called `stepId`. */
import { z } from "zod";
import {
  adapterModelsSchema,
  adapterRequestSchema,
  CALLS_PER_ROUND_MAX,
  callRulingSchema,
  handedSecretSchema,
  roundReportSchema,
  type SecretReference,
  secretReferenceSchema,
  toolAskSchema,
  toolReportSchema,
  TURN_SUPPORT,
} from "../adapter/index.ts";
import type { Json } from "../core/base/index.ts";
import { askedCallSchema, envelopeSchema } from "../core/event/index.ts";

export const DISPATCH_PATH = "/api/v2/dispatch";
/** The name the route had first; Bridges answer to both. */
export const DISPATCH_ALIAS = "/api/workflow/dispatch";
export const DISPATCH_SYNC_PATH = "/api/v2/dispatch/sync";
export const DISPATCH_BATCH_PATH = "/api/v2/dispatch/batch";
export const EXECUTIONS_PATH = "/api/v2/executions";
export const CALLBACK_PATH = "/api/workflow/step-complete";
export const CALLBACK_BATCH_PATH = "/api/workflow/step-complete/batch";
export const STREAM_PATH = "/api/workflow/step-stream";
/** Before the names of what the turn of an agent reports and asks. */
export const TURN_PATH = "/api/workflow";
export const GATEWAY_TOKEN_HEADER = "x-gateway-token";

export const DISPATCHES_PER_BATCH_MAX = 64;
export const DISPATCH_BYTES_MAX = 8 * 1_048_576;
export const DISPATCH_BATCH_BYTES_MAX = 16 * 1_048_576;
export const CALLBACKS_PER_BATCH_MAX = 64;
export const CALLBACK_BYTES_MAX = 5 * 1_048_576;
export const DELTAS_PER_REQUEST_MAX = 1_000;

const json: z.ZodType<Json> = z.json();
const jsonObject = z.record(z.string(), json);
const name = z.string().min(1).max(400);
const instant = z.iso.datetime({ offset: true });

/** No call costs more than this; anything above is a broken meter, not a bill. */
const COST_USD_MAX = 1_000_000;
const count = z.number().int().nonnegative().max(1_000_000_000_000);

const SECRETS_MAX = 200;

/** Secrets are only here: no adapter sees those of another tool, and nothing on disk has them. */
export const dispatchSchema = adapterRequestSchema.extend({
  secrets: z.array(handedSecretSchema).max(SECRETS_MAX).optional(),
});
export type DispatchBody = z.infer<typeof dispatchSchema>;

export const dispatchBatchSchema = z.object({ dispatches: z.array(json).min(1).max(DISPATCHES_PER_BATCH_MAX) });

export interface DispatchReply {
  readonly accepted: true;
  readonly dispatchId: string;
  readonly duplicate?: true;
  /** Names keys of the dispatch that mean nothing here. */
  readonly warnings?: readonly string[];
}

/** One answer per dispatch, in their order: the status and body it would have had alone. */
export interface BatchReply<T> {
  readonly results: readonly { readonly status: number; readonly body: T | BridgeProblem }[];
}

export interface BridgeProblem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly problems?: readonly { readonly code: string; readonly message: string; readonly path: string }[];
}

const logLineSchema = z.object({
  level: z.enum(["debug", "info", "warning", "error"]),
  message: z.string(),
  at: instant.optional(),
});

const CALLBACK_STATUSES = ["completed", "failed", "timed_out", "cancelled", "deferred", "suspended"] as const;

/** What is counted, apart from the rest: a figure out of range is refused by a code of its own. */
export const reportedUsageSchema = z.object({
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  thinkingTokens: count.optional(),
  cachedTokens: count.optional(),
  totalTokens: count.optional(),
  costUsd: z.number().nonnegative().max(COST_USD_MAX).optional(),
});

export const callbackSchema = z.object({
  dispatchId: name,
  runId: name,
  stepId: name,
  attempt: z.number().int().positive(),
  /** Which execution of the attempt reports; absent: the first. */
  segment: count.optional(),
  status: z.enum(CALLBACK_STATUSES),
  /** With `suspended`: what the adapter needs to continue. */
  transcript: json.optional(),
  outputs: jsonObject.optional(),
  stdout: z.string().optional(),
  envelope: envelopeSchema.optional(),
  error: z.string().optional(),
  errorCode: z.string().max(100).optional(),
  retryAfterMs: z.number().nonnegative().optional(),
  /** False: the same request would fail again, whatever its class is. */
  retryable: z.boolean().optional(),
  startedAt: instant,
  completedAt: instant,
  model: z.string().max(200).optional(),
  ...reportedUsageSchema.shape,
  /** Which price `costUsd` was made with. */
  priceId: z.string().max(400).optional(),
  /** Calls made beyond the first (contract re-asks). */
  extraCalls: count.optional(),
  sessionId: z.string().max(200).optional(),
  messages: z.array(jsonObject).max(10_000).optional(),
  logs: z.array(logLineSchema).max(10_000).optional(),
  artifacts: z.array(jsonObject).max(1_000).optional(),
  executionPath: z.enum(["edge", "sync", "async"]).optional(),
});
export type CallbackBody = z.infer<typeof callbackSchema>;

export const callbackBatchSchema = z.object({ callbacks: z.array(json).min(1).max(CALLBACKS_PER_BATCH_MAX) });

const sender = {
  dispatchId: name,
  /** As far as they are given they have to agree with the id. */
  runId: name.optional(),
  stepId: name.optional(),
  attempt: z.number().int().positive().optional(),
  segment: count.optional(),
};

export const sentRoundSchema = z.object({
  ...sender,
  ...roundReportSchema.shape,
  calls: z
    .array(askedCallSchema.extend({ callId: z.string().max(1_000).optional() }))
    .max(CALLS_PER_ROUND_MAX)
    .default([]),
});
export const sentCallSchema = z.object({ ...sender, ...toolAskSchema.shape });
export const sentResultSchema = z.object({ ...sender, ...toolReportSchema.shape, error: z.string().optional() });
/** `wait`: a person has not answered yet; it is asked again. */
export const callReplySchema = z.union([callRulingSchema, z.object({ disposition: z.literal("wait") })]);

export interface CallbackReply {
  readonly received: true;
  readonly deduplicated?: true;
  readonly discarded?: true;
  /** Names keys of the callback that mean nothing here. */
  readonly warnings?: readonly string[];
}

export const streamSchema = z.object({
  dispatchId: name,
  deltas: z
    .array(
      z.union([
        z.object({ index: z.number().int().nonnegative(), text: z.string() }),
        z.object({
          index: z.number().int().nonnegative(),
          media: z.object({ url: z.string().max(2_048), mime: z.string().max(200) }),
        }),
      ]),
    )
    .min(1)
    .max(DELTAS_PER_REQUEST_MAX),
});
export type StreamBody = z.infer<typeof streamSchema>;

/** What a Bridge answers about an execution. */
export interface ExecutionView {
  readonly dispatchId: string;
  /** `lost`: journalled before it began, and the Bridge ended in between; whether it acted is unknown. */
  readonly state: "running" | "ended" | "lost";
  readonly startedAt: string;
  readonly result?: CallbackBody;
}

/** By provider: what its adapter calls when no model is named, and the prices its configuration gives. */
export const modelsSchema = z.record(z.string().max(100), adapterModelsSchema);
export type ProviderModels = z.infer<typeof adapterModelsSchema>;

/** By provider: what its adapter lets see of the turns of agents; absent: nothing. */
export const turnsSchema = z.record(z.string().max(100), z.enum(TURN_SUPPORT));

/** By provider: the registered secrets its configuration refers to. */
export const referencesSchema = z.record(z.string().max(100), z.array(secretReferenceSchema).max(SECRETS_MAX));

export type ProviderSecrets = Readonly<Record<string, readonly SecretReference[]>>;

export const registrationSchema = z.object({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, "lower-case letters, digits and dashes, at most 64, a letter first"),
  name: z.string().max(200).optional(),
  environment: z.string().max(100).optional(),
  url: z.url({ protocol: /^https?$/ }),
  instanceId: name,
  /** When the instance began, so that an older one cannot take a newer one's place. */
  instanceStartedAt: instant,
  capabilities: z.array(z.string().max(100)).max(100).default([]),
  providers: z.array(z.string().max(100)).min(1).max(100),
  /** The provider that takes nodes which name none. */
  defaultProvider: z.string().max(100).optional(),
  models: modelsSchema.optional(),
  turns: turnsSchema.optional(),
  secrets: referencesSchema.optional(),
  /** The server, as this Bridge reaches it: it reports there, whichever replica dispatches. */
  server: z.url({ protocol: /^https?$/ }).optional(),
  /** SHA-256 (hex) of the callback token this instance was given before; tokens stay as they are while it is right. */
  callbackTokenHash: z.string().max(64).optional(),
});
export type Registration = z.infer<typeof registrationSchema>;

/** Tokens are shown once, and the Bridge keeps them in memory: an instance that has the present ones gets none again. */
export interface BridgeRegistration {
  readonly gatewayId: string;
  /** Where callbacks may go, beside the address the Bridge registered at. */
  readonly callbackOrigin?: string;
  readonly tokens?: {
    /** What the server sends with dispatches. */
    readonly dispatchToken: string;
    /** What the Bridge sends with callbacks. */
    readonly callbackToken: string;
  };
}

export type Health = "healthy" | "degraded" | "offline";

export interface HealthReply {
  readonly status: Health;
  readonly instanceId: string;
  readonly adapters: Readonly<
    Record<
      string,
      {
        readonly status: Health;
        readonly message?: string;
        readonly capabilities: Readonly<Record<string, boolean | string>>;
      }
    >
  >;
}
