/** What the engine asks about the turn of an agent, and what governance answers; each inside the commit of its report. */
import type { ApprovalRule } from "../definition/index.ts";
import type { Action, AskedCall, EffectGuarantee } from "../event/index.ts";
import type { RequestHints } from "../plan/index.ts";
import type { ApprovalInput } from "./input.ts";
import type { HoldFacts, Route } from "./verdict.ts";

/** May the next round begin? What the last one has cost is booked in the same commit. */
export interface RequestRoundVerdict {
  readonly type: "request-round-verdict";
  readonly nodeId: string;
  readonly epoch: number;
  readonly attempt: number;
  /** Rounds that have completed. */
  readonly rounds: number;
  /** Rounds a person has added to the limit. */
  readonly extraRounds: number;
  /** What the next model call reads, as far as it is known: the tokens of the last one. */
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

/** May this call be made? */
export interface RequestToolVerdict {
  readonly type: "request-tool-verdict";
  readonly nodeId: string;
  readonly epoch: number;
  readonly attempt: number;
  readonly callId: string;
  readonly round: number;
  readonly call: AskedCall;
  readonly argsDigest: string;
  /** Calls of this turn that were requested before it. */
  readonly callsBefore: number;
  /** How many of them had the same tool and args. */
  readonly repeatsBefore: number;
  /** A person has seen these args and approved them: everything but the approval is judged. */
  readonly isApproved: boolean;
  /** Since when it is held: from then on it has its place in the windows that count its tool. Absent: it was not held. */
  readonly heldAt?: number;
  readonly route: Route;
  readonly hints: RequestHints;
}

/** What is known of the tool, whatever is decided. */
interface AboutTool {
  readonly verdictId: string;
  readonly action: Action;
  readonly effects: EffectGuarantee;
  /** How long the call may take; absent or null: as long as the attempt. */
  readonly timeoutMs?: number | null;
}

export type ToolVerdict = AboutTool &
  (
    | { readonly disposition: "allow" }
    | {
        readonly disposition: "deny";
        readonly gate: string;
        readonly code: string;
        /** What the model is given in place of a result. */
        readonly reason: string;
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

/** A call whose verdict is outstanding: no fact, and none is left when a commit ends. */
export interface OpenCall {
  readonly request: RequestToolVerdict;
  readonly waits: boolean;
  /** What has been answered about a held call and is to be carried out; null: the model asks. */
  readonly answer: ApprovalInput | DefaultAnswer | null;
}

/** Its chain approves what no person has answered. */
export interface DefaultAnswer {
  readonly type: "default";
  readonly approvalId: string;
}
