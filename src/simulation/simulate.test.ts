import { describe, expect, it } from "vitest";
import { ACTIVE_WORKFLOW } from "../../test/own/active-workflow.ts";
import { readScript } from "../adapters/index.ts";
import { createVirtualClock } from "../clock/index.ts";
import { digestText, type Json } from "../core/base/index.ts";
import { checkArgs, EMPTY_CATALOG } from "../core/definition/index.ts";
import { checkSource, NO_PINS } from "../core/plan/index.ts";
import { readManifestList } from "../registry/index.ts";
import { buildEnvironment, type BuiltEnvironment } from "./environment.ts";
import {
  type SimulationOptions,
  type SimulationInput,
  simulateGoverned,
  simulateOpen,
  SimulationTooLong,
} from "./simulate.ts";
import { type Simulation, simulationOf } from "./simulation.ts";

const NOON = Date.UTC(2026, 10, 15, 12);
const HOW: SimulationOptions = { approve: "all", at: NOON, mayContinue: () => true };

function inputOf(steps: string, script = "default: echo\n"): SimulationInput {
  const source = `name: w\nsteps:\n${steps}`;
  const { plan, problems } = checkSource(source, EMPTY_CATALOG);
  if (plan === null) throw new Error(JSON.stringify(problems));
  const args = checkArgs(plan.args, {});
  if (!args.ok) throw new Error("the args do not fit");
  const read = readScript(script);
  expect(read.problems).toEqual([]);
  const hash = digestText(source);
  return { source, hash, pins: NO_PINS, texts: new Map(), plan, version: null, args: args.value, script: read.script };
}

async function environmentOf(input: SimulationInput, manifests: Json | null): Promise<BuiltEnvironment> {
  const read = manifests === null ? null : readManifestList(manifests);
  const built = await buildEnvironment(read, [input.plan], createVirtualClock(NOON));
  if (!built.ok) throw new Error(JSON.stringify(built.applied));
  return built.environment;
}

async function simulated(
  steps: string,
  manifests: Json | null,
  { script, how = {} }: { script?: string; how?: Partial<SimulationOptions> } = {},
): Promise<Simulation> {
  const input = inputOf(steps, script);
  const environment = await environmentOf(input, manifests);
  return simulationOf(input.plan, await simulateGoverned(input, environment, ACTIVE_WORKFLOW, { ...HOW, ...how }));
}

const agent = (name: string, spec: Json = {}): Json => ({ kind: "Agent", name, spec });
const rows = ({ nodes }: Simulation) =>
  nodes.map(({ nodeId, verdict, code, status }) => [nodeId, verdict, code, status].join(" ").replaceAll("  ", " "));

describe("a simulation", () => {
  it("fails closed on agents that no manifest registers", async () => {
    const found = await simulated("  - { id: a, command: A, agent: ada }\n", []);
    expect(found.status).toBe("failed");
    expect(rows(found)).toEqual(["a block agent_disabled failed"]);
    expect(found.nodes[0]?.explanation).toMatchObject({ gate: "agent_status" });
  });

  it("takes every agent that is named for new where nothing is registered", async () => {
    const input = inputOf("  - { id: a, command: A, agent: ada, capabilities: [browser] }\n");
    const environment = await environmentOf(input, null);
    expect(environment.assumedAgents).toEqual(["ada"]);
    const simulated = await simulateGoverned(input, environment, ACTIVE_WORKFLOW, HOW);
    expect(simulationOf(input.plan, simulated).status).toBe("completed");
  });

  it("asks for what the rung of an agent wants asked, and continues as if answered", async () => {
    const steps = "  - { id: a, command: A, action: write }\n  - { id: b, command: B, depends_on: [a] }\n";
    const yes = await simulated(steps, null);
    expect(rows(yes)).toEqual(["a hold completed", "b allow completed"]);
    expect(yes.approvals).toMatchObject([{ nodeId: "a", source: "policy", decision: "approve" }]);
    expect(yes.forecast.waitsForPerson).toEqual(["a"]);
    const no = await simulated(steps, null, { how: { approve: "reject" } });
    expect(no.status).toBe("failed");
    expect(rows(no)[0]).toBe("a hold approval_rejected failed");
  });

  it("lets those who wait for a slot have it, in time that is not the wall's", async () => {
    const steps = [0, 1, 2].map((index) => `  - { id: n${index}, command: go }\n`).join("");
    const script = "nodes: { n0: { delay_ms: 60000 }, n1: { delay_ms: 60000 }, n2: { delay_ms: 60000 } }\n";
    const found = await simulated(steps, [agent("default", { max_concurrent: 1 })], { script });
    expect(rows(found)).toEqual(["n0 allow completed", "n1 allow completed", "n2 allow completed"]);
    expect(found.forecast.durationMs).toBe(180_000);
    expect(found.verdicts.filter(({ code }) => code === "agent_busy")).toHaveLength(2);
  });

  it("spends the money of the organisation once, and stops where it ends", async () => {
    const steps = ["a", "b", "c"]
      .map((id, index) => {
        const after = index === 0 ? "" : `, depends_on: [${"abc"[index - 1]}]`;
        return `  - { id: ${id}, command: go, estimated_cost: 0.02${after}, on_failure: skip }\n`;
      })
      .join("");
    const script = "nodes: { a: { stdout: x, cost_usd: 0.03 }, b: { stdout: x, cost_usd: 0.02 } }\n";
    const budget = { kind: "Budget", name: "cap", spec: { scope: "global", period: "daily", amount_usd: 0.06 } };
    const found = await simulated(steps, [budget], { script });
    expect(rows(found)).toEqual(["a allow completed", "b allow completed", "c block budget_exceeded skipped"]);
    expect(found.forecast).toMatchObject({ costMicros: 50_000, costUsd: "0.05", reservedMicros: 40_000 });
    expect(await simulated(steps, [budget], { script })).toMatchObject({ nodes: found.nodes });
  });

  it("expects what has no price to cost what is reserved for it", async () => {
    const found = await simulated("  - { id: a, command: go, estimated_cost: 0.5 }\n", []);
    expect(found.nodes[0]).toMatchObject({ reservedMicros: 500_000, costMicros: 500_000 });
  });

  it("prices a model although the script answers for it", async () => {
    const model = { provider: "acme", input_usd_per_mtok: 1, output_usd_per_mtok: 10, max_output_tokens: 1_000 };
    const steps = "  - { id: a, command: go, provider: acme, model: big }\n";
    const found = await simulated(steps, [{ kind: "Model", name: "acme:big", spec: model }]);
    expect(found.status).toBe("completed");
    expect(found.nodes[0]?.reservedMicros).toBeGreaterThanOrEqual(10_000);
  });

  it("counts every instance of a node", async () => {
    const steps =
      "  - { id: list, command: go, outputs: { all: { type: array, items: { type: string } } } }\n" +
      "  - { id: each, command: 'go ${item}', for_each: list.outputs.all, estimated_cost: 0.01, tolerate: 3 }\n";
    const script = "nodes: { list: { outputs: { all: [a, b, c] } }, each: { stdout: x, delay_ms: 5 } }\n";
    const budget = { kind: "Budget", name: "cap", spec: { scope: "global", period: "daily", amount_usd: 0.02 } };
    const found = await simulated(steps, [budget], { script });
    expect(found.nodes).toMatchObject([
      { nodeId: "list", instances: null },
      { nodeId: "each", instances: 3, verdict: "block", gate: "budget_envelopes", reservedMicros: 20_000 },
    ]);
  });

  it("is not begun when a launch gate refuses", async () => {
    const input = inputOf("  - { id: a, command: A }\n");
    const environment = await environmentOf(input, []);
    const simulated = await simulateGoverned(input, environment, { ...ACTIVE_WORKFLOW, posture: "advisory" }, HOW);
    const found = simulationOf(input.plan, simulated);
    expect(found).toMatchObject({
      status: "refused",
      launch: { disposition: "block", explanation: { code: "posture_forbidden" } },
      events: [],
      verdicts: [],
      nodes: [{ nodeId: "a", status: "pending", verdict: null }],
    });
  });

  it("waits where a run it started wants something a simulation does not have, and reports for which node", async () => {
    const child = `format: lens-graph/v1
name: child
nodes:
  - { id: a, lens_id: null, label: A, ordinal: 1, config: { template_body: "Say [[word]]" } }
edges: []
`;
    const hash = digestText(child);
    const source = "name: w\nsteps:\n  - { id: sub, workflow_ref: child }\n  - { id: other, command: go }\n";
    const { plan } = checkSource(source, { ...EMPTY_CATALOG, workflows: ["child"] });
    if (plan === null) throw new Error("the source is wrong");
    const input = {
      ...inputOf("  - { id: a, command: A }\n"),
      source,
      plan,
      hash: digestText(source),
      pins: { ...NO_PINS, workflows: { child: { version: 1, hash } } },
      texts: new Map([[hash, child]]),
    };
    for (const simulated of [
      await simulateGoverned(input, await environmentOf(input, null), ACTIVE_WORKFLOW, HOW),
      await simulateOpen(input, HOW),
    ]) {
      const found = simulationOf(plan, simulated);
      expect(found.status).toBe("waiting");
      expect(found.forecast.waitsForPerson).toEqual(["sub"]);
      expect(found.nodes.map(({ status }) => status)).toEqual(["completed", "running", "blocked"]);
    }
  });

  it("waits where something is wanted that a simulation does not have", async () => {
    const source = `format: lens-graph/v1
name: w
nodes:
  - { id: a, lens_id: null, label: A, ordinal: 1, config: { template_body: "Say [[word]]" } }
edges: []
`;
    const { plan } = checkSource(source, EMPTY_CATALOG);
    if (plan === null) throw new Error("the source is wrong");
    const input = { ...inputOf("  - { id: a, command: A }\n"), source, plan, hash: digestText(source) };
    const found = simulationOf(
      plan,
      await simulateGoverned(input, await environmentOf(input, null), ACTIVE_WORKFLOW, HOW),
    );
    expect(found).toMatchObject({
      status: "waiting",
      nodes: [{ nodeId: "a", status: "blocked", verdict: null, waitsForPerson: true }],
      approvals: [{ nodeId: "a", source: "block", decision: null }],
    });
  });

  it("passes days in no time, and ends when it has gone on for too long", async () => {
    const script = "nodes: { a: { hang: true } }\n";
    const steps = "  - { id: a, command: A, timeout: 3600 }\n";
    const late = await simulated(steps, null, { script });
    expect(late).toMatchObject({ status: "failed", forecast: { durationMs: 3_600_000 } });
    let asked = 0;
    const mayContinue = (): boolean => (asked += 1) < 50;
    await expect(simulated(steps, null, { script, how: { mayContinue } })).rejects.toThrow(SimulationTooLong);
  });

  it("reports what is wrong with manifests", async () => {
    const input = inputOf("  - { id: a, command: A }\n");
    const manifests = readManifestList([agent("ada", { trust_level: 11 })]);
    const built = await buildEnvironment(manifests, [input.plan], createVirtualClock(NOON));
    expect(built).toMatchObject({ ok: false, applied: [{ name: "ada", action: "invalid" }] });
  });

  it("with every gate open asks only those whom the workflow asks", async () => {
    const input = inputOf("  - { id: a, command: A, agent: ada, action: write, estimated_cost: 0.1 }\n");
    const found = simulationOf(input.plan, await simulateOpen(input, HOW));
    expect(found).toMatchObject({
      governance: "none",
      status: "completed",
      verdicts: [],
      nodes: [{ verdict: "allow", reservedMicros: 0, costMicros: 100_000 }],
    });
  });
});

describe("a simulation of steps inside blocks", () => {
  const steps = `  - id: each
    for_each: [1, 2]
    steps:
      - { id: work, command: "go \${item}", estimated_cost: 0.1 }
      - { id: send, command: send, action: write, depends_on: [work] }
  - { id: after, command: go, estimated_cost: 0.01, depends_on: [each] }
finally:
  - { id: tidy, command: tidy, estimated_cost: 0.02 }
`;

  it("judges, asks and counts the cost of each of them", async () => {
    const found = await simulated(steps, null);
    expect(rows(found)).toEqual([
      "each  completed",
      "each/work allow completed",
      "each/send hold completed",
      "after allow completed",
      "finally/tidy allow completed",
    ]);
    expect(found.nodes.map(({ instances, costMicros }) => [instances, costMicros])).toEqual([
      [2, 200_000],
      [2, 200_000],
      [2, 0],
      [null, 10_000],
      [null, 20_000],
    ]);
    expect(found.forecast).toMatchObject({ costMicros: 230_000, reservedMicros: 230_000, waitsForPerson: ["each"] });
    expect(found.approvals.map(({ nodeId }) => nodeId)).toEqual(["each[0]/send", "each[1]/send"]);
    expect(found.verdicts.map(({ nodeId }) => nodeId)).toContain("each[1]/work");
    const open = simulationOf(inputOf(steps).plan, await simulateOpen(inputOf(steps), HOW));
    expect(rows(open)).toEqual(rows(found).map((row) => row.replace("hold", "allow")));
  });

  it("shows which of them a gate would block, and the error with which the run would fail", async () => {
    const budget = { kind: "Budget", name: "cap", spec: { scope: "global", period: "daily", amount_usd: 0.05 } };
    const found = await simulated(steps, [budget]);
    expect(rows(found).slice(0, 3)).toEqual([
      "each too_many_failures failed",
      "each/work block budget_exceeded failed",
      "each/send upstream_failure failed",
    ]);
    expect(found.error).toEqual({ code: "too_many_failures", message: "each failed" });
    const ended = await simulated(
      "  - { id: a, set: { x: 1 } }\nfinally:\n  - { id: f, fail: { code: left_over, message: no } }\n",
      null,
    );
    expect(ended).toMatchObject({ status: "failed", error: { code: "left_over", message: "no" } });
    expect(rows(ended)).toEqual(["a  completed", "finally/f left_over failed"]);
    expect((await simulated("  - { id: a, set: { x: 1 } }\n", null)).error).toBeNull();
  });
});

describe("a simulation of an agent with tools", () => {
  it("says which calls would be made, held and denied, and by which gate; the node itself is allowed", async () => {
    const tools = "[{name: find, action: read}, {name: refund, action: financial}]";
    const found = await simulated(
      `  - { id: a, command: A, agent: ada, tools: ${tools} }\n`,
      [
        agent("ada", { trust_level: 8, autonomy: "bounded" }),
        {
          kind: "Policy",
          name: "refunds",
          spec: {
            category: "tool",
            condition: "tool.name == 'refund'",
            action: "require_approval",
            reason: "look first",
          },
        },
      ],
      {
        script: `nodes:
  a:
    rounds:
      - { text: one, calls: [{tool: find, args: {id: 7}, result: found}, {tool: drop, args: {}, result: gone}] }
      - { text: two, calls: [{tool: refund, args: {amount: 9}, result: done}] }
      - { text: three }
`,
      },
    );
    expect(rows(found)).toEqual(["a allow completed"]);
    expect(
      found.calls.map(({ round, tool, disposition, gate, code }) => [round, tool, disposition, gate, code]),
    ).toEqual([
      [0, "find", "allow", null, null],
      [0, "drop", "deny", "tool_allowed", "tool_not_allowed"],
      [1, "refund", "hold", "approval_required", null],
    ]);
    expect(found.calls[1]?.reason).toContain("drop");
    expect(found.calls[2]?.reason).toContain("look first");
    expect(found.forecast.waitsForPerson).toEqual(["a"]);
    expect(found.verdicts.filter(({ callId }) => callId !== undefined)).toHaveLength(3);
  });
});
