import type { VirtualClock } from "../../../src/clock/index.ts";
import { type CommitOutcome, type RunCommit, type Store, StoreUnavailable } from "../../../src/store/index.ts";
import { ORG } from "../../integration/support/governed.ts";
import type { Prng } from "../prng.ts";
import { Violation } from "../checkers/index.ts";
import type { Books } from "./books.ts";
import type { GovernanceChecker } from "./checker.ts";
import type { Faults } from "./scene.ts";

/** Changes what a replica writes, for planted bugs. */
export type Tamper = (batch: readonly RunCommit[]) => readonly RunCommit[];

const SLOW_MS_MAX = 900;
const REFUSALS_MAX = 300;

/** Everything that is committed, seen in its order and judged at once; two commits are never seen as one. */
export class Watch {
  readonly #store: Store;
  readonly #books: Books;
  readonly #checkers: readonly GovernanceChecker[];
  readonly #clock: VirtualClock;
  #last: Promise<unknown> = Promise.resolve();
  #refusals = 0;
  violation: Violation | null = null;

  constructor(store: Store, books: Books, checkers: readonly GovernanceChecker[], clock: VirtualClock) {
    this.#store = store;
    this.#books = books;
    this.#checkers = checkers;
    this.#clock = clock;
  }

  commit(batch: readonly RunCommit[]): Promise<CommitOutcome> {
    const next = this.#last.then(() => this.#commitAndLook(batch));
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #commitAndLook(batch: readonly RunCommit[]): Promise<CommitOutcome> {
    const outcome = await this.#store.commit(batch);
    this.#refusals = outcome.isOverLimit ? this.#refusals + 1 : 0;
    if (this.#refusals > REFUSALS_MAX) this.#giveUp(batch);
    if (outcome.isOverLimit) return outcome;
    const lost = new Set([...outcome.conflicts, ...outcome.duplicates.map(({ runId }) => runId)]);
    const commits = batch.filter(({ runId }) => !lost.has(runId));
    const counters = await this.#store.readCounters(ORG, 0);
    this.judge(() => {
      const begun = this.#books.foldAll(commits);
      const stood = { books: this.#books, commits, begun, counters, now: this.#clock.now() };
      for (const checker of this.#checkers) checker.after?.(stood);
    });
    return outcome;
  }

  /** What is decided again and again and never fits would continue for ever, without time passing. */
  #giveUp([first]: readonly RunCommit[]): never {
    this.judge(() => {
      throw new Violation("G13", first?.runId ?? "", "is refused for ever");
    });
    throw new StoreUnavailable("given up");
  }

  /** The first broken promise is the one that counts. */
  judge(look: () => void): void {
    if (this.violation !== null) return;
    try {
      look();
    } catch (error) {
      this.violation = asViolation(error);
    }
  }
}

export function asViolation(error: unknown): Violation {
  if (error instanceof Violation) return error;
  return new Violation("bug", "world", error instanceof Error ? (error.stack ?? error.message) : String(error));
}

export interface LinkOptions {
  readonly store: Store;
  readonly watch: Watch;
  readonly clock: VirtualClock;
  readonly dice: Prng;
  readonly faults: () => Faults;
  readonly tamper: Tamper;
}

/** One replica's way to the database: slow, cut off, or gone for good with the process. */
export class Link {
  readonly store: Store;
  isDead = false;
  /** Resolves with the end of the process: what it was asked then is never answered. */
  readonly died: Promise<"">;
  #resolveDied: (nothing: "") => void = () => undefined;

  constructor({ store, watch, clock, dice, faults, tamper }: LinkOptions) {
    this.died = new Promise((resolve) => {
      this.#resolveDied = resolve;
    });
    const pause = (chance: number): Promise<void> | undefined =>
      dice.chance(chance) ? new Promise((resolve) => void clock.after(dice.below(SLOW_MS_MAX), resolve)) : undefined;
    const commit = async (batch: readonly RunCommit[]): Promise<CommitOutcome> => {
      const { awayBefore, awayAfter, slow, awayBeforeReport } = faults();
      await pause(slow);
      if (this.isDead || dice.chance(awayBefore)) throw new StoreUnavailable("away");
      const outcome = await watch.commit(tamper(batch));
      await pause(slow);
      const hasReport = batch.some(({ parentTimer }) => parentTimer !== null);
      // It is written, and the caller gets no answer.
      if (this.isDead || dice.chance(hasReport ? Math.max(awayAfter, awayBeforeReport) : awayAfter))
        throw new StoreUnavailable("away");
      return outcome;
    };
    const readCounters: Store["readCounters"] = async (orgId, since) => {
      const counters = await store.readCounters(orgId, since);
      await pause(faults().slow);
      return counters;
    };
    this.store = new Proxy(store, {
      get: (target, name) => {
        if (name === "commit") return commit;
        const found: unknown = name === "readCounters" ? readCounters : Reflect.get(target, name);
        if (typeof found !== "function") return found;
        return (...given: readonly unknown[]): unknown => {
          if (this.isDead) return Promise.reject(new StoreUnavailable("gone"));
          return Reflect.apply(found, target, given);
        };
      },
    });
  }

  die(): void {
    this.isDead = true;
    this.#resolveDied("");
  }
}
