import type { RunState } from "../../core/engine/index.ts";
import type { HeldTimers } from "./held-timers.ts";
import type { NewRun, OpenAttempt, RunRecord } from "../../store/index.ts";

/** A run in memory. Its state is exactly the fold of the committed events, except while the run is being decided. */
export interface DrivenRun {
  run: RunRecord;
  readonly state: RunState;
  /** Deadlines of open attempts, by node. */
  readonly openAttempts: Map<string, Omit<OpenAttempt, "nodeId" | "replicaId" | "work">>;
  /** Timers that have a row, including deadlines of nodes that wait at a gate. */
  readonly timers: HeldTimers;
  /** Nodes with a row because they wait for an event. */
  readonly waiters: Set<string>;
  /** Whether a node has started or a parent run waits. Such a run takes precedence over runs that have not begun. */
  hasBegun: boolean;
  /** Size of the event contents that remain in the state. */
  contentBytes: number;
  /** The last moment used. Time never goes back within a run, even if the wall clock does. */
  lastAt: number;
  /** Set until the first commit has created the run. */
  creating: NewRun | null;
}
