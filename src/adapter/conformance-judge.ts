import type { Json, JsonObject } from "../core/base/index.ts";
import { type AskedCall, isCallIdOf } from "../core/event/index.ts";
import {
  type CallRuling,
  type Resume,
  roundReportSchema,
  toolAskSchema,
  toolCallId,
  toolReportSchema,
  type TurnHooks,
} from "./agent-turn.ts";
import { pause } from "./conformance-call.ts";

/** Returns the ruling that a trial gives on a call. */
export type TrialRule = (call: AskedCall, callId: string) => TrialRuling;
export type TrialRuling =
  | { readonly disposition: "allow"; readonly args?: JsonObject; readonly note?: string; readonly timeoutMs?: number }
  | { readonly disposition: "deny"; readonly reason: string }
  | { readonly disposition: "suspend" };

/** One report or ruling request of the turn. */
export type TrialStep =
  | { readonly kind: "round"; readonly round: number }
  | { readonly kind: "ask"; readonly callId: string }
  | { readonly kind: "result"; readonly callId: string };

interface KeptRound {
  readonly message: Json;
  readonly calls: readonly KeptCall[];
}

interface KeptCall {
  readonly callId: string;
  readonly call: AskedCall;
  ruling?: CallRuling;
}

export interface TrialJudgeOptions {
  /** The idempotency key of the requests of the turn. */
  readonly idempotencyKey: string;
  readonly rule?: TrialRule;
  /** Returns true when the turn is to be stopped after this round. */
  readonly stops?: (round: number) => boolean;
  /** Called before and after each step is stored. It throws at the point where the attempt is to be lost. */
  readonly watch?: (step: TrialStep, when: "before" | "after") => void;
  /** Time until a step is acknowledged. Default: at once. */
  readonly acknowledgeAfterMs?: number;
}

/** Replaces the engine in a trial: stores the reports of a turn, rules on its calls, and builds the `resume` of the next dispatch. */
export class TrialJudge {
  readonly steps: TrialStep[] = [];
  /** Steps that came before a step they depend on was acknowledged. */
  readonly hasty: TrialStep[] = [];
  readonly #open = new Set<TrialStep>();
  readonly #options: TrialJudgeOptions;
  readonly #rounds: KeptRound[] = [];
  readonly #calls = new Map<string, KeptCall>();
  readonly #results: Record<string, { result: Json; isError: boolean }> = {};
  readonly hooks: TurnHooks;

  constructor(options: TrialJudgeOptions) {
    this.#options = options;
    this.hooks = {
      round: async (report) => {
        const { round, message, calls } = roundReportSchema.parse(report);
        return this.#keep({ kind: "round", round }, () => {
          if (round !== this.#rounds.length) {
            throw new Error(`Round ${round} was reported when ${this.#rounds.length} were completed.`);
          }
          const isStopped = this.#options.stops?.(round) === true;
          this.#rounds.push({ message, calls: calls.map((call, position) => this.#add(call, round, position)) });
          if (isStopped) return { next: "stop", code: "turn_limits", reason: "The trial stops here." };
          const rulings = calls.map((_, position) => this.#rule(toolCallId(options.idempotencyKey, round, position)));
          return { next: "go", rulings };
        });
      },
      tool: async (ask) => {
        const { callId, waits: _, ...call } = toolAskSchema.parse(ask);
        return this.#keep({ kind: "ask", callId }, () => {
          if (!isCallIdOf(options.idempotencyKey, callId))
            throw new Error(`${callId} is no id of a call of this turn.`);
          if (!this.#calls.has(callId)) this.#calls.set(callId, { callId, call });
          return this.#rule(callId);
        });
      },
      toolResult: async (report) => {
        const { callId, result, isError } = toolReportSchema.parse(report);
        return this.#keep({ kind: "result", callId }, () => void (this.#results[callId] = { result, isError }));
      },
    };
  }

  /** Returns the history that the next dispatch carries. */
  resume(): Resume {
    const rounds = this.#rounds.map(({ message, calls }) => ({
      message,
      calls: calls.map(({ callId, call: { tool, server, args }, ruling }) => ({
        callId,
        tool,
        args,
        ...(server === undefined ? {} : { server }),
        ...(ruling === undefined ? {} : { ruling }),
      })),
    }));
    return { rounds, results: { ...this.#results } };
  }

  /** Sets the ruling of a person on a call that was held. */
  answer(callId: string, ruling: TrialRuling): void {
    const kept = this.#calls.get(callId);
    if (kept !== undefined) kept.ruling = rulingOf(kept, ruling);
  }

  get calls(): readonly { readonly callId: string; readonly call: AskedCall; readonly ruling?: CallRuling }[] {
    return [...this.#calls.values()];
  }

  get rounds(): number {
    return this.#rounds.length;
  }

  hasResult(callId: string): boolean {
    return Object.hasOwn(this.#results, callId);
  }

  #add(call: AskedCall, round: number, position: number): KeptCall {
    const callId = toolCallId(this.#options.idempotencyKey, round, position);
    const kept: KeptCall = { callId, call };
    this.#calls.set(callId, kept);
    return kept;
  }

  #rule(callId: string): CallRuling {
    const kept = this.#calls.get(callId);
    if (kept === undefined) throw new Error(`Nothing is known of the call ${callId}.`);
    kept.ruling ??= rulingOf(kept, this.#options.rule?.(kept.call, callId) ?? { disposition: "allow" });
    return kept.ruling;
  }

  async #keep<T>(step: TrialStep, keep: () => T): Promise<T> {
    const { watch, acknowledgeAfterMs } = this.#options;
    watch?.(step, "before");
    if ([...this.#open].some((open) => dependsOn(step, open))) this.hasty.push(step);
    this.steps.push(step);
    const reply = keep();
    watch?.(step, "after");
    if (acknowledgeAfterMs === undefined) return reply;
    this.#open.add(step);
    await pause(acknowledgeAfterMs);
    this.#open.delete(step);
    return reply;
  }
}

/** The calls of one round are independent of each other. A round follows everything before it. */
function dependsOn(step: TrialStep, open: TrialStep): boolean {
  if (step.kind === "round" || open.kind === "round") return true;
  return step.kind === "result" && open.kind === "ask" && open.callId === step.callId;
}

function rulingOf({ callId, call }: KeptCall, ruling: TrialRuling): CallRuling {
  if (ruling.disposition !== "allow") return { ...ruling, callId };
  const { args = call.args, ...others } = ruling;
  return { ...others, callId, args };
}
