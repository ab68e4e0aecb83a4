/**
 * Takes what is queued, lets the engine decide each run to its rest (verdicts included), and writes it all in one
 * transaction. Replies, effects and listeners come only after the commit.
 *
 * D5 a state that was worked on and not committed is dropped · D6 a run that another replica advanced is loaded again
 * and its inputs tried again, the rest of the batch stands · D7 one run that cannot be written is found by bisection and
 * parked, the others commit · D8 while the database is away inputs wait; none is lost while the process lives.
 */
import type { Effect, Timer } from "../../core/engine/index.ts";
import { isTerminal, type RunEvent } from "../../core/event/index.ts";
import type { CommitOutcome, RunCommit, RunStore } from "../../store/index.ts";
import type { Admission, Judge } from "../../governance/index.ts";
import { decideRun, type Work } from "./deciding.ts";
import { deriveCommit, timerKey } from "./derive-commit.ts";
import { settledIn } from "./ended-attempt.ts";
import { renewed } from "./launching.ts";
import type { LiveRun } from "./live-run.ts";
import type { Moderating } from "./moderating.ts";
import type { RunCache } from "./run-cache.ts";
import type { RunQueue, Taken, Waiting } from "./run-queue.ts";

export interface CommitterOptions {
  readonly store: Pick<RunStore, "commit">;
  readonly cache: RunCache;
  readonly queue: RunQueue;
  readonly judge: Judge;
  readonly moderating: Pick<Moderating, "before">;
  /** Another one after a lease was lost. */
  readonly replicaId: () => string;
  readonly now: () => number;
  readonly jitter: () => number;
  /** True for errors that mean "the database is away": then the batch waits and is tried again. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly sleep: (ms: number) => Promise<void>;
  /** After the commit, for each run that changed. */
  readonly onCommitted: (committed: Committed) => void;
  readonly onParked: (runId: string, error: unknown) => void;
}

export interface Committed {
  readonly live: LiveRun;
  readonly events: readonly RunEvent[];
  readonly effects: readonly Effect[];
  readonly toldTimers: readonly Timer[];
}

const RUNS_PER_BATCH_MAX = 300;
const INPUTS_PER_BATCH_MAX = 600;
const UNJUDGED_SLEEP_MS = 1_000;
const UNAVAILABLE_SLEEPS_MS = [50, 100, 250, 500, 1_000, 2_000] as const;

export class Committer {
  readonly #options: CommitterOptions;
  commits = 0;
  committedEvents = 0;
  committedRuns = 0;
  conflicts = 0;
  parked = 0;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  get figures() {
    const { commits, committedEvents, committedRuns, conflicts, parked: parkedRuns } = this;
    return { commits, committedEvents, committedRuns, conflicts, parkedRuns };
  }

  /** Works off one batch; false when there was nothing to do. */
  async step(): Promise<boolean> {
    const { queue, cache } = this.#options;
    const taken = queue.take(RUNS_PER_BATCH_MAX, INPUTS_PER_BATCH_MAX);
    if (taken.length === 0) return false;
    const toLoad = taken.filter(({ fresh }) => fresh === null).map(({ runId }) => runId);
    const unreadable = new Map<string, unknown>();
    const known = await this.#whenAvailable(() => cache.getAll(toLoad, (runId, error) => unreadable.set(runId, error)));
    await this.#prepareJudge(taken, known).catch((error: unknown) => this.#putBack(taken, error));
    const works: Work[] = [];
    for (const one of taken) {
      const live = one.fresh ?? known.get(one.runId);
      if (unreadable.has(one.runId)) this.#park(one, unreadable.get(one.runId));
      else if (live === undefined) this.#finish(one, (waiting) => waiting.done({ kind: "unknown" }));
      else {
        const work = this.#decide(one, live);
        if (work !== undefined) works.push(work);
      }
    }
    await this.#write(works);
    return true;
  }

  /** What the judge must know of an organisation is there before it is asked; almost always it is already. */
  async #prepareJudge(taken: readonly Taken[], known: ReadonlyMap<string, LiveRun>): Promise<void> {
    const { judge } = this.#options;
    if (judge.prepare === undefined) return;
    const orgIds = new Set<string>();
    for (const { runId, fresh } of taken) {
      const live = fresh ?? known.get(runId);
      if (live !== undefined) orgIds.add(live.run.orgId);
    }
    let pending = judge.prepare(orgIds);
    if (pending === undefined) return;
    await this.#whenAvailable(() => {
      const now = pending ?? judge.prepare?.(orgIds) ?? Promise.resolve();
      pending = undefined;
      return now;
    });
  }

  #decide(taken: Taken, live: LiveRun): Work | undefined {
    const { judge } = this.#options;
    const admissions = new Map<string, Admission>();
    try {
      return decideRun(taken, live, this.#options, admissions);
    } catch (error) {
      judge.dropped?.(live.run.orgId, { taken: [...admissions.values()] });
      this.#park(taken, error);
      return undefined;
    }
  }

  /** Writes what changed; runs that only were looked at, or told nothing new, need no commit. */
  async #write(works: readonly Work[]): Promise<void> {
    const { replicaId, judge } = this.#options;
    const changed: Work[] = [];
    for (const work of works) {
      if (work.events.length > 0 || work.toldTimers.some(isStored)) changed.push(work);
      else this.#succeed(work, false);
    }
    if (changed.length === 0) return;
    await this.#commitAll(changed.map((work) => ({ work, commit: deriveCommit(work, replicaId(), judge) })));
  }

  async #commitAll(pairs: readonly Pair[]): Promise<void> {
    const { store } = this.#options;
    let outcome: CommitOutcome;
    try {
      outcome = await this.#whenAvailable(() => store.commit(pairs.map(({ commit }) => commit)));
    } catch (error) {
      return this.#bisect(pairs, error);
    }
    if (outcome.isOverLimit) return this.#overLimit(pairs);
    this.commits += 1;
    const conflicts = new Set(outcome.conflicts);
    const duplicates = new Map(outcome.duplicates.map((duplicate) => [duplicate.runId, duplicate]));
    for (const { work, commit } of pairs) {
      const duplicate = duplicates.get(commit.runId);
      if (duplicate !== undefined) {
        this.#drop(work);
        this.#fail(work.taken, new DuplicateRun(duplicate.existingRunId, duplicate.bodyHash));
      } else if (conflicts.has(commit.runId)) this.#again(work);
      else this.#commitDone(work, commit);
    }
  }

  /** Somebody else took what was left. The run that lost is decided again, on what is counted now. */
  async #overLimit(pairs: readonly Pair[]): Promise<void> {
    const [only] = pairs;
    if (pairs.length > 1 || only === undefined) return this.#halves(pairs);
    const { judge } = this.#options;
    this.#drop(only.work);
    await this.#whenAvailable(() => judge.reload?.(only.commit.orgId) ?? Promise.resolve());
    // Nothing was written: a run that does not exist yet cannot be loaded, and begins anew.
    this.#release(only.work, only.work.live.creating === null ? null : renewed(only.work.live));
  }

  async #bisect(pairs: readonly Pair[], error: unknown): Promise<void> {
    const [only] = pairs;
    if (pairs.length > 1 || only === undefined) return this.#halves(pairs);
    this.#drop(only.work);
    this.#park(only.work.taken, error);
  }

  #drop({ about, admissions }: Work): void {
    this.#options.judge.dropped?.(about.orgId, { taken: [...admissions.values()] });
  }

  async #halves(pairs: readonly Pair[]): Promise<void> {
    const middle = Math.ceil(pairs.length / 2);
    await this.#commitAll(pairs.slice(0, middle));
    await this.#commitAll(pairs.slice(middle));
  }

  #commitDone(work: Work, commit: RunCommit): void {
    const { live } = work;
    const { status, epoch, lastEventId, costMicros, startedAt, endedAt } = commit.head;
    const rowVersion = commit.expectedVersion + 1;
    live.run = { ...live.run, status, epoch, lastEventId, costMicros, startedAt, endedAt, rowVersion };
    live.creating = null;
    for (const { nodeId } of commit.closed) live.openAttempts.delete(nodeId);
    for (const { nodeId, attempt, deadlineAt, agentId, reserved } of commit.opened) {
      live.openAttempts.set(nodeId, { attempt, deadlineAt, agentId, reserved });
    }
    for (const timer of commit.timersCleared) live.timers.delete(timerKey(timer));
    for (const { timer } of commit.timersSet) live.timers.set(timerKey(timer), timer);
    this.committedEvents += commit.events.length;
    this.committedRuns += 1;
    const { runId, orgId, slots, ledger, memories, closed } = commit;
    const ended = closed.map(({ nodeId }) => nodeId);
    const taken = [...work.admissions.values()];
    const settled = settledIn(commit.events);
    this.#options.judge.committed?.(orgId, { runId, ended, settled, taken, slots, ledger, memories });
    this.#succeed(work, true);
  }

  #succeed(work: Work, isWritten: boolean): void {
    const { cache, onCommitted } = this.#options;
    const { live, taken, refusals } = work;
    if (isTerminal(live.state.status)) cache.drop(taken.runId);
    else cache.keep(live);
    if (isWritten) onCommitted(work);
    taken.waiting.forEach((waiting, index) =>
      waiting.done({ kind: "committed", live, refusal: refusals[index], isWritten }),
    );
    this.#options.queue.release(taken.runId);
  }

  /**
   * Somebody else advanced the run; or we did, in a commit whose answer was lost, and telling the inputs again then
   * changes nothing. What that commit left to be done is found when the run is loaded.
   */
  #again(work: Work): void {
    this.#drop(work);
    this.#release(work, null);
  }

  /** Whoever cannot be judged is not decided; it is asked again, and nothing it was told is lost. */
  async #putBack(taken: readonly Taken[], error: unknown): Promise<never> {
    await this.#options.sleep(UNJUDGED_SLEEP_MS);
    for (const { runId, waiting, fresh } of taken) this.#options.queue.release(runId, waiting, fresh);
    throw error;
  }

  #release({ taken }: Work, fresh: LiveRun | null): void {
    this.conflicts += 1;
    this.#options.cache.drop(taken.runId);
    this.#options.queue.release(taken.runId, taken.waiting, fresh);
  }

  #fail(taken: Taken, error: Error): void {
    this.#options.cache.drop(taken.runId);
    this.#finish(taken, (waiting) => waiting.done({ kind: "failed", error }));
  }

  #park(taken: Taken, error: unknown): void {
    this.parked += 1;
    this.#options.onParked(taken.runId, error);
    this.#fail(taken, error instanceof Error ? error : new Error(String(error)));
  }

  #finish(taken: Taken, tell: (waiting: Waiting) => void): void {
    taken.waiting.forEach(tell);
    this.#options.queue.release(taken.runId);
  }

  /** Tries until the database answers; anything but its absence is thrown. */
  async #whenAvailable<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (!this.#options.isUnavailable(error)) throw error;
        await this.#options.sleep(UNAVAILABLE_SLEEPS_MS[Math.min(tries, UNAVAILABLE_SLEEPS_MS.length - 1)] ?? 0);
      }
    }
  }
}

interface Pair {
  readonly work: Work;
  readonly commit: RunCommit;
}

/** Timers of a dispatched attempt have no row of their own, and two kinds are never stored. */
function isStored({ kind }: Timer): boolean {
  return kind !== "attempt" && kind !== "lost" && kind !== "wake";
}

/** The idempotency key of a launch had started another run. */
export class DuplicateRun extends Error {
  override readonly name = "DuplicateRun";
  readonly runId: string;
  readonly bodyHash: string;
  constructor(runId: string, bodyHash: string) {
    super("the idempotency key was used before");
    this.runId = runId;
    this.bodyHash = bodyHash;
  }
}
