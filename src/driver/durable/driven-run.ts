import type { RunState } from "../../core/engine/index.ts";
import type { HeldTimers } from "./held-timers.ts";
import type { NewRun, OpenAttempt, RunRecord } from "../../store/index.ts";

/** A run in memory: its state is the fold of exactly the events that are committed, except while it is being worked on. */
export interface DrivenRun {
  run: RunRecord;
  readonly state: RunState;
  /** Deadlines of open attempts, by node. */
  readonly openAttempts: Map<string, Omit<OpenAttempt, "nodeId" | "replicaId" | "work">>;
  /** Timers that have a row, deadlines of nodes that wait at a gate included. */
  readonly timers: HeldTimers;
  /** Nodes that have a row because they wait for an event. */
  readonly waiters: Set<string>;
  /** Something of it has been done, or another run waits for it: from then on it goes before runs that have not begun. */
  hasBegun: boolean;
  /** Bytes of what its events brought and stays in its state. */
  contentBytes: number;
  /** Time never goes back within a run, whatever the wall clock does. */
  lastAt: number;
  /** Set until the first commit has made the run exist. */
  creating: NewRun | null;
}
