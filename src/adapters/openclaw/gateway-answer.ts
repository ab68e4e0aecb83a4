import { getOwn, isJsonArray, isJsonObject, type JsonObject } from "../../core/base/index.ts";
import type { AdapterHooks } from "../../adapter/index.ts";
import { checkedTokens, type Tokens } from "../ai-sdk/bill.ts";
import { storable } from "../ai-sdk/storable.ts";
import { readFrames } from "./sse-frames.ts";

/** The final answer of a gateway. */
export interface GatewayAnswer {
  readonly end: "completed" | "incomplete" | "failed";
  readonly text: string;
  readonly tokens: Tokens | null;
  /** Error code of a failed answer. */
  readonly code: string;
  readonly message: string;
}

/** The text that the gateway sends when an agent gave no answer. */
const NO_RESPONSE = "No response from OpenClaw.";
const ENDS = ["completed", "incomplete", "failed"] as const;

/** Reads the stream to its end. Null when it broke off. Throws errors of the connection. */
export async function readAnswer(body: ReadableStream<Uint8Array>, hooks: AdapterHooks): Promise<GatewayAnswer | null> {
  let streamed = "";
  for await (const frame of readFrames(body)) {
    const event = eventOf(frame);
    const type = event === null ? undefined : getOwn(event, "type");
    if (event === null || typeof type !== "string") continue;
    const end = ENDS.find((name) => type === `response.${name}`);
    if (end !== undefined) return answerOf(end, objectAt(event, "response"), streamed);
    const delta = getOwn(event, "delta");
    if (type !== "response.output_text.delta" || typeof delta !== "string" || delta === "") continue;
    streamed += delta;
    if (!hooks.signal.aborted) hooks.onPartial({ text: delta });
  }
  return null;
}

function answerOf(end: GatewayAnswer["end"], response: JsonObject, streamed: string): GatewayAnswer {
  const error = objectAt(response, "error");
  const [code, message] = [getOwn(error, "code"), getOwn(error, "message")];
  const complete = textOf(response);
  const text = complete === "" ? streamed : complete;
  return {
    end,
    text: text === NO_RESPONSE ? "" : storable(text),
    tokens: tokensOf(objectAt(response, "usage")),
    code: typeof code === "string" ? code : "",
    message: typeof message === "string" ? message : "",
  };
}

/** Returns the text of the agent's answer, without the commentary that it writes between tool calls. */
function textOf(response: JsonObject): string {
  return objectsAt(response, "output")
    .filter((item) => getOwn(item, "type") === "message" && getOwn(item, "phase") !== "commentary")
    .flatMap((item) => objectsAt(item, "content"))
    .map((part) => (getOwn(part, "type") === "output_text" ? getOwn(part, "text") : ""))
    .filter((text) => typeof text === "string")
    .join("");
}

/** Returns the token counts. Null when both are 0: the gateway then did not count, and 0 would mean no cost. */
function tokensOf(usage: JsonObject): Tokens | null {
  const input = objectAt(usage, "input_tokens_details");
  const tokens = checkedTokens({
    inputTokens: numberAt(usage, "input_tokens"),
    outputTokens: numberAt(usage, "output_tokens"),
    thinkingTokens: numberAt(objectAt(usage, "output_tokens_details"), "reasoning_tokens"),
    cachedTokens: numberAt(input, "cached_tokens"),
    cacheWriteTokens: numberAt(input, "cache_write_tokens"),
  });
  return tokens === null || tokens.inputTokens + tokens.outputTokens === 0 ? null : tokens;
}

/** Parses a frame. Null for a frame that is not a JSON object, such as the last one of a stream. */
function eventOf(frame: string): JsonObject | null {
  try {
    const value = JSON.parse(frame) as JsonObject | null;
    return value !== null && isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = getOwn(object, key);
  return isJsonObject(value) ? value : {};
}

function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = getOwn(object, key);
  return isJsonArray(value) ? value.filter((element): element is JsonObject => isJsonObject(element)) : [];
}

function numberAt(object: JsonObject, key: string): number | undefined {
  const value = getOwn(object, key);
  return typeof value === "number" ? value : undefined;
}
