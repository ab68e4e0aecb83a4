/**
 * The facts that the gates of a tool call and of the next round of a turn compare. They are plain data, so that a verdict can
 * be replayed.
 */
import type { JsonObject } from "../base/index.ts";
import type { Action, EffectGuarantee } from "../definition/index.ts";
import type { DispatchFacts, EnvelopeFact, NodeFact, RateFact, RunFact } from "./facts.ts";
import type { Grant, Policy, Tool } from "./registered.ts";

/** A tool call in the form that gates and policies read. */
export interface ToolFact {
  readonly callId: string;
  /** `server/tool`, or only the tool when it has no server. */
  readonly name: string;
  readonly server: string | null;
  readonly action: Action;
  readonly effects: EffectGuarantee;
  readonly args: JsonObject;
  readonly argsDigest: string;
  readonly round: number;
  /** Number of earlier calls in the turn, including denied ones. */
  readonly calls: number;
  /** Number of those with the same tool and args. */
  readonly repeats: number;
  /** Whether a person has approved the call with these args. */
  readonly isApproved: boolean;
  /** Names and paths of args that were not stored. Only set in facts read from a record. */
  readonly argsLeftOut?: readonly string[];
}

/** How often an agent has called a tool, under one of the manifests that limit it. */
export interface ToolRateFact extends RateFact {
  /** Name of the manifest. */
  readonly rule: string;
}

/** Limits of a turn, resolved from the step, the agent and the defaults. */
export interface TurnBounds {
  readonly maxRounds: number;
  readonly maxToolCalls: number;
  readonly maxRepeats: number;
}

export interface CallFacts extends Pick<DispatchFacts, "at" | "platform" | "gateway" | "agentId" | "agent" | "role"> {
  /** How much of a turn the adapter makes visible. */
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

/** The facts that decide whether the next round may begin after a round has completed. */
export interface RoundFacts extends Pick<DispatchFacts, "at" | "agentId" | "role"> {
  readonly node: NodeFact;
  readonly run: RunFact;
  /** Rounds that have completed. */
  readonly rounds: number;
  /** Rounds a person has added to the limit. */
  readonly extraRounds: number;
  readonly bounds: TurnBounds;
  /** Without the reservation of the turn itself, which is released for the next round. */
  readonly agentBudget: EnvelopeFact | null;
  readonly envelopes: readonly EnvelopeFact[];
  /** Estimated cost of the next round. Null when no price is known. */
  readonly estimateMicros: number | null;
}
