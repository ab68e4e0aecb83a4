import type { JsonObject } from "../base/index.ts";
import type { ApprovalRule } from "../definition/index.ts";
import type { Policy, PolicyScope } from "./registered.ts";

/** One check before a dispatch, or before a run is created. Gates are pure and fast. */
export interface Gate<Facts> {
  readonly name: string;
  /** `matched`: the policies an earlier gate found, so that they are evaluated once. Without it, the gate evaluates them. */
  evaluate(facts: Facts, matched?: readonly MatchedPolicy[]): GateOutcome;
}

export type GateOutcome =
  | {
      readonly kind: "pass";
      readonly warnings?: readonly string[];
      /** A detail for the trail, although nothing is wrong. */
      readonly detail?: string;
      readonly matched?: readonly MatchedPolicy[];
    }
  | GateBlock
  | Hold;

/** Passes only after a person's answer. */
export interface Hold {
  readonly kind: "hold";
  readonly message: string;
  /** `name@version` of each policy that requires an answer, and `rung`, `two_agents` for the built-in rules. */
  readonly wanted: readonly string[];
  /** Each of them with its reason, as text for people. */
  readonly reasons: readonly HoldReason[];
  readonly rule: ApprovalRule;
  readonly facts: JsonObject;
}

export interface HoldReason {
  readonly name: string;
  readonly reason: string;
}

export interface GateBlock {
  readonly kind: "block";
  readonly code: string;
  readonly message: string;
  /** `final`: the node fails. `queue`: it waits for a slot or a window. `paused`: the gates are checked again after 1, 2, 4 s. */
  readonly after: "final" | "queue" | "paused";
  readonly waitingReason?: "queued" | "rate_limit" | "worker";
  /** When checking again may help, in epoch milliseconds. */
  readonly until?: number;
  /** With `queue`: the budget the node waits for, without a time limit. */
  readonly pausedBy?: string;
  /** With `queue`: the node waits for a worker with this function. */
  readonly workerFor?: string;
  /** With `queue`: the node waits for its run and not for its agent, without a time limit. */
  readonly isOfRun?: true;
  /** The numbers that were compared. */
  readonly facts: JsonObject;
  readonly unblock: readonly Unblock[];
  readonly matched?: readonly MatchedPolicy[];
}

export const PASS: GateOutcome = { kind: "pass" };

/** Gate name and code in a verdict when instructions contradict each other. This is checked after the gates. */
export const CONTRADICTION = { gate: "instructions", code: "contract_violated" } as const;

/** A policy whose condition held. It is stored with the verdict so that warnings and logs can be recorded. */
export interface MatchedPolicy {
  readonly name: string;
  readonly version: number;
  readonly scope: PolicyScope;
  readonly action: Policy["action"];
  readonly enforcement: Policy["enforcement"];
  /** False only for a policy that blocks or holds. Any other policy requires nothing, or already has its answer. */
  readonly isSatisfied: boolean;
  readonly reason: string | null;
  /** The reason why the condition could not be evaluated. A hard block or hold then counts as matching. */
  readonly error: string | null;
}

/** An action that would let the node or launch pass. */
export interface Unblock {
  readonly action: string;
  readonly target: string;
  readonly detail: string;
}

/** The explanation of a verdict, the same in API, CLI and console. */
export interface Explanation {
  readonly gate: string;
  readonly code: string;
  readonly message: string;
  readonly facts: JsonObject;
  readonly unblock: readonly Unblock[];
}

/** The outcome of each gate, in order. Gates after the first block were not evaluated. */
export interface TrailEntry {
  readonly gate: string;
  readonly outcome: "pass" | "warn" | "block" | "hold" | "not_evaluated";
  readonly detail?: string;
}

export type Judgement =
  | {
      readonly disposition: "allow";
      readonly trail: readonly TrailEntry[];
      readonly warnings: readonly string[];
      readonly matched: readonly MatchedPolicy[];
    }
  | {
      readonly disposition: "block";
      readonly trail: readonly TrailEntry[];
      readonly block: GateBlock;
      readonly explanation: Explanation;
      readonly matched: readonly MatchedPolicy[];
    }
  | {
      readonly disposition: "hold";
      readonly trail: readonly TrailEntry[];
      readonly hold: Hold;
      readonly gate: string;
      readonly explanation: Explanation;
      readonly matched: readonly MatchedPolicy[];
    };
