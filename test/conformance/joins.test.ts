import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/base/index.ts";
import { type Catalog, EMPTY_CATALOG, parseLens } from "../../src/core/definition/index.ts";
import { checkSource } from "../../src/core/plan/index.ts";
import { type Rig, runOf } from "./rig.ts";

const edge = (source: string, target: string, more: JsonObject = {}): JsonObject => ({
  id: `${source}-${target}`,
  source_node_id: source,
  target_node_id: target,
  target_param_label: "p",
  ...more,
});
const reads = (id: string, template = "[[p]]", config: JsonObject = {}): JsonObject => ({
  id,
  config: { template_body: template, ...config },
});
const graph = (nodes: readonly JsonObject[], edges: readonly JsonObject[], more: JsonObject = {}): string =>
  JSON.stringify({ format: "lens-graph/v1", name: "g", ...more, nodes, edges });
const message = (rig: Rig, id: string) => rig.dispatch(id).request.message;
const YES = { condition: { type: "equals", value: "yes" } };

describe("a join", () => {
  it("reads its edges in their order, in whatever order their sources end", () => {
    const rig = runOf(graph([{ id: "a" }, { id: "b" }, reads("j")], [edge("a", "j"), edge("b", "j")]));
    rig.complete("b", { stdout: "second" }).complete("a", { stdout: "first" });
    expect(message(rig, "j")).toBe("second");
    const turned = runOf(graph([{ id: "a" }, { id: "b" }, reads("j")], [edge("b", "j"), edge("a", "j")]));
    turned.complete("b", { stdout: "second" }).complete("a", { stdout: "first" });
    expect(message(turned, "j")).toBe("first");
  });

  it.each<[Json, string]>([
    ["concat", "A\n\nB"],
    ["array", '["A","B"]'],
    ["json_object", '{"a":"A","b":"B"}'],
    ["last_write_wins", "B"],
  ])("merges as its node says where no edge does: %s", (merge, text) => {
    const nodes = [{ id: "a" }, { id: "b" }, reads("j", "[[p]]", { merge })];
    const rig = runOf(graph(nodes, [edge("a", "j"), edge("b", "j")]));
    rig.complete("a", { stdout: "A" }).complete("b", { stdout: "B" });
    expect(message(rig, "j")).toBe(text);
  });

  it("merges as its edges say, whatever its node says", () => {
    const nodes = [{ id: "a" }, { id: "b" }, reads("j", "[[p]]", { merge: "array" })];
    const rig = runOf(graph(nodes, [edge("a", "j", { merge_strategy: "concat" }), edge("b", "j")]));
    rig.complete("a", { stdout: "A" }).complete("b", { stdout: "B" });
    expect(message(rig, "j")).toBe("A\n\nB");
  });

  it("takes nothing of a source that failed, when it runs in spite of it", () => {
    const nodes = [
      { id: "a" },
      { id: "b" },
      reads("j", "[[p]]", { on_parent_failure: "substitute_default", merge: "array" }),
    ];
    const rig = runOf(graph(nodes, [edge("a", "j"), edge("b", "j")]));
    rig.fail("a").complete("b", { stdout: "B" });
    expect(message(rig, "j")).toBe('["B"]');
    expect(rig.of("node.provenance", "j").map(({ sourceNodeId }) => sourceNodeId)).toEqual(["b"]);
  });

  it("is not let in by a condition on a source that was skipped", () => {
    const nodes = [{ id: "a" }, reads("b", "x"), { id: "c" }, reads("j", "<[[p]]>")];
    const edges = [edge("a", "b", YES), edge("b", "j", YES), edge("c", "j", { ...YES, id: "last" })];
    const out = runOf(graph(nodes, edges)).complete("a", { stdout: "no" }).complete("c", { stdout: "no" });
    expect(out.of("node.skipped", "j")[0]).toMatchObject({ reason: "condition_false" });
    const taken = runOf(graph(nodes, edges)).complete("a", { stdout: "no" }).complete("c", { stdout: "yes" });
    expect(message(taken, "j")).toBe("<yes>");
  });

  it("counts a parent that timed out or was cancelled as failed", () => {
    const nodes = [
      { id: "a", config: { timeout_ms: 1000 } },
      reads("b"),
      reads("c", "[[p]]", { on_parent_failure: "propagate" }),
    ];
    const rig = runOf(graph(nodes, [edge("a", "b"), edge("a", "c")])).fire("attempt");
    expect(rig.status("a")).toBe("timed_out");
    expect(rig.of("node.skipped", "b")[0]).toMatchObject({ reason: "parent_failed" });
    expect(rig.error("c")).toBe("upstream_failure");
  });

  it("may read a skipped node by [[node.path]], and gets nothing from it", () => {
    const nodes = [{ id: "a" }, reads("b", "x"), reads("j", "[[p]]|", { param_overrides: { p: "<[[b.output]]>" } })];
    const rig = runOf(graph(nodes, [edge("a", "b", YES), edge("a", "j", { target_param_label: "q" })]));
    rig.complete("a", { stdout: "no" });
    expect(message(rig, "j")).toBe("<>|");
  });
});

describe("a graph that could not run", () => {
  const codes = (nodes: readonly JsonObject[], edges: readonly JsonObject[]) =>
    checkSource(graph(nodes, edges), EMPTY_CATALOG).problems.map(({ code }) => code);
  const PAIR = [{ id: "a" }, { id: "b" }];

  it.each<[string, readonly string[], readonly JsonObject[]]>([
    ["a condition of an unknown kind", ["bad_enum"], [edge("a", "b", { condition: { type: "sometimes" } })]],
    ["a condition that is no map", ["wrong_type"], [edge("a", "b", { condition: "truthy" })]],
    [
      "two strategies for one parameter",
      ["conflicting_merge"],
      [edge("a", "b", { merge_strategy: "array" }), edge("a", "b", { id: "other", merge_strategy: "concat" })],
    ],
    ["an edge to itself", ["self_dependency"], [edge("a", "a")]],
    ["a cycle", ["cycle"], [edge("a", "b"), edge("b", "a")]],
    ["the same edge id twice", ["duplicate_id"], [edge("a", "b"), edge("a", "b", { target_param_label: "q" })]],
  ])("is refused before anything runs: %s", (_, expected, edges) => {
    expect(codes(PAIR, edges)).toEqual(expected);
  });

  it("is refused for an override that reads a node that is not there", () => {
    expect(codes([reads("a", "[[p]]", { param_overrides: { p: "[[missing.output]]" } })], [])).toEqual([
      "unknown_step",
    ]);
  });
});

describe("values", () => {
  it.each(["[ x ]", "[[x]]", "{{x}}", "$& $1 ${x}", "[[p!]]", "[[:uuid]]"])("stay what they are: %s", (value) => {
    const rig = runOf(graph([reads("a", "<[[p]]>")], [], { root_inputs: { p: { type: "string" } } }), {
      args: { p: value },
    });
    expect(message(rig, "a")).toBe(`<${value}>`);
  });
});

describe("the input contract of a lens", () => {
  const contract = (fields: JsonObject, more: JsonObject = {}): Catalog => {
    const input_contract = { kind: "text", fields, ...more };
    const lens = parseLens("l", { versions: [{ id: "v1", template_body: "go", input_contract }] });
    if (!lens.ok) throw new Error(JSON.stringify(lens.failure));
    return { library: null, workflows: null, lenses: { l: lens.value } };
  };
  const check = (catalog: Catalog, overrides: JsonObject): Rig =>
    runOf(graph([{ id: "a", lens_id: "l", config: { param_overrides: overrides } }], []), { catalog });
  const reasons = (rig: Rig) => rig.of("contract.violated", "a")[0]?.errors.map((one) => [one.field, one.reason]);

  it.each<[string, JsonObject, JsonObject, JsonObject, (readonly [string, string])[] | undefined]>([
    ["a missing field", { x: { type: "string", required: true } }, {}, {}, [["x", "missing_required"]]],
    ["a text for a number", { x: { type: "integer" } }, {}, { x: "500" }, [["x", "type_mismatch"]]],
    [
      "an unknown field, when strict",
      { x: { type: "string" } },
      { strict: true },
      { y: "1" },
      [["y", "unknown_field"]],
    ],
    ["an unknown field, otherwise", { x: { type: "string" } }, {}, { y: "1" }, undefined],
    ["no address", { x: { type: "url" } }, {}, { x: "not a url" }, [["x", "pattern_mismatch"]]],
    ["nothing for an optional field with a length", { x: { type: "string", min_length: 3 } }, {}, { x: "" }, undefined],
    ["a short text", { x: { type: "string", min_length: 3 } }, {}, { x: "ab" }, [["x", "too_short"]]],
    ["what fits", { x: { type: "integer", required: true, max: 5 } }, {}, { x: 5 }, undefined],
    ["what is too much", { x: { type: "integer", required: true, max: 5 } }, {}, { x: 6 }, [["x", "above_max"]]],
  ])("is checked before an adapter is called: %s", (_, fields, more, values, expected) => {
    const rig = check(contract(fields, more), values);
    expect(reasons(rig)).toEqual(expected);
    expect(rig.dispatches).toHaveLength(expected === undefined ? 1 : 0);
    expect(rig.error("a")).toBe(expected === undefined ? null : "input_contract_violation");
  });

  it("does not miss what was substituted for a failed parent", () => {
    const nodes = [{ id: "a" }, { id: "b", lens_id: "l", config: { on_parent_failure: "substitute_default" } }];
    const catalog = contract({ p: { type: "string", required: true } });
    const rig = runOf(graph(nodes, [edge("a", "b")]), { catalog }).fail("a");
    expect(rig.status("b")).toBe("running");
  });

  it("must have patterns that can be used", () => {
    const lens = parseLens("l", {
      versions: [
        {
          id: "v1",
          template_body: "x",
          input_contract: { kind: "t", fields: { x: { type: "string", pattern: "(" } } },
        },
      ],
    });
    expect(lens).toMatchObject({ ok: false, failure: [{ code: "bad_pattern" }] });
  });
});
