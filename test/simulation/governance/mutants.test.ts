import { describe, expect, it } from "vitest";
import { GOVERNANCE_CHECKERS } from "./checkers.ts";
import { GOVERNANCE_MUTANTS, type GovernanceMutant } from "./mutants.ts";
import { playGoverned } from "./play.ts";

const SCHEDULES_MAX = 400;
/** Far beyond what it takes; a slow machine must not make it fail. */
const TIMEOUT_MS = 600_000;

/** The checkers of one invariant and no others: a planted bug must be caught by its own checker. */
async function schedulesUntilCaught({ invariant, options, plant, from = 0 }: GovernanceMutant): Promise<number> {
  const checkers = GOVERNANCE_CHECKERS.filter(({ id }) => id === invariant);
  const repair = plant?.();
  try {
    for (let played = 1; played <= SCHEDULES_MAX; played += 1) {
      const { violation } = await playGoverned(from + played - 1, { ...options, checkers });
      if (violation?.invariant === invariant) return played;
    }
    return Infinity;
  } finally {
    repair?.();
  }
}

describe("planted bugs", { timeout: TIMEOUT_MS }, () => {
  it.each(GOVERNANCE_MUTANTS)("$invariant notices that $bug", async (mutant) => {
    expect(await schedulesUntilCaught(mutant)).toBeLessThanOrEqual(SCHEDULES_MAX);
  });

  it("every checker has a planted bug", () => {
    const proved = new Set(GOVERNANCE_MUTANTS.map(({ invariant }) => invariant));
    expect(GOVERNANCE_CHECKERS.filter(({ id }) => !proved.has(id))).toEqual([]);
  });
});
