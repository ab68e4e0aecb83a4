import { describe, expect, it } from "vitest";
import { fanOut, launch, type Manifest, ORG } from "../../test/integration/support/governed.ts";
import { GovernedMachine } from "../../test/integration/support/governed-machine.ts";

const COUNTER = "agent/ada/monthly";
const ada = (spec: object = {}): Manifest => ["Agent", "ada", { trust_level: 5, max_concurrent: 1_000, ...spec }];
const bound = (usd: number, spec: object = {}): Manifest => [
  "RoleBinding",
  "ada-writes",
  { role: "writer", agent: "ada", max_spend_usd: usd, ...spec },
];
const cost = (usd: number, more: object = {}): string =>
  JSON.stringify({ default: "echo", nodes: { n0: { cost_usd: usd, ...more }, n1: { cost_usd: usd, ...more } } });

const standing = async ({ store }: GovernedMachine) =>
  (await store.readCounters(ORG, 0)).envelopes.map(({ envelopeId, spent, reserved }) => [envelopeId, spent, reserved]);
const codesOf = async ({ store }: GovernedMachine) => {
  const { data } = await store.listVerdicts(ORG, 0, { limit: 2_000, cursor: null });
  return data.map(({ disposition, gate, code }) => (disposition === "allow" ? "allow" : `${gate} ${code}`));
};

async function expectExactBooks(machine: GovernedMachine): Promise<void> {
  expect(await machine.store.recount()).toEqual([]);
  expect(await machine.store.unexplainedSpending(0)).toEqual([]);
  expect((await standing(machine)).filter(([, , reserved]) => reserved !== 0)).toEqual([]);
  expect(machine.troubles).toEqual([]);
}

describe("the bound of a role", () => {
  it.each([
    ["an agent without a ceiling", 500, {}],
    ["an agent whose own ceiling is wider", 50, { budget_monthly_usd: 100 }],
    ["an agent whose own ceiling is narrower", 50, { budget_monthly_usd: 0.01 }],
  ])("lets through what it has money for and no more, on two replicas: %s, %i at once", async (_, count, spec) => {
    const machine = await GovernedMachine.open([ada(spec), bound(0.05)], cost(0.01, { delay_ms: 150 }), 2);
    const source = fanOut(1, { role: "writer", estimated_cost: 0.01 });
    const runs = await machine.wait(
      Promise.all(
        Array.from({ length: count }, (__, index) => launch(machine.replica(index % 2).driver, machine.store, source)),
      ),
    );
    for (const runId of runs) await machine.end(runId);
    const codes = await codesOf(machine);
    expect(codes.filter((code) => code === "allow")).toHaveLength(5);
    expect(codes.filter((code) => code === "agent_budget budget_exceeded")).toHaveLength(count - 5);
    expect(await standing(machine)).toEqual([[COUNTER, 50_000, 0]]);
    await expectExactBooks(machine);
  });

  it("names the binding, and is judged the same from its record", async () => {
    const machine = await GovernedMachine.open([ada({ budget_monthly_usd: 100 }), bound(0.01)]);
    const runId = await machine.launch(fanOut(1, { role: "writer", estimated_cost: 0.02 }));
    expect(await machine.end(runId)).toBe("failed");
    const [verdict] = await machine.store.verdictsOf(ORG, runId);
    expect(verdict?.body).toMatchObject({
      explanation: {
        gate: "agent_budget",
        unblock: [{ target: "RoleBinding/ada-writes", detail: "raise max_spend_usd to 0.02 or more" }],
      },
      facts: { agentBudget: { ceilingMicros: 10_000, boundBy: "ada-writes" } },
    });
  });

  it("counts what the agent spends and reserves outside the role, which itself is not held by it", async () => {
    const machine = await GovernedMachine.open([ada(), bound(0.03)], cost(0.02, { delay_ms: 1_000 }));
    const named = await machine.launch(fanOut(1, { agent: "ada", estimated_cost: 0.02 }));
    expect(await standing(machine)).toEqual([[COUNTER, 0, 20_000]]);
    const inRole = await machine.launch(fanOut(1, { role: "writer", estimated_cost: 0.02 }));
    expect(await machine.end(inRole)).toBe("failed");
    expect(await machine.end(named)).toBe("completed");
    expect(await standing(machine)).toEqual([[COUNTER, 20_000, 0]]);
    const again = await machine.launch(fanOut(2, { agent: "ada", estimated_cost: 0.02 }));
    expect(await machine.end(again)).toBe("completed");
    expect(await standing(machine)).toEqual([[COUNTER, 60_000, 0]]);
    await expectExactBooks(machine);
  });

  it.each([
    ["a wider ceiling of the agent", { budget_monthly_usd: 1 }],
    ["nothing else", {}],
  ])("holds in one commit beside %s, each for whom it was decided", async (_, spec) => {
    const machine = await GovernedMachine.open([ada(spec), bound(0.03)], cost(0.5, { delay_ms: 10 }));
    const step = (id: string, more: object) => ({ id, command: "go", on_failure: "skip", ...more });
    const source = JSON.stringify({
      name: "w",
      steps: [
        step("n0", { role: "writer", estimated_cost: 0.02 }),
        step("n1", { agent: "ada", estimated_cost: 0.5 }),
        step("n2", { role: "writer", estimated_cost: 0.01 }),
      ],
    });
    const runId = await machine.launch(source);
    expect(await machine.end(runId)).toBe("completed");
    expect(await codesOf(machine)).toEqual(["agent_budget budget_exceeded", "allow", "allow"]);
    expect(await standing(machine)).toEqual([[COUNTER, 1_000_000, 0]]);
    await expectExactBooks(machine);
  });

  it("that comes while attempts are open neither loses nor invents money", async () => {
    const machine = await GovernedMachine.open([ada()], cost(0.02, { delay_ms: 10_000 }));
    const open = await machine.launch(fanOut(1, { agent: "ada", estimated_cost: 0.02 }));
    expect(await standing(machine)).toEqual([]);
    await machine.register([bound(0.03)]);
    await machine.pass(2_500);
    expect(await machine.end(open)).toBe("completed");
    expect(await standing(machine)).toEqual([[COUNTER, 20_000, 0]]);
    await expectExactBooks(machine);
  });
});
