import type { Clock } from "../clock/index.ts";
import type { GovernanceStore } from "../store/index.ts";
import { Tally } from "./tally.ts";

export interface TalliesOptions {
  readonly store: Pick<GovernanceStore, "readCounters" | "readCountersOf">;
  readonly clock: Pick<Clock, "now">;
}

/** The longest budget period, plus a margin for reads near its end. */
const COUNTED_MS = 33 * 24 * 3_600_000;
const IDLE_MS = 30_000;

/** The tallies of the organisations that this process works for. */
export class Tallies {
  readonly #options: TalliesOptions;
  readonly #tallies = new Map<string, Tally>();
  /** When each organisation was last used. */
  readonly #usedAt = new Map<string, number>();

  constructor(options: TalliesOptions) {
    this.#options = options;
  }

  get all(): ReadonlyMap<string, Tally> {
    return this.#tallies;
  }

  has(orgId: string): boolean {
    return this.#tallies.has(orgId);
  }

  of(orgId: string): Tally {
    let tally = this.#tallies.get(orgId);
    if (tally === undefined) this.#tallies.set(orgId, (tally = new Tally()));
    return tally;
  }

  /** Records that the organisation is in use. */
  use(orgId: string): void {
    this.#usedAt.set(orgId, this.#options.clock.now());
  }

  async reload(orgId: string): Promise<void> {
    const { store } = this.#options;
    // Read before creating the tally, because an existing tally counts as loaded.
    const counters = await store.readCounters(orgId, this.#since());
    this.of(orgId).load(counters);
  }

  /** Reloads all tallies with one statement. */
  async reloadAll(): Promise<void> {
    const orgIds = [...this.#tallies.keys()];
    if (orgIds.length === 0) return;
    const counters = await this.#options.store.readCountersOf(orgIds, this.#since());
    for (const [orgId, counted] of counters) this.#tallies.get(orgId)?.load(counted);
  }

  /** Drops organisations that are idle and have no waiting node in this process. They are read again when needed. */
  forgetIdle(waitedFor: ReadonlySet<string>): void {
    const since = this.#options.clock.now() - IDLE_MS;
    for (const [orgId, at] of this.#usedAt) {
      if (at > since || waitedFor.has(orgId) || this.#tallies.get(orgId)?.isTaking === true) continue;
      this.#usedAt.delete(orgId);
      this.#tallies.delete(orgId);
    }
  }

  #since(): number {
    return this.#options.clock.now() - COUNTED_MS;
  }
}
