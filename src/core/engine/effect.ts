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

/** What is to be done, as data. Performed after the commit, each idempotent under its own id. */
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
  /** Makes a child run paused or not, as its parent is. */
  | { readonly type: "pause-child"; readonly childRunId: string }
  | {
      readonly type: "notify";
      readonly kind: "skipped" | "approval" | "reminder" | "alert";
      readonly nodeId: string;
      readonly message: string;
      readonly approvalId?: string;
    };

/** The node's work as it would be sent: bound, rendered and checked against its input contract. */
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
  /** Which execution of the attempt it is. */
  readonly segment: number;
  /** The turn it continues; null: it begins. */
  readonly turn: AgentTurn | null;
  /** How workflows that a model may call are described to it, once that is looked up. */
  readonly toolSpecs?: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
  }[];
}

/** Written by the same commit; an event whose id is taken is the same event. */
export interface EmitEvent {
  readonly type: "emit-event";
  readonly event: OccurredEvent;
  readonly keepMs: number;
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
  /** How far its chain of approvers comes at once. */
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
  /** Derived from the run and the event, so that starting twice starts once. */
  readonly childRunId: string;
  readonly workflow: WorkflowRef;
  /** Path of the block of the parent's own file; absent: it is another workflow. */
  readonly block?: string;
  /** With a block: the run whose file it stands in. */
  readonly owner?: NonNullable<StartInput["owner"]>;
  /** With a block: the run of it whose results are kept. */
  readonly sourceRunId?: string;
  readonly args: { readonly [name: string]: Json };
  /** Values not given for the child explicitly: it gets those it declares, and not the others. */
  readonly offered?: { readonly [name: string]: Json };
  readonly recursionDepth: number;
  /** How many values were handed to its args; absent: none. */
  readonly handoffs?: number;
  /** Who started the family, as people know them; absent: not known. */
  readonly startedBy?: string;
  /** The run that began the family; absent: the parent. */
  readonly root?: NonNullable<StartInput["root"]>;
  readonly hops?: number;
  /** Keys the family holds, under which the child need not wait; absent: none. */
  readonly heldKeys?: readonly string[];
  /** With a block: events its steps have taken in rounds and attempts before; absent: none. */
  readonly taken?: readonly string[];
  /** What the caller that started the family named for it; absent: as it stands in the record of the parent. */
  readonly named?: NonNullable<Placement["named"]>;
}
