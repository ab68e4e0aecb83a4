import type { FailureClass, JsonObject } from "../core/base/index.ts";
import type { Envelope } from "../core/event/index.ts";

/** The request of a node, with the field names of the adapter interface. */
export interface BrowserRequest {
  readonly dispatchId: string;
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly provider: string;
  readonly model?: string;
  readonly agentId: string;
  readonly message: string;
  readonly stdin?: string;
  inputs: Record<string, JsonObject[string]>;
  outputSchema?: Record<string, JsonObject[string]>;
  readonly outputStrategy: "text" | "json";
  readonly timeoutMs: number | null;
  readonly maxOutputTokens?: number;
  readonly context: {
    readonly runId: string;
    readonly workflow: string;
    readonly phase: string | null;
    readonly upstreamDigest: string | null;
  };
  readonly effects: "at_least_once" | "at_most_once";
}

interface Usage {
  readonly model?: string | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly thinkingTokens?: number | undefined;
  readonly cachedTokens?: number | undefined;
  readonly costUsd?: number | undefined;
  readonly extraCalls?: number | undefined;
}

export type BrowserResult =
  | ({
      readonly status: "completed";
      readonly stdout?: string | undefined;
      readonly outputs?: JsonObject | undefined;
      readonly envelope?: Envelope | undefined;
    } & Usage)
  | ({
      readonly status: "failed";
      readonly failure: FailureClass;
      readonly message: string;
      readonly retryAfterMs?: number | undefined;
    } & Usage)
  | { readonly status: "deferred" };

export interface BrowserHooks {
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** Receives the new piece only, never the whole text so far. */
  readonly onPartial: (
    part: { readonly text: string } | { readonly media: { readonly url: string; readonly mime: string } },
  ) => void;
  readonly onLog: (line: { readonly level: "debug" | "info" | "warning" | "error"; readonly message: string }) => void;
}

/** Answers one request. The `execute` of an adapter has this type, and so does a script in the page. */
export type Execute = (request: BrowserRequest, hooks: BrowserHooks) => Promise<BrowserResult>;

/** A model at an address that the page may call. The key stays in memory and is sent only to that address. */
export interface ChatProvider {
  readonly kind: "openai-compatible";
  /** Address with the API version, for example `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** The model for nodes that name none. */
  readonly model?: string;
  /** `prompt` for services that accept a schema only inside the prompt. */
  readonly structuredOutput?: "native" | "prompt";
  readonly fetch?: typeof globalThis.fetch;
}

export type BrowserProvider = ChatProvider | { readonly kind: "scripted"; readonly execute: Execute };
