import { digestJson, type Json, type JsonObject, sameJson } from "../base/index.ts";
import type { Action, AskedCall, EffectGuarantee, EventPayload, ToolDescription } from "../event/index.ts";

/** The turn of an agent: its rounds and calls in this epoch of its node. Retries continue the turn; a new epoch starts a new one. */
export interface AgentTurn {
  /** Segment of the current or the last execution of the attempt. */
  segment: number;
  /** Number of executions so far, over all attempts of the epoch. */
  executions: number;
  /**
   * Why the last execution ended while its attempt stayed open: it suspended, or it was lost. Null while an execution
   * runs,
   * and after the attempt has ended.
   */
  paused: "suspended" | "lost" | null;
  /** Total duration of earlier executions of the attempt. The time limit counts only this, not the time spent waiting. */
  ranMs: number;
  readonly rounds: AgentRound[];
  /** Every requested call by call id, in order. */
  readonly calls: Map<string, ToolCall>;
  /** How often each tool was requested with the same args. The key contains the digest of the args. */
  readonly repeats: Map<string, number>;
  /** The state the adapter returned when it suspended. Null when it returned none, or when a round has completed since. */
  transcript: Json | null;
  /** Rounds that a person added to the limit. */
  extraRounds: number;
  /** Cost and tokens of its rounds in this run, without rounds carried over from another run. */
  readonly spent: { costMicros: number; inputTokens: number; outputTokens: number };
}

export interface AgentRound extends Pick<
  EventPayload<"round.completed">,
  "model" | "finish" | "text" | "message" | "inputTokens" | "outputTokens"
> {
  readonly calls: readonly AskedCall[];
}

export interface ToolCall {
  readonly id: string;
  readonly round: number;
  readonly tool: string;
  readonly server: string | null;
  /** The args the call is made with: those the model requested, or those a person changed them to. */
  args: JsonObject;
  /** True when a person changed the args. The model is then informed, whatever becomes of the call. */
  isChanged: boolean;
  readonly argsDigest: string;
  readonly action: Action;
  readonly effects: EffectGuarantee;
  /** Description of the tool for a call that no round contains. Null when the round contains it. */
  readonly described: ToolDescription | null;
  /** Time limit of the call. Null when only the limit of the attempt applies. */
  readonly timeoutMs: number | null;
  /** True when the adapter keeps its process alive while it waits for the answer, instead of suspending. */
  readonly waits: boolean;
  ruling: ToolRuling;
  /** Digest of other args that an adapter requested for this call and that were refused. Null when there are none. */
  otherDigest: string | null;
  /** Null when the call was not made, or never reported a result. */
  result: { readonly value: Json; readonly isError: boolean } | null;
}

export type ToolRuling =
  /** `execution`: the first execution that may make the call. */
  | { readonly kind: "allow"; readonly execution: number }
  | { readonly kind: "deny"; readonly reason: string; readonly code: string | null; readonly retryAfterMs?: number }
  /** The call is made as a child run, which has not ended. */
  | { readonly kind: "child"; readonly childRunId: string }
  /** A person has to answer: before the call is made, or because it may already have been made. */
  | { readonly kind: "hold"; readonly approvalId: string; readonly isUnknown: boolean };

/** Returns the id of a call, unique everywhere: run/node/epoch/round/position. */
export function callIdOf(
  { runId }: { readonly runId: string },
  node: CallOwner,
  round: number,
  position: number,
): string {
  return `${runId}/${node.id}/${node.epoch}/${round}/${position}`;
}

/** Checks whether an adapter asks about this same call, with the args of its model or the args a person changed them to. */
export function isSameCall(known: ToolCall, { tool, server, args }: AskedCall): boolean {
  if (known.tool !== tool || known.server !== (server ?? null)) return false;
  return sameJson(known.args, args) || known.argsDigest === digestJson(args);
}

/** Returns the tokens that the next model call reads: everything the last one read and wrote. */
export function contextTokensOf({ rounds }: AgentTurn): number {
  const { inputTokens = 0, outputTokens = 0 } = rounds.at(-1) ?? {};
  return inputTokens + outputTokens;
}

/** Returns the adapter's description of the tool, as it was when the call was requested. */
export function descriptionOf(turn: AgentTurn | null, { id, round, described }: ToolCall): ToolDescription {
  return describing(described ?? turn?.rounds[round]?.calls[positionOf(id)] ?? {});
}

export function describing({ schema, hints }: ToolDescription): ToolDescription {
  return { ...(schema === undefined ? {} : { schema }), ...(hints === undefined ? {} : { hints }) };
}

/** Returns the calls of a round that its report does not contain: the adapter requested them one by one. */
export function callsAlone({ rounds, calls }: AgentTurn, round: number): readonly ToolCall[] {
  const reported = rounds[round]?.calls.length ?? 0;
  return [...calls.values()].filter((call) => call.round === round && positionOf(call.id) >= reported);
}

/** Returns a call in the form in which an adapter requests it. */
export function askedOf({ tool, server, args, described }: ToolCall): AskedCall {
  return { tool, ...(server === null ? {} : { server }), args, ...describing(described ?? {}) };
}

/** Returns the position of a call in its round. */
export function positionOf(callId: string): number {
  return Number(callId.slice(callId.lastIndexOf("/") + 1));
}

/** The answer to an adapter that requests a call with other args than those it was judged with. */
export const ARGS_CHANGED = {
  code: "args_changed",
  reason: "this call was judged with other args, and what was decided counts for those alone",
} as const;

type CallOwner = { readonly id: string; readonly epoch: number };

export function newAgentTurn(): AgentTurn {
  return {
    segment: 0,
    executions: 0,
    paused: null,
    ranMs: 0,
    rounds: [],
    calls: new Map(),
    repeats: new Map(),
    transcript: null,
    extraRounds: 0,
    spent: { costMicros: 0, inputTokens: 0, outputTokens: 0 },
  };
}

/** Returns the calls that wait for a person's decision. */
export function heldCalls({ turn }: { readonly turn: AgentTurn | null }): readonly ToolCall[] {
  return turn === null ? [] : [...lastCalls(turn)].filter(({ ruling }) => ruling.kind === "hold");
}

/** Returns the calls whose child runs have not ended. */
export function childCalls({ turn }: { readonly turn: AgentTurn | null }): readonly ToolCall[] {
  return turn === null ? [] : [...lastCalls(turn)].filter(({ ruling }) => ruling.kind === "child");
}

/** Yields the calls of the last round. All calls of earlier rounds have been answered. */
function* lastCalls({ calls, rounds }: AgentTurn): Iterable<ToolCall> {
  for (const call of calls.values()) if (call.round >= rounds.length - 1) yield call;
}

/** Returns calls that an ended execution may have made, that never reported a result, and that must not be made twice. */
export function unknownCalls({ turn }: { readonly turn: AgentTurn | null }): readonly ToolCall[] {
  if (turn === null) return [];
  return [...lastCalls(turn)].filter(
    ({ ruling, result, effects }) =>
      effects === "at_most_once" && result === null && ruling.kind === "allow" && ruling.execution <= turn.executions,
  );
}
