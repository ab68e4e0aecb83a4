import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import type { AdapterHooks } from "../../adapter/index.ts";
import { checkedTokens, estimated, larger, type Tokens } from "../ai-sdk/bill.ts";
import { Transcript, type ToolCallEntry } from "../ai-sdk/transcript.ts";

/** An error of the model's API, with the SDK's name for it. */
export interface ApiError {
  readonly kind: string;
  readonly status: number | undefined;
  readonly text: string;
  readonly retryDelayMs?: number;
}

interface MeteredCall {
  tokens: Tokens | null;
  characters: number;
}

/** The model name of messages that the SDK itself created. */
const SYNTHETIC = "<synthetic>";

/** Collects what a session has sent so far. It reads only the fields it knows and ignores everything else. */
export class SessionRecord {
  readonly transcript = new Transcript();
  readonly #hooks: AdapterHooks;
  readonly #retriesMax: number;
  readonly #toolNames = new Map<string, string>();
  readonly #calls: MeteredCall[] = [];
  readonly #promptCharacters: number;
  #result: JsonObject | null = null;
  #apiError: ApiError | null = null;
  #isRefused = false;

  constructor(prompt: string, instructions: string | undefined, retriesMax: number, hooks: AdapterHooks) {
    this.#hooks = hooks;
    this.#retriesMax = retriesMax;
    this.#promptCharacters = prompt.length + (instructions?.length ?? 0);
    if (instructions !== undefined) this.transcript.system(instructions);
    this.transcript.user(prompt);
  }

  get result(): JsonObject | null {
    return this.#result;
  }

  get apiError(): ApiError | null {
    return this.#apiError;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Usage of the model calls received so far, for a session that ended before it reported its usage. */
  get calls(): readonly Tokens[] {
    return this.#calls.map(({ tokens, characters }) => {
      const guess = estimated(this.#promptCharacters, characters);
      return tokens === null ? guess : larger(tokens, { ...guess, inputTokens: tokens.inputTokens });
    });
  }

  /** Reads one message. False when no more messages should be read. */
  listen(given: unknown): boolean {
    const message = objectOf(given);
    if (message === null) return true;
    // Messages of a subagent are not part of the conversation.
    if (textAt(message, "parent_tool_use_id") !== undefined) return true;
    switch (textAt(message, "type")) {
      case "stream_event":
        this.#readPiece(objectAt(message, "event"));
        return true;
      case "assistant":
        this.#readAssistant(message);
        return true;
      case "user":
        this.#readTools(objectAt(message, "message"));
        return true;
      case "system":
        return this.#readSystem(message);
      case "result":
        this.#result = message;
        if (textAt(message, "stop_reason") === "refusal") this.#isRefused = true;
        return true;
      default:
        return true;
    }
  }

  #readPiece(event: JsonObject): void {
    switch (textAt(event, "type")) {
      case "message_start":
        this.#calls.push({ tokens: tokensOf(objectAt(objectAt(event, "message"), "usage")), characters: 0 });
        return;
      case "message_delta":
        this.#meter(objectAt(event, "usage"));
        return;
      case "content_block_delta":
        this.#readDelta(objectAt(event, "delta"));
        return;
      default:
        return;
    }
  }

  #readDelta(delta: JsonObject): void {
    const text = textAt(delta, "text") ?? "";
    const hidden = textAt(delta, "thinking") ?? textAt(delta, "partial_json") ?? "";
    const call = this.#calls.at(-1);
    if (call !== undefined) call.characters += text.length + hidden.length;
    const isShown = textAt(delta, "type") === "text_delta" && text !== "" && !this.#hooks.signal.aborted;
    if (isShown) this.#hooks.onPartial({ text });
  }

  #meter(usage: JsonObject): void {
    const call = this.#calls.at(-1);
    const outputTokens = countAt(usage, "output_tokens");
    if (call === undefined || call.tokens === null) return;
    call.tokens = { ...call.tokens, outputTokens: Math.max(call.tokens.outputTokens, outputTokens) };
  }

  #readAssistant(message: JsonObject): void {
    const inner = objectAt(message, "message");
    const blocks = blocksOf(inner);
    const text = blocks
      .map((block) => (textAt(block, "type") === "text" ? (textAt(block, "text") ?? "") : ""))
      .join("");
    const kind = textAt(message, "error");
    if (kind !== undefined) {
      const status = getOwn(message, "api_error_status");
      this.#apiError = { kind, status: typeof status === "number" ? status : undefined, text };
    }
    if (textAt(inner, "model") === SYNTHETIC) return;
    const calls = blocks.flatMap((block): ToolCallEntry[] => {
      if (textAt(block, "type") !== "tool_use") return [];
      const [id, name] = [textAt(block, "id") ?? "", textAt(block, "name") ?? ""];
      this.#toolNames.set(id, name);
      this.#hooks.onLog({ level: "debug", message: `The session calls ${name}.` });
      return [{ id, name, input: JSON.stringify(getOwn(block, "input") ?? {}) }];
    });
    this.transcript.assistant(text, calls);
  }

  #readTools(inner: JsonObject): void {
    for (const block of blocksOf(inner)) {
      if (textAt(block, "type") !== "tool_result") continue;
      const id = textAt(block, "tool_use_id") ?? "";
      const content = getOwn(block, "content");
      const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
      this.transcript.tool(id, this.#toolNames.get(id) ?? "", text, getOwn(block, "is_error") === true);
    }
  }

  #readSystem(message: JsonObject): boolean {
    switch (textAt(message, "subtype")) {
      case "model_refusal_no_fallback":
        this.#isRefused = true;
        return true;
      case "permission_denied":
        this.#hooks.onLog({
          level: "warning",
          message: `The session was denied ${textAt(message, "tool_name") ?? ""}.`,
        });
        return true;
      case "api_retry":
        return this.#readRetry(message);
      default:
        return true;
    }
  }

  /** Records a failed model call. False above the operator's limit: further retries are decided by the engine. */
  #readRetry(message: JsonObject): boolean {
    const status = getOwn(message, "error_status");
    const kind = textAt(message, "error") ?? "unknown";
    if (countAt(message, "attempt") <= this.#retriesMax) {
      this.#hooks.onLog({ level: "warning", message: `A call of the model failed (${kind}) and is tried again.` });
      return true;
    }
    this.#apiError = {
      kind,
      status: typeof status === "number" ? status : undefined,
      text: "",
      retryDelayMs: countAt(message, "retry_delay_ms"),
    };
    return false;
  }
}

/** Returns the session id from the message that starts a session. Null for any other message. */
export function sessionOf(given: unknown): string | null {
  const message = objectOf(given);
  if (message === null || textAt(message, "subtype") !== "init") return null;
  return textAt(message, "session_id") ?? null;
}

function tokensOf(usage: JsonObject): Tokens | null {
  const [cached, written] = [countAt(usage, "cache_read_input_tokens"), countAt(usage, "cache_creation_input_tokens")];
  return checkedTokens({
    inputTokens: countAt(usage, "input_tokens") + cached + written,
    outputTokens: countAt(usage, "output_tokens"),
    thinkingTokens: 0,
    cachedTokens: cached,
    cacheWriteTokens: written,
  });
}

function blocksOf(inner: JsonObject): readonly JsonObject[] {
  const content = getOwn(inner, "content");
  return isJsonArray(content) ? content.filter((block): block is JsonObject => isJsonObject(block)) : [];
}

/** The SDK's messages come from parsed JSON, so an object is a JsonObject. */
function objectOf(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = getOwn(object, key);
  return isJsonObject(value) ? value : {};
}

export function textAt(object: JsonObject, key: string): string | undefined {
  const value: Json | undefined = getOwn(object, key);
  return typeof value === "string" ? value : undefined;
}

export function countAt(object: JsonObject, key: string): number {
  const value = getOwn(object, key);
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
