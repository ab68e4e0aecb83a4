import { describe, expect, it } from "vitest";
import { createScriptedAdapter, readScript } from "../../src/adapters/index.ts";
import { createVirtualClock } from "../../src/clock/index.ts";
import { createMemoryStore } from "../../src/store/index.ts";
import { launch, openReplica, ORG, register } from "../integration/support/governed.ts";

const HOUR = 3_600_000;
const SOURCE = "name: w\nsteps:\n  - { id: a, command: go, estimated_cost: 0.01 }\n";

describe("a budget whose period ends", () => {
  it("is spent, blocks, and is whole again at midnight, which the audit records once with what was spent", async () => {
    const clock = createVirtualClock(Date.UTC(2026, 10, 15, 22));
    const store = createMemoryStore({ now: () => clock.now() });
    const troubles: string[] = [];
    await register(store, [["Budget", "cap", { scope: "global", period: "daily", amount_usd: 0.01 }]], clock.now());
    const { script } = readScript("default: echo\nnodes:\n  a: { stdout: x, cost_usd: 0.01 }\n");
    const adapter = createScriptedAdapter({ script, clock });
    const replica = await openReplica({ store, clock, adapter, isAlone: true, troubles });
    const runOnce = async (): Promise<string> => {
      let isEnded = false;
      const stop = replica.driver.onCommitted((_, events) => {
        if (events.some(({ type }) => type === "run.completed" || type === "run.failed")) isEnded = true;
      });
      const started = launch(replica.driver, store, SOURCE);
      await clock.run(() => isEnded);
      stop();
      return (await store.getRun(ORG, await started))?.status ?? "gone";
    };
    const passTo = (at: number): Promise<boolean> => clock.run(() => clock.now() > at);
    expect([await runOnce(), await runOnce()]).toEqual(["completed", "failed"]);
    await passTo(Date.UTC(2026, 10, 16) + HOUR);
    expect(await runOnce()).toBe("completed");
    await passTo(Date.UTC(2026, 10, 16) + 2 * HOUR);
    const found: string[] = [];
    await store.seal(ORG, 1_000, (head, pending) => {
      const texts = pending.map(({ entries }) => JSON.stringify(entries));
      found.push(...texts.filter((text) => text.includes("budget.period_reset")));
      return { head, records: [], segments: [] };
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain("0.01");
    expect(troubles).toEqual([]);
    const stopped = replica.stop();
    let isStopped = false;
    void stopped.then(() => (isStopped = true));
    await clock.run(() => isStopped);
  });
});
