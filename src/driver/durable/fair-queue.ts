import { Ageing } from "../../core/base/index.ts";
import { PRIORITIES, type Priority } from "../../core/event/index.ts";

/** Whose turn a run takes, and which of its organisation's runs go before it. */
export interface QueuedRun {
  readonly orgId: string;
  readonly priority: Priority;
}

/** Runs that exist have work to do; the others are to start. */
export type QueuedFor = "work" | "start";

/** Runs that are not in memory take turns as if they were of one organisation, which is not counted. */
export const UNKNOWN_OWNER: QueuedRun = { orgId: "", priority: "normal" };

/** One in so many turns of an organisation is a start, if one waits, so that work never keeps them out altogether. */
const STARTS_SHARE = 16;

/**
 * Runs that wait for their turn: one of each organisation, over and over, so that none waits for more than one turn of
 * each other. Within an organisation runs that exist go before runs that start, then by priority, and in the order they
 * came: a new run begins where those that exist leave room in a batch.
 */
export class FairQueue<T> {
  /** Organisations that could use a turn; the first has the next. */
  readonly #turns = new Fifo<OwnRuns<T>>();
  /** Organisations with runs that wait or are under way. */
  readonly #known = new Map<string, OwnRuns<T>>();
  /** Of those that could use a turn, how many have nothing under way. */
  #apart = 0;
  #batch = 0;
  #isApart = false;
  readonly #isOpen = (own: OwnRuns<T>): boolean => !this.#isApart || own.underWay === 0 || own.batch === this.#batch;

  get hasAny(): boolean {
    return this.#turns.size > 0;
  }

  /** How many organisations have runs that wait or are under way. */
  get organisations(): number {
    return this.#known.size - (this.#known.has(UNKNOWN_OWNER.orgId) ? 1 : 0);
  }

  /** Whether an organisation could use a turn that has nothing under way. */
  get hasApart(): boolean {
    return this.#apart > 0;
  }

  /**
   * If some organisations have nothing under way, the turns until the next batch are for them: they wait neither for the
   * batches of others nor for rows which these write.
   */
  newBatch(): void {
    this.#batch += 1;
    this.#isApart = this.#apart > 0 && this.#apart < this.#turns.size;
  }

  push(run: T, { orgId, priority }: QueuedRun, queuedFor: QueuedFor): void {
    let own = this.#known.get(orgId);
    if (own === undefined) {
      own = new OwnRuns<T>();
      this.#known.set(orgId, own);
    }
    own[queuedFor].push(run, PRIORITIES.indexOf(priority));
    this.#queue(own);
  }

  /** The next run, which is under way until `ended`. */
  shift(): T | undefined {
    const own = this.#isApart ? this.#turns.takeFirst(this.#isOpen) : this.#turns.shift();
    if (own === undefined) return undefined;
    own.isInTurn = false;
    own.batch = this.#batch;
    if (own.underWay === 0) this.#apart -= 1;
    const run = own.shift();
    this.#queue(own);
    return run;
  }

  ended({ orgId }: QueuedRun): void {
    const own = this.#known.get(orgId);
    if (own === undefined) return;
    own.underWay -= 1;
    if (own.isInTurn && own.underWay === 0) this.#apart += 1;
    if (own.underWay + own.waiting === 0) this.#known.delete(orgId);
  }

  #queue(own: OwnRuns<T>): void {
    if (own.isInTurn || own.waiting === 0) return;
    own.isInTurn = true;
    this.#turns.push(own);
    if (own.underWay === 0) this.#apart += 1;
  }
}

/** The runs of one organisation that wait, and how many are under way. */
class OwnRuns<T> {
  readonly work = new Levels<T>();
  readonly start = new Levels<T>();
  isInTurn = false;
  /** The last that took one of its runs. */
  batch = 0;
  underWay = 0;
  #workInRow = 0;

  get waiting(): number {
    return this.work.size + this.start.size;
  }

  shift(): T | undefined {
    const isStart = this.work.size === 0 || (this.start.size > 0 && this.#workInRow >= STARTS_SHARE - 1);
    this.#workInRow = isStart ? 0 : this.#workInRow + 1;
    this.underWay += 1;
    return (isStart ? this.start : this.work).shift();
  }
}

/** Runs by their priority. */
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

/** A queue from which the oldest is taken without moving the others. */
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
