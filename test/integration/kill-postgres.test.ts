import { describe, expect, it } from "vitest";
import { surviveKills } from "./support/kills.ts";
import { ownPostgres } from "./support/own-postgres.ts";

const MINUTES = 60_000;

describe("a server on Postgres that is killed while it works", () => {
  const databaseUrl = ownPostgres();

  it(
    "loses nothing, and does nothing twice that was done, in 12 kills",
    async () => {
      const verdict = await surviveKills({ seed: 1, kills: 12, databaseUrl: databaseUrl(), runsPerLife: 3 });
      expect(verdict.violations).toEqual([]);
      expect(verdict.runs).toBe(36);
      expect(verdict.completed / verdict.runs).toBeGreaterThan(0.8);
      // Without a call that was interrupted and made again, the kills would have proved nothing.
      expect(verdict.repeatedCalls).toBeGreaterThan(0);
    },
    15 * MINUTES,
  );
});
