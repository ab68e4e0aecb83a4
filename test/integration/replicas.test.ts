import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { surviveDatabaseStops } from "./support/database-stops.ts";
import { type PostgresInstance, startPostgres } from "./support/postgres-instance.ts";
import { surviveReplicaKills } from "./support/replicas.ts";
import { prepareProgram } from "./support/server-process.ts";

const MINUTES = 60_000;

describe("servers on one Postgres", () => {
  let postgres: PostgresInstance;
  beforeAll(() => prepareProgram(), 5 * MINUTES);
  afterAll(() => postgres.dispose());

  it(
    "go on when one of two is killed, and take over what it had begun",
    async () => {
      postgres = await startPostgres();
      const databaseUrl = postgres.url;
      const verdict = await surviveReplicaKills({ seed: 3, replicas: 2, kills: 6, databaseUrl, runsPerLife: 4 });
      expect(verdict.violations).toEqual([]);
      expect(verdict.runs).toBe(48);
      expect(verdict.completed / verdict.runs).toBeGreaterThan(0.8);
      expect(verdict.repeatedCalls).toBeGreaterThan(0);
      await postgres.dispose();
    },
    15 * MINUTES,
  );

  it(
    "survive a database that is stopped in the middle of a commit",
    async () => {
      postgres = await startPostgres();
      const verdict = await surviveDatabaseStops({ seed: 4, stops: 5, postgres, runsPerStop: 4 });
      expect(verdict.violations).toEqual([]);
      expect(verdict.hasCrashed).toBe(false);
      expect(verdict.endedWith).toBe(0);
      expect(verdict.runs).toBe(40);
      expect(verdict.completed / verdict.runs).toBeGreaterThan(0.8);
    },
    15 * MINUTES,
  );
});
