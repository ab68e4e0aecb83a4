import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/store/index.ts";
import { Scheduler } from "../../src/outside/schedule/index.ts";
import { StoreLauncher } from "../schedule/store-launcher.ts";

const ORG = "org_1";

describe("many schedules that are due at once", () => {
  it("start a run each, within one look, and none when it looks again", async () => {
    let now = Date.UTC(2026, 5, 1, 12, 0, 59);
    const clock = { now: () => now, after: () => () => undefined };
    const store = createMemoryStore({ now: clock.now });
    const launcher = new StoreLauncher(store, "a");
    const troubles: string[] = [];
    const names = Array.from({ length: 101 }, (_, index) => `s${index}`);
    for (const name of names) {
      await store.putEntry(ORG, "schedule", name, { workflow: "report", every_seconds: 60 }, now);
    }
    const onTrouble = (what: string): number => troubles.push(what);
    const scheduler = new Scheduler({ store, launcher, clock, replicaId: "a", onTrouble });
    await scheduler.tick();
    const before = launcher.requests.length;
    now += 1_000;
    await scheduler.tick();
    const started = launcher.requests.slice(before).map(({ startedBy }) => startedBy);
    expect(new Set(started)).toEqual(new Set(names.map((name) => `schedule:${name}`)));
    expect(started).toHaveLength(101);
    await scheduler.tick();
    expect(launcher.requests).toHaveLength(before + 101);
    expect(troubles).toEqual([]);
    await scheduler.stop();
  });
});
