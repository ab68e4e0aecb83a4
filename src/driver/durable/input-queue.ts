import { Overloaded, type SubmitOutcome } from "./runtime.ts";
import type { DrivenRun } from "./driven-run.ts";
import { FairQueue, type QueuedRun, UNKNOWN_OWNER } from "./fair-queue.ts";
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

interface Lane {
  readonly runId: string;
  readonly waiting: Waiting[];
  readonly owner: QueuedRun;
  /** A new run, which is in no database yet. */
  fresh: DrivenRun | null;
  isTaken: boolean;
}

/**
 * While several organisations have something to do, and for so many batches after that, a batch has so many inputs. One that
 * has little to do waits mostly for the event loop, which a batch of another takes as long as it is large.
 */
const SHARED_INPUTS_MAX = 16;
const SHARED_BATCHES = 512;

const QUEUED_INPUTS_MAX = 20_000;

/**
 * Every input of every run passes here.
 * - Within a run: first come, first served.
 * - A run is worked on by one batch at a time, so that batches can overlap without ever touching the same state.
 * - Organisations take turns; within one, runs that exist go before runs that begin, then by their priority.
 */
export class InputQueue {
  /** Called when a batch could be taken. */
  onReady: () => void = () => undefined;
  readonly #ownerOf: (runId: string) => QueuedRun | undefined;
  readonly #lanes = new Map<string, Lane>();
  /** Runs with something to do that no batch has. */
  readonly #ready = new FairQueue<Lane>();
  /** For how many batches more organisations have to wait for little at a time. */
  #shared = 0;
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
    return this.#ready.hasAny;
  }

  /** Whether an organisation has something to do of which no batch has anything. */
  get hasApart(): boolean {
    return this.#ready.hasApart;
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
    if (!lane.isTaken && lane.waiting.length === 1) this.#queue(lane);
    this.onReady();
  }

  /** Takes whole lanes in turns, at most so many runs and, beyond the first, so many inputs. */
  take(runsMax: number, inputsMax: number): readonly Taken[] {
    const max = this.#isShared() ? Math.min(inputsMax, SHARED_INPUTS_MAX) : inputsMax;
    const taken: Taken[] = [];
    this.#ready.newBatch();
    for (let inputs = 0; taken.length < runsMax && inputs < max;) {
      const lane = this.#ready.shift();
      if (lane === undefined) break;
      inputs += lane.waiting.length;
      taken.push(this.#taken(lane));
    }
    return taken;
  }

  #taken(lane: Lane): Taken {
    const { runId, fresh } = lane;
    const waiting = lane.waiting.splice(0, lane.waiting.length);
    this.#size -= waiting.length;
    lane.isTaken = true;
    lane.fresh = null;
    return { runId, waiting, fresh };
  }

  #isShared(): boolean {
    if (this.#ready.organisations > 1) this.#shared = SHARED_BATCHES;
    else if (this.#shared > 0) this.#shared -= 1;
    return this.#shared > 0;
  }

  /** The batch is done with the run; `again` goes back to the front of its lane. */
  release(runId: string, again: readonly Waiting[] = [], fresh: DrivenRun | null = null): void {
    const lane = this.#lane(runId, fresh);
    const { isTaken, owner } = lane;
    const isQueued = !isTaken && lane.waiting.length > 0;
    lane.isTaken = false;
    lane.fresh ??= fresh;
    lane.waiting.unshift(...again);
    this.#size += again.length;
    const isDone = lane.waiting.length === 0;
    if (isDone) this.#lanes.delete(runId);
    else if (!isQueued) this.#queue(lane);
    // After that, so that what is known of an organisation that has more to do is kept.
    if (isTaken) this.#ready.ended(owner);
    if (!isDone) this.onReady();
  }

  #queue(lane: Lane): void {
    this.#ready.push(lane, lane.owner, lane.fresh === null ? "work" : "start");
  }

  #lane(runId: string, fresh: DrivenRun | null): Lane {
    let lane = this.#lanes.get(runId);
    if (lane === undefined) {
      const owner = fresh?.run ?? this.#ownerOf(runId) ?? UNKNOWN_OWNER;
      lane = { runId, waiting: [], owner, fresh: null, isTaken: false };
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
