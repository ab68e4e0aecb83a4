import type { LanguageModel, LanguageModelUsage, ModelMessage, TextStreamPart, ToolSet } from "ai";
import type { AdapterHooks } from "../../adapter/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import type { RoundEnd } from "../../core/event/index.ts";
import { checkedTokens, estimated, larger, type ReportedTokens, type Tokens } from "./bill.ts";
import {
  badOutput,
  failureOf,
  isProviderError,
  refusal,
  truncated,
  type CallFailure,
  type FailureContext,
} from "./call-failure.ts";
import type { OutputMode, Sdk } from "./sdk.ts";
import type { Wire } from "./wire.ts";

/** One call of a model. */
export interface ModelCall {
  readonly instructions: string | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet | undefined;
  readonly mayCallTools: boolean;
  /** Null when text is requested. */
  readonly json: { readonly schema: JsonObject | undefined; readonly mode: OutputMode } | null;
  readonly maxOutputTokens: number | undefined;
  readonly isStreamed: boolean;
}

export interface RequestedTool {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The result of one call. `tokens` is present for failures too if the provider had accepted the request. */
export interface CallResult {
  readonly text: string;
  readonly requestedTools: readonly RequestedTool[];
  /** The model's messages in the form in which the SDK needs them back, including hidden vendor data. */
  readonly turn: readonly ModelMessage[];
  readonly isCutOff: boolean;
  readonly finish: RoundEnd;
  readonly tokens: Tokens | null;
  readonly failure: CallFailure | null;
}

export interface CallScene {
  readonly sdk: Sdk;
  readonly model: LanguageModel;
  readonly wire: Wire;
  readonly hooks: AdapterHooks;
  readonly context: () => FailureContext;
}

interface Received {
  text: string;
  /** Number of characters that the model wrote, including those that are not part of its answer. */
  characters: number;
  readonly requestedTools: RequestedTool[];
  error: { readonly thrown: unknown } | null;
  finish: { readonly reason: string; readonly raw: string | undefined; readonly reported: ReportedTokens } | null;
}

/** Calls the model once and reads its stream to the end, so that even an interrupted call can be charged. */
export async function callModel(scene: CallScene, call: ModelCall): Promise<CallResult> {
  const { hooks, wire } = scene;
  const received: Received = { text: "", characters: 0, requestedTools: [], error: null, finish: null };
  let turn: readonly ModelMessage[] = [];
  wire.reset();
  try {
    const stream = begin(scene, call);
    for await (const part of stream.stream) receive(received, part, call.isStreamed, hooks);
    if (isWhole(received)) {
      turn = (await stream.responseMessages).filter(({ role }) => role === "assistant");
    }
  } catch (thrown) {
    received.error ??= { thrown };
  }
  const failure = judge(received, call, scene);
  return {
    text: received.text,
    requestedTools: received.requestedTools,
    turn,
    isCutOff: received.finish?.reason === "length",
    finish: FINISHES.get(received.finish?.reason ?? "") ?? "other",
    tokens: tokensOf(received, call, scene),
    failure,
  };
}

const FINISHES: ReadonlyMap<string, RoundEnd> = new Map([
  ["tool-calls", "tool_calls"],
  ["stop", "stop"],
  ["length", "length"],
  ["content-filter", "refusal"],
]);

function begin({ sdk, model, hooks }: CallScene, call: ModelCall) {
  const { tools, json, instructions, maxOutputTokens } = call;
  return sdk.streamText({
    model,
    messages: [...call.messages],
    maxRetries: 0,
    abortSignal: hooks.signal,
    telemetry: { isEnabled: false },
    // Errors arrive in the stream. Without this handler the SDK would also print them.
    onError: () => undefined,
    ...(instructions === undefined ? {} : { instructions }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(tools === undefined ? {} : { tools, toolChoice: call.mayCallTools ? ("auto" as const) : ("none" as const) }),
    ...(json === null ? {} : { output: jsonOutput(sdk, json.schema, json.mode) }),
    providerOptions: { openai: { store: false, strictJsonSchema: json?.mode.isStrict ?? false } },
  });
}

/** Requests JSON without the SDK's own JSON output, which holds text back until it parses and rejects invalid text. */
function jsonOutput(sdk: Sdk, schema: JsonObject | undefined, { isNative }: OutputMode) {
  const format = { type: "json" as const, ...(isNative && schema !== undefined ? { schema, name: "outputs" } : {}) };
  return { ...sdk.Output.text(), responseFormat: Promise.resolve(format) };
}

function receive(received: Received, part: TextStreamPart<ToolSet>, isStreamed: boolean, hooks: AdapterHooks): void {
  switch (part.type) {
    case "text-delta":
      received.text += part.text;
      received.characters += part.text.length;
      if (isStreamed && part.text !== "" && !hooks.signal.aborted) hooks.onPartial({ text: part.text });
      return;
    case "reasoning-delta":
      received.characters += part.text.length;
      return;
    case "tool-input-delta":
      received.characters += part.delta.length;
      return;
    case "tool-call":
      received.requestedTools.push({ id: part.toolCallId, name: part.toolName, input: part.input });
      return;
    case "error":
      received.error ??= { thrown: part.error };
      return;
    case "finish-step":
      received.finish = { reason: part.finishReason, raw: part.rawFinishReason, reported: reportedOf(part.usage) };
      return;
    case "start-step":
      for (const warning of part.warnings) hooks.onLog({ level: "debug", message: warningText(warning) });
      return;
    default:
      return;
  }
}

function warningText(warning: unknown): string {
  return `The model layer warns: ${JSON.stringify(warning).slice(0, 500)}`;
}

function reportedOf({
  inputTokens,
  outputTokens,
  inputTokenDetails,
  outputTokenDetails,
}: LanguageModelUsage): ReportedTokens {
  return {
    inputTokens,
    outputTokens,
    thinkingTokens: outputTokenDetails.reasoningTokens,
    cachedTokens: inputTokenDetails.cacheReadTokens,
    cacheWriteTokens: inputTokenDetails.cacheWriteTokens,
  };
}

/** True when the stream ended properly. `other` without a raw reason means that it ended before it reported a reason. */
function isWhole({ error, finish }: Received): boolean {
  if (error !== null || finish === null) return false;
  const { reason, raw } = finish;
  return reason !== "interrupted" && reason !== "error" && (reason !== "other" || raw !== undefined);
}

function judge(received: Received, call: ModelCall, scene: CallScene): CallFailure | null {
  const { signal } = scene.hooks;
  const context = scene.context();
  if (signal.aborted) return abortFailure(signal);
  if (received.error !== null) return failureOf(received.error.thrown, context);
  if (!isWhole(received)) return truncated(context);
  const reason = received.finish?.reason;
  if (reason === "content-filter") return refusal(context, received.text);
  if (reason === "length" && (call.json !== null || received.requestedTools.length > 0)) {
    return badOutput(
      context,
      "reached its limit of output tokens in the middle of the answer; raise the limit or ask for less.",
    );
  }
  return null;
}

export function abortFailure(signal: AbortSignal): CallFailure {
  const { reason } = signal as { readonly reason: unknown };
  const name = reason instanceof Error ? reason.name : reason;
  return name === "TimeoutError" || name === "timeout"
    ? { failure: "timeout", message: "The time of the attempt was over before the model had answered." }
    : { failure: "cancelled", message: "The request was cancelled." };
}

/**
 * Returns the tokens to charge. A completed call costs what its provider reports. An interrupted call costs at least
 * the text that was sent and received: the provider charges for it, but rarely reports the amount.
 */
function tokensOf(received: Received, call: ModelCall, { wire, hooks }: CallScene): Tokens | null {
  const claimed = received.finish === null ? null : checkedTokens(received.finish.reported);
  // Zero tokens for a call that returned text means that the provider does not count tokens.
  const reported =
    claimed !== null && claimed.inputTokens + claimed.outputTokens === 0 && received.characters > 0 ? null : claimed;
  if (reported !== null && isWhole(received)) return reported;
  if (!wire.isAccepted && !(wire.isSent && hooks.signal.aborted)) return reported;
  // A provider that fails before the first character does not charge for the call.
  if (received.characters === 0 && received.error !== null && isProviderError(received.error.thrown)) return reported;
  if (isWhole(received)) {
    hooks.onLog({
      level: "warning",
      message: "The provider reported no usable token counts; they are estimated from the texts.",
    });
  }
  const guess = estimated(promptCharacters(call), received.characters);
  return reported === null ? guess : larger(reported, guess);
}

function promptCharacters({ instructions, messages }: ModelCall): number {
  return messages.reduce((total, { content }) => total + lengthOf(content), instructions?.length ?? 0);
}

/** Approximate size of an image or a page, for a call whose provider reports no usage. */
const FILE_CHARACTERS = 6_000;

function lengthOf(content: ModelMessage["content"]): number {
  if (typeof content === "string") return content.length;
  return content.reduce((total, part) => {
    if (part.type === "file") return total + FILE_CHARACTERS;
    return total + (part.type === "text" ? part.text.length : JSON.stringify(part).length);
  }, 0);
}
