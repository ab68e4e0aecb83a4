import { describe, expect, it } from "vitest";
import { ownPostgres } from "./support/own-postgres.ts";
import { surviveTurnKills } from "./support/turn-kills.ts";

const MINUTES = 60_000;
const KILLS = 6;

describe("turns of agents, with the server, its Bridge or both killed in the middle of them", () => {
  const databaseUrl = ownPostgres();

  it(
    `make no call twice that was kept, and none that may be made once, in ${KILLS} kills`,
    async () => {
      const verdict = await surviveTurnKills({ seed: 1, kills: KILLS, databaseUrl: databaseUrl(), runsPerLife: 2 });
      const again = `again with: npm run campaign -- --store turns --kills ${KILLS} --seed 1; ${JSON.stringify(verdict)}`;
      expect(verdict.violations, again).toEqual([]);
      expect(verdict.runs, again).toBe(2 * KILLS);
      // Without a call that was interrupted and made again, the kills would have proved nothing.
      expect(verdict.repeatedModels + verdict.repeatedTools + verdict.unknown, again).toBeGreaterThan(0);
    },
    10 * MINUTES,
  );
});
