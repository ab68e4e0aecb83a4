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
    await runs.admit("other");
    world.now = 1;
    await runs.admit("org");
  });

  it("counts again before it refuses, and less often the more there is to count", async () => {
    const { world, runs } = bounded(0, 100_000);
    await runs.admit("org");
    world.open = 100_000;
    world.now = 60_000;
    for (let start = 0; start < 100; start += 1) {
      world.now += 49;
      await expect(runs.admit("org")).rejects.toThrow("has 100000 open runs");
    }
    expect(world.counts).toBe(2);
    world.open = 0;
    world.now = 65_100;
    await runs.admit("org");
    expect(world.counts).toBe(3);
  });

  it("takes any number of runs one after the other, when each has ended before the next", async () => {
    const { world, runs } = bounded(0, 2);
    for (let start = 0; start < 10; start += 1) {
      world.now += 1;
      (await runs.admit("org"))();
    }
  });

  it("takes no more at once than there is room for, however often they are counted", async () => {
    const { world, runs } = bounded(0, 3);
    const admitted = await Promise.allSettled(Array.from({ length: 8 }, () => runs.admit("org")));
    expect(admitted.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    world.now = 10_000;
    await expect(runs.admit("org")).rejects.toThrow(TooManyOpenRuns);
    for (const one of admitted) if (one.status === "fulfilled") one.value();
    world.now += 1;
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
