import { describe, expect, it } from "vitest";
import { createVirtualClock } from "../clock/index.ts";
import { Reconciler, type ReconcilerOptions } from "./reconciler.ts";

function rig(over: Partial<ReconcilerOptions["store"]> = {}) {
  const clock = createVirtualClock(0);
  const troubles: string[] = [];
  const asked: string[] = [];
  const note = <T>(what: string, answer: T): Promise<T> => {
    asked.push(what);
    return Promise.resolve(answer);
  };
  const store: ReconcilerOptions["store"] = {
    recount: () => note("recount", ["agent a of org: 2 open, counted again 1"]),
    unexplainedSpending: (since) => note(`explain ${since}`, ["envelope cap of org: 2 spent, usage explains 1"]),
    pruneMemories: async () => 0,
    ...over,
  };
  const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
  return { clock, troubles, asked, reconciler: new Reconciler({ store, clock, onTrouble }) };
}

describe("the reconciler", () => {
  it("recounts every five minutes, reports what was wrong, and counts it", async () => {
    const { reconciler, asked, troubles } = rig();
    for (let minute = 1; minute <= 4; minute += 1) await reconciler.tick();
    expect(asked).toEqual([]);
    await reconciler.tick();
    expect(asked).toEqual(["recount"]);
    expect(troubles).toEqual(["a counter was wrong and has been set right: agent a of org: 2 open, counted again 1"]);
    expect(reconciler.figures()).toEqual({ recounts: 1, fixed: 1, unexplained: 0 });
  });

  it("lets go of memories every minute, in batches, and not for ever", async () => {
    const left = [20_000, 20_000, 19_999];
    const asked: number[] = [];
    const { reconciler } = rig({
      pruneMemories: async (limit) => {
        asked.push(limit);
        return left.shift() ?? 20_000;
      },
    });
    await reconciler.tick();
    expect(asked).toEqual([20_000, 20_000, 20_000]);
    await reconciler.tick();
    expect(asked).toHaveLength(13);
  });

  it("compares spending with usage once a day", async () => {
    const { reconciler, asked, troubles } = rig({ recount: async () => [] });
    for (let minute = 1; minute < 1_440; minute += 1) await reconciler.tick();
    expect(asked.some((what) => what.startsWith("explain"))).toBe(false);
    await reconciler.tick();
    expect(asked.filter((what) => what.startsWith("explain"))).toHaveLength(1);
    expect(troubles).toEqual([
      "a budget has more spent than usage explains: envelope cap of org: 2 spent, usage explains 1",
    ]);
    expect(reconciler.figures().unexplained).toBe(1);
  });

  it("continues when something fails, and stops on request", async () => {
    const failing = rig({
      pruneMemories: () => Promise.reject(new Error("no database")),
      recount: () => Promise.reject(new Error("no database")),
    });
    const { reconciler, clock, troubles } = failing;
    reconciler.start();
    await clock.run(() => troubles.length === 6);
    expect(clock.now()).toBe(5 * 60_000);
    reconciler.stop();
    await clock.run(() => clock.now() > 60 * 60_000);
    expect(troubles).toHaveLength(6);
  });
});
