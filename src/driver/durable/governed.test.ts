import { describe, expect, it } from "vitest";
import { NO_TOKENS, type UnstampedInput } from "../../core/engine/index.ts";
import type { Store } from "../../store/index.ts";
import { launch, type Manifest, openReplica, ORG } from "../../../test/integration/support/governed.ts";
import { GovernedMachine } from "../../../test/integration/support/governed-machine.ts";
import { deafAdapter } from "../../../test/integration/support/machine.ts";

const agent = (spec: object): Manifest => ["Agent", "default", { trust_level: 5, ...spec }];
const cap = (usd: number): Manifest => ["Budget", "cap", { scope: "global", period: "daily", amount_usd: usd }];
const source = (...steps: readonly object[]): string =>
  JSON.stringify({ name: "w", steps: steps.map((step) => ({ command: "go", ...step })) });
const HANGING = JSON.stringify({ default: "echo", nodes: { a: { hang: true }, b: { hang: true } } });

const failed = (nodeId: string, costMicros: number): UnstampedInput => ({
  type: "callback",
  nodeId,
  attempt: 1,
  result: { status: "failed", errorCode: "provider_error", error: "no", tokens: NO_TOKENS, costMicros },
});

/** Submitted at once, so that they are decided together. */
async function submitTogether(
  machine: GovernedMachine,
  runId: string,
  input: readonly UnstampedInput[],
): Promise<void> {
  const { driver } = machine.replica();
  await machine.wait(Promise.all(input.map((one) => driver.submit(ORG, runId, one))));
}

async function books(machine: GovernedMachine) {
  const { agents, envelopes } = await machine.store.readCounters(ORG, 0);
  const [envelope] = envelopes;
  return { open: agents[0]?.open, spent: envelope?.spent, reserved: envelope?.reserved };
}

const RETRY = { on_failure: "retry", retry: { attempts: 3, backoff_ms: 5_000 } };

describe("one commit that ends an attempt", () => {
  it("and cancels its node gives its slot and its money back once", async () => {
    const machine = await GovernedMachine.open([agent({ max_concurrent: 5 }), cap(1)], HANGING);
    const runId = await machine.launch(source({ id: "a", estimated_cost: 0.01, ...RETRY }, { id: "b" }));
    await submitTogether(machine, runId, [failed("a", 70), { type: "cancel", reason: "enough" }]);
    expect(await machine.end(runId)).toBe("cancelled");
    expect(await books(machine)).toEqual({ open: 0, spent: 70, reserved: 0 });
  });

  it("and is refused another gives them back once", async () => {
    const machine = await GovernedMachine.open([agent({ max_concurrent: 5 }), cap(0.02)], HANGING);
    const retry = { on_failure: "retry", retry: { attempts: 3, backoff_ms: 0 } };
    const runId = await machine.launch(source({ id: "a", estimated_cost: 0.01, ...retry }));
    await submitTogether(machine, runId, [failed("a", 20_000)]);
    expect(await machine.end(runId)).toBe("failed");
    expect(await books(machine)).toEqual({ open: 0, spent: 20_000, reserved: 0 });
  });

  it("gives its slot to the next node of the run, without waiting", async () => {
    const machine = await GovernedMachine.open([agent({ max_concurrent: 1 })]);
    const runId = await machine.launch(
      source({ id: "x" }, { id: "y", depends_on: ["x"] }, { id: "z", depends_on: ["y"] }),
    );
    expect(await machine.end(runId)).toBe("completed");
    const waits = (await machine.log(runId)).filter(
      (event) => event.type === "node.waiting" && event.payload.waitingReason !== "dependency",
    );
    expect(waits).toEqual([]);
  });

  it("at a price above its reservation leaves less to the next node of the run", async () => {
    const script = JSON.stringify({ default: "echo", nodes: { x: { cost_usd: 0.095 } } });
    const machine = await GovernedMachine.open([agent({}), cap(0.1)], script);
    const steps = [
      { id: "x", estimated_cost: 0.01 },
      { id: "y", depends_on: ["x"], estimated_cost: 0.01 },
    ];
    const runId = await machine.launch(source(...steps));
    expect(await machine.end(runId)).toBe("failed");
    expect(await books(machine)).toEqual({ open: 0, spent: 95_000, reserved: 0 });
    const verdicts = await machine.store.verdictsOf(ORG, runId);
    expect(verdicts.map(({ nodeId, code }) => [nodeId, code])).toEqual([
      ["x", null],
      ["y", "budget_exceeded"],
    ]);
  });
});

describe("one commit that opens an attempt", () => {
  it("takes nothing for nodes that an earlier verdict has put an end to", async () => {
    const machine = await GovernedMachine.open([agent({ max_concurrent: 5 }), cap(0.02)]);
    const runId = await machine.launch(source({ id: "a", estimated_cost: 9 }, { id: "b" }, { id: "c" }));
    expect(await machine.end(runId)).toBe("failed");
    const verdicts = await machine.store.verdictsOf(ORG, runId);
    expect(verdicts.map(({ nodeId }) => nodeId)).toEqual(["a"]);
    const { agents, envelopes } = await machine.store.readCounters(ORG, 0);
    expect([agents, envelopes]).toEqual([[], []]);
  });

  it("stands though a late cost in the same breath goes beyond the ceiling", async () => {
    const machine = await GovernedMachine.open([agent({}), cap(0.02)], HANGING, 0);
    const { store, clock, troubles } = machine;
    const never = { ...deafAdapter(() => new Promise<never>(() => undefined)), provider: "scripted" };
    machine.replicas.push(await machine.wait(openReplica({ store, clock, adapter: never, isAlone: true, troubles })));
    const gate = { id: "gate", approval: "required", command: undefined };
    const late = { id: "a", timeout: 1, on_failure: "skip", estimated_cost: 0.001 };
    const runId = await machine.launch(source(late, gate, { id: "b", depends_on: ["gate"], estimated_cost: 0.015 }));
    await machine.pass(2_000);
    const [approval] = (await machine.store.listApprovals(ORG, "pending", { limit: 1, cursor: null })).data;
    await submitTogether(machine, runId, [
      { type: "approval", approvalId: approval?.id ?? "", decision: "approve", by: "ada" },
      failed("a", 10_000),
    ]);
    // Either may have been submitted first; whichever it was, both are written.
    const { spent, reserved } = await books(machine);
    expect(spent).toBe(10_000);
    expect([0, 15_000]).toContain(reserved);
    await machine.submit(runId, { type: "cancel", reason: "enough" });
    expect(await books(machine)).toEqual({ open: 0, spent: 10_000, reserved: 0 });
  });

  it("of a run that was loaded ends it as well, and gives its slot and its money back", async () => {
    const machine = await GovernedMachine.open([agent({ max_concurrent: 5 }), cap(1)], HANGING, 2);
    const runId = await machine.launch(source({ id: "a", estimated_cost: 0.01 }));
    await machine.submit(runId, failed("a", 70), 1);
    expect(await machine.end(runId)).toBe("failed");
    expect(await books(machine)).toEqual({ open: 0, spent: 70, reserved: 0 });
    const [loaded] = await machine.store.loadRuns([runId]);
    expect(loaded?.openAttempts).toEqual([]);
  });
});

describe("a commit that is not written", () => {
  /** Replicas whose attempts never end by themselves, and what was asked of their adapters. */
  async function replicas(count: number, reach: (store: Store) => Store = (store) => store) {
    const machine = await GovernedMachine.open([agent({ max_concurrent: 1 })], HANGING, 0);
    const { store, clock, troubles } = machine;
    const calls: string[] = [];
    const hanging = deafAdapter(({ dispatchId }) => {
      calls.push(dispatchId);
      return new Promise<never>(() => undefined);
    });
    const adapter = { ...hanging, provider: "scripted" };
    while (machine.replicas.length < count) {
      const parts = { store: reach(store), clock, adapter, isAlone: count === 1, troubles };
      machine.replicas.push(await machine.wait(openReplica(parts)));
    }
    return { machine, calls };
  }

  it("because another replica took the last slot sends nothing, and its run begins when the slot is free", async () => {
    const { machine, calls } = await replicas(2);
    const both = machine.replicas.map(({ driver }, index) =>
      launch(driver, machine.store, source({ id: "a" }), { runId: `run_${index}` }),
    );
    await machine.wait(Promise.all(both));
    await machine.pass(5_000);
    expect(calls).toHaveLength(1);
    const [holder = ""] = (calls[0] ?? "").split("/");
    await machine.submit(holder, { type: "cancel", reason: "enough" });
    await machine.pass(5_000);
    expect(calls.toSorted()).toEqual(["run_0/a/1", "run_1/a/1"]);
    expect(await books(machine)).toMatchObject({ open: 1 });
  });

  it("because of a bug takes nothing: what it would have taken is free for the next run", async () => {
    const { machine, calls } = await replicas(1, (store) => ({
      ...store,
      commit: async (batch) => {
        if (batch.some(({ runId }) => runId === "run_bad")) throw new TypeError("this row is poison");
        return store.commit(batch);
      },
    }));
    const { driver } = machine.replica();
    const start = (runId: string) => machine.wait(launch(driver, machine.store, source({ id: "a" }), { runId }));
    await expect(start("run_bad")).rejects.toThrow("poison");
    await start("run_good");
    await machine.pass(1);
    expect(calls).toEqual(["run_good/a/1"]);
  });
});

describe("a judge that cannot be asked", () => {
  it("loses no input of a run", async () => {
    const machine = await GovernedMachine.open([agent({})]);
    let asked = 0;
    const { store, clock } = machine;
    const troubles: string[] = [];
    const adapter = { ...deafAdapter(async () => ({ status: "completed", stdout: "done" })), provider: "scripted" };
    const replica = await machine.wait(
      openReplica({
        store,
        clock,
        adapter,
        isAlone: true,
        troubles,
        disguise: (judge) =>
          new Proxy(judge, {
            get(target, name) {
              const found: unknown = Reflect.get(target, name);
              if (name !== "prepare") return typeof found === "function" ? (found.bind(target) as unknown) : found;
              return (orgIds: ReadonlySet<string>) => {
                asked += 1;
                // The first time it is asked where the run belongs; nothing has been taken by then.
                return asked > 1 && asked <= 4
                  ? Promise.reject(new Error("a manifest cannot be read"))
                  : target.prepare?.(orgIds);
              };
            },
          }),
      }),
    );
    const runId = await machine.wait(launch(replica.driver, store, source({ id: "x" })));
    expect(await machine.end(runId)).toBe("completed");
    expect(troubles).toEqual(
      Array(3).fill("a run cannot be judged, and is tried again: Error: a manifest cannot be read"),
    );
  });
});
