import type { TellOutcome } from "./runtime.ts";
import type { LiveRun } from "./live-run.ts";
import type { AttemptReport } from "../../store/index.ts";
import type { Told } from "../told.ts";

/** One thing to do with a run, and whom to tell when it is committed. */
export interface Waiting {
  /** Null: only a look at the committed state. A function decides when its turn comes, with the state before it. */
  readonly told: Told | null | ((live: LiveRun) => Telling);
  readonly done: (outcome: Outcome) => void;
}

/** What a run is told after all, and what else was said with it. */
export interface Telling {
  readonly told: Told | null;
  readonly report?: AttemptReport;
}

export type Outcome =
  | {
      readonly kind: "committed";
      readonly live: LiveRun;
      readonly refusal: TellOutcome["refusal"] | undefined;
      /** False when nothing had to be written: then nothing has shown that the state was the newest. */
      readonly isWritten: boolean;
    }
  | { readonly kind: "unknown" }
  | { readonly kind: "failed"; readonly error: Error };

/** Of a batch, runs that begin get at least one in so many, and one for so many that exist. */
const STARTS_SHARE_MIN = 16;
const STARTS_PER_WORK = 4;

interface Lane {
  readonly waiting: Waiting[];
  /** A new run, which is in no database yet. */
  fresh: LiveRun | null;
  isBusy: boolean;
}

/**
 * Inputs by run: first come, first served within a run, and a run is worked on by one batch at a time, so that batches
 * can overlap without ever touching the same state.
 */
export class RunQueue {
  readonly #lanes = new Map<string, Lane>();
  /** Runs with something to do that no batch has: runs that exist, and runs that begin. */
  readonly #work = new ReadyRuns();
  readonly #starts = new ReadyRuns();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get hasReady(): boolean {
    return this.#work.hasAny || this.#starts.hasAny;
  }

  push(runId: string, waiting: Waiting, fresh: LiveRun | null = null): void {
    const lane = this.#lane(runId);
    lane.fresh ??= fresh;
    lane.waiting.push(waiting);
    this.#size += 1;
    if (!lane.isBusy && lane.waiting.length === 1) this.#readyOf(lane).push(runId);
  }

  /**
   * Takes whole lanes, at most so many runs and, beyond the first, so many inputs. Runs that exist go first: while any
   * of them has something to do, runs that begin get a small share of the batch, so that what is in flight ends before
   * more is begun.
   */
  take(runsMax: number, inputsMax: number): readonly Taken[] {
    const taken: Taken[] = [];
    const startsMin = this.#starts.hasAny ? Math.floor(runsMax / STARTS_SHARE_MIN) : 0;
    let inputs = this.#takeFrom(this.#work, runsMax - startsMin, inputsMax, taken);
    const startsMax = taken.length === 0 ? runsMax : Math.max(1, Math.floor(taken.length / STARTS_PER_WORK));
    inputs += this.#takeFrom(this.#starts, Math.min(runsMax, taken.length + startsMax), inputsMax - inputs, taken);
    return taken;
  }

  /** How many inputs were taken. */
  #takeFrom(ready: ReadyRuns, runsMax: number, inputsMax: number, taken: Taken[]): number {
    let inputs = 0;
    while (taken.length < runsMax && inputs < inputsMax) {
      const runId = ready.shift();
      if (runId === undefined) break;
      const lane = this.#lanes.get(runId);
      if (lane === undefined || lane.isBusy) continue;
      lane.isBusy = true;
      const waiting = lane.waiting.splice(0, lane.waiting.length);
      this.#size -= waiting.length;
      inputs += waiting.length;
      taken.push({ runId, waiting, fresh: lane.fresh });
      lane.fresh = null;
    }
    return inputs;
  }

  /** The batch is done with the run; `again` goes back to the front of its lane. */
  release(runId: string, again: readonly Waiting[] = [], fresh: LiveRun | null = null): void {
    const lane = this.#lane(runId);
    lane.isBusy = false;
    lane.fresh ??= fresh;
    lane.waiting.unshift(...again);
    this.#size += again.length;
    if (lane.waiting.length > 0) this.#readyOf(lane).push(runId);
    else this.#lanes.delete(runId);
  }

  #readyOf({ fresh }: Lane): ReadyRuns {
    return fresh === null ? this.#work : this.#starts;
  }

  #lane(runId: string): Lane {
    let lane = this.#lanes.get(runId);
    if (lane === undefined) {
      lane = { waiting: [], fresh: null, isBusy: false };
      this.#lanes.set(runId, lane);
    }
    return lane;
  }
}

/** A queue of ids from which the oldest is taken without moving the others. */
class ReadyRuns {
  #ids: string[] = [];
  #head = 0;

  get hasAny(): boolean {
    return this.#head < this.#ids.length;
  }

  push(runId: string): void {
    this.#ids.push(runId);
  }

  shift(): string | undefined {
    const runId = this.#ids[this.#head];
    if (runId === undefined) return undefined;
    this.#head += 1;
    if (this.#head > 1_024 || !this.hasAny) {
      this.#ids = this.#ids.slice(this.#head);
      this.#head = 0;
    }
    return runId;
  }
}

export interface Taken {
  readonly runId: string;
  readonly waiting: readonly Waiting[];
  readonly fresh: LiveRun | null;
}
