import { Overloaded, type SubmitOutcome } from "./runtime.ts";
import type { DrivenRun } from "./driven-run.ts";
import { FairQueue, type QueuedFor, type QueuedRun, UNKNOWN_OWNER } from "./fair-queue.ts";
import type { AttemptReport } from "../../store/index.ts";
import type { UnstampedInput } from "../../core/engine/index.ts";

/** An input; null to only read the committed state; or a function that computes the input from the state at the time it is processed. */
export type QueuedInput = UnstampedInput | null | ((live: DrivenRun) => ResolvedInput);

/** A queued input, and the callback that receives its outcome after the commit. */
export interface Waiting {
  readonly input: QueuedInput;
  readonly done: (outcome: InputOutcome) => void;
}

/** The input that a run finally receives, and the report it came from. */
export interface ResolvedInput {
  readonly input: UnstampedInput | null;
  readonly report?: AttemptReport;
}

export type InputOutcome =
  | {
      readonly kind: "committed";
      readonly live: DrivenRun;
      readonly refusal: SubmitOutcome["refusal"] | undefined;
      /** False when there was nothing to write. In that case no commit has confirmed that the state was the newest. */
      readonly isWritten: boolean;
    }
  | { readonly kind: "unknown" }
  | { readonly kind: "failed"; readonly error: Error };

interface Lane {
  readonly runId: string;
  readonly waiting: Waiting[];
  readonly owner: QueuedRun;
  /** A new run that is not in the database yet. */
  fresh: DrivenRun | null;
  /** What the run was last queued for. */
  queuedFor: QueuedFor;
  isTaken: boolean;
}

/**
 * Maximum number of inputs per batch while several organisations have queued inputs, and for the next SHARED_BATCHES
 * batches. An organisation with few inputs waits mostly for the event loop, which a large batch of another organisation
 * blocks for longer.
 */
const SHARED_INPUTS_MAX = 16;
const SHARED_BATCHES = 512;

const QUEUED_INPUTS_MAX = 20_000;

/**
 * The queue that every input of every run passes through.
 * - Within a run: first come, first served.
 * - At most one batch works on a run at a time, so that overlapping batches never touch the same state.
 * - Organisations are served in turn. Within one, existing runs are served before new runs, then by priority.
 */
export class InputQueue {
  /** Called when runs may be ready for a batch. */
  onReady: () => void = () => undefined;
  readonly #ownerOf: (runId: string) => QueuedRun | undefined;
  readonly #lanes = new Map<string, Lane>();
  /** Runs with queued inputs that no batch has taken. */
  readonly #ready: FairQueue<Lane>;
  /** Number of further batches that stay small because several organisations had queued inputs. */
  #shared = 0;
  #size = 0;
  #isClosed = false;

  /** `ownerOf`: returns the organisation and priority of a run in memory. `hasBacklog`: see `FairQueue`. */
  constructor(
    ownerOf: (runId: string) => QueuedRun | undefined = () => undefined,
    hasBacklog: (orgId: string) => boolean = () => false,
  ) {
    this.#ownerOf = ownerOf;
    this.#ready = new FairQueue(hasBacklog);
  }

  get size(): number {
    return this.#size;
  }

  get hasReady(): boolean {
    return this.#ready.hasAny;
  }

  /** Whether an organisation has queued inputs and no run in any batch. */
  get hasIdleOrganisation(): boolean {
    return this.#ready.hasIdleOrganisation;
  }

  /** Throws Overloaded when the queue is full or closed. For callers that can retry later. */
  refuseWhenFull(): void {
    if (this.#isClosed) throw new Overloaded(2_000);
    if (this.#size >= QUEUED_INPUTS_MAX) throw new Overloaded(1_000);
  }

  /** Makes `refuseWhenFull` refuse all callers outside from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves after the commit. `fresh` is a new run that is not in the database yet. */
  submit(runId: string, input: QueuedInput, fresh: DrivenRun | null = null): Promise<InputOutcome> {
    return new Promise((done) => this.push(runId, { input, done }, fresh));
  }

  /** Adds an input without waiting for its outcome. For adapters and deadlines. */
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

  /** Takes whole lanes, organisation by organisation: at most `runsMax` runs, and no further run once `inputsMax` inputs are taken. */
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

  /** Returns a run from its batch. The inputs in `again` go back to the front of its lane. */
  release(runId: string, again: readonly Waiting[] = [], fresh: DrivenRun | null = null): void {
    const lane = this.#lane(runId, fresh);
    const { isTaken, owner, queuedFor } = lane;
    const isQueued = !isTaken && lane.waiting.length > 0;
    lane.isTaken = false;
    lane.fresh ??= fresh;
    lane.waiting.unshift(...again);
    this.#size += again.length;
    const isDone = lane.waiting.length === 0;
    if (isDone) this.#lanes.delete(runId);
    else if (!isQueued) this.#queue(lane);
    // Only after the lane is queued again: the queue forgets an organisation with nothing waiting and nothing under way.
    if (isTaken) this.#ready.ended(owner, queuedFor);
    if (!isDone) this.onReady();
  }

  #queue(lane: Lane): void {
    // A run in flight waits for its child runs.
    lane.queuedFor = lane.fresh?.run.parentRunId === null ? "start" : "work";
    this.#ready.push(lane, lane.owner, lane.queuedFor);
  }

  #lane(runId: string, fresh: DrivenRun | null): Lane {
    let lane = this.#lanes.get(runId);
    if (lane === undefined) {
      const owner = fresh?.run ?? this.#ownerOf(runId) ?? UNKNOWN_OWNER;
      lane = { runId, waiting: [], owner, fresh: null, queuedFor: "work", isTaken: false };
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
