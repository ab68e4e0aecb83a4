import type { Json, JsonObject } from "../base/index.ts";
import type { Action, AskedCall, EffectGuarantee } from "../event/index.ts";

/** The turn of an agent: what it has done in this epoch of its node. Retries continue it; a new epoch begins anew. */
export interface AgentTurn {
  /** Of the present or the last execution of the attempt. */
  segment: number;
  /** How long earlier executions of the attempt ran: its time limit counts no waiting. */
  ranMs: number;
  readonly rounds: AgentRound[];
  /** Every call that was requested, by call id, in order. */
  readonly calls: Map<string, ToolCall>;
  /** How often each digest of args was requested. */
  readonly repeats: Map<string, number>;
  /** What the adapter gave back when it suspended; null: nothing, or a round has completed since. */
  transcript: Json | null;
  /** Rounds of earlier executions whose cost came late, as `segment/round`. */
  readonly lateCosts: Set<string>;
  /** Rounds a person has added to the limit. */
  extraRounds: number;
}

export interface AgentRound {
  readonly text: string;
  readonly message: Json;
  readonly calls: readonly AskedCall[];
}

export interface ToolCall {
  readonly id: string;
  readonly round: number;
  readonly tool: string;
  readonly server: string | null;
  /** As they are called with: as asked for, or as a person has changed them. */
  args: JsonObject;
  argsDigest: string;
  readonly action: Action;
  readonly effects: EffectGuarantee;
  ruling: ToolRuling;
  /** Null: it has not been made, or has never reported. */
  result: { readonly value: Json; readonly isError: boolean } | null;
}

export type ToolRuling =
  /** `isChanged`: a person gave other args, and the model is told so. */
  | { readonly kind: "allow"; readonly isChanged: boolean; readonly segment: number }
  | { readonly kind: "deny"; readonly reason: string }
  /** A person is asked: before it is made, or because it may have been made already. */
  | { readonly kind: "hold"; readonly approvalId: string; readonly isUnknown: boolean };

/** Names a call everywhere: run/node/epoch/round/position. */
export function callIdOf(runId: string, nodeId: string, epoch: number, round: number, position: number): string {
  return `${runId}/${nodeId}/${epoch}/${round}/${position}`;
}
