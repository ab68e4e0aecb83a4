import type { JsonObject } from "../base/index.ts";
import type { ApprovalRule } from "../definition/index.ts";
import type { Policy, PolicyScope } from "./registered.ts";

/** One check before a dispatch, or before a run is created: pure, and quick enough not to be noticed. */
export interface Gate<Facts> {
  readonly name: string;
  /** `matched` are the policies an earlier gate found, so that they are evaluated once; without it the gate evaluates them. */
  evaluate(facts: Facts, matched?: readonly MatchedPolicy[]): GateOutcome;
}

export type GateOutcome =
  | {
      readonly kind: "pass";
      readonly warnings?: readonly string[];
      /** What is worth a line in the trail although nothing is wrong. */
      readonly detail?: string;
      readonly matched?: readonly MatchedPolicy[];
    }
  | GateBlock
  | Hold;

/** Only a person's answer lets it through. */
export interface Hold {
  readonly kind: "hold";
  readonly message: string;
  /** `name@version` of each policy that wants an answer, and `rung`, `two_agents` for the built-in rules. */
  readonly wanted: readonly string[];
  /** Each of them with its reason, in words. */
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
  /** `final`: it fails. `queue`: it waits for a slot or a window. `paused`: it is asked again after 1, 2, 4 s. */
  readonly after: "final" | "queue" | "paused";
  readonly waitingReason?: "queued" | "rate_limit" | "worker";
  /** When asking again may help, epoch milliseconds. */
  readonly until?: number;
  /** With `queue`: the budget it waits for, however long it takes. */
  readonly pausedBy?: string;
  /** With `queue`: it waits for a worker that has this function. */
  readonly workerFor?: string;
  /** With `queue`: it waits for its run, not for its agent, however long it takes. */
  readonly isOfRun?: true;
  /** The numbers that were compared. */
  readonly facts: JsonObject;
  readonly unblock: readonly Unblock[];
  readonly matched?: readonly MatchedPolicy[];
}

export const PASS: GateOutcome = { kind: "pass" };

/** How a verdict names what stands behind the gates: instructions of which one asks for what another forbids. */
export const CONTRADICTION = { gate: "instructions", code: "contract_violated" } as const;

/** A policy whose condition held, kept with the verdict so that warnings and logs can be recorded. */
export interface MatchedPolicy {
  readonly name: string;
  readonly version: number;
  readonly scope: PolicyScope;
  readonly action: Policy["action"];
  readonly enforcement: Policy["enforcement"];
  /** False only for what blocks or holds: everything else asks nothing, or has its answer. */
  readonly isSatisfied: boolean;
  readonly reason: string | null;
  /** Why the condition could not be evaluated; a hard block or hold then counts as matching. */
  readonly error: string | null;
}

/** Something that would let it through. */
export interface Unblock {
  readonly action: string;
  readonly target: string;
  readonly detail: string;
}

/** The same in API, CLI and console. */
export interface Explanation {
  readonly gate: string;
  readonly code: string;
  readonly message: string;
  readonly facts: JsonObject;
  readonly unblock: readonly Unblock[];
}

/** What each gate said, in order; those after the first block were not asked. */
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
