import type { RunStatus, WaitingFor } from "../core/event/index.ts";
import type { SearchWord } from "../core/search/index.ts";

/** Selects the runs of a list. All given conditions must hold; absent fields restrict nothing. */
export interface RunFilter {
  readonly status?: RunStatus;
  readonly workflow?: string;
  readonly version?: number;
  readonly parentRunId?: string;
  /** Wait reason of the run, child runs included. */
  readonly waitingFor?: WaitingFor;
  /** Trigger of the run: `api`, `schedule`, `hook`. */
  readonly trigger?: string;
  /** The caller who started the run: `trigger:orders`, `schedule:nightly`, the id of a key. */
  readonly startedBy?: string;
  /** Agents, models and labels of the run. All of them must match. */
  readonly facets?: readonly Facet[];
  /** Error code with which the run ended. */
  readonly errorCode?: string;
  /** Cost so far in micro-dollars, both ends included. */
  readonly cost?: Range;
  /** Milliseconds from start to end, both ends included. Open runs have no duration. */
  readonly duration?: Range;
  /** Creation time, the end excluded. */
  readonly created?: Range;
  /** Words that occur in the inputs and results of the run. All of them must match. */
  readonly words?: readonly SearchWord[];
}

export interface Range {
  readonly from?: number;
  readonly to?: number;
}

/** A property that a run may have several of, such as `agent:writer`, `model:m-1`, `label:customer:4711`. */
export type Facet = `${"agent" | "model" | "label"}:${string}`;

/** Maximum number of newest runs with the words that are read when the filter has other conditions too. */
export const CANDIDATES_MAX = 10_000;
