import { describe, expect, it } from "vitest";
import { OpenRuns, TooManyOpenRuns } from "./open-runs.ts";

function bounded(open: number, max = 10) {
  const world = { open, now: 0, counts: 0 };
  const runs = new OpenRuns({
    max: () => max,
    now: () => world.now,
    count: async () => {
      world.counts += 1;
      return world.open;
    },
  });
  return { world, runs };
}

describe("the bound on open runs", () => {
  it.each([
    [8, [true, true, false]],
    [9, [true, false, false]],
    [10, [false, false, false]],
  ])("with %i of 10 open takes %j", async (open, expected) => {
    const { runs } = bounded(open);
    const taken: boolean[] = [];
    for (let start = 0; start < 3; start += 1)
      taken.push(
        await runs.admit("org").then(
          () => true,
          () => false,
        ),
      );
    expect(taken).toEqual(expected);
  });

  it("takes starts again once runs have ended, and is each organisation's own", async () => {
    const { world, runs } = bounded(10);
    await expect(runs.admit("org")).rejects.toThrow(TooManyOpenRuns);
    world.open = 3;
    await expect(runs.admit("org")).rejects.toThrow("has 10 open runs");
    await runs.admit("other");
    world.now = 5_000;
    await runs.admit("org");
  });

  it("does not count at every start, and seldom while there are few", async () => {
    const { world, runs } = bounded(0, 1_000);
    for (let start = 0; start < 400; start += 1) {
      world.now = start * 100;
      await runs.admit("org");
    }
    expect(world.counts).toBe(1);
  });
});
