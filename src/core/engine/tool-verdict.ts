/** Requests of the engine about the turn of an agent, and the answers of governance, within the commit of the report. */
import type { ApprovalRule } from "../definition/index.ts";
import type { Action, AskedCall, EffectGuarantee } from "../event/index.ts";
import type { RequestHints } from "../plan/index.ts";
import type { ApprovalInput } from "./input.ts";
import type { HoldFacts, Route } from "./verdict.ts";

/** Requests a verdict on the next round. The cost of the last round is recorded in the same commit. */
export interface RequestRoundVerdict {
  readonly type: "request-round-verdict";
  readonly nodeId: string;
  readonly epoch: number;
  readonly attempt: number;
  /** Number of completed rounds. */
  readonly rounds: number;
  /** Rounds that a person added to the limit. */
  readonly extraRounds: number;
  /** Estimated size of the next model call: the tokens read and written by the last one. */
  readonly contextTokens: number;
  readonly route: Route;
  readonly hints: RequestHints;
}

export type RoundVerdict =
  | { readonly disposition: "go" }
  | {
      readonly disposition: "stop";
      readonly verdictId: string;
      readonly gate: string;
      readonly code: string;
      readonly message: string;
    };

export interface RoundVerdictInput {
  readonly type: "round_verdict";
  readonly nodeId: string;
  readonly epoch: number;
  readonly verdict: RoundVerdict;
}

/** Requests a ruling on a call. */
export interface RequestToolVerdict {
  readonly type: "request-tool-verdict";
  readonly nodeId: string;
  readonly epoch: number;
  readonly attempt: number;
  readonly callId: string;
  readonly round: number;
  readonly call: AskedCall;
  readonly argsDigest: string;
  /** Number of calls of this turn requested before this one. */
  readonly callsBefore: number;
  /** Number of those calls with the same tool and args. */
  readonly repeatsBefore: number;
  /** True when a person has approved these args. Everything except the approval is judged. */
  readonly isApproved: boolean;
  /** When the call was first held. It counts in the rate windows of its tool from this time. Absent when it was not held. */
  readonly heldAt?: number;
  readonly route: Route;
  readonly hints: RequestHints;
}

/** Facts about the tool, which apply to every ruling. */
interface AboutTool {
  readonly verdictId: string;
  readonly action: Action;
  readonly effects: EffectGuarantee;
  /** Time limit of the call. Absent or null when only the limit of the attempt applies. */
  readonly timeoutMs?: number | null;
}

export type ToolVerdict = AboutTool &
  (
    | { readonly disposition: "allow" }
    | {
        readonly disposition: "deny";
        readonly gate: string;
        readonly code: string;
        /** The text the model receives instead of a result. */
        readonly reason: string;
        /** Set when a rate denies the call. */
        readonly retryAfterMs?: number;
      }
    | {
        readonly disposition: "hold";
        readonly gate: string;
        readonly message: string;
        readonly agentId: string | null;
        readonly policies: readonly string[];
        readonly rule: ApprovalRule;
        readonly facts: HoldFacts;
      }
  );

export interface ToolVerdictInput {
  readonly type: "tool_verdict";
  readonly nodeId: string;
  readonly epoch: number;
  readonly callId: string;
  readonly verdict: ToolVerdict;
}

/** A call with an outstanding verdict. Not part of the log, and none is left when a commit ends. */
export interface OpenCall {
  readonly request: RequestToolVerdict;
  readonly waits: boolean;
  /** The answer about a held call that is to be applied. Null when the model requests the call. */
  readonly answer: ApprovalInput | DefaultAnswer | null;
}

/** An approval by the default of the chain, when no person has answered. */
export interface DefaultAnswer {
  readonly type: "default";
  readonly approvalId: string;
}
