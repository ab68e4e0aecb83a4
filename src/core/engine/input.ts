import type { Failure, Json, JsonObject } from "../base/index.ts";
import type {
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
import type { ApprovalInput } from "./approval-input.ts";
import type { Execution, RoundInput, ToolCallInput, ToolResultInput } from "./agent-input.ts";
import type { Moment } from "./moment.ts";
import type { PauseInput, ResumeInput } from "./pause-input.ts";
import type { CarriedTurn } from "./carried-turn.ts";
import type { RoundVerdictInput, ToolVerdictInput } from "./tool-verdict.ts";
import type { VerdictInput } from "./verdict.ts";

export type * from "./agent-input.ts";
export type * from "./approval-input.ts";
export type * from "./moment.ts";
export type * from "./pause-input.ts";
export type * from "./tool-verdict.ts";
export type * from "./verdict.ts";

/**
 * The inputs of the engine, and its only source of time, randomness and identity:
 * `at` is in epoch milliseconds, `jitter` is a number in [0, 1).
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
  /** The args, already checked against their declarations, with defaults filled in. */
  readonly args: JsonObject;
  readonly trigger: string;
  readonly parentRunId?: string;
  readonly recursionDepth: number;
  readonly sourceRunId?: string;
  /** Args taken from outputs of other runs, by name. */
  readonly inputsFrom?: Readonly<Record<string, OutputOfRun>>;
  readonly placement?: Placement;
  /** Readable name of the person or program that starts the run. */
  readonly startedBy?: string;
  readonly handoffs?: number;
  /** Labels under which the run is found. Absent when it has none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The first run of the family. Absent when it is this run. */
  readonly root?: { readonly runId: string; readonly createdAt: number };
  /** Number of earlier runs in a chain of runs started by events. Absent when there are none. */
  readonly hops?: number;
  /** The place the driver found, when the workflow limits its open runs. Absent when there is no limit. */
  readonly place?: FoundPlace;
  /** For a run limited by its trigger: its concurrency key and the limit. A workflow's own limit takes precedence. */
  readonly limit?: RunLimit;
  /** Absent for priority `normal`. */
  readonly priority?: Priority;
  /** Set when the parent run, which waits for this one, is paused. */
  readonly paused?: PauseFact;
  /** Concurrency keys held by the ancestors of the run. */
  readonly heldKeys?: readonly string[];
  /** For a block: events its steps took in earlier rounds and attempts. */
  readonly taken?: readonly string[];
  /** Path of the block to run. Absent when the run executes the whole file. */
  readonly block?: string;
  /** For a block: the run whose file contains it. */
  readonly owner?: { readonly runId: string; readonly args: JsonObject; readonly depth: number };
  /** Results kept from another run (restart, branch), including those of instances. */
  readonly carried?: readonly Carried[];
}

/** A place, a place in the waiting line, no place, or a key that could not be evaluated. */
export type FoundPlace = { readonly key: string; readonly standing: PlaceStanding } | { readonly failure: Failure };

export interface RunLimit {
  readonly key: string;
  readonly limit: number;
  readonly whenFull: WhenFull;
}

/** Admits a run that waited for a place. */
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
  /** A block that did not complete. Its run is continued. */
  | { readonly nodeId: string; readonly status: "open"; readonly runId: string; readonly block: string }
  | CarriedTurn
  | CarriedPrompt;

/** A person's text that replaces the text of a node. */
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
      /** The person who replaced the outputs. */
      readonly by?: string;
    }
  | { readonly nodeId: string; readonly status: "skipped"; readonly reason: EventPayload<"node.skipped">["reason"] }
) & {
  /** For a step with `join`: the parents that counted. */
  readonly counted?: readonly string[];
  /** Events the step has taken, in the same form as `taken` of a start. Absent when there are none. */
  readonly taken?: readonly string[];
};

export interface CallbackInput extends Execution {
  readonly type: "callback";
  readonly result: CallbackResult;
}

/** An adapter's report, normalised and moderated by the driver. */
export type CallbackResult =
  | { readonly status: "deferred" }
  /** The agent's turn waits for a person. `transcript` is the adapter's state for continuing. */
  | ({ readonly status: "suspended"; readonly transcript: Json | null } & Report)
  | ({
      readonly status: "completed";
      readonly outputs?: JsonObject;
      readonly stdout?: string;
      readonly envelope?: Envelope;
      /** Set when output moderation refused the output. */
      readonly moderation?: Json;
      /** Credits charged for the answer, under a plan that charges in credits. */
      readonly creditsCharged?: number;
    } & Report)
  | ({
      readonly status: "failed" | "timed_out" | "cancelled";
      readonly errorCode?: string;
      readonly error?: string;
      readonly retryAfterMs?: number;
      /** False when the same request would fail again, whatever its error code. */
      readonly retryable?: boolean;
      /** Set when a check before the adapter refused the input. Nothing was sent. */
      readonly moderation?: Json;
    } & Report);

export interface Report {
  readonly tokens: Tokens;
  readonly costMicros: number;
  /** False when the report contains no cost and the usage still has to be priced. */
  readonly isCostKnown?: boolean;
  readonly model?: string | null;
  /** Id of the price from which the cost was calculated. */
  readonly priceId?: string;
  /** Adapter calls in this attempt beyond the first, made because an answer broke the contract. */
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
  /** `{leafId: outputs}`, without skipped leaves. */
  readonly outputs: JsonObject;
  readonly costMicros: number;
  readonly tokens: Tokens;
  /** For a failed block: the error code of the step that failed in it. */
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** For a block: events its steps have taken. */
  readonly taken?: readonly string[];
  /** Set when a step of the block ends the run that contains it. */
  readonly ends?: RunEnding;
}

export interface CancelInput {
  readonly type: "cancel";
  readonly reason: string;
  readonly by?: string;
  /** True when the parent sends the cancel. The parent repeats it until it is known to be done, so a repetition has no further effect. */
  readonly isByParent?: true;
}

export interface RewindInput {
  readonly type: "rewind";
  readonly eventId: number;
  /** True when a parent run has already used the result of this run. */
  readonly isConsumed: boolean;
}

export interface RecoverInput {
  readonly type: "recover";
  readonly reason?: string;
}

/** Delivers an event to a node that waits for it. */
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

/** An input without its time and jitter. They are added when the input is processed. */
export type UnstampedInput = Input extends infer One ? (One extends Input ? Omit<One, "at" | "jitter"> : never) : never;
