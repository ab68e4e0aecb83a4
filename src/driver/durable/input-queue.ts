import { Overloaded, type SubmitOutcome } from "./runtime.ts";
import type { DrivenRun } from "./driven-run.ts";
import { FairQueue, type QueuedRun } from "./fair-queue.ts";
import type { AttemptReport } from "../../store/index.ts";
import type { UnstampedInput } from "../../core/engine/index.ts";

/** Null: only the committed state is read. A function decides when its turn comes, with the state before it. */
export type QueuedInput = UnstampedInput | null | ((live: DrivenRun) => ResolvedInput);

/** One input that waits for its turn, and who is called when it is committed. */
export interface Waiting {
  readonly input: QueuedInput;
  readonly done: (outcome: InputOutcome) => void;
}

/** The input a run receives after all, and the report that came with it. */
export interface ResolvedInput {
  readonly input: UnstampedInput | null;
  readonly report?: AttemptReport;
}

export type InputOutcome =
  | {
      readonly kind: "committed";
      readonly live: DrivenRun;
      readonly refusal: SubmitOutcome["refusal"] | undefined;
      /** False when nothing had to be written: then nothing has shown that the state was the newest. */
      readonly isWritten: boolean;
    }
  | { readonly kind: "unknown" }
  | { readonly kind: "failed"; readonly error: Error };

/**
 * While anything is done for runs that exist, one run may begin for so many of them; what was not used is kept, up to
 * a bound, so that a lull is no loss.
 */
const WORK_PER_START = 6;
const STARTS_KEPT_MAX = 64;
/** Of a batch that is full, one in so many is a run that begins. */
const STARTS_SHARE = 16;

interface Lane {
  readonly waiting: Waiting[];
  readonly owner: QueuedRun;
  /** A new run, which is in no database yet. */
  fresh: DrivenRun | null;
  isBusy: boolean;
  /** A batch has it, and it existed before. */
  isBegun: boolean;
}

/** Runs that are not in memory take turns as if they were of one organisation. */
const UNKNOWN_OWNER: QueuedRun = { orgId: "", priority: "normal" };

const QUEUED_INPUTS_MAX = 20_000;

/**
 * Every input of every run passes here.
 * - Within a run: first come, first served.
 * - A run is worked on by one batch at a time, so that batches can overlap without ever touching the same state.
 * - Runs that exist go before runs that begin.
 * - Organisations take turns, and within one runs go by their priority.
 */
export class InputQueue {
  /** Called when a batch could be taken. */
  onReady: () => void = () => undefined;
  readonly #ownerOf: (runId: string) => QueuedRun | undefined;
  readonly #lanes = new Map<string, Lane>();
  /** Runs with something to do that no batch has: runs that exist, and runs that begin. */
  readonly #work = new FairQueue();
  readonly #starts = new FairQueue();
  /** Runs that exist and that batches under way have. */
  #busy = 0;
  #startsAllowed = STARTS_KEPT_MAX;
  #size = 0;
  #isClosed = false;

  /** `ownerOf`: what is known of runs that exist. */
  constructor(ownerOf: (runId: string) => QueuedRun | undefined = () => undefined) {
    this.#ownerOf = ownerOf;
  }

  get size(): number {
    return this.#size;
  }

  get hasReady(): boolean {
    return this.#work.hasAny || (this.#starts.hasAny && this.#startsMax() > 0);
  }

  /** For callers that can come again later. */
  refuseWhenFull(): void {
    if (this.#isClosed) throw new Overloaded(2_000);
    if (this.#size >= QUEUED_INPUTS_MAX) throw new Overloaded(1_000);
  }

  /** Takes nothing new from callers outside. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves after the commit. `fresh`: a new run, which is in no database yet. */
  submit(runId: string, input: QueuedInput, fresh: DrivenRun | null = null): Promise<InputOutcome> {
    return new Promise((done) => this.push(runId, { input, done }, fresh));
  }

  /** For adapters and deadlines, which wait for no answer. */
  enqueue(runId: string, input: QueuedInput, done: () => void = () => undefined): void {
    this.push(runId, { input, done }, null);
  }

  push(runId: string, waiting: Waiting, fresh: DrivenRun | null = null): void {
    const lane = this.#lane(runId, fresh);
    lane.fresh ??= fresh;
    lane.waiting.push(waiting);
    this.#size += 1;
    if (!lane.isBusy && lane.waiting.length === 1) this.#readyOf(lane).push(runId, lane.owner);
    this.onReady();
  }

  /**
   * Takes whole lanes, at most so many runs and, beyond the first, so many inputs. Runs that exist go first, and while
   * something is done for them few runs begin: what is in flight ends before more is begun.
   */
  take(runsMax: number, inputsMax: number): readonly Taken[] {
    const taken: Taken[] = [];
    // Runs that begin are never kept out altogether.
    const reserved = this.#starts.hasAny ? Math.min(this.#startsMax(), Math.floor(runsMax / STARTS_SHARE)) : 0;
    const inputs = this.#takeFrom(this.#work, runsMax - reserved, inputsMax, taken);
    const work = taken.length;
    this.#busy += work;
    this.#startsAllowed = Math.min(STARTS_KEPT_MAX, this.#startsAllowed + work / WORK_PER_START);
    this.#takeFrom(this.#starts, Math.min(runsMax, work + this.#startsMax()), inputsMax - inputs, taken);
    if (this.#busy > 0) this.#startsAllowed -= taken.length - work;
    return taken;
  }

  /** With nothing else to do there is no bound. */
  #startsMax(): number {
    return this.#busy === 0 ? Infinity : Math.floor(this.#startsAllowed);
  }

  /** How many inputs were taken. */
  #takeFrom(ready: FairQueue, runsMax: number, inputsMax: number, taken: Taken[]): number {
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
      lane.isBegun = lane.fresh === null;
      taken.push({ runId, waiting, fresh: lane.fresh });
      lane.fresh = null;
    }
    return inputs;
  }

  /** The batch is done with the run; `again` goes back to the front of its lane. */
  release(runId: string, again: readonly Waiting[] = [], fresh: DrivenRun | null = null): void {
    const lane = this.#lane(runId, fresh);
    if (lane.isBusy && lane.isBegun) this.#busy -= 1;
    lane.isBusy = false;
    lane.fresh ??= fresh;
    lane.waiting.unshift(...again);
    this.#size += again.length;
    if (lane.waiting.length === 0) this.#lanes.delete(runId);
    else {
      this.#readyOf(lane).push(runId, lane.owner);
      this.onReady();
    }
  }

  #readyOf({ fresh }: Lane): FairQueue {
    return fresh === null ? this.#work : this.#starts;
  }

  #lane(runId: string, fresh: DrivenRun | null): Lane {
    let lane = this.#lanes.get(runId);
    if (lane === undefined) {
      const owner = fresh?.run ?? this.#ownerOf(runId) ?? UNKNOWN_OWNER;
      lane = { waiting: [], owner, fresh: null, isBusy: false, isBegun: false };
      this.#lanes.set(runId, lane);
    }
    return lane;
  }
}

export interface Taken {
  readonly runId: string;
  readonly waiting: readonly Waiting[];
  readonly fresh: DrivenRun | null;
}
