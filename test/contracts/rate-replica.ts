import { expect } from "vitest";
import type { RateWindow } from "../../src/core/governance/index.ts";
import type { Admission } from "../../src/governance/index.ts";
import { Tally } from "../../src/governance/tally.ts";
import type { SlotChange, Store } from "../../src/store/index.ts";
import { creation } from "./shares.ts";

const AGENT = "analyst";
let made = 0;

/** Dispatches as a governor does: decided on its own count, written if the store agrees, read again if not. */
export class Replica {
  readonly #store: Store;
  readonly #rate: RateWindow;
  readonly #tally = new Tally();
  /** How far its clock is ahead; negative: behind. */
  ahead: number;

  constructor(store: Store, rate: RateWindow, ahead: number) {
    this.#store = store;
    this.#rate = rate;
    this.ahead = ahead;
  }

  async reload(): Promise<void> {
    this.#tally.load(await this.#store.readCounters("org_1", 0));
  }

  /** At most so many in one commit; the moments at which they count. */
  async dispatch(now: number, many: number): Promise<readonly number[]> {
    const written = await this.#try(now + this.ahead, many);
    if (written !== null) return written;
    await this.reload();
    const again = await this.#try(now + this.ahead, many);
    // Nothing else writes meanwhile: what is decided on counts just read must fit.
    expect(again).not.toBeNull();
    return again ?? [];
  }

  async #try(at: number, many: number): Promise<readonly number[] | null> {
    const taken = this.#take(at, many);
    const [first] = taken;
    if (first === undefined) return [];
    made += 1;
    const runId = `run_replica_${made}`;
    const hits = [{ at: first.at, count: taken.length }];
    const slots: SlotChange[] = [{ agentId: AGENT, delta: taken.length, maxOpen: 1_000_000, hits, rate: this.#rate }];
    if ((await this.#store.commit([creation(runId, {}, { slots })])).isOverLimit) {
      for (const admission of taken) this.#tally.undoAdmission(admission);
      return null;
    }
    this.#tally.commit({ runId, ended: [], settled: [], taken, slots, ledger: [], memories: [] });
    return taken.map((admission) => admission.at);
  }

  #take(at: number, many: number): readonly Admission[] {
    const taken: Admission[] = [];
    while (taken.length < many && this.#tally.windowOf(AGENT, this.#rate, at).used < this.#rate.count) {
      const admission: Admission = {
        runId: "run_replica",
        nodeId: `n${taken.length}`,
        agentId: AGENT,
        maxOpen: 1_000_000,
        rate: this.#rate,
        at: this.#tally.hitAt(AGENT, at),
        reserved: [],
      };
      this.#tally.take(admission);
      taken.push(admission);
    }
    return taken;
  }
}
