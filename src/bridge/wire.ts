/** The messages between a server and a Bridge. Both sides check them with these schemas. A node is called `stepId`. */
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
/** The first name of the route. Bridges accept both. */
export const DISPATCH_ALIAS = "/api/workflow/dispatch";
export const DISPATCH_SYNC_PATH = "/api/v2/dispatch/sync";
export const DISPATCH_BATCH_PATH = "/api/v2/dispatch/batch";
export const EXECUTIONS_PATH = "/api/v2/executions";
export const CALLBACK_PATH = "/api/workflow/step-complete";
export const CALLBACK_BATCH_PATH = "/api/workflow/step-complete/batch";
export const STREAM_PATH = "/api/workflow/step-stream";
/** Prefix of the routes for reports of a turn. */
export const TURN_PATH = "/api/workflow";
export const GATEWAY_TOKEN_HEADER = "x-gateway-token";

export const DISPATCHES_PER_BATCH_MAX = 64;
export const DISPATCH_BYTES_MAX = 8 * 1_048_576;
export const DISPATCH_BATCH_BYTES_MAX = 16 * 1_048_576;
export const CALLBACKS_PER_BATCH_MAX = 64;
export const CALLBACK_BYTES_MAX = 5 * 1_048_576;
export const DELTAS_PER_REQUEST_MAX = 1_000;
export const CALLBACK_LOG_LINES_MAX = 10_000;

const json: z.ZodType<Json> = z.json();
const jsonObject = z.record(z.string(), json);
const name = z.string().min(1).max(400);
const instant = z.iso.datetime({ offset: true });

/** Maximum cost of one call. A higher amount means that the metering is broken. */
const COST_USD_MAX = 1_000_000;
const count = z.number().int().nonnegative().max(1_000_000_000_000);

const SECRETS_MAX = 200;

/** A dispatch with its secrets. They are removed before the rest is stored, and an adapter sees only those of its own tool. */
export const dispatchSchema = adapterRequestSchema.extend({
  secrets: z.array(handedSecretSchema).max(SECRETS_MAX).optional(),
});
export type DispatchBody = z.infer<typeof dispatchSchema>;

export const dispatchBatchSchema = z.object({ dispatches: z.array(json).min(1).max(DISPATCHES_PER_BATCH_MAX) });

export interface DispatchReply {
  readonly accepted: true;
  readonly dispatchId: string;
  readonly duplicate?: true;
  /** Warnings that name unknown keys of the dispatch. */
  readonly warnings?: readonly string[];
}

/** One answer per dispatch, in order, with the status and body that a single dispatch would get. */
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

/** The usage numbers of a callback. They have their own schema, because an invalid number is refused with its own code. */
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
  /** Number of the execution that reports. Absent for the first execution. */
  segment: count.optional(),
  status: z.enum(CALLBACK_STATUSES),
  /** The data that the adapter needs to continue after `suspended`. */
  transcript: json.optional(),
  outputs: jsonObject.optional(),
  stdout: z.string().optional(),
  envelope: envelopeSchema.optional(),
  error: z.string().optional(),
  errorCode: z.string().max(100).optional(),
  retryAfterMs: z.number().nonnegative().optional(),
  /** False when the same request would fail again, whatever the failure class is. */
  retryable: z.boolean().optional(),
  startedAt: instant,
  completedAt: instant,
  model: z.string().max(200).optional(),
  ...reportedUsageSchema.shape,
  /** The id of the price that `costUsd` was calculated with. */
  priceId: z.string().max(400).optional(),
  /** Model calls after the first one, made because an answer did not fit the contract. */
  extraCalls: count.optional(),
  sessionId: z.string().max(200).optional(),
  messages: z.array(jsonObject).max(10_000).optional(),
  logs: z.array(logLineSchema).max(CALLBACK_LOG_LINES_MAX).optional(),
  artifacts: z.array(jsonObject).max(1_000).optional(),
  executionPath: z.enum(["edge", "sync", "async"]).optional(),
});
export type CallbackBody = z.infer<typeof callbackSchema>;

export const callbackBatchSchema = z.object({ callbacks: z.array(json).min(1).max(CALLBACKS_PER_BATCH_MAX) });

const sender = {
  dispatchId: name,
  /** Optional fields. When present, they must agree with the dispatch id. */
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
/** The reply to a ruling request. `wait`: no person has answered yet, and the request must be repeated. */
export const callReplySchema = z.union([callRulingSchema, z.object({ disposition: z.literal("wait") })]);

export interface CallbackReply {
  readonly received: true;
  readonly deduplicated?: true;
  readonly discarded?: true;
  /** Warnings that name unknown keys of the callback. */
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

/** The state of an execution, as a Bridge returns it. */
export interface ExecutionView {
  readonly dispatchId: string;
  /** `lost`: recorded in the journal before a restart of the Bridge. It is unknown whether it had any effect. */
  readonly state: "running" | "ended" | "lost";
  readonly startedAt: string;
  readonly result?: CallbackBody;
}

/** The default model and the configured prices of each adapter, by provider. */
export const modelsSchema = z.record(z.string().max(100), adapterModelsSchema);
export type ProviderModels = z.infer<typeof adapterModelsSchema>;

/** The turn support of each adapter, by provider. Absent for opaque adapters. */
export const turnsSchema = z.record(z.string().max(100), z.enum(TURN_SUPPORT));

/** The registered secrets to which each adapter's configuration refers, by provider. */
export const referencesSchema = z.record(z.string().max(100), z.array(secretReferenceSchema).max(SECRETS_MAX));

export type ProviderSecrets = Readonly<Record<string, readonly SecretReference[]>>;

export const registrationSchema = z.object({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, "lower-case letters, digits and dashes, at most 64, a letter first"),
  name: z.string().max(200).optional(),
  environment: z.string().max(100).optional(),
  url: z.url({ protocol: /^https?$/ }),
  instanceId: name,
  /** Start time of the instance, so that an older instance cannot replace a newer one. */
  instanceStartedAt: instant,
  capabilities: z.array(z.string().max(100)).max(100).default([]),
  providers: z.array(z.string().max(100)).min(1).max(100),
  /** The provider for nodes that name none. */
  defaultProvider: z.string().max(100).optional(),
  models: modelsSchema.optional(),
  turns: turnsSchema.optional(),
  secrets: referencesSchema.optional(),
  /** The server's address as the Bridge reaches it. Reports go there, whichever replica dispatches. */
  server: z.url({ protocol: /^https?$/ }).optional(),
  /** SHA-256 (hex) of the instance's present callback token. While it matches, the tokens stay unchanged. */
  callbackTokenHash: z.string().max(64).optional(),
});
export type Registration = z.infer<typeof registrationSchema>;

/** The reply to a registration. Tokens are sent only once: an instance that proves it has the present ones gets none. */
export interface BridgeRegistration {
  readonly gatewayId: string;
  /** A further origin for callbacks, in addition to the address at which the Bridge registered. */
  readonly callbackOrigin?: string;
  readonly tokens?: {
    /** The token that the server sends with dispatches. */
    readonly dispatchToken: string;
    /** The token that the Bridge sends with callbacks. */
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
