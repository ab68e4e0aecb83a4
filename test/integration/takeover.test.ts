import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/core/event/index.ts";
import { deafAdapter, Machine } from "./support/machine.ts";

const WORK = "name: w\nsteps: [{ id: work, command: go, timeout: 600 }]\n";

const resends = (events: readonly RunEvent[]): number =>
  events.filter((event) => event.type === "node.log" && event.payload.message === "dispatch sent again").length;

describe("a replica that takes over an attempt", () => {
  it("sends it again once, though it finds it both among the orphans and in the run it loads", async () => {
    let calls = 0;
    const adapter = deafAdapter(() => {
      calls += 1;
      return new Promise<never>(() => undefined);
    });
    const machine = new Machine(adapter, 2);
    const runId = await machine.start(WORK);
    await machine.wait(machine.driver(0).stop());
    await machine.pass(30_000);
    expect(calls).toBe(2);
    // Each sending counts against the calls a node may make, so one too many ends a node too early.
    expect(resends(await machine.log(runId))).toBe(1);
    expect(machine.troubles).toEqual([]);
  });
});
