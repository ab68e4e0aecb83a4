import { describe, expect, it } from "vitest";
import { createVirtualClock } from "../clock/index.ts";
import { InputQueue } from "./input-queue.ts";

describe("input queue", () => {
  it("handles one at a time, in order, also what is added meanwhile", async () => {
    const clock = createVirtualClock(0);
    const seen: number[] = [];
    let depth = 0;
    const queue: InputQueue<number> = new InputQueue(clock, (item) => {
      depth += 1;
      expect(depth).toBe(1);
      seen.push(item);
      if (item < 5) queue.push(item + 10);
      depth -= 1;
    });
    for (let item = 0; item < 5; item += 1) queue.push(item);
    expect(seen).toEqual([]);
    await clock.run(() => seen.length === 10);
    expect(seen).toEqual([0, 1, 2, 3, 4, 10, 11, 12, 13, 14]);
  });

  it("lets others have their turn during a long burst", async () => {
    const clock = createVirtualClock(0);
    let handled = 0;
    let handledWhenOthersRan = 0;
    const queue: InputQueue<null> = new InputQueue(clock, () => {
      handled += 1;
      if (handled < 1_000) queue.push(null);
    });
    queue.push(null);
    setImmediate(() => {
      handledWhenOthersRan = handled;
    });
    await clock.run(() => handled === 1_000);
    expect(handledWhenOthersRan).toBeLessThan(1_000);
    expect(handledWhenOthersRan).toBeGreaterThan(0);
  });
});
