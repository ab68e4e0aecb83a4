import type { Failure, JsonObject } from "../base/index.ts";
import type { EndingStatus } from "../event/index.ts";

/** For the run of a block: the run whose file contains the block, with the facts about that run that policies read. */
export interface BlockOwner {
  readonly runId: string;
  readonly args: JsonObject;
  readonly depth: number;
}

/** A run of a block. When it belongs to another run, it is continued. */
export interface BlockRun {
  readonly runId: string;
  readonly block: string;
}

/** The newest run of a node's block, and the epoch in which it began. */
export interface LastBlock extends BlockRun {
  readonly epoch: number;
}

/** The outcome of a run, decided before `finally`. Only a failure of `finally` can change it. */
export interface RunOutcome {
  readonly as: EndingStatus;
  readonly reason: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly outputs: JsonObject | null;
}

/** The state of `finally`, set when it begins. */
export interface FinallyState {
  readonly childRunId: string;
  readonly outcome: RunOutcome;
  readonly isRunning: boolean;
  readonly failure: Failure | null;
}
