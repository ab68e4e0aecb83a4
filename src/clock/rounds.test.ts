import { describe, expect, it } from "vitest";
import { createVirtualClock } from "./virtual-clock.ts";
import { Rounds } from "./rounds.ts";

describe("rounds", () => {
  it("come at once, every so often, and sooner when woken, never two at a time", async () => {
    const clock = createVirtualClock(0);
    const began: number[] = [];
    let isAtIt = false;
    const rounds = new Rounds({
      clock,
      everyMs: 1_000,
      onTrouble: () => undefined,
      round: async () => {
        expect(isAtIt).toBe(false);
        isAtIt = true;
        began.push(clock.now());
        if (began.length === 2) rounds.wake();
        await new Promise<void>((resolve) => clock.after(100, resolve));
        isAtIt = false;
      },
    });
    rounds.wake();
    rounds.start();
    await clock.run(() => began.length === 4);
    expect(began).toEqual([0, 1_100, 1_200, 2_300]);
    await clock.run(() => !isAtIt);
    rounds.wake(50);
    rounds.wake();
    await clock.run(() => began.length === 5);
    expect(began.at(-1)).toBe(2_450);
    const stopped = rounds.stop();
    await clock.run(() => !isAtIt);
    await stopped;
    rounds.wake();
    rounds.start();
    expect(await clock.run(() => began.length === 6)).toBe(false);
  });

  it("continue after one that failed", async () => {
    const clock = createVirtualClock(0);
    const troubles: unknown[] = [];
    let count = 0;
    const rounds = new Rounds({
      clock,
      everyMs: 1_000,
      onTrouble: (error) => troubles.push(error),
      round: async () => {
        count += 1;
        if (count === 1) throw new Error("away");
      },
    });
    rounds.start(500);
    await clock.run(() => count === 2);
    expect(clock.now()).toBe(1_500);
    expect(troubles).toEqual([new Error("away")]);
    await rounds.stop();
  });
});
