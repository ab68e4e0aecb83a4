import { Ageing } from "../../core/base/index.ts";
import { PRIORITIES, type Priority } from "../../core/event/index.ts";

/** The organisation and priority of a run, which decide when it is served. */
export interface QueuedRun {
  readonly orgId: string;
  readonly priority: Priority;
}

/** "work" for a run that exists or that another run waits for, "start" for any other run that is about to begin. */
export type QueuedFor = "work" | "start";

/** Runs that are not in memory share the turns of this one pseudo-organisation, which `organisations` does not count. */
export const UNKNOWN_OWNER: QueuedRun = { orgId: "", priority: "normal" };

/** After this many existing runs of an organisation a start is served, if one waits, so that work cannot block starts for ever. */
const WORK_PER_START = 8;

/**
 * Waiting runs, served round-robin: one run of each organisation in turn, so that an organisation waits for at most one
 * run of each other organisation. Within an organisation, existing runs are served before starts, then by priority,
 * then in order of arrival. Starts also fill what existing runs leave of a batch, but not while the organisation has a
 * backlog and existing runs are under way: a new run would then only take time from them, and wait.
 */
export class FairQueue<T> {
  /** Organisations with waiting runs; the first is served next. */
  readonly #turns = new Fifo<OwnRuns<T>>();
  /** Organisations with runs that wait or are under way. */
  readonly #known = new Map<string, OwnRuns<T>>();
  /** Number of organisations with waiting runs and none under way. */
  #idleCount = 0;
  #batch = 0;
  #isForIdleOnly = false;
  readonly #hasBacklog: (orgId: string) => boolean;
  readonly #isOpen = (own: OwnRuns<T>): boolean =>
    !this.#isForIdleOnly || own.underWay === 0 || own.batch === this.#batch;

  /** `hasBacklog`: whether an organisation has runs that wait until others are done. */
  constructor(hasBacklog: (orgId: string) => boolean) {
    this.#hasBacklog = hasBacklog;
  }

  get hasAny(): boolean {
    return this.#turns.size > 0;
  }

  /** How many organisations have runs that wait or are under way. */
  get organisations(): number {
    return this.#known.size - (this.#known.has(UNKNOWN_OWNER.orgId) ? 1 : 0);
  }

  /** Whether an organisation has waiting runs and none under way. */
  get hasIdleOrganisation(): boolean {
    return this.#idleCount > 0;
  }

  /**
   * When some organisations have nothing under way, only these are served until the next batch. They then wait neither
   * for the batches of other organisations nor for rows that those batches write.
   */
  newBatch(): void {
    this.#batch += 1;
    this.#isForIdleOnly = this.#idleCount > 0 && this.#idleCount < this.#turns.size;
  }

  push(run: T, { orgId, priority }: QueuedRun, queuedFor: QueuedFor): void {
    let own = this.#known.get(orgId);
    if (own === undefined) {
      own = new OwnRuns<T>(() => this.#hasBacklog(orgId));
      this.#known.set(orgId, own);
    }
    own[queuedFor].push(run, PRIORITIES.indexOf(priority));
    this.#queue(own);
  }

  /** Takes the next run. It counts as under way until `ended` is called. */
  shift(): T | undefined {
    const own = this.#isForIdleOnly ? this.#turns.takeFirst(this.#isOpen) : this.#turns.shift();
    if (own === undefined) return undefined;
    own.isInTurn = false;
    own.batch = this.#batch;
    if (own.underWay === 0) this.#idleCount -= 1;
    const run = own.shift();
    this.#queue(own);
    return run;
  }

  ended({ orgId }: QueuedRun, queuedFor: QueuedFor): void {
    const own = this.#known.get(orgId);
    if (own === undefined) return;
    own.underWay -= 1;
    if (queuedFor === "work") own.workUnderWay -= 1;
    if (own.isInTurn && own.underWay === 0) this.#idleCount += 1;
    this.#queue(own);
    if (own.underWay + own.waiting === 0) this.#known.delete(orgId);
  }

  #queue(own: OwnRuns<T>): void {
    if (own.isInTurn || !own.isReady) return;
    own.isInTurn = true;
    this.#turns.push(own);
    if (own.underWay === 0) this.#idleCount += 1;
  }
}

/** The waiting runs of one organisation, and how many of its runs are under way. */
class OwnRuns<T> {
  readonly work = new Levels<T>();
  readonly start = new Levels<T>();
  isInTurn = false;
  /** The last batch that took a run of this organisation. */
  batch = 0;
  underWay = 0;
  workUnderWay = 0;
  readonly #hasBacklog: () => boolean;
  #workInRow = 0;

  constructor(hasBacklog: () => boolean) {
    this.#hasBacklog = hasBacklog;
  }

  get waiting(): number {
    return this.work.size + this.start.size;
  }

  /** Whether a run may be served now. */
  get isReady(): boolean {
    if (this.work.size > 0) return true;
    return this.start.size > 0 && (this.#isStartDue || this.workUnderWay === 0 || !this.#hasBacklog());
  }

  shift(): T | undefined {
    const isStart = this.work.size === 0 || (this.start.size > 0 && this.#isStartDue);
    this.#workInRow = isStart ? 0 : this.#workInRow + 1;
    this.underWay += 1;
    if (!isStart) this.workUnderWay += 1;
    return (isStart ? this.start : this.work).shift();
  }

  get #isStartDue(): boolean {
    return this.#workInRow >= WORK_PER_START;
  }
}

/** Waiting runs, one queue per priority. */
class Levels<T> {
  readonly #levels = PRIORITIES.map(() => new Fifo<T>());
  readonly #ageing = new Ageing(PRIORITIES.length);
  readonly #has = (level: number): boolean => (this.#levels[level]?.size ?? 0) > 0;
  size = 0;

  push(run: T, level: number): void {
    this.#levels[level]?.push(run);
    this.size += 1;
  }

  shift(): T | undefined {
    const level = this.#ageing.next(this.#has);
    if (level === null) return undefined;
    const run = this.#levels[level]?.shift();
    this.#ageing.served(level, this.#has);
    this.size -= 1;
    return run;
  }
}

/** A queue whose `shift` does not move the remaining items. */
class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#head += 1;
    if (this.#head > 1_024 || this.size === 0) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  takeFirst(isWanted: (item: T) => boolean): T | undefined {
    const at = this.#items.findIndex((item, index) => index >= this.#head && isWanted(item));
    return at < 0 ? undefined : this.#items.splice(at, 1)[0];
  }
}
