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
  /** Runs with something to do that no batch has, oldest first. */
  #ready: string[] = [];
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get hasReady(): boolean {
    return this.#head < this.#ready.length;
  }

  push(runId: string, waiting: Waiting, fresh: LiveRun | null = null): void {
    const lane = this.#lane(runId);
    lane.fresh ??= fresh;
    lane.waiting.push(waiting);
    this.#size += 1;
    if (!lane.isBusy && lane.waiting.length === 1) this.#ready.push(runId);
  }

  /** Takes whole lanes, at most so many runs and, beyond the first, so many inputs. */
  take(runsMax: number, inputsMax: number): readonly Taken[] {
    const taken: Taken[] = [];
    let inputs = 0;
    while (this.hasReady && taken.length < runsMax && inputs < inputsMax) {
      const runId = this.#ready[this.#head] ?? "";
      this.#head += 1;
      const lane = this.#lanes.get(runId);
      if (lane === undefined || lane.isBusy) continue;
      lane.isBusy = true;
      const waiting = lane.waiting.splice(0, lane.waiting.length);
      this.#size -= waiting.length;
      inputs += waiting.length;
      taken.push({ runId, waiting, fresh: lane.fresh });
      lane.fresh = null;
    }
    if (this.#head > 1024 || !this.hasReady) {
      this.#ready = this.#ready.slice(this.#head);
      this.#head = 0;
    }
    return taken;
  }

  /** The batch is done with the run; `again` goes back to the front of its lane. */
  release(runId: string, again: readonly Waiting[] = [], fresh: LiveRun | null = null): void {
    const lane = this.#lane(runId);
    lane.isBusy = false;
    lane.fresh ??= fresh;
    lane.waiting.unshift(...again);
    this.#size += again.length;
    if (lane.waiting.length > 0) this.#ready.push(runId);
    else this.#lanes.delete(runId);
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

export interface Taken {
  readonly runId: string;
  readonly waiting: readonly Waiting[];
  readonly fresh: LiveRun | null;
}
