import { describe, expect, it } from "vitest";
import { PLAIN_DEFINITION } from "../../../test/conformance/plain.ts";
import type { JsonObject } from "../base/index.ts";
import { EMPTY_CATALOG, readDefinition, type LensGraphDefinition } from "./index.ts";

function check(document: JsonObject) {
  return readDefinition(JSON.stringify({ format: "lens-graph/v1", name: "g", ...document }), EMPTY_CATALOG);
}

function read(document: JsonObject): LensGraphDefinition {
  const { definition, problems } = check(document);
  expect(problems).toEqual([]);
  if (definition?.format !== "lens-graph/v1") throw new Error("not a lens graph");
  return definition;
}

function codes(document: JsonObject): readonly string[] {
  return check(document).problems.map((problem) => `${problem.code} ${problem.path}`);
}

const edge = (more: JsonObject = {}): JsonObject => ({
  id: "e",
  source_node_id: "a",
  target_node_id: "b",
  target_param_label: "text",
  ...more,
});
const TWO = [{ id: "a" }, { id: "b" }];

describe("a lens graph", () => {
  it("has the documented defaults", () => {
    expect(read({ nodes: TWO, edges: [edge()] })).toEqual({
      ...PLAIN_DEFINITION,
      format: "lens-graph/v1",
      name: "g",
      completion: "leaves",
      rootInputs: {},
      optionalInputs: [],
      nodes: [node("a", []), node("b", ["a"])],
      edges: [
        {
          id: "e",
          source: "a",
          target: "b",
          sourceOutputKey: "output",
          targetParamLabel: "text",
          mergeStrategy: null,
          condition: null,
        },
      ],
    });
  });

  it("takes config in both spellings, and null for what is not set", () => {
    const config = {
      modelId: "m",
      timeoutMs: 5,
      onParentFailure: "propagate",
      merge: null,
      moderation: "both",
      paramOverrides: { tone: "as [[b.data.tone]] and [[b.x]]", size: 3 },
      retry: { attempts: 3, backoffMs: 0, max_backoff_ms: 1, retryOn: ["rate_limit"] },
      templateBody: "Say [[word]]",
    };
    const nodes = [
      { id: "a", lens_id: null, version_id: null, label: null, ordinal: null, config },
      { id: "b", config: null },
    ];
    const [first] = read({ nodes, edges: null, description: null }).nodes;
    expect(first).toMatchObject({
      modelId: "m",
      timeoutMs: 5,
      onParentFailure: "propagate",
      merge: "last_write_wins",
      moderation: "both",
      retry: { attempts: 3, backoffMs: 0, maxBackoffMs: 1, retryOn: ["rate_limit"] },
      dependencies: ["b"],
    });
    expect(first?.paramOverrides.size).toEqual({ kind: "value", value: 3 });
    expect(first?.templateBody?.parts).toHaveLength(2);
  });

  it("reads every kind of condition", () => {
    const conditions = [
      { type: "equals", value: null },
      { type: "contains", value: "x" },
      { type: "present", value: null },
      { type: "truthy" },
      { type: "expression", expr: "output == 'yes'" },
    ];
    const nodes = [{ id: "a" }, { id: "b" }];
    const edges = conditions.map((condition, index) => edge({ id: `e${index}`, condition }));
    expect(read({ nodes, edges }).edges.map((found) => found.condition?.type)).toEqual(
      conditions.map(({ type }) => type),
    );
  });

  it("accepts numbers and UUIDs as ids, and children", () => {
    const id = "550e8400-e29b-41d4-a716-446655440000";
    const [first] = read({ nodes: [{ id, config: { workflow_ref: "audit@2", with: { a: 1 } } }] }).nodes;
    expect(first).toMatchObject({ id, workflowRef: { name: "audit", version: 2 }, with: { a: 1 } });
  });

  it.each([
    [{}, ["missing_field nodes"]],
    [{ nodes: [] }, ["missing_field nodes"]],
    [{ nodes: [{ id: "a b" }] }, ["bad_id nodes[0].id"]],
    [{ nodes: [{ id: "constructor" }] }, ["reserved_id nodes[0].id"]],
    [{ nodes: [{ id: "a", lensId: "x" }] }, ["unknown_key nodes[0].lensId"]],
    [{ nodes: [{ id: "a" }, { id: "a" }] }, ["duplicate_id nodes[1].id"]],
    [{ nodes: TWO, edges: [edge(), edge()] }, ["duplicate_id edges[1].id"]],
    [
      { nodes: TWO, edges: [{}] },
      [
        "missing_field edges[0].id",
        "missing_field edges[0].source_node_id",
        "missing_field edges[0].target_node_id",
        "missing_field edges[0].target_param_label",
      ],
    ],
    [{ nodes: TWO, edges: [edge({ source_node_id: "x" })] }, ["orphan_edge edges[0].source_node_id"]],
    [{ nodes: TWO, edges: [edge({ on: "failure" }), edge({ id: "e9", on: "settled" })] }, ["bad_handler edges[1].on"]],
    [{ nodes: TWO, edges: [edge({ on: "failed" })] }, ["bad_enum edges[0].on"]],
    [
      { nodes: [{ id: "a", config: { fail: "no" } }, { id: "b" }], edges: [edge({ on: "failure" })] },
      ["bad_handler edges[0].on"],
    ],
    [
      { nodes: [{ id: "a", config: { cancel: "enough" } }, { id: "b" }], edges: [edge({ on: "failure" })] },
      ["bad_handler edges[0].on"],
    ],
    [
      { nodes: TWO, edges: [edge({ on: "failure", source_output_key: "error.cod" })] },
      ["unknown_field edges[0].source_output_key"],
    ],
    [
      { nodes: [{ id: "a", config: { repeat: { until: "result.done" } } }] },
      ["bad_repeat nodes[0].config.repeat.until"],
    ],
    [{ nodes: [{ id: "a", config: { repeat: { max: 2 } } }] }, ["bad_repeat nodes[0].config.repeat.until"]],
    [{ nodes: TWO, edges: [edge({ target_param_label: " " })] }, ["bad_name edges[0].target_param_label"]],
    [{ nodes: TWO, edges: [edge({ condition: { type: "equals" } })] }, ["missing_field edges[0].condition.value"]],
    [{ nodes: TWO, edges: [edge({ condition: { type: "expression" } })] }, ["missing_field edges[0].condition.expr"]],
    [
      { nodes: TWO, edges: [edge({ condition: { type: "expression", expr: "a ~ b" } })] },
      ["bad_expression edges[0].condition.expr"],
    ],
    [
      { nodes: TWO, edges: [edge({ condition: { type: "expression", expr: "1 == 'x'" } })] },
      ["type_mismatch edges[0].condition.expr"],
    ],
    [
      { nodes: TWO, edges: [edge({ condition: { type: "truthy", value: 1 } })] },
      ["conflicting_fields edges[0].condition.value"],
    ],
    [{ nodes: TWO, edges: [edge({ condition: "truthy" })] }, ["wrong_type edges[0].condition"]],
    [{ nodes: TWO, edges: [edge({ source_output_key: "$a.b" })] }, ["bad_expression edges[0].source_output_key"]],
    [{ nodes: TWO, edges: [edge({ merge_strategy: "sum" })] }, ["bad_enum edges[0].merge_strategy"]],
    [{ nodes: [{ id: "a", config: { timeout_ms: 0 } }] }, ["bad_duration nodes[0].config.timeout_ms"]],
    [{ nodes: [{ id: "a", config: { timeout_ms: 2_592_000_001 } }] }, ["bad_duration nodes[0].config.timeout_ms"]],
    [
      { nodes: [{ id: "a", config: { param_overrides: { x: "[[missing.y]]" } } }] },
      ["unknown_step nodes[0].config.param_overrides.x"],
    ],
    [{ nodes: [{ id: "a", config: { with: {} } }] }, ["conflicting_fields nodes[0].config.with"]],
    [{ nodes: [{ id: "a", version_id: "v" }] }, ["conflicting_fields nodes[0].version_id"]],
    [
      { nodes: [{ id: "a", config: { template_body: "x", workflow_ref: "y" } }] },
      ["conflicting_fields nodes[0].config.workflow_ref"],
    ],
    [{ nodes: [{ id: "a" }], root_inputs: { "My Topic": "x", my_topic: "y" } }, ["duplicate_id root_inputs.my_topic"]],
    [{ nodes: [{ id: "a" }], root_inputs: { x: { type: "url" } } }, ["bad_enum root_inputs.x.type"]],
    [{ nodes: [{ id: "a" }], steps: [] }, ["unknown_key steps"]],
  ])("%j → %j", (document, expected) => {
    expect(codes(document)).toEqual(expected);
  });

  it("takes the same strategy twice, and different ones for different parameters", () => {
    const nodes = [{ id: "a" }, { id: "b" }, { id: "c" }];
    const edges = [
      edge({ id: "1", target_node_id: "c", merge_strategy: "concat" }),
      edge({ id: "2", source_node_id: "b", target_node_id: "c", merge_strategy: "concat" }),
      edge({ id: "3", target_node_id: "c" }),
      edge({ id: "4", target_node_id: "c", target_param_label: "other", merge_strategy: "array" }),
    ];
    expect(codes({ nodes, edges })).toEqual([]);
  });

  it("does not blame edges for a node whose id is wrong", () => {
    expect(codes({ nodes: [{ id: "a!" }, { id: "b" }], edges: [edge({ source_node_id: "a!" })] })).toEqual([
      "bad_id nodes[0].id",
    ]);
  });
});

function node(id: string, dependencies: readonly string[]) {
  return {
    id,
    lensId: null,
    versionId: null,
    label: null,
    ordinal: null,
    modelId: null,
    timeoutMs: null,
    onParentFailure: "skip",
    merge: "last_write_wins",
    moderation: "off",
    retry: { attempts: 1, backoffMs: 500, maxBackoffMs: 8_000, retryOn: ["timeout", "provider_error", "rate_limit"] },
    isRetryWritten: false,
    paramOverrides: {},
    templateBody: null,
    workflowRef: null,
    with: {},
    dependencies,
  };
}
