import { describe, expect, it } from "vitest";
import { LIMITS, required } from "../base/index.ts";
import { EMPTY_CATALOG, type Catalog, type Lens, type LensVersion } from "../definition/index.ts";
import { parseLensTemplate } from "../template/index.ts";
import { checkSource, type LensBody, missingForRun, type Plan, type PlanNode } from "./index.ts";

function planOf(source: string, catalog: Catalog = EMPTY_CATALOG): Plan {
  const { plan, problems } = checkSource(source, catalog);
  expect(problems).toEqual([]);
  return required(plan, "a plan");
}

function nodeOf(plan: Plan, id: string): PlanNode {
  return required(plan.nodes[plan.indexById.get(id) ?? -1], id);
}

function bodyOf(plan: Plan, id: string): LensBody {
  const { body } = nodeOf(plan, id);
  if (body.kind !== "lens") throw new Error("not a lens body");
  return body;
}

function versionOf(id: string, text: string): LensVersion {
  const template = parseLensTemplate(text);
  if (!template.ok) throw new Error(template.failure.message);
  return {
    id,
    templateBody: template.value,
    inputContract: { kind: "in", fields: {}, requireAnyOf: [], isStrict: false },
    outputContract: null,
    requiredTools: ["search"],
    requiredTier: "standard",
    roleTag: "writer",
  };
}

const answer: Lens = { id: "answer", versions: [versionOf("v1", "old [[q]]"), versionOf("v2", "new [[q]]")] };
const catalog: Catalog = { ...EMPTY_CATALOG, lenses: { answer } };

describe("lens nodes", () => {
  const plan = planOf(
    `
format: lens-graph/v1
name: kinds
root_inputs: { question: { type: string, required: true } }
nodes:
  - { id: newest, lens_id: answer, label: Newest }
  - { id: pinned, lens_id: answer, version_id: v1, config: { model_id: big, timeout_ms: 5000, moderation: both } }
  - { id: plain, lens_id: null }
  - { id: own, lens_id: null, config: { template_body: "say [[x]]" } }
  - { id: call, config: { workflow_ref: other@2, with: { a: 1 } } }
  - { id: call_soon, config: { workflow_ref: other, timeout_ms: 1234 } }
edges: []
`,
    catalog,
  );

  it("are of the kind their work is", () => {
    const kinds = plan.nodes.map((node) => [node.id, node.kind, node.timeoutMs]);
    expect(kinds).toEqual([
      ["call", "child", null],
      ["call_soon", "child", 1_234],
      ["newest", "lens", LIMITS.lensTimeoutMsDefault],
      ["own", "utility", LIMITS.lensTimeoutMsDefault],
      ["pinned", "lens", 5_000],
      ["plain", "utility", LIMITS.lensTimeoutMsDefault],
    ]);
    expect(plan).toMatchObject({ format: "lens-graph", completion: "leaves", args: { question: { type: "string" } } });
  });

  it("get the pinned version, or the newest", () => {
    expect(bodyOf(plan, "newest")).toMatchObject({
      versionId: "v2",
      template: { text: "new [[q]]" },
      roleTag: "writer",
    });
    expect(bodyOf(plan, "pinned")).toMatchObject({
      versionId: "v1",
      template: { text: "old [[q]]" },
      moderation: "both",
    });
    expect(nodeOf(plan, "pinned").request).toMatchObject({ model: "big", tools: ["search"] });
    expect(nodeOf(plan, "newest")).toMatchObject({ label: "Newest", request: { model: null } });
  });

  it("bring their own template, or none", () => {
    expect(bodyOf(plan, "own").template?.text).toBe("say [[x]]");
    expect(bodyOf(plan, "plain")).toMatchObject({ template: null, inputContract: null, outputContract: null });
    expect(nodeOf(plan, "call").child).toEqual({ workflow: { name: "other", version: 2 } });
    expect(bodyOf(plan, "call").with).toEqual({ a: 1 });
  });

  it("isolate their failure and retry by their block", () => {
    expect(nodeOf(plan, "newest")).toMatchObject({
      onFailure: "isolate",
      effects: "at_least_once",
      isFailFast: false,
      retry: {
        attempts: 1,
        causes: ["timeout", "provider_error", "rate_limit"],
        delay: { kind: "backoff", baseMs: 500, maxMs: 8_000 },
      },
    });
  });
});

describe("edges", () => {
  const plan = planOf(`
format: lens-graph/v1
name: merging
nodes:
  - { id: a }
  - { id: b }
  - { id: c }
  - { id: join, config: { merge: array, param_overrides: { Tone: "calm", tone: "[[c.output]]", n: 3 } } }
edges:
  - { id: e1, source_node_id: b, target_node_id: join, target_param_label: Draft Answer }
  - { id: e2, source_node_id: a, target_node_id: join, target_param_label: other }
  - { id: e3, source_node_id: a, target_node_id: join, target_param_label: draft_answer, merge_strategy: concat, source_output_key: data.x, condition: { type: truthy } }
`);

  it("meet per normalised label, in edge order, under the strategy one of them declares", () => {
    const [a, b] = [plan.indexById.get("a"), plan.indexById.get("b")];
    expect(bodyOf(plan, "join").params).toEqual([
      {
        label: "Draft Answer",
        strategy: "concat",
        edges: [
          { id: "e1", source: b, sourceOutputKey: "output", condition: null, mayFail: false },
          { id: "e3", source: a, sourceOutputKey: "data.x", condition: { type: "truthy" }, mayFail: false },
        ],
      },
      {
        label: "other",
        strategy: "array",
        edges: [{ id: "e2", source: a, sourceOutputKey: "output", condition: null, mayFail: false }],
      },
    ]);
  });

  it("are counted once per pair of nodes, overrides included", () => {
    expect(nodeOf(plan, "join").parents.map((index) => plan.nodes[index]?.id)).toEqual(["a", "b", "c"]);
    expect(plan.edgeCount).toBe(3);
  });

  it("leave one override per label, the later spelling", () => {
    expect(bodyOf(plan, "join").overrides.map(({ label, value }) => [label, value.kind])).toEqual([
      ["tone", "text"],
      ["n", "value"],
    ]);
  });
});

describe("missingForRun", () => {
  const lensGraph = `
format: lens-graph/v1
name: needs
nodes:
  - { id: a, lens_id: answer }
  - { id: b, lens_id: answer }
  - { id: c, lens_id: answer, version_id: v9 }
  - { id: d, config: { workflow_ref: other } }
edges: []
`;

  it("names each lens and workflow once, and the plan still compiles", () => {
    const { definition, plan } = checkSource(lensGraph, EMPTY_CATALOG);
    expect(missingForRun(required(definition, "a definition"), EMPTY_CATALOG)).toEqual([
      'lens "answer"',
      'lens "answer", version "v9"',
      'workflow "other"',
    ]);
    expect(bodyOf(required(plan, "a plan"), "c")).toMatchObject({ versionId: "v9", template: null });
  });

  it("names library steps and workflows of steps", () => {
    const source =
      "{name: n, steps: [{id: a, library_step: shared}, {id: b, workflow_ref: child}, {id: c, workflow_ref: known}]}";
    const { definition } = checkSource(source, EMPTY_CATALOG);
    const found = missingForRun(required(definition, "a definition"), { ...EMPTY_CATALOG, workflows: ["known"] });
    expect(found).toEqual(['library step "shared"', 'workflow "child"']);
  });

  it("is empty when everything is available", () => {
    const full: Catalog = { ...catalog, workflows: ["other"] };
    const { definition } = checkSource(lensGraph.replace(", version_id: v9", ""), full);
    expect(missingForRun(required(definition, "a definition"), full)).toEqual([]);
  });
});
