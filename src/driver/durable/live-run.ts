import type { RunState, Timer } from "../../core/engine/index.ts";
import type { NewRun, OpenAttempt, RunRecord } from "../../store/index.ts";

/** A run in memory: its state is the fold of exactly the events that are committed, except while it is being worked on. */
export interface LiveRun {
  run: RunRecord;
  readonly state: RunState;
  /** Deadlines of open attempts, by node. */
  readonly openAttempts: Map<string, Omit<OpenAttempt, "nodeId" | "replicaId">>;
  /** Timers set since it was loaded; cleared together when the run ends. */
  readonly timers: Map<string, Timer>;
  /** Time never goes back within a run, whatever the wall clock does. */
  lastAt: number;
  /** Set until the first commit has made the run exist. */
  creating: NewRun | null;
}
