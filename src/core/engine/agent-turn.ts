import { digestJson, type Json, type JsonObject, sameJson } from "../base/index.ts";
import type { Action, AskedCall, EffectGuarantee, EventPayload, ToolDescription } from "../event/index.ts";

/** The turn of an agent: what it has done in this epoch of its node. Retries continue it; a new epoch starts over. */
export interface AgentTurn {
  /** Of the present or the last execution of the attempt. */
  segment: number;
  /** Executions so far, over all attempts of the epoch. */
  executions: number;
  /**
   * The last execution ended and the attempt did not: by a suspension, or because it was lost. Null: it runs, or
   * has ended.
   */
  paused: "suspended" | "lost" | null;
  /** How long earlier executions of the attempt ran: its time limit counts no waiting. */
  ranMs: number;
  readonly rounds: AgentRound[];
  /** Every call that was requested, by call id, in order. */
  readonly calls: Map<string, ToolCall>;
  /** How often each tool was requested with the same args, by digest. */
  readonly repeats: Map<string, number>;
  /** What the adapter gave back when it suspended; null: nothing, or a round has completed since. */
  transcript: Json | null;
  /** Rounds a person has added to the limit. */
  extraRounds: number;
  /** What its rounds have cost in this run. */
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
  /** As it is called: as the model asked, or as a person has changed them. */
  args: JsonObject;
  readonly argsDigest: string;
  readonly action: Action;
  readonly effects: EffectGuarantee;
  /** Of a call that no round has named; null: its round says it. */
  readonly described: ToolDescription | null;
  /** How long it may take; null: as long as the attempt. */
  readonly timeoutMs: number | null;
  /** The adapter waits for the answer with the process alive: it does not suspend. */
  readonly waits: boolean;
  ruling: ToolRuling;
  /** Digest of other args it was asked about with, and refused; null: none. */
  otherDigest: string | null;
  /** Null: it has not been made, or has never reported. */
  result: { readonly value: Json; readonly isError: boolean } | null;
}

export type ToolRuling =
  /** `isChanged`: a person gave other args, and the model gets to know. `execution`: the first that may make it. */
  | { readonly kind: "allow"; readonly isChanged: boolean; readonly execution: number }
  | { readonly kind: "deny"; readonly reason: string; readonly code: string | null }
  /** It is made as a run of its own, which has not ended. */
  | { readonly kind: "child"; readonly childRunId: string; readonly isChanged: boolean }
  /** A person is asked: before it is made, or because it may have been made already. */
  | { readonly kind: "hold"; readonly approvalId: string; readonly isUnknown: boolean };

/** Names a call everywhere: run/node/epoch/round/position. */
export function callIdOf(
  { runId }: { readonly runId: string },
  node: CallOwner,
  round: number,
  position: number,
): string {
  return `${runId}/${node.id}/${node.epoch}/${round}/${position}`;
}

/** Whether an adapter asks about the very call: as its model asked for it, or as a person has changed it. */
export function isSameCall(known: ToolCall, { tool, server, args }: AskedCall): boolean {
  if (known.tool !== tool || known.server !== (server ?? null)) return false;
  return sameJson(known.args, args) || known.argsDigest === digestJson(args);
}

/** What the adapter has said of the tool, when it was asked about. */
export function descriptionOf(turn: AgentTurn | null, { id, round, described }: ToolCall): ToolDescription {
  return describing(described ?? turn?.rounds[round]?.calls[positionOf(id)] ?? {});
}

export function describing({ schema, hints }: ToolDescription): ToolDescription {
  return { ...(schema === undefined ? {} : { schema }), ...(hints === undefined ? {} : { hints }) };
}

/** Where a call stands in its round. */
export function positionOf(callId: string): number {
  return Number(callId.slice(callId.lastIndexOf("/") + 1));
}

/** The answer to an adapter that asks about a call with other args than those it was judged with. */
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

/** Calls a person has still to decide about. */
export function heldCalls({ turn }: { readonly turn: AgentTurn | null }): readonly ToolCall[] {
  return turn === null ? [] : [...lastCalls(turn)].filter(({ ruling }) => ruling.kind === "hold");
}

/** Calls whose runs have not ended. */
export function childCalls({ turn }: { readonly turn: AgentTurn | null }): readonly ToolCall[] {
  return turn === null ? [] : [...lastCalls(turn)].filter(({ ruling }) => ruling.kind === "child");
}

/** Those of the last round: all calls of the rounds before it have been answered. */
function* lastCalls({ calls, rounds }: AgentTurn): Iterable<ToolCall> {
  for (const call of calls.values()) if (call.round >= rounds.length - 1) yield call;
}

/** Calls that an execution which has ended may have made, that never reported, and that must not be made twice. */
export function unknownCalls({ turn }: { readonly turn: AgentTurn | null }): readonly ToolCall[] {
  if (turn === null) return [];
  return [...lastCalls(turn)].filter(
    ({ ruling, result, effects }) =>
      effects === "at_most_once" && result === null && ruling.kind === "allow" && ruling.execution <= turn.executions,
  );
}
