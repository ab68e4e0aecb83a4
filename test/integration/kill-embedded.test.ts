import { beforeAll, describe, expect, it } from "vitest";
import { surviveKills } from "./support/kills.ts";
import { prepareProgram } from "./support/server-process.ts";

const MINUTES = 60_000;

describe("a server on the embedded database that is killed while it works", () => {
  beforeAll(() => prepareProgram(), 5 * MINUTES);

  it(
    "loses nothing, and does nothing twice that was done, in 12 kills",
    async () => {
      const verdict = await surviveKills({ seed: 2, kills: 12, databaseUrl: null, runsPerLife: 3 });
      expect(verdict.violations).toEqual([]);
      expect(verdict.runs).toBe(36);
      expect(verdict.completed / verdict.runs).toBeGreaterThan(0.8);
      // Without a call that was interrupted and made again, the kills would have proved nothing.
      expect(verdict.repeatedCalls).toBeGreaterThan(0);
    },
    15 * MINUTES,
  );
});
