import type { Clock, Stop } from "../clock/index.ts";
import { dispatchIdOf } from "../core/event/index.ts";
import type { ClaimedWork, WorkKey, WorkStore } from "../store/index.ts";
import { type OpenPoll, type Poll, type PollAnswer, takersOf } from "./poll.ts";

export interface WorkQueueOptions {
  readonly store: WorkStore;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Time for which work stays assigned to a worker without a heartbeat. */
const HOLD_MS = 15_000;
/** Interval of checks while a poll is open, to find work committed by other replicas or left by dead workers. */
const CHECK_EVERY_MS = 1_000;

const NOTHING: PollAnswer = { work: [], cancelled: [] };

/**
 * Assigns work to the workers that poll this process. One statement serves all that wait at the same moment, one piece
 * each in turn, so that no worker takes everything. The row of the attempt records the worker, for every replica.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #polls = new Set<OpenPoll>();
  /** Organisations being served. `isDue` is true when there may be more work since. */
  readonly #serving = new Map<string, { isDue: boolean }>();
  /** The worker of each attempt that was assigned by this process. */
  readonly #holders = new Map<string, Pick<Poll, "orgId" | "workerId">>();
  #look: Stop | null = null;
  #isStopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Number of workers that wait here. */
  get pollCount(): number {
    return this.#polls.size;
  }

  /** Waits for work or a cancellation for the worker. Resolves with nothing after `waitMs`. */
  poll(poll: Poll): Promise<PollAnswer> {
    if (this.#isStopped || poll.signal.aborted) return Promise.resolve(NOTHING);
    return new Promise((resolve) => {
      const answer = (given: PollAnswer): void => {
        if (!this.#polls.delete(open)) return;
        stop();
        poll.signal.removeEventListener("abort", leave);
        resolve(given);
      };
      const leave = (): void => answer(NOTHING);
      const open: OpenPoll = { ...poll, answer, isServed: true, isOver: false };
      this.#polls.add(open);
      const stop = this.#options.clock.after(poll.waitMs, () => {
        // A claim for this poll is due or under way, and its work can still be part of the answer.
        open.isOver = true;
        if (!open.isServed) leave();
      });
      poll.signal.addEventListener("abort", leave, { once: true });
      this.#serve(poll.orgId);
      this.#scheduleLook();
    });
  }

  /** Returns the work in `held` that no longer belongs to the worker. */
  async renew(orgId: string, workerId: string, held: readonly WorkKey[]): Promise<readonly WorkKey[]> {
    const still = await this.#options.store.renewWork(orgId, workerId, held, HOLD_MS);
    const kept = new Set(still.map((key) => dispatchIdOf(key)));
    return held.filter((key) => !kept.has(dispatchIdOf(key)));
  }

  /** The worker takes no more work. Work not in `kept` was never begun, and is released. */
  async leave(orgId: string, workerId: string, kept: readonly WorkKey[]): Promise<void> {
    for (const poll of this.#polls) if (poll.workerId === workerId && poll.orgId === orgId) poll.answer(NOTHING);
    if ((await this.#options.store.releaseWork(orgId, workerId, kept)) > 0) this.#serve(orgId);
  }

  offered(orgId: string, functionName: string): void {
    for (const poll of this.#polls) {
      if (poll.orgId === orgId && poll.functions.includes(functionName)) return this.#serve(orgId);
    }
  }

  /** Notifies a worker with an open poll at once. Another worker learns of it when it next renews its work. */
  cancelled(dispatchId: string): void {
    const holder = this.#holders.get(dispatchId);
    if (holder === undefined) return;
    this.#holders.delete(dispatchId);
    for (const poll of this.#polls) {
      if (poll.orgId === holder.orgId && poll.workerId === holder.workerId)
        return poll.answer({ work: [], cancelled: [dispatchId] });
    }
  }

  ended(dispatchId: string): void {
    this.#holders.delete(dispatchId);
  }

  /** Answers all waiting polls with nothing. */
  stop(): void {
    this.#isStopped = true;
    this.#look?.();
    for (const poll of this.#polls) poll.answer(NOTHING);
  }

  /** Serves an organisation once the callbacks already queued have run, so that one statement claims work committed together. */
  #serve(orgId: string): void {
    const serving = this.#serving.get(orgId);
    if (serving !== undefined) {
      serving.isDue = true;
      return;
    }
    this.#serving.set(orgId, { isDue: false });
    this.#options.clock.after(0, () => void this.#serveNow(orgId));
  }

  async #serveNow(orgId: string): Promise<void> {
    try {
      for (const [functions, group] of this.#groups(orgId)) {
        // Polls may have left while work was claimed for another group.
        const polls = group.filter((poll) => this.#polls.has(poll));
        if (polls.length === 0) continue;
        for (const poll of polls) poll.isServed = true;
        const claimed = await this.#options.store.claimWork(orgId, functions, takersOf(polls), HOLD_MS);
        const rest = this.#handOut(polls, claimed);
        if (rest.length > 0) await this.#return(orgId, rest);
      }
    } catch (error) {
      this.#options.onTrouble("work could not be given out", error);
      for (const poll of this.#polls) if (poll.orgId === orgId && poll.isServed) this.#handOut([poll], []);
    }
    const isDue = this.#serving.get(orgId)?.isDue === true;
    this.#serving.delete(orgId);
    if (isDue && !this.#isStopped) this.#serve(orgId);
  }

  /** Groups the polls by their functions, in order of arrival. */
  #groups(orgId: string): ReadonlyMap<readonly string[], OpenPoll[]> {
    const byNames = new Map<string, { readonly functions: readonly string[]; readonly polls: OpenPoll[] }>();
    for (const poll of this.#polls) {
      if (poll.orgId !== orgId) continue;
      const key = poll.functions.join("\n");
      const group = byNames.get(key);
      if (group === undefined) byNames.set(key, { functions: poll.functions, polls: [poll] });
      else group.polls.push(poll);
    }
    return new Map([...byNames.values()].map(({ functions, polls }) => [functions, polls]));
  }

  /** Answers polls with claimed work. Returns work for which no poll is open any more: its worker has not received it. */
  #handOut(polls: readonly OpenPoll[], claimed: readonly ClaimedWork[]): readonly ClaimedWork[] {
    const byWorker = new Map<string, ClaimedWork[]>();
    for (const one of claimed) {
      const given = byWorker.get(one.workerId);
      if (given === undefined) byWorker.set(one.workerId, [one]);
      else given.push(one);
    }
    // Newest first: where a worker has several polls, an older one may be a dead connection.
    for (const poll of polls.toReversed()) {
      poll.isServed = false;
      if (!this.#polls.has(poll)) continue;
      const { orgId, workerId, limit } = poll;
      const work = byWorker.get(workerId)?.splice(0, limit) ?? [];
      for (const one of work) this.#holders.set(dispatchIdOf(one), { orgId, workerId });
      if (work.length > 0 || poll.isOver) poll.answer({ work: work.map(({ request }) => request), cancelled: [] });
    }
    return [...byWorker.values()].flat();
  }

  async #return(orgId: string, work: readonly ClaimedWork[]): Promise<void> {
    try {
      await this.#options.store.returnWork(orgId, work);
      this.#serve(orgId);
    } catch (error) {
      this.#options.onTrouble("work that reached no worker could not be released", error);
    }
  }

  #scheduleLook(): void {
    if (this.#look !== null || this.#isStopped) return;
    this.#look = this.#options.clock.after(CHECK_EVERY_MS, () => {
      this.#look = null;
      if (this.#polls.size === 0) return;
      for (const orgId of new Set([...this.#polls].map((poll) => poll.orgId))) this.#serve(orgId);
      this.#scheduleLook();
    });
  }
}
