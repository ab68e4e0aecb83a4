/**
 * What the gates of a tool call, and of the next round of a turn, compare: plain data, so that a verdict can be
 * replayed.
 */
import type { JsonObject } from "../base/index.ts";
import type { Action, EffectGuarantee } from "../definition/index.ts";
import type { DispatchFacts, EnvelopeFact, NodeFact, RateFact, RunFact } from "./facts.ts";
import type { Grant, Policy, Tool } from "./registered.ts";

/** A call as gates and policies see it. */
export interface ToolFact {
  readonly callId: string;
  /** `server/tool`, or the tool alone where it belongs to no server. */
  readonly name: string;
  readonly server: string | null;
  readonly action: Action;
  readonly effects: EffectGuarantee;
  readonly args: JsonObject;
  readonly argsDigest: string;
  readonly round: number;
  /** Calls of the turn before it, denied ones included. */
  readonly calls: number;
  /** Of those, the ones with the same tool and args. */
  readonly repeats: number;
  /** A person has seen these args and approved them. */
  readonly isApproved: boolean;
  /** Names and paths of args that were not kept, only in facts read back from a record. */
  readonly argsLeftOut?: readonly string[];
}

/** How often an agent has called a tool, under one of the manifests that limit it. */
export interface ToolRateFact extends RateFact {
  /** Name of the manifest. */
  readonly rule: string;
}

/** How far a turn may go, once the step, the agent and the defaults have been asked. */
export interface TurnBounds {
  readonly maxRounds: number;
  readonly maxToolCalls: number;
  readonly maxRepeats: number;
}

export interface CallFacts extends Pick<DispatchFacts, "at" | "platform" | "gateway" | "agentId" | "agent" | "role"> {
  /** What the adapter lets see of a turn. */
  readonly turns: string;
  readonly node: NodeFact;
  readonly run: RunFact;
  readonly tool: ToolFact;
  /** Every manifest that applies to the tool. */
  readonly rules: readonly Tool[];
  readonly rates: readonly ToolRateFact[];
  readonly bounds: TurnBounds;
  /** Every enabled policy that might apply, whatever its scope. */
  readonly policies: readonly Policy[];
  /** Grants for this run or agent that name the tool. */
  readonly grants: readonly Grant[];
}

/** What is asked when a round has completed: may the next one begin? */
export interface RoundFacts extends Pick<DispatchFacts, "at" | "agentId" | "role"> {
  readonly node: NodeFact;
  readonly run: RunFact;
  /** Rounds that have completed. */
  readonly rounds: number;
  /** Rounds a person has added to the limit. */
  readonly extraRounds: number;
  readonly bounds: TurnBounds;
  /** Without what the turn itself holds: that is given back for the next round. */
  readonly agentBudget: EnvelopeFact | null;
  readonly envelopes: readonly EnvelopeFact[];
  /** What the next round may cost; null: no price is known. */
  readonly estimateMicros: number | null;
}
