import { describe, expect, it } from "vitest";
import { ORG, fanOut, type Manifest } from "./support/governed.ts";
import { GovernedMachine } from "./support/governed-machine.ts";

const agent = (spec: object, name = "default"): Manifest => ["Agent", name, { trust_level: 5, ...spec }];
const scriptOf = (nodes: object): string => JSON.stringify({ default: "echo", nodes });
const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const each = (ids: readonly string[], entry: object): object => Object.fromEntries(ids.map((id) => [id, entry]));

const steps = (list: readonly object[], head: object = {}): string =>
  JSON.stringify({ name: "w", max_parallel: 1_000, ...head, steps: list });
const step = (id: string, more: object = {}): object => ({ id, command: "go", ...more });

async function failures(machine: GovernedMachine, runId: string): Promise<number> {
  const events = await machine.log(runId);
  return events.filter(({ type }) => type === "node.failed" || type === "node.timed_out").length;
}

/** When the first node of a run ended, and left its slot to others. */
async function freedAt(machine: GovernedMachine, runId: string): Promise<number> {
  return (await machine.log(runId)).find(({ type }) => type === "node.completed")?.at ?? 0;
}

describe("a fan-out wider than its agent is quick", () => {
  it("of 200 nodes of 300 ms on 5 slots takes exactly 40 rounds, and none fails", async () => {
    const script = scriptOf(each(names("n", 200), { delay_ms: 300 }));
    const machine = await GovernedMachine.open([agent({ max_concurrent: 5 })], script);
    const runId = await machine.launch(fanOut(200));
    expect(await machine.end(runId)).toBe("completed");
    expect(await failures(machine, runId)).toBe(0);
    const run = await machine.store.getRun(ORG, runId);
    expect((run?.endedAt ?? 0) - (run?.startedAt ?? 0)).toBe(40 * 300);
    const rounds = new Map<number, number>();
    for (const at of (await machine.starts(runId)).values()) rounds.set(at, (rounds.get(at) ?? 0) + 1);
    expect([...rounds.values()]).toEqual(Array(40).fill(5));
    expect(machine.troubles).toEqual([]);
  });

  it("on two replicas with 5 slots between them never has a sixth open, and none fails", async () => {
    const script = scriptOf(each(names("n", 40), { delay_ms: 300 }));
    const machine = await GovernedMachine.open([agent({ max_concurrent: 5 })], script, 2);
    const runs = [await machine.launch(fanOut(40), 0), await machine.launch(fanOut(40), 1)];
    for (const runId of runs) {
      expect(await machine.end(runId)).toBe("completed");
      expect(await failures(machine, runId)).toBe(0);
    }
    const logs = await Promise.all(runs.map((runId) => machine.log(runId)));
    const changes = logs.flat().flatMap(({ type, at }) => {
      if (type === "node.started") return [{ at, by: 1 }];
      return type === "node.completed" ? [{ at, by: -1 }] : [];
    });
    let open = 0;
    for (const { by } of changes.sort((left, right) => left.at - right.at || left.by - right.by)) {
      open += by;
      expect(open).toBeLessThanOrEqual(5);
    }
    expect(await machine.store.recount()).toEqual([]);
  });
});

describe("those who wait", () => {
  it("are served in the order in which they came, across runs", async () => {
    const script = scriptOf({ n0: { delay_ms: 100 }, n1: { delay_ms: 100 }, n2: { delay_ms: 100 } });
    const machine = await GovernedMachine.open([agent({ max_concurrent: 1 })], script);
    const runs: string[] = [];
    for (let index = 0; index < 4; index += 1) runs.push(await machine.launch(fanOut(3)));
    for (const runId of runs) await machine.end(runId);
    const order: (readonly [number, string])[] = [];
    for (const [place, runId] of runs.entries())
      for (const [nodeId, at] of await machine.starts(runId)) order.push([at, `${place}/${nodeId}`]);
    const served = order.sort(([left], [right]) => left - right).map(([, who]) => who);
    // The first of all found the slot free; all others waited, run after run.
    expect(served).toEqual([0, 1, 2, 3].flatMap((place) => ["n0", "n1", "n2"].map((nodeId) => `${place}/${nodeId}`)));
  });

  it("are woken in the very moment in which a slot is freed", async () => {
    const machine = await GovernedMachine.open([agent({ max_concurrent: 1 })], scriptOf({ a: { delay_ms: 12_345 } }));
    const first = await machine.launch(steps([step("a")]));
    const second = await machine.launch(steps([step("b")]));
    await machine.end(second);
    expect((await machine.starts(second)).get("b")).toBe(await freedAt(machine, first));
  });

  it("are not kept waiting by those who were cancelled, however many", async () => {
    const machine = await GovernedMachine.open([agent({ max_concurrent: 1 })], scriptOf({ a: { delay_ms: 60_000 } }));
    const holder = await machine.launch(steps([step("a")]));
    const crowd = await machine.launch(fanOut(300));
    const last = await machine.launch(steps([step("b")]));
    await machine.pass(1_000);
    await machine.submit(crowd, { type: "cancel", reason: "enough" });
    await machine.end(last);
    expect((await machine.starts(last)).get("b")).toBe(await freedAt(machine, holder));
  });

  it("are not kept waiting by one whose own run has no place for it", async () => {
    const nodes = { hold: { delay_ms: 5_000 }, first: { delay_ms: 60_000 }, own: {}, b: {} };
    const machine = await GovernedMachine.open(
      [agent({ max_concurrent: 1 }), agent({ max_concurrent: 9 }, "other")],
      scriptOf(nodes),
    );
    const holder = await machine.launch(steps([step("hold")]));
    // `own` waits for the agent while its run has one place, which `first` then takes for a minute.
    const narrow = [
      step("gate", { approval: "required", command: undefined }),
      step("own"),
      step("first", { agent: "other", depends_on: ["gate"] }),
    ];
    const full = await machine.launch(steps(narrow, { max_parallel: 1 }));
    const behind = await machine.launch(steps([step("b")]));
    const [approval] = (await machine.store.listApprovals(ORG, "pending", { limit: 1, cursor: null })).data;
    await machine.submit(full, { type: "approval", approvalId: approval?.id ?? "", decision: "approve", by: "ada" });
    await machine.end(behind);
    expect((await machine.starts(behind)).get("b")).toBe(await freedAt(machine, holder));
    expect(await machine.end(full)).toBe("completed");
  });

  it("go on when a money gate stops the one before them", async () => {
    const machine = await GovernedMachine.open(
      [agent({ max_concurrent: 1 }), ["Budget", "cap", { scope: "global", period: "daily", amount_usd: 0.01 }]],
      scriptOf({ a: { delay_ms: 2_000 } }),
    );
    const holder = await machine.launch(steps([step("a")]));
    const expensive = await machine.launch(steps([step("dear", { estimated_cost: 1 })]));
    const cheap = await machine.launch(steps([step("cheap")]));
    expect(await machine.end(expensive)).toBe("failed");
    expect(await machine.end(cheap)).toBe("completed");
    expect((await machine.starts(cheap)).get("cheap")).toBe(await freedAt(machine, holder));
  });

  it("for a window are served before those who come when it frees", async () => {
    const machine = await GovernedMachine.open([
      agent({ max_concurrent: 50, rate_limit: { count: 2, per_seconds: 1 } }),
    ]);
    const first = await machine.launch(fanOut(4));
    await machine.pass(990);
    const late = await machine.launch(steps([step("late")]));
    await machine.end(late);
    await machine.end(first);
    const begun = [...(await machine.starts(first)).values()];
    expect((await machine.starts(late)).get("late")).toBeGreaterThan(Math.max(...begun));
  });
});

describe("what waits when a process ends", () => {
  it("continues at the next, which knows of it only from the database", async () => {
    const machine = await GovernedMachine.open([agent({ max_concurrent: 2 })], scriptOf({ a: { delay_ms: 4_000 } }), 2);
    const holder = await machine.launch(steps([step("a"), step("b")]), 0);
    const waiting = await machine.launch(fanOut(20), 0);
    // The first replica stops in its tracks, and no other has seen the twenty wait.
    machine.replica(0).governance.stop();
    await machine.wait(machine.replica(0).driver.stop());
    expect(await machine.end(holder)).toBe("completed");
    expect(await machine.end(waiting)).toBe("completed");
    expect(await failures(machine, waiting)).toBe(0);
  });

  it("is judged anew by each that follows, and its verdict is recorded once", async () => {
    const budget = (amount: number): Manifest => {
      return ["Budget", "cap", { scope: "global", period: "monthly", amount_usd: amount, on_exhausted: "pause" }];
    };
    const machine = await GovernedMachine.open([agent({}), budget(0.01)]);
    const runId = await machine.launch(steps([step("dear", { estimated_cost: 1, queue_timeout: 3_600 })]));
    for (let restarts = 0; restarts < 3; restarts += 1) {
      machine.replica(restarts).governance.stop();
      await machine.wait(machine.replica(restarts).driver.stop());
      await machine.addReplica(true);
      await machine.pass(3_000);
    }
    await machine.register([budget(10)]);
    expect(await machine.end(runId, 60_000)).toBe("completed");
    const ids = (await machine.store.verdictsOf(ORG, runId)).map(({ verdictId }) => verdictId);
    expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
    expect(machine.troubles).toEqual([]);
  });

  it("is found behind hundreds that wait for another agent", async () => {
    const script = scriptOf({ stuck: { hang: true }, y: { delay_ms: 30_000 } });
    const machine = await GovernedMachine.open(
      [agent({ max_concurrent: 1 }), agent({ max_concurrent: 1 }, "other")],
      script,
    );
    await machine.launch(steps([step("stuck", { timeout: 3_000 })]));
    await machine.launch(steps([step("y", { agent: "other" })]));
    await machine.launch(fanOut(700, { queue_timeout: 10_000 }));
    const hidden = await machine.launch(steps([step("z", { agent: "other", queue_timeout: 10_000 })]));
    machine.replica(0).governance.stop();
    await machine.wait(machine.replica(0).driver.stop());
    await machine.addReplica(true);
    expect(await machine.end(hidden, 120_000)).toBe("completed");
  });

  it("of another replica is woken by a slot that this one frees, within the refresh", async () => {
    const machine = await GovernedMachine.open(
      [agent({ max_concurrent: 1 })],
      scriptOf({ a: { delay_ms: 10_500 } }),
      2,
    );
    const ours = await machine.launch(steps([step("a")]), 0);
    const theirs = await machine.launch(steps([step("b")]), 1);
    await machine.end(theirs);
    const woken = (await machine.starts(theirs)).get("b") ?? 0;
    expect(woken - (await freedAt(machine, ours))).toBeLessThanOrEqual(1_000);
  });
});

it("a node that is claimed is served although this replica has an older state of its run in memory", async () => {
  const script = scriptOf({ busy: { delay_ms: 30_000 } });
  const machine = await GovernedMachine.open([agent({ max_concurrent: 1 })], script, 2);
  const gated = steps([
    { id: "gate", approval: "required" },
    step("after", { depends_on: ["gate"], queue_timeout: 3_600 }),
  ]);
  const runId = await machine.launch(gated, 0);
  // The second replica has seen the run before its node waits for a slot.
  await machine.wait(machine.replica(1).driver.stateOf(ORG, runId));
  const busy = await machine.launch(steps([step("busy")]), 1);
  const { data } = await machine.store.listApprovals(ORG, "pending", { limit: 10, cursor: null });
  await machine.submit(runId, { type: "approval", approvalId: data[0]?.id ?? "", decision: "approve", by: "ann" }, 0);
  machine.replica(0).governance.stop();
  await machine.wait(machine.replica(0).driver.stop());
  expect(await machine.end(busy)).toBe("completed");
  expect(await machine.end(runId, 60_000)).toBe("completed");
});
