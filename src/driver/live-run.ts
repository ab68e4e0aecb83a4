import type { Clock, Stop } from "../clock/index.ts";
import type { RunState, Timer } from "../core/engine/index.ts";

/** A run and all runs below it: they wait for a person together, or none of them does. */
export interface Family {
  /** Inputs on their way to one of its runs. */
  pendingInputs: number;
  /** Requests that adapters have not answered. */
  openDispatches: number;
  /** Timers that set something going by themselves: backoff, and waiting for a slot or a window. */
  progressTimers: number;
  /** Questions somebody is being asked at this moment. */
  askedApprovals: number;
  waiters: (() => void)[];
}

export function createFamily(): Family {
  return { pendingInputs: 0, openDispatches: 0, progressTimers: 0, askedApprovals: 0, waiters: [] };
}

export interface LiveRun {
  state: RunState;
  readonly family: Family;
  readonly parent: { readonly runId: string; readonly nodeId: string; readonly attempt: number } | null;
  readonly timers: RunTimers;
  readonly dispatches: Set<string>;
  /** Time never goes back within a run, whatever the wall clock does. */
  lastAt: number;
  hasEnded: boolean;
  parked: { readonly message: string } | null;
}

/** Nothing in the family will happen until somebody from outside says something. */
export function isQuiet(family: Family): boolean {
  const { pendingInputs, openDispatches, progressTimers, askedApprovals } = family;
  return pendingInputs + openDispatches + progressTimers + askedApprovals === 0;
}

/** Whoever waits looks again, and goes back to waiting if there is nothing for them. */
export function wakeAll(family: Family): void {
  const { waiters } = family;
  family.waiters = [];
  for (const wake of waiters) wake();
}

export function openDispatch(run: LiveRun, dispatchId: string): void {
  if (run.dispatches.has(dispatchId)) return;
  run.dispatches.add(dispatchId);
  run.family.openDispatches += 1;
}

export function closeDispatch(run: LiveRun, dispatchId: string): void {
  if (run.dispatches.delete(dispatchId)) run.family.openDispatches -= 1;
}

/** Deadlines of one run. The engine never clears a timer; those of an attempt that ended are dropped to save room. */
export class RunTimers {
  readonly #clock: Clock;
  readonly #family: Family;
  readonly #fire: (timer: Timer) => void;
  readonly #stops = new Map<string, Stop>();

  constructor(clock: Clock, family: Family, fire: (timer: Timer) => void) {
    this.#clock = clock;
    this.#family = family;
    this.#fire = fire;
  }

  set(timer: Timer, dueAt: number): void {
    const key = keyOf(timer);
    this.#stops.get(key)?.();
    const weight = timer.kind === "retry" || timer.kind === "queue" ? 1 : 0;
    this.#family.progressTimers += weight;
    const forget = (): void => {
      this.#stops.delete(key);
      this.#family.progressTimers -= weight;
    };
    const stop = this.#clock.after(Math.max(0, dueAt - this.#clock.now()), () => {
      // Told before it is forgotten: the family must not look quiet in between.
      this.#fire(timer);
      forget();
    });
    this.#stops.set(key, () => {
      stop();
      forget();
    });
  }

  dropAttempt(nodeId: string, attempt: number): void {
    this.#stops.get(keyOf({ kind: "attempt", nodeId, attempt }))?.();
  }

  stopAll(): void {
    for (const stop of this.#stops.values()) stop();
  }
}

function keyOf(timer: Timer): string {
  return Object.values(timer).join("/");
}
