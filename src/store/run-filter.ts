import type { RunStatus, WaitingFor } from "../core/event/index.ts";
import type { SearchWord } from "../core/search/index.ts";

/** Which runs a list shows. Everything that is given has to fit; what is absent restricts nothing. */
export interface RunFilter {
  readonly status?: RunStatus;
  readonly workflow?: string;
  readonly version?: number;
  readonly parentRunId?: string;
  /** Child runs included. */
  readonly waitingFor?: WaitingFor;
  /** What started it: `api`, `schedule`, `hook`. */
  readonly trigger?: string;
  /** Who started it: `trigger:orders`, `schedule:nightly`, the id of a key. */
  readonly startedBy?: string;
  /** Which agents, models and labels it has had to do with; all of them. */
  readonly facets?: readonly Facet[];
  /** The code it ended with. */
  readonly errorCode?: string;
  /** Micro-dollars so far, both ends included. */
  readonly cost?: Range;
  /** Milliseconds from its start to its end, both ends included; runs that are open have none. */
  readonly duration?: Range;
  /** When it was created, the end excluded. */
  readonly created?: Range;
  /** Words that occur in what it was given and what came of it; all of them. */
  readonly words?: readonly SearchWord[];
}

export interface Range {
  readonly from?: number;
  readonly to?: number;
}

/** Something a run may have several of, as `agent:writer`, `model:m-1`, `label:customer:4711`. */
export type Facet = `${"agent" | "model" | "label"}:${string}`;

/** So many of the newest runs with the words are looked at where something else is asked for as well. */
export const CANDIDATES_MAX = 10_000;
