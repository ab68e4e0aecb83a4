import { describe, expect, it } from "vitest";
import { ownPostgres } from "./support/own-postgres.ts";
import { surviveStory } from "./support/turn-story.ts";

const MINUTES = 60_000;
/** The round is kept, the call is made, a person is asked, has answered; `npm run campaign -- --store story` has every point. */
const POINTS = [6, 13, 17, 21];

describe("examples/23, with the Bridge or the server killed in the middle of it", () => {
  const databaseUrl = ownPostgres();

  it(
    "has one refund of 450 in the ledger each time",
    async () => {
      const verdict = await surviveStory({ seed: 1, databaseUrl: databaseUrl(), points: POINTS });
      expect(verdict.violations, JSON.stringify(verdict)).toEqual([]);
      expect(verdict.completed).toBe(2 * POINTS.length);
    },
    10 * MINUTES,
  );
});
