import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/core/event/index.ts";
import { deafAdapter, Machine } from "./support/machine.ts";

const ORG = "default";
const GATED = `name: w
steps: [{ id: first, command: go }, { id: gate, approval: required, depends_on: [first] },
  { id: then, command: go, depends_on: [gate], timeout: 600 }]
`;
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

  it("knows that its memory of the run may be older than what it takes over", async () => {
    const calls: string[] = [];
    const adapter = deafAdapter(({ dispatchId, stepId }) => {
      calls.push(dispatchId);
      return new Promise((resolve) => {
        if (stepId === "first" || calls.length > 2) resolve({ status: "completed", stdout: "done" });
      });
    });
    const machine = new Machine(adapter, 2);
    const runId = await machine.start(GATED);
    // The second replica sees the run while it waits; then the first lets it go on, sends what follows, and is gone.
    await machine.wait(machine.driver(1).stateOf(ORG, runId));
    const approval = { type: "approval", decision: "approve", by: "ann", reason: "" } as const;
    const approvalId = await machine.openApproval();
    await machine.wait(machine.driver(0).submit(ORG, runId, { ...approval, approvalId }));
    await machine.wait(machine.driver(0).stop());
    await machine.pass(30_000);
    expect(calls).toEqual([`${runId}/first/1`, `${runId}/then/1`, `${runId}/then/1`]);
    expect((await machine.log(runId)).at(-1)?.type).toBe("run.completed");
  });
});
