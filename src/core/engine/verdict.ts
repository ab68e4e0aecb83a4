import type { Json } from "../base/index.ts";
import type { ApprovalRule } from "../definition/index.ts";
import type { EventPayload } from "../event/index.ts";

/** The destination of an allowed attempt. */
export interface Route {
  readonly agentId: string | null;
  readonly gatewayId: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly executionPath: "edge" | "sync" | "async" | null;
}

export interface VerdictInput {
  readonly type: "verdict";
  readonly nodeId: string;
  readonly epoch: number;
  readonly verdict: Verdict;
}

/** A part of the prompt, with the number of its layer. */
export interface Instruction {
  readonly layer: number;
  readonly source: string;
  readonly text: string;
}

export type Verdict =
  | {
      readonly disposition: "allow";
      readonly verdictId: string;
      readonly route: Route;
      readonly maxOutputTokens?: number;
      /** Time limit of the attempt, unless its step sets a shorter one. */
      readonly timeoutMs?: number;
      /** Set when the attempt must not be made twice, whatever its step allows. Absent when the step decides. */
      readonly effects?: "at_most_once";
      /** The gateway the node was pinned to, when it is gone and another was chosen. */
      readonly reroutedFrom?: string;
      /** Instructions for the agent in addition to the work itself, by layer. */
      readonly instructions?: readonly Instruction[];
    }
  | {
      readonly disposition: "block";
      readonly verdictId: string;
      readonly gate: string;
      readonly code: string;
      readonly message: string;
      /** `final`: the node fails. `queue`: it waits for a slot or a window. `paused`: the gates are checked again after 1, 2, 4 s. */
      readonly after: "final" | "queue" | "paused";
      readonly waitingReason?: "queued" | "rate_limit" | "worker";
      readonly until?: number;
      /** With `queue` and `until`: `queue_timeout` does not end the wait. The gates are checked again at `until`, or on a wake. */
      readonly isPatient?: true;
      readonly queuePosition?: number;
    }
  | {
      readonly disposition: "hold";
      readonly verdictId: string;
      readonly gate: string;
      readonly message: string;
      readonly agentId: string | null;
      /** Name and version of each policy that requires an answer. */
      readonly policies: readonly string[];
      readonly rule: ApprovalRule;
      /** Facts for the person who answers. Absent when there are none. */
      readonly facts?: HoldFacts;
    }
  /** Input moderation refused the input. No gate was evaluated. */
  | { readonly disposition: "moderated"; readonly decision: Json }
  /** No member of the team may take the node, or its instructions contradict each other. */
  | { readonly disposition: "unassigned"; readonly message: string }
  | { readonly disposition: "contradiction"; readonly errors: EventPayload<"contract.violated">["errors"] };

/** Facts about an attempt that a person has to allow. */
export interface HoldFacts {
  readonly provider: string | null;
  readonly model: string | null;
  /** Trust level of the agent. */
  readonly trust: number | null;
  /** Null when no price is known. */
  readonly estimateMicros: number | null;
  /** Each policy with its reason, as text for people. */
  readonly reasons: readonly { readonly name: string; readonly reason: string }[];
}
