import type { Failure, Json, JsonObject } from "../base/index.ts";
import type {
  Decision,
  Envelope,
  EventPayload,
  Placement,
  PlaceStanding,
  RunEnding,
  RunStatus,
  Tokens,
  WhenFull,
  PauseFact,
  Priority,
} from "../event/index.ts";
import type { Timer } from "./timer.ts";
import type { Execution, RoundInput, ToolCallInput, ToolResultInput } from "./agent-input.ts";
import type { Moment } from "./moment.ts";
import type { PauseInput, ResumeInput } from "./pause-input.ts";
import type { CarriedTurn } from "./carried-turn.ts";
import type { RoundVerdictInput, ToolVerdictInput } from "./tool-verdict.ts";
import type { VerdictInput } from "./verdict.ts";

export type * from "./agent-input.ts";
export type * from "./moment.ts";
export type * from "./pause-input.ts";
export type * from "./tool-verdict.ts";
export type * from "./verdict.ts";

/**
 * What the engine receives. Time, chance and identity come in here and from nowhere else:
 * `at` is epoch milliseconds, `jitter` a number in [0, 1).
 */
export type Input = Moment &
  (
    | StartInput
    | VerdictInput
    | CallbackInput
    | RoundInput
    | ToolCallInput
    | ToolResultInput
    | RoundVerdictInput
    | ToolVerdictInput
    | StreamInput
    | ApprovalInput
    | TimerInput
    | ChildFinishedInput
    | CancelInput
    | RewindInput
    | RecoverInput
    | ResolveInput
    | EventInput
    | AdmitInput
    | PauseInput
    | ResumeInput
  );

export interface StartInput {
  readonly type: "start";
  readonly workflow: string;
  readonly version: number | null;
  readonly hash: string;
  /** Already checked against the declared args, defaults filled in. */
  readonly args: JsonObject;
  readonly trigger: string;
  readonly parentRunId?: string;
  readonly recursionDepth: number;
  readonly sourceRunId?: string;
  /** Args that were taken from outputs of other runs, by name. */
  readonly inputsFrom?: Readonly<Record<string, OutputOfRun>>;
  readonly placement?: Placement;
  /** The person or program that starts it, as people know it. */
  readonly startedBy?: string;
  readonly handoffs?: number;
  /** By which it is found; absent: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The run that began the family; absent: this one. */
  readonly root?: { readonly runId: string; readonly createdAt: number };
  /** How many runs before it have started one another by events; absent: none. */
  readonly hops?: number;
  /** What the driver found where the workflow limits how many of its runs are open; absent: it does not. */
  readonly place?: FoundPlace;
  /** Of a run that a trigger limits: the key it counts under, and how many may be open. A workflow's own limit comes first. */
  readonly limit?: RunLimit;
  /** Absent: `normal`. */
  readonly priority?: Priority;
  /** The run that waits for it is paused. */
  readonly paused?: PauseFact;
  /** Keys its ancestors hold. */
  readonly heldKeys?: readonly string[];
  /** Of a block: events its steps have taken in rounds and attempts before. */
  readonly taken?: readonly string[];
  /** Path of the block it runs; absent: the file itself. */
  readonly block?: string;
  /** Of a block: the run whose file it stands in. */
  readonly owner?: { readonly runId: string; readonly args: JsonObject; readonly depth: number };
  /** Results of another run that this one keeps (restart, branch); instance ids included. */
  readonly carried?: readonly Carried[];
}

/** A place, a place to wait for, none at all, or a key that could not be evaluated. */
export type FoundPlace = { readonly key: string; readonly standing: PlaceStanding } | { readonly failure: Failure };

export interface RunLimit {
  readonly key: string;
  readonly limit: number;
  readonly whenFull: WhenFull;
}

/** A run that waited for a place has one. */
export interface AdmitInput {
  readonly type: "admit";
}

export interface OutputOfRun {
  readonly runId: string;
  readonly nodeId: string;
  readonly output: string;
}

export type Carried =
  | CarriedResult
  /** Its block did not complete: the run of it is continued. */
  | { readonly nodeId: string; readonly status: "open"; readonly runId: string; readonly block: string }
  | CarriedTurn
  | CarriedPrompt;

/** What a person wrote in place of the text of a node. */
export interface CarriedPrompt {
  readonly nodeId: string;
  readonly status: "prompt";
  readonly text: string;
  readonly by?: string;
}

export type CarriedResult = (
  | {
      readonly nodeId: string;
      readonly status: "completed";
      readonly outputs: JsonObject;
      readonly envelope: Envelope;
      /** The person who gave the outputs in place of those it had. */
      readonly by?: string;
    }
  | { readonly nodeId: string; readonly status: "skipped"; readonly reason: EventPayload<"node.skipped">["reason"] }
) & {
  /** Of a step with `join`: the parents that were enough. */
  readonly counted?: readonly string[];
  /** Events its step has taken, as `taken` of a start names them; absent: none. */
  readonly taken?: readonly string[];
};

export interface CallbackInput extends Execution {
  readonly type: "callback";
  readonly result: CallbackResult;
}

/** An adapter's report, normalised and moderated by the driver. */
export type CallbackResult =
  | { readonly status: "deferred" }
  /** The agent's turn waits for a person; what the adapter gave back to continue with. */
  | ({ readonly status: "suspended"; readonly transcript: Json | null } & Report)
  | ({
      readonly status: "completed";
      readonly outputs?: JsonObject;
      readonly stdout?: string;
      readonly envelope?: Envelope;
      /** Output moderation said no. */
      readonly moderation?: Json;
      /** What the answer is charged, where a plan charges in credits. */
      readonly creditsCharged?: number;
    } & Report)
  | ({
      readonly status: "failed" | "timed_out" | "cancelled";
      readonly errorCode?: string;
      readonly error?: string;
      readonly retryAfterMs?: number;
      /** False: the same request would fail again, whatever its code says. */
      readonly retryable?: boolean;
      /** A check before the adapter refused the input; nothing was sent. */
      readonly moderation?: Json;
    } & Report);

export interface Report {
  readonly tokens: Tokens;
  readonly costMicros: number;
  /** False: the report names no cost, and what it used is yet to be priced. */
  readonly isCostKnown?: boolean;
  readonly model?: string | null;
  /** Which price the cost was made with. */
  readonly priceId?: string;
  /** Adapter calls inside this attempt beyond the first (contract re-asks). */
  readonly extraCalls?: number;
  readonly warnings?: readonly string[];
}

export interface StreamInput {
  readonly type: "stream";
  readonly nodeId: string;
  readonly attempt: number;
  /** `index` counts from 0 within the attempt. */
  readonly deltas: readonly { readonly index: number; readonly text?: string; readonly media?: Json }[];
}

export interface ApprovalInput {
  readonly type: "approval";
  readonly approvalId: string;
  readonly decision: Decision;
  /** A readable name of the one who answers. */
  readonly by: string;
  /** The id of the answering key, if it is one. */
  readonly byId?: string;
  /** The agent the answering key is bound to, if any. */
  readonly byAgentId?: string;
  /** True when the answering person also started the run. */
  readonly byStarter?: boolean;
  /** The names of an approver list under which they answer; absent: an owner in process, of whom none is asked. */
  readonly as?: readonly string[];
  readonly personId?: string;
  /** A key behind which no person and no other key is known. */
  readonly isUnowned?: true;
  /** They may answer although they are not asked, and have given a reason. */
  readonly isOverride?: true;
  readonly reason?: string;
  readonly digest?: string;
  /** Of what they were shown. */
  readonly subjectDigest?: string;
  readonly modifications?: JsonObject;
  /** What they entered into the form. */
  readonly form?: JsonObject;
}

export interface TimerInput {
  readonly type: "timer";
  readonly timer: Timer;
}

export interface ChildFinishedInput {
  readonly type: "child_finished";
  readonly nodeId: string;
  readonly attempt: number;
  readonly childRunId: string;
  readonly status: RunStatus;
  /** `{leafId: outputs}`; skipped leaves absent. */
  readonly outputs: JsonObject;
  readonly costMicros: number;
  readonly tokens: Tokens;
  /** Of a block that failed: the code of the step that failed in it. */
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** Of a block: events its steps have taken. */
  readonly taken?: readonly string[];
  /** A step of the block ends the run it belongs to. */
  readonly ends?: RunEnding;
}

export interface CancelInput {
  readonly type: "cancel";
  readonly reason: string;
  readonly by?: string;
  /** Submitted until it is known to have been done, and so it does not count twice. */
  readonly isByParent?: true;
}

export interface RewindInput {
  readonly type: "rewind";
  readonly eventId: number;
  /** A parent run has already taken this run's result. */
  readonly isConsumed: boolean;
}

export interface RecoverInput {
  readonly type: "recover";
  readonly reason?: string;
}

/** An event that a node waits for. */
export interface EventInput {
  readonly type: "event";
  readonly nodeId: string;
  readonly epoch: number;
  readonly event: OccurredEvent;
}

export interface OccurredEvent {
  readonly id: string;
  readonly type: string;
  readonly key: JsonObject;
  readonly data: Json;
}

export interface ResolveInput {
  readonly type: "resolve";
  readonly nodeId: string;
  readonly by: string;
  readonly values?: JsonObject;
  readonly assignTo?: string;
}

/** An input without its moment and its chance, which are added when its turn comes. */
export type UnstampedInput = Input extends infer One ? (One extends Input ? Omit<One, "at" | "jitter"> : never) : never;
