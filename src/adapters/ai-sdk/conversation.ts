import type { FilePart, ModelMessage, TextPart } from "ai";
import {
  type AdapterRequest,
  type FailedResult,
  type ModelReply,
  runTurn,
  type TurnEnd,
  type TurnRound,
} from "../../adapter/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import type { Bill } from "./bill.ts";
import { badOutput, failed, type CallFailure } from "./call-failure.ts";
import { abortFailure, callModel, type CallResult, type CallScene, type ModelCall } from "./model-call.ts";
import type { ModelTools } from "./model-tools.ts";
import { Transcript } from "./transcript.ts";
import { filesOf, firstMessage, type MadeFile, messageOf, messagesOf, recordRounds, textOf } from "./turn-messages.ts";

/** Maximum number of model calls in a turn without a judge. */
const ROUNDS_MAX = 8;
const TOOL_CALLS_PER_ROUND_MAX = 32;

export interface ConversationOptions {
  readonly request: AdapterRequest;
  readonly scene: CallScene;
  /** The usage that is reported with the result: calls that no round reports. */
  readonly bill: Bill;
  readonly tools: ModelTools;
  readonly instructions: string | undefined;
  readonly text: string;
  readonly parts: readonly (TextPart | FilePart)[];
  readonly json: ModelCall["json"];
  readonly maxOutputTokens: number | undefined;
  readonly correct: ((text: string) => string | null) | undefined;
}

/** The end of a conversation. `failure` is null when the model answered or the turn was suspended. */
export interface ModelAnswer {
  readonly text: string;
  readonly isCutOff: boolean;
  readonly isSuspended: boolean;
  readonly failure: CallFailure | null;
  /** Number of correction calls in this execution. */
  readonly extraCalls: number;
  readonly files: readonly MadeFile[];
  readonly messages: JsonObject[];
}

/** The conversation of one attempt with a model: a turn whose rounds are calls through the SDK. */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #first: ModelMessage;
  #unknownTools = 0;
  #extraCalls = 0;
  #failure: CallFailure | null = null;
  /** The last call of this execution, and the number of rounds before it. */
  #last: { readonly result: CallResult; readonly before: number } | null = null;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#first = firstMessage(options.text, options.parts);
  }

  async run(): Promise<ModelAnswer> {
    const { request, scene, tools, correct } = this.#options;
    const end = await runTurn({
      request,
      hooks: scene.hooks,
      model: (rounds) => this.#round(rounds),
      tools: (call, signal) => tools.run(call, signal),
      textOf,
      describe: (tool, server) => tools.describe(tool, server),
      ...(correct === undefined ? {} : { correct }),
      roundsMax: ROUNDS_MAX,
    });
    return {
      text: end.kind === "answered" ? end.text : "",
      isCutOff: this.#last?.result.isCutOff ?? false,
      isSuspended: end.kind === "suspended",
      failure: this.#failureOf(end),
      extraCalls: this.#extraCalls,
      files: filesOf(end.rounds),
      messages: this.#messages(end.rounds),
    };
  }

  async #round(rounds: readonly TurnRound[]): Promise<ModelReply | FailedResult> {
    const { scene, bill, tools, instructions, json, maxOutputTokens } = this.#options;
    // A correction is a single call without tools. It is not streamed, because the stream already contains the first answer.
    const isCorrection = this.#last !== null && rounds.at(-1)?.correction !== undefined;
    if (isCorrection) this.#extraCalls += 1;
    const result = await callModel(scene, {
      instructions,
      messages: messagesOf(this.#first, rounds),
      tools: tools.size === 0 ? undefined : tools.toolSet(scene.sdk),
      json,
      maxOutputTokens,
      mayCallTools: !isCorrection,
      isStreamed: !isCorrection,
    });
    this.#last = { result, before: rounds.length };
    const failure = result.failure ?? this.#problemOf(result, isCorrection);
    const isReported = failure === null && scene.hooks.round !== undefined;
    if (result.tokens !== null && !isReported) bill.add(result.tokens);
    if (failure !== null) {
      this.#failure = failure;
      return failed(failure);
    }
    const model = scene.context().modelId.slice(0, MODEL_LENGTH_MAX);
    const usage = isReported && result.tokens !== null ? await bill.priced([result.tokens]) : {};
    return {
      finish: result.finish,
      message: messageOf(result),
      calls: result.requestedTools.map((call) => tools.callOf(call)),
      usage: { model, ...usage },
    };
  }

  /** Returns the problem of a formally correct answer that must end the attempt. */
  #problemOf({ requestedTools }: CallResult, isCorrection: boolean): CallFailure | null {
    const { tools, scene } = this.#options;
    if (isCorrection && requestedTools.length > 0) {
      return this.#bad("called a tool when it was asked to correct its answer.");
    }
    // A judge denies unknown tools and limits calls, and the model may continue.
    if (scene.hooks.round !== undefined) return null;
    if (requestedTools.length > TOOL_CALLS_PER_ROUND_MAX) {
      return this.#bad(
        `called ${requestedTools.length} tools at once; at most ${TOOL_CALLS_PER_ROUND_MAX} are allowed.`,
      );
    }
    const unknown = requestedTools.filter(({ name }) => !tools.has(name));
    this.#unknownTools += unknown.length;
    if (unknown.length === 0 || this.#unknownTools <= 1) return null;
    const name = JSON.stringify(unknown.at(-1)?.name.slice(0, 100));
    return this.#bad(`called the tool ${name}, which does not exist, after an error about it.`);
  }

  #failureOf(end: TurnEnd): CallFailure | null {
    switch (end.kind) {
      case "answered":
      case "suspended":
        return null;
      case "failed":
        return this.#failure;
      case "over":
        return abortFailure(this.#options.scene.hooks.signal);
      case "endless":
        return this.#bad(`still called tools after ${end.rounds.length} steps.`);
    }
  }

  #bad(what: string): CallFailure {
    return badOutput(this.#options.scene.context(), what);
  }

  #messages(rounds: readonly TurnRound[]): JsonObject[] {
    const { instructions, text } = this.#options;
    const transcript = new Transcript();
    if (instructions !== undefined) transcript.system(instructions);
    transcript.user(text);
    recordRounds(transcript, rounds);
    if (this.#last !== null && this.#last.before === rounds.length) {
      const { text: said, requestedTools } = this.#last.result;
      const calls = requestedTools.map(({ id, name, input }) => ({ id, name, input: JSON.stringify(input ?? null) }));
      transcript.assistant(said, calls);
    }
    return transcript.entries;
  }
}

const MODEL_LENGTH_MAX = 200;
