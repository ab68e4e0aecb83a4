import type { LanguageModel, LanguageModelUsage, ModelMessage, TextStreamPart, ToolSet } from "ai";
import type { AdapterHooks } from "../../adapter/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import { believable, estimated, larger, type ReportedTokens, type Tokens } from "./bill.ts";
import {
  badOutput,
  failureOf,
  isToldByProvider,
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
  /** Null: text is asked for. */
  readonly json: { readonly schema: JsonObject | undefined; readonly mode: OutputMode } | null;
  readonly maxOutputTokens: number | undefined;
  readonly isStreamed: boolean;
}

export interface RequestedTool {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What came of it. Tokens are there for failures too, once the provider had the request. */
export interface CallResult {
  readonly text: string;
  readonly requestedTools: readonly RequestedTool[];
  /** The model's turn as the SDK wants it back, with what vendors hide in it. */
  readonly turn: readonly ModelMessage[];
  readonly isCutOff: boolean;
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

interface Heard {
  text: string;
  /** Everything the model wrote, also what is not part of its answer. */
  characters: number;
  readonly requestedTools: RequestedTool[];
  error: { readonly thrown: unknown } | null;
  finish: { readonly reason: string; readonly raw: string | undefined; readonly reported: ReportedTokens } | null;
}

/** Calls the model once and listens to the end of its stream, so that even a call cut short can be charged. */
export async function callModel(scene: CallScene, call: ModelCall): Promise<CallResult> {
  const { hooks, wire } = scene;
  const heard: Heard = { text: "", characters: 0, requestedTools: [], error: null, finish: null };
  let turn: readonly ModelMessage[] = [];
  wire.reset();
  try {
    const stream = begin(scene, call);
    for await (const part of stream.stream) listen(heard, part, call.isStreamed, hooks);
    if (isWhole(heard)) {
      turn = (await stream.responseMessages).filter(({ role }) => role === "assistant");
    }
  } catch (thrown) {
    heard.error ??= { thrown };
  }
  const failure = judge(heard, call, scene);
  return {
    text: heard.text,
    requestedTools: heard.requestedTools,
    turn,
    isCutOff: heard.finish?.reason === "length",
    tokens: tokensOf(heard, call, scene),
    failure,
  };
}

function begin({ sdk, model, hooks }: CallScene, call: ModelCall) {
  const { tools, json, instructions, maxOutputTokens } = call;
  return sdk.streamText({
    model,
    messages: [...call.messages],
    maxRetries: 0,
    abortSignal: hooks.signal,
    telemetry: { isEnabled: false },
    // Errors come through the stream; the SDK would otherwise also print them.
    onError: () => undefined,
    ...(instructions === undefined ? {} : { instructions }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(tools === undefined ? {} : { tools, toolChoice: call.mayCallTools ? ("auto" as const) : ("none" as const) }),
    ...(json === null ? {} : { output: jsonOutput(sdk, json.schema, json.mode) }),
    providerOptions: { openai: { store: false, strictJsonSchema: json?.mode.isStrict ?? false } },
  });
}

/** The SDK's own JSON output holds text back until it parses and rejects what does not; both are done here instead. */
function jsonOutput(sdk: Sdk, schema: JsonObject | undefined, { isNative }: OutputMode) {
  const format = { type: "json" as const, ...(isNative && schema !== undefined ? { schema, name: "outputs" } : {}) };
  return { ...sdk.Output.text(), responseFormat: Promise.resolve(format) };
}

function listen(heard: Heard, part: TextStreamPart<ToolSet>, isStreamed: boolean, hooks: AdapterHooks): void {
  switch (part.type) {
    case "text-delta":
      heard.text += part.text;
      heard.characters += part.text.length;
      if (isStreamed && part.text !== "" && !hooks.signal.aborted) hooks.onPartial({ text: part.text });
      return;
    case "reasoning-delta":
      heard.characters += part.text.length;
      return;
    case "tool-input-delta":
      heard.characters += part.delta.length;
      return;
    case "tool-call":
      heard.requestedTools.push({ id: part.toolCallId, name: part.toolName, input: part.input });
      return;
    case "error":
      heard.error ??= { thrown: part.error };
      return;
    case "finish-step":
      heard.finish = { reason: part.finishReason, raw: part.rawFinishReason, reported: reportedOf(part.usage) };
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

/** Without a reason of its own, `other` only means that the stream ended before it said how. */
function isWhole({ error, finish }: Heard): boolean {
  if (error !== null || finish === null) return false;
  const { reason, raw } = finish;
  return reason !== "interrupted" && reason !== "error" && (reason !== "other" || raw !== undefined);
}

function judge(heard: Heard, call: ModelCall, scene: CallScene): CallFailure | null {
  const { signal } = scene.hooks;
  const context = scene.context();
  if (signal.aborted) return abortFailure(signal);
  if (heard.error !== null) return failureOf(heard.error.thrown, context);
  if (!isWhole(heard)) return truncated(context);
  const reason = heard.finish?.reason;
  if (reason === "content-filter") return refusal(context, heard.text);
  if (reason === "length" && (call.json !== null || heard.requestedTools.length > 0)) {
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
 * A call that ended well costs what its provider says. One that was cut short costs at least what went over the wire:
 * the provider charges for it, and rarely gets to say how much.
 */
function tokensOf(heard: Heard, call: ModelCall, { wire, hooks }: CallScene): Tokens | null {
  const told = heard.finish === null ? null : believable(heard.finish.reported);
  // A provider that wrote something and counted nothing does not count.
  const reported = told !== null && told.inputTokens + told.outputTokens === 0 && heard.characters > 0 ? null : told;
  if (reported !== null && isWhole(heard)) return reported;
  if (!wire.isAccepted && !(wire.isSent && hooks.signal.aborted)) return reported;
  // Whoever says that it failed before the first word does not charge for it.
  if (heard.characters === 0 && heard.error !== null && isToldByProvider(heard.error.thrown)) return reported;
  if (isWhole(heard)) {
    hooks.onLog({
      level: "warning",
      message: "The provider reported no usable token counts; they are estimated from the texts.",
    });
  }
  const guess = estimated(promptCharacters(call), heard.characters);
  return reported === null ? guess : larger(reported, guess);
}

function promptCharacters({ instructions, messages }: ModelCall): number {
  return messages.reduce((total, { content }) => total + lengthOf(content), instructions?.length ?? 0);
}

function lengthOf(content: ModelMessage["content"]): number {
  if (typeof content === "string") return content.length;
  return content.reduce(
    (total, part) => total + (part.type === "text" ? part.text.length : JSON.stringify(part).length),
    0,
  );
}
