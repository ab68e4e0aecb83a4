import { describe, expect, it } from "vitest";
import { surviveBridgeKills } from "./support/bridge-kills.ts";
import type { KillPlan } from "./support/kills.ts";
import { ownPostgres } from "./support/own-postgres.ts";

const MINUTES = 60_000;
const KILLS = 8;

/** The campaign plays the same batch, on the embedded database as well: a seed says which, even ones that one. */
async function expectGood(plan: Pick<KillPlan, "seed" | "databaseUrl">): Promise<void> {
  const verdict = await surviveBridgeKills({ ...plan, kills: KILLS, runsPerLife: 2 });
  const again = `again with: npm run campaign -- --store bridge --kills ${KILLS} --seed ${plan.seed}`;
  expect(verdict.violations, again).toEqual([]);
  expect(verdict.runs, again).toBe(2 * KILLS);
  expect(verdict.completed / verdict.runs, again).toBeGreaterThan(0.7);
  // Without a call that was interrupted and made again, the kills would have proved nothing.
  expect(verdict.repeatedCalls, again).toBeGreaterThan(0);
}

describe("a server and its Bridge, either or both killed while they work", () => {
  const databaseUrl = ownPostgres();

  it(
    `lose nothing, and do nothing twice that was done, in ${KILLS} kills on Postgres`,
    () => expectGood({ seed: 1, databaseUrl: databaseUrl() }),
    10 * MINUTES,
  );
});
