/**
 * Takes queued inputs, lets the engine decide each run completely (verdicts included), and writes all changes in one
 * transaction. Replies, effects and listeners come only after the commit.
 * D5: a state that was changed and not committed is dropped.
 * D6: a run that another replica advanced is loaded again and its inputs are retried; the rest of the batch is committed.
 * D7: a run that cannot be decided or written is found by trying runs one by one and parked; the others commit.
 * D8: while the database is unavailable inputs wait; none is lost while the process lives.
 * D9: however a batch ends, each of its runs is released and each of its callers gets an answer.
 */
import type { Timer } from "../../core/engine/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import { type CommitOutcome, OrganisationMoving, type RunCommit } from "../../store/index.ts";
import { applyCommit } from "./apply-commit.ts";
import type { CommitterOptions } from "./committer-options.ts";
import { decideRun, type Takings, type Work } from "./decide-run.ts";
import { changesOf, isStored } from "./committed-changes.ts";
import { deriveCommit, hasWaitMoved } from "./derive-commit.ts";
import { DuplicateRun } from "./duplicate-run.ts";
import { prepareJudge } from "./prepare-judge.ts";
import { withoutDecisions } from "./launch.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { InputOutcome, Taken } from "./input-queue.ts";

const RUNS_PER_BATCH_MAX = 300;
const INPUTS_PER_BATCH_MAX = 600;
/** Delay before a run that could not be judged is tried again. */
const UNJUDGED_MS = 1_000;

export class Committer {
  readonly #options: CommitterOptions;
  /** Runs of batches in progress that are not released yet. */
  readonly #held = new Map<string, Taken>();
  readonly figures = { commits: 0, committedEvents: 0, committedRuns: 0, conflicts: 0, parkedRuns: 0 };

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** Processes one batch. Returns false when there was nothing to do. */
  async step(): Promise<boolean> {
    const taken = this.#options.queue.take(RUNS_PER_BATCH_MAX, INPUTS_PER_BATCH_MAX);
    if (taken.length === 0) return false;
    for (const one of taken) this.#held.set(one.runId, one);
    try {
      await this.#workOff(taken);
    } catch (error) {
      this.#options.onTrouble("a batch failed, and its runs are tried one by one", error);
      await this.#oneByOne(taken);
    }
    return true;
  }

  /** Handles an error that cannot be attributed to a run: tries each run alone and parks the one that fails again. */
  async #oneByOne(taken: readonly Taken[]): Promise<void> {
    for (const one of taken) {
      if (this.#held.get(one.runId) !== one) continue;
      this.#options.cache.drop(one.runId);
      try {
        await this.#workOff([{ ...one, fresh: one.fresh === null ? null : withoutDecisions(one.fresh) }]);
      } catch (error) {
        if (this.#held.has(one.runId)) this.#park(one, error);
      }
    }
  }

  async #workOff(taken: readonly Taken[]): Promise<void> {
    const { cache, health } = this.#options;
    const toLoad = taken.filter(({ fresh }) => fresh === null).map(({ runId }) => runId);
    const unreadable = new Map<string, unknown>();
    const known = await health.untilAvailable(() => cache.getAll(toLoad, (runId, why) => unreadable.set(runId, why)));
    if (!(await this.#isJudgeReady(taken, known))) return this.#putBack(taken);
    const found = await health.untilAvailable(() => this.#options.places.find(taken, known));
    const works: Work[] = [];
    for (const one of taken) {
      const live = one.fresh ?? known.get(one.runId);
      if (unreadable.has(one.runId)) this.#park(one, unreadable.get(one.runId));
      else if (live === undefined) this.#gone(one);
      else {
        const work = this.#decide(one, live, found.get(one.runId));
        if (work !== undefined) works.push(work);
      }
    }
    await this.#write(works);
  }

  /** The run is not here. Its organisation may have moved to another cell, where its inputs are submitted. */
  #gone(taken: Taken): void {
    const isFollowed = this.#options.onGone?.(taken.runId, taken.waiting) === true;
    this.#finish(isFollowed ? { ...taken, waiting: [] } : taken, () => ({ kind: "unknown" }));
  }

  async #isJudgeReady(taken: readonly Taken[], known: ReadonlyMap<string, DrivenRun>): Promise<boolean> {
    try {
      await prepareJudge(this.#options.judge, this.#options.health, taken, known);
      return true;
    } catch (error) {
      // An organisation that cannot be judged must not block the others.
      if (taken.length > 1) throw error;
      this.#options.onTrouble("a run cannot be judged, and is tried again", error);
      return false;
    }
  }

  #decide(taken: Taken, live: DrivenRun, found: Parameters<typeof decideRun>[4]): Work | undefined {
    const { judge } = this.#options;
    const taking: Takings = { admissions: new Map(), inTurns: [] };
    try {
      return decideRun(taken, live, this.#options, taking, found);
    } catch (error) {
      judge.dropped?.(live.run.orgId, { taken: [...taking.admissions.values()], takenInTurns: taking.inTurns });
      this.#park(taken, error);
      return undefined;
    }
  }

  /** Writes what changed. Runs that were only read, or received nothing new, need no commit. */
  async #write(works: readonly Work[]): Promise<void> {
    const pairs: Pair[] = [];
    for (const work of works) {
      const isChanged = work.facts.events.length > 0 || work.firedTimers.some(isStored) || hasWaitMoved(work);
      if (!isChanged) this.#succeed(work, null);
      else {
        const pair = this.#derive(work);
        if (pair !== undefined) pairs.push(pair);
      }
    }
    try {
      if (pairs.length > 0) await this.#commitAll(pairs);
    } catch (error) {
      for (const { work } of pairs) if (this.#held.has(work.taken.runId)) this.#drop(work);
      throw error;
    }
  }

  #derive(work: Work): Pair | undefined {
    const { lease, judge } = this.#options;
    try {
      return { work, commit: deriveCommit(work, lease.replicaId, judge) };
    } catch (error) {
      this.#drop(work);
      this.#park(work.taken, error);
      return undefined;
    }
  }

  async #commitAll(pairs: readonly Pair[]): Promise<void> {
    const { store, health } = this.#options;
    let outcome: CommitOutcome;
    try {
      outcome = await health.untilAvailable(() => store.commit(pairs.map(({ commit }) => commit)));
    } catch (error) {
      return error instanceof OrganisationMoving ? this.#moving(pairs, error) : this.#bisect(pairs, error);
    }
    if (outcome.isOverLimit) return this.#overLimit(pairs);
    this.figures.commits += 1;
    const conflicts = new Set(outcome.conflicts);
    const duplicates = new Map(outcome.duplicates.map((duplicate) => [duplicate.runId, duplicate]));
    for (const { work, commit } of pairs) {
      const duplicate = duplicates.get(commit.runId);
      if (duplicate !== undefined) {
        this.#drop(work);
        this.#fail(work.taken, new DuplicateRun(duplicate.existingRunId, duplicate.bodyHash));
      } else if (conflicts.has(commit.runId)) this.#retryConflict(work);
      else this.#commitDone(work, commit);
    }
  }

  /** Commits the other runs. An existing run waits until its new cell is known; a new run fails here, to be started in that cell. */
  async #moving(pairs: readonly Pair[], error: OrganisationMoving): Promise<void> {
    const others = pairs.filter(({ commit }) => commit.orgId !== error.orgId);
    for (const { work, commit } of pairs.filter((pair) => !others.includes(pair))) {
      this.#drop(work);
      this.#options.cache.drop(commit.runId);
      if (commit.create === null) this.#putBack([work.taken]);
      else this.#fail(work.taken, error);
    }
    if (others.length > 0) await this.#commitAll(others);
  }

  /** Another run took the remaining amount. The run that lost is decided again with the current counts. */
  async #overLimit(pairs: readonly Pair[]): Promise<void> {
    const [only] = pairs;
    if (pairs.length > 1 || only === undefined) return this.#halves(pairs);
    const { judge, health } = this.#options;
    await health.untilAvailable(() => judge.reload?.(only.commit.orgId) ?? Promise.resolve());
    this.#drop(only.work);
    // Nothing was written. A run that does not exist yet cannot be loaded, so it starts over.
    this.#release(only.work, only.work.live.creating === null ? null : withoutDecisions(only.work.live));
  }

  async #bisect(pairs: readonly Pair[], error: unknown): Promise<void> {
    const [only] = pairs;
    if (pairs.length > 1 || only === undefined) return this.#halves(pairs);
    this.#drop(only.work);
    this.#park(only.work.taken, error);
  }

  #drop({ about, admissions, inTurns }: Work): void {
    this.#options.judge.dropped?.(about.orgId, { taken: [...admissions.values()], takenInTurns: inTurns });
  }

  async #halves(pairs: readonly Pair[]): Promise<void> {
    const middle = Math.ceil(pairs.length / 2);
    await this.#commitAll(pairs.slice(0, middle));
    await this.#commitAll(pairs.slice(middle));
  }

  /** The commit is permanent, even if the work that follows it fails here. */
  #commitDone(work: Work, commit: RunCommit): void {
    const { cache, judge } = this.#options;
    const gone = applyCommit(work.live, commit);
    this.figures.committedEvents += commit.events.length;
    this.figures.committedRuns += 1;
    const { runId, orgId } = commit;
    const changes = changesOf(work, commit);
    try {
      judge.committed?.(orgId, changes);
      this.#succeed(work, gone);
      this.#options.places.committed(work.live, commit.place, work.victims);
    } catch (error) {
      cache.drop(runId);
      if (this.#held.has(runId)) this.#answer(work, true);
      this.#followUp(runId, error);
    }
  }

  /** `gone` are the timers that the commit cleared. Null when nothing had to be written. */
  #succeed(work: Work, gone: readonly Timer[] | null): void {
    const { cache, after } = this.#options;
    const { live, taken } = work;
    if (isTerminal(live.state.status)) cache.drop(taken.runId);
    else cache.keep(live);
    if (gone !== null) after.committed(work, gone);
    this.#answer(work, gone !== null);
  }

  #answer({ live, taken, refusals }: Work, isWritten: boolean): void {
    this.#finish(taken, (index) => ({ kind: "committed", live, refusal: refusals[index], isWritten }));
  }

  /**
   * Another replica advanced the run, or this one did in a commit whose answer was lost, and the inputs then change nothing.
   * The remaining work of that commit is found when the run is loaded.
   */
  #retryConflict(work: Work): void {
    this.#drop(work);
    this.#release(work, null);
  }

  /** Puts the inputs of runs that cannot be judged now back into the queue after a delay, so that none is lost. */
  #putBack(taken: readonly Taken[]): void {
    const { queue, clock } = this.#options;
    for (const { runId, waiting, fresh } of taken) {
      this.#held.delete(runId);
      clock.after(UNJUDGED_MS, () => queue.release(runId, waiting, fresh));
    }
  }

  /** Loads the run again, which finds the remaining work of its commit. */
  #followUp(runId: string, error: unknown): void {
    this.#options.onTrouble(`what followed from a commit of run ${runId} is done again`, error);
    this.#options.queue.enqueue(runId, null);
  }

  #release({ taken }: Work, fresh: DrivenRun | null): void {
    this.figures.conflicts += 1;
    this.#options.cache.drop(taken.runId);
    this.#held.delete(taken.runId);
    this.#options.queue.release(taken.runId, taken.waiting, fresh);
  }

  #fail(taken: Taken, error: Error): void {
    this.#options.cache.drop(taken.runId);
    this.#finish(taken, () => ({ kind: "failed", error }));
  }

  #park(taken: Taken, error: unknown): void {
    this.figures.parkedRuns += 1;
    this.#options.onParked(taken.runId, error);
    this.#fail(taken, error instanceof Error ? error : new Error(String(error)));
  }

  /** Releases the run before it answers, because a caller that throws must not keep the run busy. */
  #finish({ runId, waiting }: Taken, outcomeOf: (index: number) => InputOutcome): void {
    this.#held.delete(runId);
    this.#options.queue.release(runId);
    waiting.forEach(({ done }, index) => {
      try {
        done(outcomeOf(index));
      } catch (error) {
        this.#followUp(runId, error);
      }
    });
  }
}

interface Pair {
  readonly work: Work;
  readonly commit: RunCommit;
}
