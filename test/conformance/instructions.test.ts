import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/base/index.ts";
import { workflow } from "./rig.ts";
import { type Scene, sceneForEach } from "./scene.ts";

let scene: Scene;

sceneForEach("default: echo\nnodes:\n  flaky: [{ fail: provider_error }, { stdout: fixed }]\n", async (opened) => {
  scene = opened;
  await scene.put("agents/ann", {
    trust_level: 5,
    autonomy: "bounded",
    system_prompt: "You are Ann.",
    personality_note: "Dry humour.",
  });
});

const policy = (name: string, spec: JsonObject) =>
  scene.put(`policies/${name}`, { category: "guardrail", condition: "true", action: "log", ...spec });

interface Section {
  readonly layer: number;
  readonly source: string;
  readonly text: string;
}

const instructionsOf = async (runId: string, nodeId: string, attempt = 1): Promise<Section[]> => {
  const started = await scene.events(runId, "node.started", nodeId);
  return started.find(({ payload }) => payload.attempt === attempt)?.payload.instructions ?? [];
};

describe("the instructions of an attempt", () => {
  it("are in layers, strictest first, each with its source", async () => {
    await policy("house", { instructions: "Be polite." });
    await policy("owner", { scope: "workflow", scope_id: "w", instructions: "Cite sources." });
    await policy("keeper", { scope: "agent", scope_id: "ann", instructions: "Ask before buying." });
    await policy("elsewhere", { scope: "workflow", scope_id: "other", instructions: "Never seen." });
    await policy("untrue", { condition: "node.id == 'b'", instructions: "Only for b." });
    await policy("off", { enabled: false, instructions: "Switched off." });
    await scene.put("teams/crew", {
      members: [{ agent: "ann", tool_profile: { allow_tools: ["read"] }, system_prompt_patch: "Speak for the crew." }],
    });
    await scene.save(workflow(["a {tools: [read]}"]));
    const sections = await instructionsOf(await scene.run("w", { team: "crew" }), "a");
    expect(sections.map(({ layer }) => layer)).toEqual([2, 3, 3, 4, 5, 5]);
    expect(sections.map(({ source }) => source)).toEqual([
      "policy house@1",
      expect.stringMatching(/^policy (owner|keeper)@1$/),
      expect.stringMatching(/^policy (owner|keeper)@1$/),
      "team crew",
      "agent ann",
      "team crew, ann",
    ]);
    const texts = sections.map(({ text }) => text).join("\n");
    for (const text of ["Be polite.", "Cite sources.", "Ask before buying.", "read", "You are Ann.", "Dry humour."])
      expect(texts).toContain(text);
    expect(texts).toContain("Speak for the crew.");
    expect(texts).not.toMatch(/Never seen|Only for b|Switched off/);
  });

  it("is shown at the node, attempt by attempt, as it was then", async () => {
    await policy("house", { instructions: "Be polite." });
    await scene.save(workflow(["flaky {agent: ann, on_failure: retry_once}"]));
    const runId = await scene.run("w");
    const { attempts } = await scene.get(`runs/${runId}/nodes/flaky`);
    expect(attempts).toHaveLength(2);
    for (const { instructions } of attempts as { instructions: Section[] }[]) {
      expect(instructions).toEqual([
        { layer: 2, source: "policy house@1", text: "Be polite." },
        { layer: 5, source: "agent ann", text: "You are Ann.\n\nDry humour." },
        { layer: 6, source: "node flaky", text: expect.stringContaining("flaky") },
      ]);
    }
  });

  it("is what holds when the attempt begins, and stays what it was", async () => {
    await policy("house", { instructions: "Be polite." });
    await scene.save(workflow(["gate {approval: required}", "a < gate {agent: ann}"]));
    const first = await scene.run("w");
    await policy("house", { instructions: "Be brief." });
    await scene.answer(first, "approve");
    expect(await instructionsOf(first, "a")).toContainEqual({ layer: 2, source: "policy house@2", text: "Be brief." });
    await policy("house", { instructions: "Be silent." });
    expect(await instructionsOf(first, "a")).toContainEqual({ layer: 2, source: "policy house@2", text: "Be brief." });
  });

  it("has in it what a policy says that wanted an answer first", async () => {
    await policy("ask", { action: "require_approval", instructions: "Mind the gap." });
    await scene.save(workflow(["a"]));
    const runId = await scene.run("w");
    expect(await scene.statuses(runId)).toEqual({ a: "blocked" });
    await scene.answer(runId, "approve");
    expect(await instructionsOf(runId, "a")).toEqual([{ layer: 2, source: "policy ask@1", text: "Mind the gap." }]);
  });

  it("are empty where none are set", async () => {
    await scene.save(workflow(["a"]));
    expect(await instructionsOf(await scene.run("w"), "a")).toEqual([]);
  });
});

describe("a step that asks for what a stricter layer forbids", () => {
  it.each<[string, JsonObject, string, string]>([
    ["a tool", { tools: ["shell"] }, "tools: [shell, read]", "tool"],
    ["any tool", { tools: ["*"] }, "tools: [read]", "tool"],
    ["a model", { models: ["big"] }, "model: big", "model"],
    ["a class of data", { data_classes: ["external"] }, "context_sources: [external]", "data_class"],
    ["money", { spend_usd: 1 }, "estimated_cost: 1.01", "spend"],
  ])("is refused, and nothing is sent: %s", async (_, forbids, asks, field) => {
    await policy("strict", { forbids });
    await scene.save(workflow([`a {agent: ann, ${asks}}`]));
    const runId = await scene.run("w");
    const [violated] = await scene.events(runId, "contract.violated", "a");
    expect(violated?.payload).toMatchObject({
      phase: "instructions",
      errors: [{ field, reason: expect.stringContaining("policy strict@1") }],
    });
    expect(await scene.events(runId, "node.started", "a")).toEqual([]);
    expect(await scene.result(runId, "a")).toMatchObject({ status: "failed", errorCode: "contract_violated" });
  });

  it.each<[string, JsonObject, string]>([
    ["another tool", { tools: ["shell"] }, "tools: [read]"],
    ["exactly the money", { spend_usd: 1 }, "estimated_cost: 1"],
    ["no tool at all", { tools: ["*"] }, "timeout: 5"],
  ])("runs with %s", async (_, forbids, asks) => {
    await policy("strict", { forbids });
    await scene.save(workflow([`a {agent: ann, ${asks}}`]));
    expect(await scene.statuses(await scene.run("w"))).toEqual({ a: "completed" });
  });

  it("has its on_failure, and is not tried again", async () => {
    await policy("strict", { forbids: { tools: ["shell"] } });
    await scene.save(workflow(["a {tools: [shell], on_failure: skip}", "b {tools: [shell], on_failure: retry}"]));
    const runId = await scene.run("w");
    expect(await scene.statuses(runId)).toEqual({ a: "skipped", b: "failed" });
    expect(await scene.events(runId, "node.retried")).toEqual([]);
  });

  it("is not asked about where the policy does not hold", async () => {
    await policy("strict", { condition: "node.action == 'write'", forbids: { tools: ["shell"] } });
    await scene.save(workflow(["a {agent: ann, tools: [shell]}"]));
    expect(await scene.statuses(await scene.run("w"))).toEqual({ a: "completed" });
  });

  it("is refused by a policy of the agent too: data it is not cleared for", async () => {
    await scene.put("agents/ben", { trust_level: 5, data_classes: ["internal"] });
    await scene.save(workflow(["a {agent: ben, context_sources: [external]}"]));
    const runId = await scene.run("w");
    expect((await scene.events(runId, "contract.violated", "a"))[0]?.payload).toMatchObject({
      errors: [{ field: "data_class", reason: expect.stringContaining("agent ben") }],
    });
  });
});

describe("the configuration of a lens node", () => {
  const graph = (config: string) =>
    `format: lens-graph/v1\nname: g\nroot_inputs: { tone: { type: string, default: dry } }\nnodes:\n` +
    `  - { id: first, config: { template_body: "say [[tone]]" } }\n` +
    `  - { id: second, config: { template_body: "[[tone]] [[from]] [[n]]", ${config} } }\n` +
    `edges: [{ id: e, source_node_id: first, target_node_id: second, target_param_label: x }]\n`;

  it("is a section of its own, layer 7: its model and its overrides, references as references", async () => {
    await scene.save(
      graph('model_id: big, param_overrides: { tone: "calm\\nand kind", from: "[[first.output]]", n: 3 }'),
    );
    const runId = await scene.run("g");
    expect(await instructionsOf(runId, "first")).toEqual([]);
    const section = {
      layer: 7,
      source: "node second",
      text: "model_id: big\nparam_overrides.tone: calm and kind\nparam_overrides.from: [[first.output]]\nparam_overrides.n: 3",
    };
    expect(await instructionsOf(runId, "second")).toEqual([section]);
    const { attempts } = await scene.get(`runs/${runId}/nodes/second`);
    expect(attempts[0].instructions.map(({ layer }: Section) => layer)).toEqual([6, 7, 8]);
  });

  it("asks for its model in that layer: what a policy forbids is refused there", async () => {
    await policy("models", { forbids: { models: ["big"] } });
    await scene.save(graph("model_id: big, param_overrides: { from: x, n: 1 }"));
    const runId = await scene.run("g");
    expect(await scene.result(runId, "second")).toMatchObject({ status: "failed", errorCode: "contract_violated" });
    const [violated] = await scene.events(runId, "contract.violated", "second");
    expect(violated?.payload.errors).toEqual([
      {
        field: "model",
        reason: "node second (layer 7) asks for model big, which policy models@1 (layer 2) forbids.",
      },
    ]);
  });
});
