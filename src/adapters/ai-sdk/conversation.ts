import type { FilePart, GeneratedFile, ModelMessage, TextPart } from "ai";
import type { AdapterHooks } from "../../adapter/index.ts";
import type { Bill } from "./bill.ts";
import { badOutput, type CallFailure } from "./call-failure.ts";
import {
  abortFailure,
  callModel,
  type CallResult,
  type CallScene,
  type ModelCall,
  type RequestedTool,
} from "./model-call.ts";
import type { ModelTools } from "./model-tools.ts";
import { Transcript } from "./transcript.ts";

/** Calls of the model in answer to one question, tools included. */
const TOOL_STEPS_MAX = 8;
const TOOL_CALLS_PER_STEP_MAX = 32;

export interface ConversationOptions {
  readonly scene: CallScene;
  readonly bill: Bill;
  readonly tools: ModelTools | null;
  readonly instructions: string | undefined;
  readonly json: ModelCall["json"];
  readonly maxOutputTokens: number | undefined;
}

export interface ModelAnswer {
  readonly text: string;
  readonly isCutOff: boolean;
  readonly failure: CallFailure | null;
}

/** One attempt's conversation with a model: its messages so far, and its cost. */
export class Conversation {
  readonly transcript = new Transcript();
  /** What the model has made besides text. */
  readonly generated: GeneratedFile[] = [];
  readonly #options: ConversationOptions;
  readonly #messages: ModelMessage[] = [];
  #unknownTools = 0;

  constructor(options: ConversationOptions) {
    this.#options = options;
    if (options.instructions !== undefined) this.transcript.system(options.instructions);
  }

  /** Asks, runs the tools the model calls, and comes back with its answer. */
  async ask(text: string, parts: readonly (TextPart | FilePart)[] = []): Promise<ModelAnswer> {
    this.#addMessage(text, parts);
    for (let step = 1; step <= TOOL_STEPS_MAX; step += 1) {
      const result = await this.#call({ mayCallTools: true, isStreamed: true });
      if (result.failure !== null || result.requestedTools.length === 0) return result;
      const failure = await this.#runTools(result.requestedTools);
      if (failure !== null) return { text: result.text, isCutOff: false, failure };
    }
    return this.#bad(`still called tools after ${TOOL_STEPS_MAX} steps.`);
  }

  /** Asks once more, in one call and without tools. Its text does not reach the stream, which has the first answer. */
  async askAgain(text: string): Promise<ModelAnswer> {
    this.#addMessage(text);
    const result = await this.#call({ mayCallTools: false, isStreamed: false });
    if (result.failure !== null || result.requestedTools.length === 0) return result;
    return this.#bad("called a tool when it was asked to correct its answer.");
  }

  #addMessage(text: string, parts: readonly (TextPart | FilePart)[] = []): void {
    const content = parts.length === 0 ? text : [{ type: "text" as const, text }, ...parts];
    this.#messages.push({ role: "user", content });
    this.transcript.user(text);
  }

  async #call(how: Pick<ModelCall, "mayCallTools" | "isStreamed">): Promise<CallResult> {
    const { scene, bill, tools, instructions, json, maxOutputTokens } = this.#options;
    const toolSet = tools?.toolSet(scene.sdk);
    const call = { instructions, messages: this.#messages, tools: toolSet, json, maxOutputTokens, ...how };
    const result = await callModel(scene, call);
    if (result.tokens !== null) bill.add(result.tokens);
    this.#messages.push(...result.turn);
    this.generated.push(...result.files);
    const calls = result.requestedTools.map(({ id, name, input }) => ({
      id,
      name,
      input: JSON.stringify(input ?? null),
    }));
    this.transcript.assistant(result.text, calls);
    return result;
  }

  /** One after the other: what a model asks for in one breath may still build on itself. */
  async #runTools(requested: readonly RequestedTool[]): Promise<CallFailure | null> {
    const { tools, scene } = this.#options;
    const { signal, onLog }: AdapterHooks = scene.hooks;
    if (requested.length > TOOL_CALLS_PER_STEP_MAX) {
      return this.#bad(`called ${requested.length} tools at once; at most ${TOOL_CALLS_PER_STEP_MAX} are allowed.`)
        .failure;
    }
    const results: ToolResult[] = [];
    for (const call of requested) {
      if (signal.aborted) return abortFailure(signal);
      const answer = tools === null ? NO_TOOLS : await tools.answer(call, signal);
      if (answer.kind === "unknown") this.#unknownTools += 1;
      if (this.#unknownTools > 1) {
        return this.#bad(
          `called the tool ${JSON.stringify(call.name.slice(0, 100))}, which does not exist, after an error about it.`,
        ).failure;
      }
      onLog({ level: "info", message: `Tool ${call.name.slice(0, 100)}: ${answer.kind}` });
      this.transcript.tool(call.id, call.name, answer.text, answer.kind !== "result");
      results.push(toolResult(call, answer.text, answer.kind !== "result"));
    }
    this.#messages.push({ role: "tool", content: results });
    return signal.aborted ? abortFailure(signal) : null;
  }

  #bad(what: string): ModelAnswer & { readonly failure: CallFailure } {
    return { text: "", isCutOff: false, failure: badOutput(this.#options.scene.context(), what) };
  }
}

const NO_TOOLS = { kind: "unknown", text: "There are no tools here; answer without them." } as const;

type ToolResult = Extract<Extract<ModelMessage, { role: "tool" }>["content"][number], { type: "tool-result" }>;

function toolResult({ id, name }: RequestedTool, text: string, isError: boolean): ToolResult {
  const output = isError ? { type: "error-text" as const, value: text } : { type: "text" as const, value: text };
  return { type: "tool-result", toolCallId: id, toolName: name, output };
}
