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

/** How long work is a worker's own without a sign of life. */
const HOLD_MS = 15_000;
/** While a poll is open: what other replicas have committed, and what dead workers have left. */
const LOOK_EVERY_MS = 1_000;

const NOTHING: PollAnswer = { work: [], cancelled: [] };

/**
 * Gives work to the workers that ask this process. All that wait at one moment are served by one statement, each with one
 * piece after the other in turn, so that none gets everything; the row of the attempt says who has it, for every replica.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #polls = new Set<OpenPoll>();
  /** Organisations that are being served, and whether there may be more by now. */
  readonly #serving = new Map<string, { isDue: boolean }>();
  /** Which worker has an attempt that was given out here. */
  readonly #holders = new Map<string, string>();
  #look: Stop | null = null;
  #isStopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** How many workers wait here. */
  get pollCount(): number {
    return this.#polls.size;
  }

  /** Answers when there is something for the worker, or after `waitMs` with nothing. */
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
        // What is being claimed for it at this moment must not be lost.
        open.isOver = true;
        if (!open.isServed) leave();
      });
      poll.signal.addEventListener("abort", leave, { once: true });
      this.#serve(poll.orgId);
      this.#scheduleLook();
    });
  }

  /** Of what the worker says it has, what is not its own any more. */
  async renew(orgId: string, workerId: string, held: readonly WorkKey[]): Promise<readonly WorkKey[]> {
    const still = await this.#options.store.renewWork(orgId, workerId, held, HOLD_MS);
    const kept = new Set(still.map((key) => dispatchIdOf(key)));
    return held.filter((key) => !kept.has(dispatchIdOf(key)));
  }

  /** The worker takes nothing more, and has never begun what it does not name. */
  async leave(orgId: string, workerId: string, kept: readonly WorkKey[]): Promise<void> {
    for (const poll of this.#polls) if (poll.workerId === workerId && poll.orgId === orgId) poll.answer(NOTHING);
    if ((await this.#options.store.releaseWork(orgId, workerId, kept)) > 0) this.#serve(orgId);
  }

  offered(orgId: string, functionName: string): void {
    for (const poll of this.#polls) {
      if (poll.orgId === orgId && poll.functions.includes(functionName)) return this.#serve(orgId);
    }
  }

  /** A worker that waits for more is notified at once; one that does not, when it next renews what it has. */
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

  /** Everyone who waits goes away with nothing. */
  stop(): void {
    this.#isStopped = true;
    this.#look?.();
    for (const poll of this.#polls) poll.answer(NOTHING);
  }

  /** What commits together asks together: the statement runs after whatever is already waiting its turn. */
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

  /** Polls for the same functions, in the order they came. */
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
    this.#look = this.#options.clock.after(LOOK_EVERY_MS, () => {
      this.#look = null;
      if (this.#polls.size === 0) return;
      for (const orgId of new Set([...this.#polls].map((poll) => poll.orgId))) this.#serve(orgId);
      this.#scheduleLook();
    });
  }
}
