import type { Json, JsonObject } from "../core/base/index.ts";
import type { ToolDescription } from "../core/event/index.ts";
import type { AdapterHooks } from "./adapter.ts";
import type { CallRuling, TurnHooks } from "./agent-turn.ts";
import { noteOf, type CallOutcome, type OpenCall, outcomeOf } from "./turn-history.ts";

/** A call that may be made. */
export interface AllowedCall {
  /** Also its idempotency key. */
  readonly callId: string;
  readonly round: number;
  /** Position among all calls of the message. */
  readonly position: number;
  readonly tool: string;
  readonly server?: string;
  readonly args: JsonObject;
}

/** Makes one call. A rejection is passed to the model as an error. */
export type ToolRunner = (call: AllowedCall, signal: AbortSignal) => Promise<Json>;

/** First word of the result of a call that exceeded its time limit. */
const TOOL_TIMEOUT = "tool_timeout";
const ABORTED = "The attempt was aborted.";

export interface CallsOptions {
  readonly hooks: AdapterHooks;
  /** Null when no call is judged. */
  readonly judge: TurnHooks | null;
  readonly tools: ToolRunner;
  readonly describe: (tool: string, server: string | undefined) => ToolDescription;
  readonly now: () => number;
  readonly after: After;
}

/** Calls `fire` once after the delay. Returns a function that cancels the timer. */
export type After = (delayMs: number, fire: () => void) => () => void;

/** Thrown when the attempt is over for the engine, or was aborted. Nothing more may be done for it. */
export class TurnOver extends Error {
  override readonly name = "TurnOver";
}

/**
 * Makes the allowed calls of one round in parallel and reports each result as soon as it arrives. Null when a call is
 * held. When the attempt is over, the function aborts the open calls and waits for them.
 */
export async function settleCalls(
  calls: readonly OpenCall[],
  options: CallsOptions,
): Promise<readonly CallOutcome[] | null> {
  const stop = new AbortController();
  const signal = AbortSignal.any([options.hooks.signal, stop.signal]);
  const round: RoundContext = { ...options, signal, over: endOf(signal) };
  const settled = await Promise.allSettled(
    calls.map(async (call) => {
      try {
        return await settleCall(call, round);
      } catch (thrown) {
        stop.abort(thrown);
        throw thrown;
      }
    }),
  );
  const outcomes: CallOutcome[] = [];
  let isHeld = false;
  for (const end of settled) {
    if (end.status === "rejected") throw end.reason;
    if (end.value === null) isHeld = true;
    else outcomes.push(end.value);
  }
  return isHeld ? null : outcomes;
}

/** The options and signals that the calls of one round share. */
interface RoundContext extends CallsOptions {
  readonly signal: AbortSignal;
  /** Rejects when the attempt is over. */
  readonly over: Promise<never>;
}

async function settleCall(call: OpenCall, round: RoundContext): Promise<CallOutcome | null> {
  if (call.outcome !== undefined) return call.outcome;
  const ruling = call.ruling ?? (await judgeCall(call, round));
  switch (ruling.disposition) {
    case "suspend":
      return null;
    case "deny":
      return { kind: "denied", result: ruling.reason };
    case "allow":
      if (ruling.result !== undefined) return outcomeOf(ruling.result.result, ruling.result.isError, noteOf(ruling));
      return makeCall({ ...call, args: ruling.args }, ruling, round);
  }
}

function judgeCall(
  { callId, tool, server, args }: OpenCall,
  { judge, describe, over }: RoundContext,
): Promise<CallRuling> {
  if (judge === null) return Promise.resolve({ disposition: "allow", callId, args });
  const named = server === undefined ? { tool } : { tool, server };
  return acknowledged(judge.tool({ callId, ...named, args, ...describe(tool, server) }), over);
}

type Allowed = Extract<CallRuling, { disposition: "allow" }>;

async function makeCall(call: OpenCall, ruling: Allowed, round: RoundContext): Promise<CallOutcome> {
  const { hooks, judge, now, signal, over } = round;
  if (signal.aborted) throw new TurnOver(ABORTED);
  const startedAt = now();
  const limit = startLimit(call, ruling.timeoutMs, round);
  const { result, isError } = await Promise.race([
    run(call, { ...round, signal: limit.signal }),
    limit.passed,
    over,
  ]).finally(limit.stop);
  const durationMs = Math.max(0, now() - startedAt);
  hooks.onLog({ level: "info", message: `Tool ${call.tool.slice(0, 100)}: ${isError ? "error" : "result"}` });
  if (judge !== null) await acknowledged(judge.toolResult({ callId: call.callId, result, isError, durationMs }), over);
  return outcomeOf(result, isError, noteOf(ruling));
}

interface Limit {
  /** Aborted when the time limit of the call passes, or the attempt is over. */
  readonly signal: AbortSignal;
  /** Resolves, when the time limit passes, with the error that the model receives. */
  readonly passed: Promise<CallResult>;
  readonly stop: () => void;
}

interface CallResult {
  readonly result: Json;
  readonly isError: boolean;
}

/** Aborts a call at its time limit without waiting for it. Its effect is then unknown, and the error text for the model says so. */
function startLimit({ tool, server }: OpenCall, timeoutMs: number | undefined, { signal, after }: RoundContext): Limit {
  if (timeoutMs === undefined) return { signal, passed: new Promise(() => undefined), stop: () => undefined };
  const late = new AbortController();
  const name = server === undefined ? tool : `${server}/${tool}`;
  const result =
    `${TOOL_TIMEOUT}: ${name.slice(0, 200)} did not answer within ${timeoutMs} ms, and the call was ended. ` +
    "It may have taken effect nevertheless.";
  const passed = new Promise<CallResult>((resolve) => {
    // Registered first, so that this result wins over the tool's own reaction to the abort.
    late.signal.addEventListener("abort", () => resolve({ result, isError: true }), { once: true });
  });
  const stop = after(timeoutMs, () => late.abort(new Error(result)));
  return { signal: AbortSignal.any([signal, late.signal]), passed, stop };
}

async function run(
  { callId, round, position, tool, server, args }: OpenCall,
  { tools, signal }: RoundContext,
): Promise<CallResult> {
  try {
    const result = await tools(
      { callId, round, position, tool, args, ...(server === undefined ? {} : { server }) },
      signal,
    );
    return { result, isError: false };
  } catch (thrown) {
    // It is unknown whether an aborted call had its effect, so the call has no result.
    if (signal.aborted) throw new TurnOver(ABORTED);
    return { result: thrown instanceof Error ? thrown.message : String(thrown), isError: true };
  }
}

/** Returns the reply of a hook. Throws `TurnOver` when the hook rejects, or when the attempt is over first. */
export async function acknowledged<T>(reply: Promise<T>, over: Promise<never>): Promise<T> {
  try {
    return await Promise.race([reply, over]);
  } catch (thrown) {
    throw thrown instanceof TurnOver ? thrown : new TurnOver(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Returns a promise that rejects on abort, so that the turn does not wait for anything that outlives the attempt. */
export function endOf(signal: AbortSignal): Promise<never> {
  const over = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(new TurnOver(ABORTED));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  // Prevents an unhandled rejection when no code waits for this promise.
  over.catch(() => undefined);
  return over;
}
