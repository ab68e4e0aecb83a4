import { Ageing } from "../../core/base/index.ts";
import { PRIORITIES, type Priority } from "../../core/event/index.ts";

/** Whose turn a run takes, and which of its organisation's runs go before it. */
export interface QueuedRun {
  readonly orgId: string;
  readonly priority: Priority;
}

/**
 * Runs that wait for their turn: one of each organisation, over and over, so that none waits for more than one turn of
 * each other. Within an organisation by priority, and in the order they came.
 */
export class FairQueue {
  /** Organisations with runs that wait; the first has the next turn. */
  readonly #turns = new Fifo<OwnRuns>();
  readonly #waiting = new Map<string, OwnRuns>();

  get hasAny(): boolean {
    return this.#turns.hasAny;
  }

  /** How many organisations have runs that wait. */
  get organisations(): number {
    return this.#waiting.size;
  }

  push(runId: string, { orgId, priority }: QueuedRun): void {
    let own = this.#waiting.get(orgId);
    if (own === undefined) {
      own = new OwnRuns(orgId);
      this.#waiting.set(orgId, own);
      this.#turns.push(own);
    }
    own.push(runId, PRIORITIES.indexOf(priority));
  }

  shift(): string | undefined {
    const own = this.#turns.shift();
    if (own === undefined) return undefined;
    const runId = own.shift();
    if (own.hasAny) this.#turns.push(own);
    else this.#waiting.delete(own.orgId);
    return runId;
  }
}

/** The runs of one organisation that wait. */
class OwnRuns {
  readonly orgId: string;
  readonly #levels = PRIORITIES.map(() => new Fifo<string>());
  readonly #ageing = new Ageing(PRIORITIES.length);
  readonly #has = (level: number): boolean => this.#levels[level]?.hasAny === true;

  constructor(orgId: string) {
    this.orgId = orgId;
  }

  get hasAny(): boolean {
    return this.#levels.some((runs) => runs.hasAny);
  }

  push(runId: string, level: number): void {
    this.#levels[level]?.push(runId);
  }

  shift(): string | undefined {
    const level = this.#ageing.next(this.#has);
    if (level === null) return undefined;
    const runId = this.#levels[level]?.shift();
    this.#ageing.served(level, this.#has);
    return runId;
  }
}

/** A queue from which the oldest is taken without moving the others. */
class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get hasAny(): boolean {
    return this.#head < this.#items.length;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (!this.hasAny) return undefined;
    const item = this.#items[this.#head];
    this.#head += 1;
    if (this.#head > 1_024 || !this.hasAny) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
