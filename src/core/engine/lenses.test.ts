import { describe, expect, it } from "vitest";
import { type Rig, runOf } from "../../../test/conformance/rig.ts";
import { type Json, type JsonObject, LIMITS } from "../base/index.ts";
import { type Catalog, parseLens } from "../definition/index.ts";

const edge = (source: string, target: string, more: JsonObject = {}): JsonObject => ({
  id: `${source}-${target}-${JSON.stringify(more).length}`,
  source_node_id: source,
  target_node_id: target,
  target_param_label: "p",
  ...more,
});
const node = (id: string, template: string | null = "[[p]]", config: JsonObject = {}): JsonObject => ({
  id,
  config: template === null ? config : { template_body: template, ...config },
});
const graph = (nodes: readonly JsonObject[], edges: readonly JsonObject[] = [], more: JsonObject = {}): string =>
  JSON.stringify({ format: "lens-graph/v1", name: "g", ...more, nodes, edges });
const request = (rig: Rig, id: string) => rig.dispatch(id).request;
const said = (rig: Rig, nodeId: string) =>
  rig
    .of("node.provenance", nodeId)
    .map(({ sourceNodeId, sourceOutputPath, targetInputPath, transform }) =>
      [sourceNodeId ?? "-", sourceOutputPath, targetInputPath, ...(transform === undefined ? [] : [transform])].join(
        " ",
      ),
    );
const lensOf = (version: JsonObject): Catalog => {
  const lens = parseLens("l", { versions: [{ id: "v1", template_body: "say [[x!]]", ...version }] });
  if (!lens.ok) throw new Error(JSON.stringify(lens.failure));
  return { library: null, workflows: null, lenses: { l: lens.value } };
};
const NO = { condition: { type: "equals", value: "never" } };

describe("what a lens node is given", () => {
  it("is its template rendered, and only the root inputs it asks for", () => {
    const rig = runOf(graph([node("a", "say [[x]]")], [], { root_inputs: { x: { default: 1 }, y: { default: 2 } } }));
    expect(request(rig, "a")).toEqual({
      message: "say 1",
      stdin: null,
      inputs: { x: 1 },
      outputFields: null,
      outputStrategy: "text",
    });
    expect(said(rig, "a")).toEqual(["- args.x x"]);
  });

  it("is everything when it has neither template nor contract", () => {
    const rig = runOf(graph([{ id: "a" }], [], { root_inputs: { x: { default: 1 }, y: { default: "b" } } }));
    expect(request(rig, "a")).toMatchObject({ message: '{"x":1,"y":"b"}', inputs: { x: 1, y: "b" } });
  });

  it.each<[string, JsonObject]>([
    ["a field of its contract", { input_contract: { kind: "t", fields: { y: { type: "string" } } } }],
    ["one of several it may have", { input_contract: { kind: "t", fields: {}, require_any_of: [["y", "z"]] } }],
  ])("takes a root input that is %s", (_, version) => {
    const source = graph([{ id: "a", lens_id: "l" }], [], {
      root_inputs: { y: { default: "why" }, other: { default: 1 } },
    });
    expect(request(runOf(source, { catalog: lensOf(version) }), "a").inputs).toEqual({ y: "why" });
  });

  it("is answered in JSON only where its contract has a schema", () => {
    const source = graph([{ id: "a", lens_id: "l" }]);
    const strategy = (schema: JsonObject) => {
      const output_contract = { kind: "r", artifact_kind: "json", schema };
      return request(runOf(source, { catalog: lensOf({ output_contract }) }), "a").outputStrategy;
    };
    expect(strategy({ title: { type: "string" } })).toBe("json");
    expect(strategy({})).toBe("text");
  });

  it("is by strength: a person's values, overrides, edges, root inputs", () => {
    const nodes = (config: JsonObject) => [{ id: "a" }, node("b", "[[p]] [[q!]]", config)];
    const root_inputs = { p: { default: "root" } };
    const bound = (config: JsonObject) =>
      runOf(graph(nodes(config), [edge("a", "b")], { root_inputs })).complete("a", { stdout: "edge" });
    expect(request(bound({}), "b").message).toBe("edge ");
    const overridden = bound({ param_overrides: { P: "over" } });
    expect(request(overridden, "b")).toMatchObject({ message: "over ", inputs: { p: "over" } });
    expect(said(overridden, "b")).toEqual([]);
    const asked = runOf(graph([node("a", "[[x]]")]));
    asked.submit({ type: "resolve", nodeId: "a", by: "ann", values: { X: "mine" } });
    expect(request(asked, "a").message).toBe("mine");
  });

  it("may have so many bytes", () => {
    const most = LIMITS.boundInputBytesMax;
    const status = (bytes: number) =>
      runOf(graph([node("a", "x [[t]]")], [], { root_inputs: { t: { type: "string" } } }), {
        args: { t: "x".repeat(bytes) },
      });
    // `{"t":""}`
    expect(status(most - 8).status("a")).toBe("running");
    expect(status(most - 7).error("a")).toBe("context_too_large");
  });
});

describe("an edge", () => {
  it("that is open hands over what its path leads to, and nothing when that leads nowhere", () => {
    const rig = runOf(graph([{ id: "a" }, node("b", "<[[p!]]>")], [edge("a", "b", { source_output_key: "no.where" })]));
    rig.complete("a", { outputs: { x: 1 } });
    expect(request(rig, "b")).toMatchObject({ message: "<>", inputs: {} });
    expect(said(rig, "b")).toEqual([]);
  });

  it("that is closed leaves its parameter empty, with a warning, where another lets the node run", () => {
    const rig = runOf(
      graph(
        [{ id: "a" }, { id: "z" }, node("b", "<[[p]]> [[q]]")],
        [edge("a", "b", NO), edge("z", "b", { target_param_label: "q" })],
      ),
    )
      .complete("a", { stdout: "x" })
      .complete("z", { stdout: "zed" });
    expect(request(rig, "b").message).toBe("<> zed");
    expect(rig.of("node.log", "b").map(({ message }) => message)).toEqual([
      "p: no branch that feeds it was taken, its value is empty",
    ]);
  });

  it("may ask for any part of the answer, or for the value it hands over", () => {
    const status = (expr: string) =>
      runOf(
        graph(
          [{ id: "a" }, node("b", "x")],
          [edge("a", "b", { source_output_key: "n", condition: { type: "expression", expr } })],
        ),
      )
        .complete("a", { outputs: { n: { deep: 4 }, other: "yes" } })
        .status("b");
    expect(status("value.deep == 4")).toBe("running");
    expect(status("other == 'yes'")).toBe("running");
    expect(status("value.deep == 5")).toBe("skipped");
    expect(status("n.deep > 'text'")).toBe("failed");
  });

  it("with a condition that cannot be evaluated fails the node, though another would bind it", () => {
    const broken = { source_output_key: "n", condition: { type: "expression", expr: "value > 'text'" } };
    const rig = runOf(graph([{ id: "a" }, { id: "z" }, node("b")], [edge("z", "b"), edge("a", "b", broken)]))
      .complete("z")
      .complete("a", { outputs: { n: {} } });
    expect(rig.error("b")).toBe("expression_error");
  });

  it("lets its node run when one is open, and skips it when none is", () => {
    const nodes = [{ id: "a" }, { id: "z" }, node("b", "x")];
    const run = (first: JsonObject, second: JsonObject) =>
      runOf(graph(nodes, [edge("a", "b", first), edge("z", "b", second)]))
        .complete("a")
        .complete("z");
    expect(run(NO, {}).status("b")).toBe("running");
    expect(run({}, NO).status("b")).toBe("running");
    expect(run(NO, { ...NO, target_param_label: "q" }).node("b").now).toMatchObject({
      status: "skipped",
      reason: "condition_false",
    });
  });
});

describe("a join", () => {
  const three = (merge: Json, more: JsonObject = {}) =>
    runOf(
      graph(
        [{ id: "a", label: "First" }, { id: "b" }, node("j", "[[p]]", { merge, ...more })],
        [edge("a", "j"), edge("b", "j")],
      ),
    );

  it("says how values were put together, and only those that were used", () => {
    const merged = three("concat").complete("a", { stdout: "A" }).complete("b", { stdout: "B" });
    expect(said(merged, "j")).toEqual(["a output p concat", "b output p concat"]);
    const last = three("last_write_wins").complete("a", { stdout: "A" }).complete("b", { stdout: "B" });
    expect(said(last, "j")).toEqual(["b output p last_write_wins"]);
    const one = runOf(graph([{ id: "a" }, node("j")], [edge("a", "j")])).complete("a");
    expect(said(one, "j")).toEqual(["a output p"]);
    const array = runOf(graph([{ id: "a" }, node("j", "[[p]]", { merge: "array" })], [edge("a", "j")])).complete("a");
    expect(said(array, "j")).toEqual(["a output p array"]);
  });

  it("names sources by their label, else by their id", () => {
    const rig = three("json_object").complete("a", { stdout: "A" }).complete("b", { stdout: "B" });
    expect(request(rig, "j").inputs).toEqual({ p: { First: "A", b: "B" } });
  });

  it("under substitute_default takes '' only where every source failed", () => {
    const substitute = { on_parent_failure: "substitute_default" };
    const both = three("concat", substitute).fail("a").fail("b");
    expect(request(both, "j").message).toBe("");
    expect(both.of("node.log", "j")).toEqual([]);
    const mixed = runOf(
      graph(
        [{ id: "a" }, { id: "b" }, node("j", "<[[p]]>", substitute)],
        [edge("a", "j"), edge("b", "j", { source_output_key: "no.where" })],
      ),
    )
      .fail("a")
      .complete("b");
    expect(mixed.node("j").now).toMatchObject({ status: "blocked", missing: ["p"] });
  });

  it("keeps the root input where no edge hands anything over", () => {
    const rig = runOf(
      graph(
        [{ id: "a" }, { id: "z" }, node("b", "<[[p]]>")],
        [edge("a", "b", NO), edge("z", "b", { target_param_label: "q" })],
        {
          root_inputs: { p: { default: "root" } },
        },
      ),
    )
      .complete("a")
      .complete("z");
    expect(request(rig, "b").message).toBe("<root>");
    expect(rig.of("node.log", "b")).toEqual([]);
  });

  it("does not ask of an empty substitute what its contract asks of a value", () => {
    const input_contract = { kind: "t", fields: { p: { type: "string", required: true, min_length: 3 } } };
    const source = graph(
      [{ id: "a" }, { id: "j", lens_id: "l", config: { on_parent_failure: "substitute_default" } }],
      [edge("a", "j")],
    );
    const rig = runOf(source, { catalog: lensOf({ input_contract }) });
    expect(rig.fail("a").status("j")).toBe("running");
    const given = runOf(source, { catalog: lensOf({ input_contract }) }).complete("a", { stdout: "ab" });
    expect(given.error("j")).toBe("input_contract_violation");
    expect(given.of("contract.violated", "j")).toMatchObject([
      { phase: "input", errors: [{ field: "p", reason: "too_short" }] },
    ]);
  });
});

describe("an override", () => {
  it("may be any value, or a text that reads other nodes", () => {
    const rig = runOf(
      graph(
        [{ id: "a" }, node("b", "[[n]] [[t]]", { param_overrides: { n: 5, t: "<[[a.data.x]]|[[a.nope]]>" } })],
        [edge("a", "b", { target_param_label: "q" })],
      ),
    ).complete("a", { outputs: { x: [1] } });
    expect(request(rig, "b").message).toBe("5 <[1]|>");
    expect(said(rig, "b")).toEqual(expect.arrayContaining(["a data.x t"]));
    expect(said(rig, "b").filter((line) => line.includes("nope"))).toEqual([]);
  });
});

describe("what a lens node answers", () => {
  const output_contract = {
    kind: "report",
    artifact_kind: "json",
    schema: { title: { type: "string", required: true }, level: { type: "string", enum: ["LOW", "HIGH"] } },
  };
  const source = graph([{ id: "a", lens_id: "l" }]);

  it("is its data, coerced, with what an enum text read before kept beside it", () => {
    const rig = runOf(source, { catalog: lensOf({ output_contract }) }).complete("a", {
      outputs: { title: "T", level: "LOW -- nothing to see" },
    });
    expect(rig.outputs("a")).toEqual({ title: "T", level: "LOW" });
    expect(rig.of("node.completed")[0]?.envelope).toMatchObject({
      kind: "report",
      data: { title: "T", level: "LOW" },
      metadata: { raw: { level: "LOW -- nothing to see" } },
    });
  });

  it("is what it said where it has no data", () => {
    const rig = runOf(graph([{ id: "a" }])).complete("a", { stdout: "text" });
    expect(rig.outputs("a")).toEqual({});
    expect(rig.of("node.completed")[0]?.envelope).toMatchObject({ output: "text" });
  });
});
