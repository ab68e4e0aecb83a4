import type { Failure, JsonObject } from "../base/index.ts";
import type { EndingStatus } from "../event/index.ts";

/** Of a block: the run whose file it stands in, with what policies know of that one. */
export interface BlockOwner {
  readonly runId: string;
  readonly args: JsonObject;
  readonly depth: number;
}

/** A run of a block; of another run, it is continued. */
export interface BlockRun {
  readonly runId: string;
  readonly block: string;
}

/** The newest run of the block of a node, and in which epoch it began. */
export interface LastBlock extends BlockRun {
  readonly epoch: number;
}

/** What a run ends as, decided before `finally` and not changed by it, but where that fails. */
export interface RunOutcome {
  readonly as: EndingStatus;
  readonly reason: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly outputs: JsonObject | null;
}

/** What comes last, once it has begun. */
export interface FinallyState {
  readonly childRunId: string;
  readonly outcome: RunOutcome;
  readonly isRunning: boolean;
  readonly failure: Failure | null;
}
