import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { callFailure, type CallFailure, failureOfStatus } from "./call-failure.ts";
import { readEventStream } from "./event-stream.ts";
import type { BrowserHooks, ChatProvider } from "./provider.ts";

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export interface ChatQuestion {
  readonly provider: ChatProvider;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly maxOutputTokens: number | undefined;
  /** The format that the service must enforce. Undefined for plain text. */
  readonly responseFormat: JsonObject | undefined;
  /** False for a second answer: it replaces the first one, which was already shown, so it is not streamed. */
  readonly isStreamed: boolean;
}

export interface ChatAnswer {
  readonly text: string;
  readonly isCutOff: boolean;
  readonly tokens: ChatTokens | null;
  readonly failure: CallFailure | null;
}

export interface ChatTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly cachedTokens: number;
}

interface Received {
  text: string;
  refusal: string;
  finish: string | null;
  tokens: ChatTokens | null;
  error: string | null;
}

/** Makes one model call and reads its stream to the end. */
export async function callChat(question: ChatQuestion, hooks: BrowserHooks): Promise<ChatAnswer> {
  const { provider, model } = question;
  const place = { name: `The service at ${originOf(provider.baseUrl)} (${model})`, apiKey: provider.apiKey };
  const received: Received = { text: "", refusal: "", finish: null, tokens: null, error: null };
  const end = (failure: CallFailure | null): ChatAnswer => ({
    text: received.text,
    isCutOff: received.finish === "length",
    tokens: received.tokens,
    failure,
  });
  try {
    const response = await send(question, hooks.signal);
    if (!response.ok) return end(failureOfStatus(response, await response.text(), place));
    if (response.body === null)
      return end(callFailure("provider_error", `${place.name} answered with nothing.`, place.apiKey));
    for await (const data of readEventStream(response.body)) {
      if (data === "[DONE]") break;
      take(received, JSON.parse(data) as Json, question.isStreamed ? hooks : null);
    }
  } catch (thrown) {
    if (hooks.signal.aborted) return end({ failure: "cancelled", message: "The request was cancelled." });
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const what =
      thrown instanceof SyntaxError ? "sent an answer that cannot be read" : "could not be reached, or broke off";
    return end(callFailure("provider_error", `${place.name} ${what}: ${why}`, place.apiKey));
  }
  return end(judge(received, place));
}

function send({ provider, model, messages, maxOutputTokens, responseFormat }: ChatQuestion, signal: AbortSignal) {
  const ask = provider.fetch ?? globalThis.fetch;
  return ask(`${provider.baseUrl.replace(/\/+$/, "")}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(provider.apiKey === undefined || provider.apiKey === ""
        ? {}
        : { authorization: `Bearer ${provider.apiKey}` }),
    },
    body: JSON.stringify({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
      ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
      ...(responseFormat === undefined ? {} : { response_format: responseFormat }),
    }),
    signal,
    // The key must reach only this address, and the page's own cookies must not be sent.
    redirect: "error",
    credentials: "omit",
    referrerPolicy: "no-referrer",
  });
}

function take(received: Received, frame: Json, hooks: BrowserHooks | null): void {
  if (!isJsonObject(frame)) return;
  const error = getOwn(frame, "error");
  if (isJsonObject(error)) received.error ??= textAt(error, "message");
  const usage = getOwn(frame, "usage");
  if (isJsonObject(usage)) received.tokens = readTokens(usage);
  const choices = getOwn(frame, "choices");
  const choice = isJsonArray(choices) ? choices[0] : undefined;
  if (!isJsonObject(choice)) return;
  const finish = getOwn(choice, "finish_reason");
  if (typeof finish === "string") received.finish = finish;
  const delta = getOwn(choice, "delta");
  if (!isJsonObject(delta)) return;
  const refusal = textAt(delta, "refusal");
  received.refusal += refusal;
  const text = textAt(delta, "content") + refusal;
  received.text += text;
  if (text !== "" && hooks?.signal.aborted === false) hooks.onPartial({ text });
}

function judge(
  received: Received,
  { name, apiKey }: { readonly name: string; readonly apiKey: string | undefined },
): CallFailure | null {
  if (received.error !== null) return callFailure("provider_error", `${name} failed: ${received.error}`, apiKey);
  if (received.finish === null)
    return callFailure("provider_error", `The answer of ${name} broke off before its end.`, apiKey);
  if (received.refusal === "" && received.finish !== "content_filter") return null;
  const text = received.text.trim();
  return callFailure("provider_refused", `${name} refused to answer${text === "" ? "." : `: ${text}`}`, apiKey);
}

function readTokens(usage: JsonObject): ChatTokens {
  const inputTokens = countAt(usage, "prompt_tokens");
  const outputTokens = countAt(usage, "completion_tokens");
  const [read, written] = [getOwn(usage, "prompt_tokens_details"), getOwn(usage, "completion_tokens_details")];
  return {
    inputTokens,
    outputTokens,
    thinkingTokens: isJsonObject(written) ? Math.min(countAt(written, "reasoning_tokens"), outputTokens) : 0,
    cachedTokens: isJsonObject(read) ? Math.min(countAt(read, "cached_tokens"), inputTokens) : 0,
  };
}

const TOKENS_PER_CALL_MAX = 100_000_000;

function countAt(object: JsonObject, key: string): number {
  const value = getOwn(object, key);
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= TOKENS_PER_CALL_MAX;
  return isCount ? value : 0;
}

function textAt(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === "string" ? value : "";
}

function originOf(address: string): string {
  return /^[a-z]+:\/\/[^/]+/i.exec(address)?.[0] ?? address;
}
