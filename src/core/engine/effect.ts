import type { Json, JsonObject } from "../base/index.ts";
import type { ApprovalRule, EffectGuarantee, ModerationMode, OutputField, WorkflowRef } from "../definition/index.ts";
import type { ApprovalSource, Decision, Placement, Subject } from "../event/index.ts";
import type { RequestHints } from "../plan/index.ts";
import type { AgentTurn } from "./agent-turn.ts";
import type {
  Instruction,
  OccurredEvent,
  RequestRoundVerdict,
  RequestToolVerdict,
  Route,
  StartInput,
} from "./input.ts";
import type { Timer } from "./timer.ts";

/** Work to be done after the commit, as data. Each effect is idempotent under its own id. */
export type Effect =
  | RequestVerdict
  | RequestRoundVerdict
  | RequestToolVerdict
  | Dispatch
  | { readonly type: "cancel-dispatch"; readonly nodeId: string; readonly attempt: number; readonly dispatchId: string }
  | { readonly type: "set-timer"; readonly timer: Timer; readonly dueAt: number }
  | OpenApproval
  | { readonly type: "close-approval"; readonly approvalId: string }
  | StartChild
  | EmitEvent
  | {
      readonly type: "cancel-child";
      readonly nodeId: string;
      readonly attempt: number;
      readonly childRunId: string;
    }
  /** Pauses or resumes a child run, to match its parent. */
  | { readonly type: "pause-child"; readonly childRunId: string }
  | {
      readonly type: "notify";
      readonly kind: "skipped" | "approval" | "reminder" | "alert";
      readonly nodeId: string;
      readonly message: string;
      readonly approvalId?: string;
    };

/** The work of a node as it would be sent: bound, rendered and checked against its input contract. */
export interface BoundRequest {
  /** Rendered command or lens template. */
  readonly message: string;
  readonly stdin: string | null;
  readonly inputs: JsonObject;
  readonly outputFields: Readonly<Record<string, OutputField>> | null;
  readonly outputStrategy: "text" | "json";
}

/** Answered by a `verdict` input inside the same commit. */
export interface RequestVerdict {
  readonly type: "request-verdict";
  readonly nodeId: string;
  readonly epoch: number;
  /** The attempt that would be opened. */
  readonly nextAttempt: number;
  readonly request: BoundRequest;
  readonly hints: RequestHints;
  readonly moderation: ModerationMode;
  /** Policies a person has already granted for this node, epoch and digest. */
  readonly grants: readonly string[];
  readonly assignedTo: string | null;
  /** Tokens that the first model call of a continued turn reads. Absent when no round has completed. */
  readonly contextTokens?: number;
}

export interface Dispatch {
  readonly type: "dispatch";
  readonly nodeId: string;
  readonly attempt: number;
  readonly epoch: number;
  /** run/node/attempt */
  readonly dispatchId: string;
  /** run/node/epoch, stable over retries and re-sends. */
  readonly idempotencyKey: string;
  readonly route: Route;
  readonly request: BoundRequest;
  readonly hints: RequestHints;
  readonly timeoutMs: number | null;
  readonly effects: EffectGuarantee;
  readonly maxOutputTokens: number | null;
  readonly instructions: readonly Instruction[];
  readonly isResend: boolean;
  /** The execution of the attempt. */
  readonly segment: number;
  /** The turn to continue. Null when a new turn begins. */
  readonly turn: AgentTurn | null;
  /** Descriptions of the workflows that a model may call. Added when they have been looked up. */
  readonly toolSpecs?: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
  }[];
}

/** Stored by the same commit. An event with an id that already exists is the same event. */
export interface EmitEvent {
  readonly type: "emit-event";
  readonly event: OccurredEvent;
  readonly keepMs: number;
  /** Number of runs in the chain that led to the event, this run included. */
  readonly hops: number;
}

export interface OpenApproval {
  readonly type: "open-approval";
  readonly approvalId: string;
  readonly nodeId: string;
  readonly attempt: number | null;
  readonly epoch: number;
  readonly source: ApprovalSource;
  readonly summary: string;
  readonly agentId: string | null;
  readonly digest: string;
  readonly rendered: string;
  readonly choices: readonly Decision[];
  readonly rule: ApprovalRule;
  /** Index of the last approver in the chain who is asked at once. */
  readonly hop: number;
  readonly subject: Subject;
  readonly subjectDigest: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
}

export interface StartChild {
  readonly type: "start-child";
  readonly nodeId: string;
  readonly attempt: number;
  /** Derived from the run and the event, so that starting it twice creates one run. */
  readonly childRunId: string;
  readonly workflow: WorkflowRef;
  /** Path of the block in the parent's own file. Absent for another workflow. */
  readonly block?: string;
  /** With a block: the run whose file contains it. */
  readonly owner?: NonNullable<StartInput["owner"]>;
  /** With a block: its earlier run, whose results are kept. */
  readonly sourceRunId?: string;
  readonly args: { readonly [name: string]: Json };
  /** Values not passed explicitly. The child receives those that it declares as args, and no others. */
  readonly offered?: { readonly [name: string]: Json };
  readonly recursionDepth: number;
  /** Number of values passed to its args. Absent when there are none. */
  readonly handoffs?: number;
  /** Readable name of the caller that started the family. Absent when not known. */
  readonly startedBy?: string;
  /** The first run of the family. Absent when this is the parent. */
  readonly root?: NonNullable<StartInput["root"]>;
  readonly hops?: number;
  /** Concurrency keys the family holds. The child does not wait for a place under them. Absent when there are none. */
  readonly heldKeys?: readonly string[];
  /** With a block: events its steps took in earlier rounds and attempts. Absent when there are none. */
  readonly taken?: readonly string[];
  /** Names set by the caller that started the family. Absent when those in the parent's record apply. */
  readonly named?: NonNullable<Placement["named"]>;
}
