import { isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import type { RoundEnd, ToolDescription } from "../core/event/index.ts";
import { checkToolArgs } from "../core/outputs/index.ts";
import type { AdapterHooks, AdapterRequest, AdapterResult } from "./adapter.ts";
import { CALLS_PER_ROUND_MAX, type RoundReport, toolCallId, type TurnHooks } from "./agent-turn.ts";
import {
  type After,
  type CallsOptions,
  endOf,
  acknowledged,
  settleCalls,
  type ToolRunner,
  TurnOver,
} from "./turn-calls.ts";
import {
  type CallOutcome,
  type MalformedCall,
  mergeOutcomes,
  type OpenCall,
  openCallsOf,
  splitMessage,
  type TurnRound,
  withMalformed,
} from "./turn-history.ts";

export type RoundUsage = Omit<RoundReport, "round" | "finish" | "text" | "message" | "calls">;
export type FailedResult = Extract<AdapterResult, { status: "failed" }>;

/** A tool call in the form in which a model requests it. */
export interface ModelToolCall {
  readonly tool: string;
  readonly server?: string;
  /** The arguments exactly as the model wrote them, unchecked. */
  readonly args: unknown;
}

/** The result of one model call. */
export interface ModelReply {
  readonly finish: RoundEnd;
  /** The whole message with its calls. The turn can be continued from it, here or on another machine. */
  readonly message: JsonObject;
  /** The calls of the message, in order. Empty when the message is an answer. */
  readonly calls: readonly ModelToolCall[];
  readonly usage?: RoundUsage;
}

export interface TurnOptions {
  readonly request: AdapterRequest;
  readonly hooks: AdapterHooks;
  /** Makes one model call after the given rounds. A failed call is no round: a retry of the attempt repeats it. */
  readonly model: (rounds: readonly TurnRound[]) => Promise<ModelReply | FailedResult>;
  readonly tools: ToolRunner;
  /** Returns the text of a message. */
  readonly textOf: (message: JsonObject) => string;
  readonly describe?: (tool: string, server: string | undefined) => ToolDescription;
  /** Returns the correction to send when an answer does not fit, or null. Used once per execution. Depends on the answer alone. */
  readonly correct?: (text: string) => string | null;
  /** Maximum number of rounds of a turn without a judge. */
  readonly roundsMax?: number;
  /** Clock in milliseconds that measures how long a call took. */
  readonly now?: () => number;
  /** Timer that ends calls at their time limit. Default: `setTimeout`. */
  readonly after?: After;
}

/**
 * `over`: the attempt was aborted, or the engine has closed it. `endless`: the turn reached `roundsMax`, or all calls
 * of several rounds in succession were unusable.
 */
export type TurnEnd = { readonly rounds: readonly TurnRound[] } & (
  | { readonly kind: "answered"; readonly text: string }
  | { readonly kind: "failed"; readonly result: FailedResult }
  | { readonly kind: "suspended" | "over" | "endless" }
);

const ROUNDS_MAX = 20;
/** Limits rounds with only malformed calls. A judge does not see those calls and so cannot limit them. */
const MALFORMED_ROUNDS_MAX = 4;
const CORRECTIONS_MAX = 1;
const ASK_AGAIN = "Your last answer was not accepted. Answer again, completely.";

/**
 * Runs the turn of an agent, for every adapter that calls a model itself. Continues where `request.resume` ends,
 * reports each round before its calls and each result before the next round, and makes only allowed calls. Without turn
 * hooks it makes all calls. Never rejects because of a model or tool error.
 */
export function runTurn(options: TurnOptions): Promise<TurnEnd> {
  return new Turn(options).run();
}

class Turn {
  readonly #options: TurnOptions;
  readonly #judge: TurnHooks | null;
  readonly #calls: CallsOptions;
  readonly #rounds: TurnRound[] = [];
  /** Rejects when the attempt is aborted. */
  readonly #over: Promise<never>;
  /** Number of rounds from earlier executions. */
  readonly #resumed: number;
  #corrections = 0;

  constructor(options: TurnOptions) {
    const { hooks, tools, describe = () => ({}), now = () => performance.now(), after = machineTime } = options;
    this.#options = options;
    this.#judge = judgeOf(hooks);
    this.#over = endOf(hooks.signal);
    this.#resumed = options.request.resume?.rounds.length ?? 0;
    this.#calls = { hooks, judge: this.#judge, tools, describe, now, after };
  }

  async run(): Promise<TurnEnd> {
    const rounds = this.#rounds;
    try {
      if (!(await this.#replay())) return { kind: "suspended", rounds };
      for (;;) {
        const text = this.#answer();
        if (text !== null) return { kind: "answered", text, rounds };
        if (this.#isEndless()) return { kind: "endless", rounds };
        const reply = await this.#options.model(rounds);
        if ("status" in reply) return { kind: "failed", result: reply, rounds };
        if (!(await this.#complete(reply))) return { kind: "suspended", rounds };
      }
    } catch (thrown) {
      if (!(thrown instanceof TurnOver)) throw thrown;
      this.#options.hooks.onLog({ level: "warning", message: `The turn ends here: ${thrown.message}` });
      return { kind: "over", rounds };
    }
  }

  /** Restores the rounds of earlier executions and makes their missing calls. False when a call is held. */
  async #replay(): Promise<boolean> {
    const { resume } = this.#options.request;
    if (resume === undefined) return true;
    for (const [index, { message: reported }] of resume.rounds.entries()) {
      const { message, malformed } = splitMessage(reported);
      const outcomes = await settleCalls(openCallsOf(resume, index, malformed), this.#calls);
      if (outcomes === null) return false;
      const isLast = index === resume.rounds.length - 1;
      const round = { message, outcomes: mergeOutcomes(outcomes, malformed) };
      this.#rounds.push(isLast || round.outcomes.length > 0 ? round : this.#corrected(round));
    }
    return true;
  }

  /** Reports a round and makes its calls as the reply allows. False when the turn must be suspended. */
  async #complete({ finish, message, calls, usage = {} }: ModelReply): Promise<boolean> {
    const { request, textOf } = this.#options;
    const round = this.#rounds.length;
    const { asked, malformed } = this.#sort(calls);
    const open = asked.map(({ position, call }, index): OpenCall => ({
      ...call,
      round,
      position,
      callId: toolCallId(request.idempotencyKey, round, index),
    }));
    const report: RoundReport = {
      round,
      finish,
      text: textOf(message),
      message: withMalformed(message, malformed),
      calls: asked.map(({ call }) => ({ ...call, ...this.#calls.describe(call.tool, call.server) })),
      ...usage,
    };
    const reply = this.#judge === null ? null : await acknowledged(this.#judge.round(report), this.#over);
    if (reply?.next === "stop") return false;
    const outcomes = await settleCalls(
      reply === null
        ? open
        : open.map((call) => {
            const ruling = reply.rulings.find(({ callId }) => callId === call.callId);
            return ruling === undefined ? call : { ...call, ruling };
          }),
      this.#calls,
    );
    if (outcomes === null) return false;
    this.#rounds.push({ message, outcomes: mergeOutcomes(outcomes, malformed) });
    return true;
  }

  /** Returns the answer if the last round is an answer to accept. Otherwise adds a correction to it and returns null. */
  #answer(): string | null {
    const { request, textOf, correct } = this.#options;
    const last = this.#rounds.at(-1);
    if (last === undefined || last.outcomes.length > 0) return null;
    const text = textOf(last.message);
    // A new attempt continues after an answer only when the previous attempt failed because that answer was not accepted.
    const isRefused = this.#rounds.length === this.#resumed && (request.segment ?? 0) === 0 && request.attempt > 1;
    const fits = !isRefused && (correct?.(text) ?? null) === null;
    if (fits || this.#corrections >= CORRECTIONS_MAX) return text;
    this.#corrections += 1;
    this.#rounds[this.#rounds.length - 1] = this.#corrected(last);
    return null;
  }

  #isEndless(): boolean {
    const latest = this.#rounds.slice(-MALFORMED_ROUNDS_MAX);
    if (latest.length === MALFORMED_ROUNDS_MAX && latest.every(isUnusable)) return true;
    const counted = this.#rounds.filter(({ correction }) => correction === undefined).length;
    return this.#judge === null && counted >= (this.#options.roundsMax ?? ROUNDS_MAX);
  }

  #corrected(round: TurnRound): TurnRound {
    const { textOf, correct } = this.#options;
    return { ...round, correction: correct?.(textOf(round.message)) ?? ASK_AGAIN };
  }

  /** Separates the calls that can be judged from the malformed ones. */
  #sort(calls: readonly ModelToolCall[]): { asked: readonly AskableCall[]; malformed: readonly MalformedCall[] } {
    const asked: AskableCall[] = [];
    const malformed: MalformedCall[] = [];
    for (const [position, { tool, server, args }] of calls.entries()) {
      const given = (args ?? {}) as Json;
      const reason =
        asked.length >= CALLS_PER_ROUND_MAX
          ? `At most ${CALLS_PER_ROUND_MAX} calls are made in one round; ask for it again in the next.`
          : problemOf(given, this.#calls.describe(tool, server));
      if (reason !== null || !isJsonObject(given)) malformed.push({ position, reason: reason ?? "" });
      else asked.push({ position, call: { tool, args: given, ...(server === undefined ? {} : { server }) } });
    }
    return { asked, malformed };
  }
}

interface AskableCall {
  readonly position: number;
  readonly call: Pick<OpenCall, "tool" | "server" | "args">;
}

function problemOf(args: Json, { schema }: ToolDescription): string | null {
  if (!isJsonObject(args)) return "The arguments of a tool must be a JSON object.";
  const problems = schema === undefined ? [] : checkToolArgs(schema, args);
  return problems.length === 0 ? null : `The arguments do not fit the schema of the tool: ${problems.join("; ")}.`;
}

/** Maximum delay of `setTimeout`. An attempt ends before this time. */
const TIMER_MS_MAX = 2_147_483_647;

function machineTime(delayMs: number, fire: () => void): () => void {
  const timer = setTimeout(fire, Math.min(delayMs, TIMER_MS_MAX));
  return () => clearTimeout(timer);
}

function judgeOf({ round, tool, toolResult }: AdapterHooks): TurnHooks | null {
  return round === undefined || tool === undefined || toolResult === undefined ? null : { round, tool, toolResult };
}

function isUnusable({ outcomes }: TurnRound): boolean {
  return outcomes.length > 0 && outcomes.every(({ kind }) => kind === "malformed");
}

/** Returns an outcome as a text for a model. */
export function outcomeText({ kind, result, note }: CallOutcome): string {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const words = kind === "denied" ? `The call was denied and not made: ${text}` : text;
  return note === undefined ? words : `${note}\n${words}`;
}
