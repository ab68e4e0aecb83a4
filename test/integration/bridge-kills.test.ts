import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { surviveBridgeKills } from "./support/bridge-kills.ts";
import type { Verdict } from "./support/load.ts";
import { type PostgresInstance, startPostgres } from "./support/postgres-instance.ts";
import { prepareProgram } from "./support/server-process.ts";

const MINUTES = 60_000;
const KILLS = 8;

/** `npm run campaign -- --store bridge --kills 8 --seed N` plays the same: odd seeds on Postgres, even ones embedded. */
function expectGood(verdict: Verdict): void {
  expect(verdict.violations).toEqual([]);
  expect(verdict.runs).toBe(2 * KILLS);
  expect(verdict.completed / verdict.runs).toBeGreaterThan(0.7);
  // Without a call that was interrupted and made again, the kills would have proved nothing.
  expect(verdict.repeatedCalls).toBeGreaterThan(0);
}

describe("a server and its Bridge, either or both killed while they work", () => {
  let postgres: PostgresInstance;
  beforeAll(async () => {
    prepareProgram();
    postgres = await startPostgres();
  }, 5 * MINUTES);
  afterAll(() => postgres.dispose());

  it(
    `lose nothing, and do nothing twice that was done, in ${KILLS} kills on the embedded database`,
    async () => {
      expectGood(await surviveBridgeKills({ seed: 2, kills: KILLS, databaseUrl: null, runsPerLife: 2 }));
    },
    10 * MINUTES,
  );

  it(
    `lose nothing, and do nothing twice that was done, in ${KILLS} kills on Postgres`,
    async () => {
      expectGood(await surviveBridgeKills({ seed: 1, kills: KILLS, databaseUrl: postgres.url, runsPerLife: 2 }));
    },
    10 * MINUTES,
  );
});
