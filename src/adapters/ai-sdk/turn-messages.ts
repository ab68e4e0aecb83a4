import type { FilePart, ModelMessage, TextPart } from "ai";
import { type CallOutcome, outcomeText, type TurnRound } from "../../adapter/index.ts";
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import type { CallResult } from "./model-call.ts";
import type { Transcript } from "./transcript.ts";

/** Returns the user message that starts a conversation. */
export function firstMessage(text: string, parts: readonly (TextPart | FilePart)[]): ModelMessage {
  return { role: "user", content: parts.length === 0 ? text : [{ type: "text", text }, ...parts] };
}

/** Returns the model's message as JSON. It is reported with its round and sent to the model again in the next one. */
export function messageOf({ turn }: Pick<CallResult, "turn">): JsonObject {
  const content = turn.flatMap((message) => {
    const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    return JSON.parse(JSON.stringify(parts)) as readonly Json[];
  });
  return { role: "assistant", content: content.map(repaired) };
}

/** Replaces arguments that are not an object with `{}`. Vendors accept only objects, even in a malformed call. */
function repaired(part: Json): Json {
  if (!isJsonObject(part) || getOwn(part, "type") !== "tool-call") return part;
  return isJsonObject(getOwn(part, "input")) ? part : { ...part, input: {} };
}

export function textOf(message: JsonObject): string {
  return partsOf(message, "text")
    .map((part) => textAt(part, "text"))
    .join("");
}

/** Returns the conversation so far, which the next model call continues. */
export function messagesOf(first: ModelMessage, rounds: readonly TurnRound[]): ModelMessage[] {
  return [first, ...rounds.flatMap(roundMessages)];
}

function roundMessages({ message, outcomes, correction }: TurnRound): ModelMessage[] {
  const content = contentOf(message);
  const messages: ModelMessage[] = [];
  // The content has the SDK's form because the SDK produced it. The SDK checks it again.
  if (content.length > 0) messages.push({ role: "assistant", content } as unknown as ModelMessage);
  const results = callsOf(message).flatMap((call, position) => {
    const outcome = outcomes[position];
    return outcome === undefined ? [] : [resultOf(call, outcome)];
  });
  if (results.length > 0) messages.push({ role: "tool", content: results });
  if (correction !== undefined) messages.push({ role: "user", content: correction });
  return messages;
}

type ToolResult = Extract<Extract<ModelMessage, { role: "tool" }>["content"][number], { type: "tool-result" }>;

function resultOf({ id, name }: MessageCall, outcome: CallOutcome): ToolResult {
  const output = {
    type: outcome.kind === "result" ? ("text" as const) : ("error-text" as const),
    value: outcomeText(outcome),
  };
  return { type: "tool-result", toolCallId: id, toolName: name, output };
}

interface MessageCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

/** Returns the tool calls of a message, in order. */
function callsOf(message: JsonObject): readonly MessageCall[] {
  return partsOf(message, "tool-call").map((part) => ({
    id: textAt(part, "toolCallId"),
    name: textAt(part, "toolName"),
    input: JSON.stringify(getOwn(part, "input") ?? null),
  }));
}

export interface MadeFile {
  readonly mediaType: string;
  readonly uint8Array: Uint8Array;
}

/** Returns the files that the model made. */
export function filesOf(rounds: readonly TurnRound[]): readonly MadeFile[] {
  return rounds.flatMap(({ message }) =>
    partsOf(message, "file").map((part) => ({
      mediaType: textAt(part, "mediaType"),
      uint8Array: Buffer.from(textAt(part, "data"), "base64"),
    })),
  );
}

/** Adds the rounds to the transcript that is stored with the result. */
export function recordRounds(transcript: Transcript, rounds: readonly TurnRound[]): void {
  for (const { message, outcomes, correction } of rounds) {
    const calls = callsOf(message);
    transcript.assistant(textOf(message), calls);
    for (const [position, { id, name }] of calls.entries()) {
      const outcome = outcomes[position];
      if (outcome !== undefined) transcript.tool(id, name, outcomeText(outcome), outcome.kind !== "result");
    }
    if (correction !== undefined) transcript.user(correction);
  }
}

function contentOf(message: JsonObject): readonly Json[] {
  const content = getOwn(message, "content");
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return isJsonArray(content) ? content : [];
}

function partsOf(message: JsonObject, type: string): readonly JsonObject[] {
  return contentOf(message).filter((part): part is JsonObject => isJsonObject(part) && getOwn(part, "type") === type);
}

function textAt(part: JsonObject, key: string): string {
  const value = getOwn(part, key);
  return typeof value === "string" ? value : "";
}
