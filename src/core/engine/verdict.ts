import type { Json } from "../base/index.ts";
import type { ApprovalRule } from "../definition/index.ts";
import type { EventPayload } from "../event/index.ts";

/** Where an allowed attempt goes. */
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

/** A part of the prompt, and which of its layers it belongs to. */
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
      /** The attempt may take so long, where its step says no less. */
      readonly timeoutMs?: number;
      /** It must not be made twice, whatever its step says; absent: as the step says. */
      readonly effects?: "at_most_once";
      /** The gateway it was pinned to, where that is gone and another was chosen. */
      readonly reroutedFrom?: string;
      /** Instructions for the agent besides the work itself, by layer. */
      readonly instructions?: readonly Instruction[];
    }
  | {
      readonly disposition: "block";
      readonly verdictId: string;
      readonly gate: string;
      readonly code: string;
      readonly message: string;
      /** `final`: the node fails. `queue`: it waits for a slot or a window. `paused`: it asks again after 1, 2, 4 s. */
      readonly after: "final" | "queue" | "paused";
      readonly waitingReason?: "queued" | "rate_limit" | "worker";
      readonly until?: number;
      /** With `queue` and `until`: no `queue_timeout` ends the wait; it asks again then, or when it is woken. */
      readonly isPatient?: true;
      readonly queuePosition?: number;
    }
  | {
      readonly disposition: "hold";
      readonly verdictId: string;
      readonly gate: string;
      readonly message: string;
      readonly agentId: string | null;
      /** Name and version of each policy that wants an answer. */
      readonly policies: readonly string[];
      readonly rule: ApprovalRule;
      /** What the person who answers should know; absent: nothing more is known. */
      readonly facts?: HoldFacts;
    }
  /** Input moderation said no; nothing was asked of the gates. */
  | { readonly disposition: "moderated"; readonly decision: Json }
  /** No member of the team may take the node, or its instructions contradict each other. */
  | { readonly disposition: "unassigned"; readonly message: string }
  | { readonly disposition: "contradiction"; readonly errors: EventPayload<"contract.violated">["errors"] };

/** What is known of an attempt that a person has to allow. */
export interface HoldFacts {
  readonly provider: string | null;
  readonly model: string | null;
  /** Trust level of the agent. */
  readonly trust: number | null;
  /** Null: no price is known. */
  readonly estimateMicros: number | null;
  /** Each policy with its reason, in words. */
  readonly reasons: readonly { readonly name: string; readonly reason: string }[];
}
