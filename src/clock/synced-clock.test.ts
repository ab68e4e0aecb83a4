import { describe, expect, it } from "vitest";
import { SyncedClock } from "./synced-clock.ts";
import { createVirtualClock } from "./virtual-clock.ts";

/** A machine whose clock is wrong by `skewMs`, and a database that is right, and slow at first. */
async function machine(skewMs: number, firstDelaysMs: readonly number[] = []) {
  const real = createVirtualClock(1_000_000);
  const wall = { skewMs };
  const database = { delayMs: 0, connectMs: 0, roundMs: 0, aheadMs: 0, isAway: false };
  const troubles: string[] = [];
  const delays = [...firstDelaysMs];
  const rest = async (ms: number): Promise<void> => {
    if (ms > 0) await new Promise<void>((resolve) => real.after(ms, resolve));
  };
  const opening = SyncedClock.open({
    readTime: async () => {
      if (database.isAway) throw new Error("away");
      await rest(database.connectMs);
      const time = real.now() + database.aheadMs + database.roundMs;
      await rest(delays.shift() ?? database.delayMs);
      return time;
    },
    local: { now: () => real.now() + wall.skewMs, after: (ms, fire) => real.after(ms, fire) },
    monotonic: () => real.now() - 900_000,
    onTrouble: (what) => troubles.push(what),
  });
  let isOpen = false;
  void opening.then(() => (isOpen = true));
  if (firstDelaysMs.length > 0) await real.run(() => isOpen);
  const clock = await opening;
  const pass = async (ms: number): Promise<void> => {
    let isOver = false;
    real.after(ms, () => (isOver = true));
    await real.run(() => isOver);
  };
  return { real, wall, database, clock, troubles, pass };
}

describe("database time in a process", () => {
  it.each([0, 600_000, -600_000])(
    "is the database's, though the machine is off by %i ms, and says by how much",
    async (skewMs) => {
      const { real, clock, pass } = await machine(skewMs);
      expect(clock.now()).toBe(real.now());
      expect(clock.skewMs).toBe(skewMs);
      await pass(25_000);
      expect(clock.now()).toBe(real.now());
      clock.stop();
    },
  );

  it.each([100, -100])(
    "is the machine's own while that differs by no more than reading it does: %i ms",
    async (skewMs) => {
      const { real, clock } = await machine(skewMs);
      expect(clock.now()).toBe(real.now() + skewMs);
      clock.stop();
    },
  );

  it.each([101, -101])("is not the machine's when it differs by more: %i ms", async (skewMs) => {
    const { real, clock } = await machine(skewMs);
    expect(clock.now()).toBe(real.now());
    clock.stop();
  });

  it("is read again when the first answers were slow, and the quickest of them counts", async () => {
    const { real, clock } = await machine(600_000, [4_000, 6_000, 40]);
    expect(Math.abs(clock.now() - real.now())).toBeLessThanOrEqual(20);
    clock.stop();
  });

  it("is the machine's own while no answer was quick enough to doubt it", async () => {
    const { real, clock } = await machine(-400, [4_000, 1_000, 2_000]);
    expect(clock.now()).toBe(real.now() - 400);
    clock.stop();
  });

  it("does not move when the time of the machine is set", async () => {
    const { real, wall, clock, pass } = await machine(0);
    wall.skewMs = 3_600_000;
    expect(clock.now()).toBe(real.now());
    await pass(10_001);
    expect(clock.now()).toBe(real.now());
    expect(clock.skewMs).toBe(3_600_000);
    clock.stop();
  });

  it("continues without the database, and takes no time from a slow answer", async () => {
    const { real, database, clock, troubles, pass } = await machine(0);
    database.isAway = true;
    await pass(30_001);
    expect(clock.now()).toBe(real.now());
    expect(troubles).toHaveLength(3);
    database.isAway = false;
    database.delayMs = 5_000;
    await pass(30_000);
    expect(clock.now()).toBe(real.now());
    clock.stop();
  });

  it.each([
    { when: "before it was asked, as while it connects", connectMs: 900, delayMs: 0, roundMs: 1 },
    { when: "after it was asked", connectMs: 0, delayMs: 900, roundMs: -1 },
  ])("is not moved by an answer that waited $when", async ({ connectMs, delayMs, roundMs }) => {
    const { real, database, clock, pass } = await machine(0);
    Object.assign(database, { connectMs, delayMs, roundMs });
    await pass(25_000);
    expect(clock.now()).toBe(real.now());
    clock.stop();
  });

  it("is as exact as the quickest answer while the machine is off and later answers are slow", async () => {
    const { real, database, clock, pass } = await machine(600_000);
    database.connectMs = 900;
    await pass(25_000);
    expect(clock.now()).toBe(real.now());
    clock.stop();
  });

  it("is the time of another database that leads now, though its answer is slow", async () => {
    const { real, database, clock, pass } = await machine(0);
    Object.assign(database, { aheadMs: 5_000, connectMs: 400 });
    await pass(15_000);
    expect(Math.abs(clock.now() - real.now() - 5_000)).toBeLessThanOrEqual(200);
    clock.stop();
  });
});
