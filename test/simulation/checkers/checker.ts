import type { Carried, Dispatch } from "../../../src/core/engine/index.ts";
import type { RunEvent } from "../../../src/core/event/index.ts";
import type { Turn } from "../engine.ts";
import type { NodeFacts, RunFacts } from "../world/facts.ts";
import type { AgentModel } from "../world/agents.ts";
import type { Happening } from "../world/happenings.ts";
import type { SimRun } from "../world/run.ts";
import type { MadeCall, PaidRound } from "../world/tool-server.ts";

/** A broken promise, named by the number of the promise. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly invariant: string;

  constructor(invariant: string, runId: string, message: string) {
    super(`${invariant} ${runId}: ${message}`);
    this.invariant = invariant;
  }
}

/** One event in its place. `node` is undefined for events of the run, and for instances that do not exist yet. */
export interface Seen {
  readonly facts: RunFacts;
  readonly node: NodeFacts | undefined;
  readonly event: RunEvent;
  readonly turn: Turn;
}

/** What a checker may ask of the world around the engine. */
export interface Surroundings {
  readonly agents: ReadonlyMap<string, AgentModel>;
  readonly runs: ReadonlyMap<string, SimRun>;
  /** Every event that was sent or emitted. */
  readonly happenings: readonly Happening[];
  costOf(runId: string): number;
  /** Whether a node has a slot and money of its agent. */
  holds(runId: string, nodeId: string): boolean;
}

/**
 * Judges one invariant from outside: from events, effects, inputs and the plan, never through the engine.
 * A checker lives as long as one schedule and keeps what it has to remember itself.
 */
export interface Checker {
  readonly id: string;
  beforeTurn?(facts: RunFacts, turn: Turn): void;
  beforeEvent?(seen: Seen): void;
  afterEvent?(seen: Seen): void;
  afterTurn?(facts: RunFacts, turn: Turn): void;
  afterCommit?(facts: RunFacts, turns: readonly Turn[]): void;
  sent?(facts: RunFacts, dispatch: Dispatch): void;
  /** A tool was called. */
  made?(facts: RunFacts, made: MadeCall): void;
  /** A model has answered. */
  paid?(facts: RunFacts, paid: PaidRound): void;
  restarted?(source: RunFacts, named: string | undefined, carried: readonly Carried[]): void;
  quiet?(runs: readonly SimRun[]): void;
}

export type MakeChecker = (around: Surroundings, seed: number) => Checker;
