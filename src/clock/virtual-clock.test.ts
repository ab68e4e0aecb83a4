import { describe, expect, it } from "vitest";
import { createVirtualClock } from "./virtual-clock.ts";

describe("virtual clock", () => {
  it("fires in order of time, and of setting within one moment", async () => {
    const clock = createVirtualClock(1_000);
    const fired: string[] = [];
    for (const [name, delay] of [
      ["c", 30],
      ["a", 10],
      ["d", 30],
      ["b", 20],
      ["now", 0],
    ] as const) {
      clock.after(delay, () => fired.push(`${name}@${clock.now()}`));
    }
    expect(await clock.run(() => fired.length === 5)).toBe(true);
    expect(fired).toEqual(["now@1000", "a@1010", "b@1020", "c@1030", "d@1030"]);
  });

  it("keeps the order of a thousand timers", async () => {
    const clock = createVirtualClock(0);
    const fired: number[] = [];
    for (let index = 0; index < 1_000; index += 1) clock.after((index * 7_919) % 1_009, () => fired.push(clock.now()));
    await clock.run(() => fired.length === 1_000);
    expect(fired).toEqual([...fired].sort((left, right) => left - right));
  });

  it("lets promises settle before time passes", async () => {
    const clock = createVirtualClock(0);
    const seen: string[] = [];
    clock.after(5, () => {
      void Promise.resolve()
        .then(() => undefined)
        .then(() => seen.push(`promise@${clock.now()}`));
    });
    clock.after(6, () => seen.push("timer"));
    await clock.run(() => seen.length === 2);
    expect(seen).toEqual(["promise@5", "timer"]);
  });

  it("does not fire what was stopped, and says when nothing is left", async () => {
    const clock = createVirtualClock(0);
    const stop = clock.after(5, () => expect.unreachable());
    stop();
    stop();
    expect(await clock.run(() => false)).toBe(false);
    expect(clock.now()).toBe(0);
  });
});
