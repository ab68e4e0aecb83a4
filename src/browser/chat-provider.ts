import { isJsonObject, jsonToText, type JsonObject } from "../core/base/index.ts";
import { normaliseOutput, outputsOfList, propertiesOf } from "../core/outputs/index.ts";
import type { CallFailure } from "./call-failure.ts";
import { callChat, type ChatAnswer, type ChatMessage, type ChatTokens } from "./chat-call.ts";
import type { Contract } from "./contract.ts";
import type { BrowserHooks, BrowserRequest, BrowserResult, ChatProvider } from "./provider.ts";

/** Calls the model, and once more when its answer does not fit the contract. All other retries are made by the engine. */
export async function askChat(
  provider: ChatProvider,
  request: BrowserRequest,
  contract: Contract,
  hooks: BrowserHooks,
): Promise<BrowserResult> {
  const model = modelOf(provider, request);
  if (model === "") return refused("No model is named: set the model of the step, or one for this tab.");
  const text = userTextOf(request);
  if (text === "") return refused("The message is empty; there is nothing to ask the model.");
  const isNative = provider.structuredOutput !== "prompt";
  const instructions = instructionsOf(request, isNative);
  const messages: ChatMessage[] = [
    ...(instructions === "" ? [] : [{ role: "system" as const, content: instructions }]),
    { role: "user", content: text },
  ];
  const ask = (isStreamed: boolean): Promise<ChatAnswer> =>
    callChat(
      {
        provider,
        model,
        messages,
        maxOutputTokens: request.maxOutputTokens,
        responseFormat: isNative ? responseFormatOf(request) : undefined,
        isStreamed,
      },
      hooks,
    );
  const first = await ask(true);
  const resultAfter = (answers: readonly ChatAnswer[], end: Ending): BrowserResult => ({
    ...resultOf(end),
    model,
    ...sumOf(answers.flatMap(({ tokens }) => (tokens === null ? [] : [tokens]))),
    ...(answers.length === 1 ? {} : { extraCalls: answers.length - 1 }),
  });
  if (first.failure !== null) return resultAfter([first], { failure: first.failure });
  if (request.outputStrategy === "text") return resultAfter([first], textEnding(first, hooks));
  const read = readJson(first, contract);
  if (read.problems.length === 0) return resultAfter([first], read.ending);
  messages.push({ role: "assistant", content: first.text }, { role: "user", content: reaskText(read.problems) });
  const second = await ask(false);
  if (second.failure !== null) return resultAfter([first, second], { failure: second.failure });
  const again = readJson(second, contract);
  if (again.problems.length === 0) return resultAfter([first, second], again.ending);
  const message = `The model gave no answer that fits its contract, asked twice: ${again.problems.join("; ")}`;
  return resultAfter([first, second], { failure: { failure: "provider_bad_output", message } });
}

type Ending =
  | { readonly stdout: string; readonly outputs?: JsonObject; readonly failure?: undefined }
  | { readonly failure: CallFailure };

function textEnding(answer: ChatAnswer, { onLog }: BrowserHooks): Ending {
  if (answer.isCutOff) {
    onLog({ level: "warning", message: "The model reached its limit of output tokens; its answer is cut off." });
  }
  if (answer.text.trim() !== "") return { stdout: answer.text };
  return { failure: { failure: "provider_bad_output", message: "The model answered with nothing." } };
}

function readJson(
  { text, isCutOff }: ChatAnswer,
  contract: Contract,
): { readonly ending: Ending; readonly problems: readonly string[] } {
  if (isCutOff) {
    const message =
      "The model reached its limit of output tokens in the middle of the answer; raise it, or ask for less.";
    return { ending: { failure: { failure: "provider_bad_output", message } }, problems: [] };
  }
  const found = normaliseOutput(text, "json", "object");
  const value = outputsOfList(propertiesOf(contract.schema ?? undefined), found.value) ?? found.value;
  const problems = value === undefined ? ["the answer holds no JSON"] : contract.problemsIn(value);
  const outputs = isJsonObject(value) ? { outputs: value } : {};
  return { ending: { stdout: found.text, ...outputs }, problems };
}

function resultOf(ending: Ending): Exclude<BrowserResult, { readonly status: "deferred" }> {
  if (ending.failure !== undefined) return { status: "failed", ...ending.failure };
  const { stdout, outputs } = ending;
  return { status: "completed", stdout, ...(outputs === undefined ? {} : { outputs }) };
}

function refused(message: string): BrowserResult {
  return { status: "failed", failure: "provider_refused", message };
}

function sumOf(calls: readonly ChatTokens[]): Partial<ChatTokens> {
  const sum = (pick: (tokens: ChatTokens) => number): number => calls.reduce((total, call) => total + pick(call), 0);
  return {
    inputTokens: sum((call) => call.inputTokens),
    outputTokens: sum((call) => call.outputTokens),
    thinkingTokens: sum((call) => call.thinkingTokens),
    cachedTokens: sum((call) => call.cachedTokens),
  };
}

/** Returns the node's model, else the tab's. A prefix `vendor:` matters only on a server and is removed. */
function modelOf({ model }: ChatProvider, request: BrowserRequest): string {
  return (request.model ?? model ?? "").replace(/^[a-z][a-z0-9_-]*:(?=.)/, "");
}

function instructionsOf({ outputStrategy, outputSchema }: BrowserRequest, isNative: boolean): string {
  if (outputStrategy === "text") return "";
  const start = "Answer with one JSON object and nothing else: no explanation, no code fence.";
  if (outputSchema === undefined || isNative) return start;
  return `${start} It must fit this JSON Schema:\n${JSON.stringify(outputSchema)}`;
}

function responseFormatOf({ outputStrategy, outputSchema }: BrowserRequest): JsonObject | undefined {
  if (outputStrategy === "text") return undefined;
  if (outputSchema === undefined) return { type: "json_object" };
  return { type: "json_schema", json_schema: { name: "outputs", schema: outputSchema, strict: false } };
}

/** Returns the message, the stdin text, and the inputs that the message or stdin do not already contain. */
function userTextOf({ message, stdin, inputs }: BrowserRequest): string {
  const rest = Object.entries(inputs).filter(([, value]) => {
    const text = jsonToText(value);
    return text !== "" && !message.includes(text) && stdin?.includes(text) !== true;
  });
  const parts = [
    message,
    stdin === undefined || stdin === "" ? "" : `Input:\n${stdin}`,
    rest.length === 0 ? "" : `Inputs:\n${JSON.stringify(Object.fromEntries(rest))}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function reaskText(problems: readonly string[]): string {
  const list = problems.map((problem) => `- ${problem}`).join("\n");
  return `Your answer does not fit what was asked for:\n${list}\nAnswer again, completely, with the JSON alone.`;
}
