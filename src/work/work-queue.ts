import type { Clock, Stop } from "../clock/index.ts";
import type { JsonObject } from "../core/base/index.ts";
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
  readonly #holders = new Map<string, string>();
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
      const open: OpenPoll = { ...poll, answer, isServed: false, isOver: false };
      this.#polls.add(open);
      const stop = this.#options.clock.after(poll.waitMs, () => {
        // Work that is being claimed for this poll at the moment must not be lost.
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
    const workerId = this.#holders.get(dispatchId);
    if (workerId === undefined) return;
    this.#holders.delete(dispatchId);
    for (const poll of this.#polls) {
      if (poll.workerId === workerId) return poll.answer({ work: [], cancelled: [dispatchId] });
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
      for (const [functions, polls] of this.#groups(orgId)) {
        const takers = takersOf(polls);
        for (const poll of polls) poll.isServed = true;
        const claimed = await this.#options.store.claimWork(orgId, functions, takers, HOLD_MS);
        this.#handOut(polls, claimed);
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

  #handOut(polls: readonly OpenPoll[], claimed: readonly ClaimedWork[]): void {
    const byWorker = new Map<string, JsonObject[]>();
    for (const { workerId, request, ...key } of claimed) {
      this.#holders.set(dispatchIdOf(key), workerId);
      const given = byWorker.get(workerId);
      if (given === undefined) byWorker.set(workerId, [request]);
      else given.push(request);
    }
    for (const poll of polls) {
      poll.isServed = false;
      const work = byWorker.get(poll.workerId) ?? [];
      byWorker.delete(poll.workerId);
      if (work.length > 0 || poll.isOver) poll.answer({ work, cancelled: [] });
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
