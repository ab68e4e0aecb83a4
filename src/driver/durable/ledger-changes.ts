import type { Admission } from "../../governance/index.ts";
import { type LedgerChange, type OpenAttempt, type RunCommit, runCounter, type SlotChange } from "../../store/index.ts";

type Envelope = Pick<LedgerChange, "envelopeId" | "periodStart">;
type LedgerSum = { -readonly [K in keyof LedgerChange]: LedgerChange[K] };

/** The changes of one commit to the budget counters, summed per envelope and period. */
export class LedgerChanges {
  /** Sums by envelope id. Each list has one entry per period, and nearly always just one. */
  readonly #sums = new Map<string, LedgerSum[]>();

  add(envelope: Envelope, reserved: number, spent: number): void {
    const { envelopeId, periodStart } = envelope;
    const sum = this.of(envelope);
    if (sum !== undefined) {
      sum.reserved += reserved;
      sum.spent += spent;
      return;
    }
    const first = { envelopeId, periodStart, reserved, spent, ceiling: null };
    const periods = this.#sums.get(envelopeId);
    if (periods === undefined) this.#sums.set(envelopeId, [first]);
    else periods.push(first);
  }

  of({ envelopeId, periodStart }: Envelope): LedgerSum | undefined {
    return this.#sums.get(envelopeId)?.find((sum) => sum.periodStart === periodStart);
  }

  list(): readonly LedgerChange[] {
    return [...this.#sums.values()].flat();
  }
}

/** The slot changes of one agent. A run may admit thousands of attempts at one moment, so they are summed, not listed. */
interface SlotSum extends SlotChange {
  delta: number;
  maxOpen: number | null;
  hits: { readonly at: number; count: number }[];
  rate: SlotChange["rate"];
}

/** The changes of one commit to the slot counters, summed per agent. */
export class SlotChanges {
  readonly #sums = new Map<string, SlotSum>();

  admit({ agentId, maxOpen, rate, at, parallel }: Admission): void {
    if (parallel !== undefined) {
      const ofRun = this.#sumOf(runCounter(parallel.runId));
      ofRun.delta += 1;
      ofRun.maxOpen = parallel.limit;
    }
    const sum = this.#sumOf(agentId);
    sum.delta += 1;
    sum.maxOpen = maxOpen;
    if (rate === null) return;
    sum.rate = rate;
    const last = sum.hits.at(-1);
    if (last?.at === at) last.count += 1;
    else sum.hits.push({ at, count: 1 });
  }

  release(agentId: string, count = 1): void {
    this.#sumOf(agentId).delta -= count;
  }

  list(): readonly SlotChange[] {
    return [...this.#sums.values()];
  }

  #sumOf(agentId: string): SlotSum {
    let sum = this.#sums.get(agentId);
    if (sum === undefined) {
      sum = { agentId, delta: 0, maxOpen: null, hits: [], rate: null };
      this.#sums.set(agentId, sum);
    }
    return sum;
  }
}

/** Returns the changes that release the slots and reserved money of attempts that no report will settle. */
export function releasesOf(open: readonly OpenAttempt[]): Pick<RunCommit, "slots" | "ledger"> {
  const slots = new SlotChanges();
  const ledger = new LedgerChanges();
  for (const { agentId, reserved, parallelOf } of open) {
    if (agentId !== null) slots.release(agentId);
    if (parallelOf !== undefined) slots.release(runCounter(parallelOf));
    for (const part of reserved) ledger.add(part, -part.micros, 0);
  }
  return { slots: slots.list(), ledger: ledger.list() };
}
