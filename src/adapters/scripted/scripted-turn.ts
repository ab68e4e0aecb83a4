import {
  type AdapterHooks,
  type AdapterRequest,
  type AdapterResult,
  type AllowedCall,
  type FailedResult,
  type ModelReply,
  runTurn,
  type ToolDescription,
} from "../../adapter/index.ts";
import type { Clock } from "../../clock/index.ts";
import { getOwn, isJsonObject, type Json, jsonToText } from "../../core/base/index.ts";
import {
  answerByScript,
  type Bill,
  scriptedBill,
  roundAfter,
  type Script,
  type ScriptCall,
  type ScriptEntry,
  type ScriptRound,
} from "../../core/script/index.ts";
import type { Ledger } from "./ledger.ts";
import { pause, untilAborted } from "./scripted-wait.ts";

export const CANCELLED: FailedResult = {
  status: "failed",
  failure: "cancelled",
  message: "The request was cancelled.",
};

/** The field of a message that contains its index in the rounds of the script. */
const PLAYED = "script_round";

/** Maximum number of rounds without a judge, for a script that never ends. */
const ROUNDS_MAX = 1_000;

export interface ScriptedTurnOptions {
  readonly script: Script;
  readonly entry: ScriptEntry;
  readonly rounds: readonly ScriptRound[];
  readonly request: AdapterRequest;
  readonly hooks: AdapterHooks;
  readonly clock: Clock;
  readonly ledger: Ledger | undefined;
}

/** Runs the turn of an agent from a script, which replaces both the model and the tools. */
export async function playTurn(options: ScriptedTurnOptions): Promise<AdapterResult> {
  const { request, hooks, clock, rounds, entry } = options;
  const bills: Figures[] = [];
  const facts = factsOf(rounds);
  const played = new Map<number, number>();
  const end = await runTurn({
    request,
    hooks,
    model: async (past) => {
      const next = roundAfter(
        rounds,
        past.map(({ outcomes }) => outcomes),
      );
      played.set(past.length, next.index);
      const reply = await callModel(options, past.length, next);
      if (hooks.round === undefined && !("status" in reply)) bills.push(reply.usage ?? {});
      return reply;
    },
    tools: (call, signal) => {
      const index = played.get(call.round) ?? playedBefore(request, call.round);
      return callTool(options, call, rounds[index]?.calls?.[call.position], signal);
    },
    textOf: ({ content = "" }) => jsonToText(content),
    describe: (tool, server) => facts.get(factKey(tool, server)) ?? {},
    roundsMax: ROUNDS_MAX,
    now: () => clock.now(),
    after: (delayMs, fire) => clock.after(delayMs, fire),
  });
  switch (end.kind) {
    case "answered":
      return { status: "completed", stdout: end.text, ...totalOf(bills), ...scriptedBill(entry) };
    case "failed":
      return { ...end.result, ...totalOf([...bills, end.result]) };
    case "suspended":
      return { status: "suspended" };
    case "over":
      return CANCELLED;
    case "endless": {
      const message = `The script had no answer after ${ROUNDS_MAX} rounds.`;
      return { status: "failed", failure: "provider_bad_output", message, ...totalOf(bills) };
    }
  }
}

async function callModel(
  { script, request, hooks, clock, ledger }: ScriptedTurnOptions,
  number: number,
  { index, round }: ReturnType<typeof roundAfter>,
): Promise<ModelReply | FailedResult> {
  ledger?.(request, clock.now(), { kind: "model", round: number, segment: request.segment ?? 0 });
  if (!(await pause(clock, round.delay_ms ?? 0, hooks.signal))) return CANCELLED;
  if (round.hang === true) await untilAborted(hooks.signal);
  if (hooks.signal.aborted) return CANCELLED;
  if (round.fail !== undefined) return { ...failureOf(round), ...scriptedBill(round) };
  const calls = (round.calls ?? []).map(({ tool, server, args }) => ({
    tool,
    args: args ?? {},
    ...(server === undefined ? {} : { server }),
  }));
  const text = round.text ?? (calls.length > 0 ? "" : inventedText(script, request));
  if (text !== "") hooks.onPartial({ text });
  return {
    finish: calls.length > 0 ? "tool_calls" : "stop",
    message: { role: "assistant", content: text, ...(calls.length > 0 ? { calls } : {}), [PLAYED]: index },
    calls,
    usage: scriptedBill(round),
  };
}

function failureOf({ fail = "provider_error", message, retry_after_ms }: ScriptRound): FailedResult {
  return {
    status: "failed",
    failure: fail,
    message: message ?? `The script makes the model fail with ${fail}.`,
    ...(retry_after_ms === undefined ? {} : { retryAfterMs: retry_after_ms }),
  };
}

function inventedText(script: Script, request: AdapterRequest): string {
  const answer = answerByScript(script, {}, request);
  return answer.status === "completed" ? answer.stdout : "";
}

async function callTool(
  { request, clock, ledger }: ScriptedTurnOptions,
  { callId, tool, server, args }: AllowedCall,
  { delay_ms = 0, hang, fail, result = null }: Partial<ScriptCall> = {},
  signal: AbortSignal,
): Promise<Json> {
  const named = server === undefined ? { tool } : { tool, server };
  ledger?.(request, clock.now(), { kind: "tool", callId, ...named, args });
  await pause(clock, delay_ms, signal);
  if (hang === true) await untilAborted(signal);
  if (signal.aborted || fail !== undefined) throw new Error(fail ?? CANCELLED.message);
  return result;
}

/** Returns the script round of a round from an earlier execution. Default: its own number, when its message has no index. */
function playedBefore({ resume }: AdapterRequest, round: number): number {
  const message = resume?.rounds[round]?.message;
  const index = isJsonObject(message) ? getOwn(message, PLAYED) : undefined;
  return typeof index === "number" ? index : round;
}

/** Returns the schemas of all tools in the script. */
function factsOf(rounds: readonly ScriptRound[]): ReadonlyMap<string, ToolDescription> {
  const calls = rounds.flatMap((round) => round.calls ?? []);
  return new Map(
    calls.flatMap(({ tool, server, schema }): [string, ToolDescription][] =>
      schema === undefined ? [] : [[factKey(tool, server), { schema }]],
    ),
  );
}

function factKey(tool: string, server: string | undefined): string {
  return JSON.stringify([server ?? null, tool]);
}

const FIGURES = ["inputTokens", "outputTokens", "thinkingTokens", "cachedTokens", "costUsd"] as const;
type Figures = { readonly [figure in (typeof FIGURES)[number]]?: number | undefined };

/** Adds up the bills. A figure that no bill has is left out. */
function totalOf(bills: readonly Figures[]): Bill {
  const sums = FIGURES.flatMap((figure): [string, number][] => {
    const given = bills.flatMap((bill) => bill[figure] ?? []);
    return given.length === 0 ? [] : [[figure, given.reduce((sum, one) => sum + one, 0)]];
  });
  return Object.fromEntries(sums);
}
