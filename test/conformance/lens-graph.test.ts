import { describe, expect, it } from "vitest";
import type { Json } from "../../src/core/base/index.ts";
import { type Rig, runOf } from "./rig.ts";

interface NodeSpec {
  readonly [key: string]: Json;
}
let edgeNumber = 0;
const edge = (source: string, target: string, more: NodeSpec = {}): NodeSpec => ({
  id: `e${(edgeNumber += 1)}`,
  source_node_id: source,
  target_node_id: target,
  target_param_label: "p",
  ...more,
});
const graph = (nodes: NodeSpec[], edges: NodeSpec[], more: NodeSpec = {}) =>
  JSON.stringify({ format: "lens-graph/v1", name: "g", ...more, nodes, edges });
const reads = (id: string, template = "[[p]]", config: NodeSpec = {}): NodeSpec => ({
  id,
  config: { template_body: template, ...config },
});
const message = (rig: Rig, id: string) => rig.dispatch(id).request.message;

describe("parent policy", () => {
  const failing = (config: NodeSpec, more: NodeSpec = {}) =>
    runOf(graph([{ id: "a" }, reads("b", "[[p]]", config)], [edge("a", "b")], more)).fail("a");

  it("skips the child of a failed parent by default", () => {
    const rig = failing({});
    expect(rig.status("b")).toBe("skipped");
    expect(rig.of("node.skipped", "b")[0]).toMatchObject({ reason: "parent_failed" });
  });

  it("fails it under propagate, without a call", () => {
    const rig = failing({ on_parent_failure: "propagate" });
    expect(rig.error("b")).toBe("upstream_failure");
    expect(rig.dispatches.map((effect) => effect.nodeId)).toEqual(["a"]);
  });

  it("runs it with '' under substitute_default", () => {
    expect(message(failing({ on_parent_failure: "substitute_default" }), "b")).toBe("");
  });

  it("prefers a root input of the same label under substitute_default", () => {
    const rig = runOf(
      graph([{ id: "a" }, reads("b", "[[p]]", { on_parent_failure: "substitute_default" })], [edge("a", "b")], {
        root_inputs: { p: { type: "string", default: "root" } },
      }),
    ).fail("a");
    expect(message(rig, "b")).toBe("root");
  });
});

describe("conditions on edges", () => {
  const branch = (
    condition: NodeSpec,
    answer: { stdout?: string; outputs?: { [key: string]: Json } },
    key = "output",
  ) =>
    runOf(graph([{ id: "a" }, reads("b", "x")], [edge("a", "b", { condition, source_output_key: key })]))
      .complete("a", answer)
      .status("b");

  it.each([
    [{ type: "equals", value: "yes" }, { stdout: "yes" }, "output", "running"],
    [{ type: "equals", value: "yes" }, { stdout: "no" }, "output", "skipped"],
    [{ type: "equals", value: 5 }, { outputs: { n: 5 } }, "n", "running"],
    [{ type: "contains", value: "err" }, { stdout: "an error" }, "output", "running"],
    [{ type: "contains", value: "5" }, { outputs: { n: 5 } }, "n", "skipped"],
    [{ type: "contains", value: "x" }, { outputs: { list: ["x", "y"] } }, "list", "running"],
    [{ type: "present" }, { outputs: { t: "" } }, "t", "skipped"],
    [{ type: "present" }, { outputs: { t: "text" } }, "t", "running"],
    [{ type: "present" }, { stdout: "text" }, "nothing_here", "skipped"],
    [{ type: "truthy" }, { outputs: { n: 0 } }, "n", "skipped"],
    [{ type: "expression", expr: "value > 3" }, { outputs: { n: 4 } }, "n", "running"],
    [{ type: "expression", expr: "value > 3" }, { outputs: { n: 2 } }, "n", "skipped"],
  ])("%j on %j at %s → %s", (condition, answer, key, status) => {
    expect(branch(condition as NodeSpec, answer as never, key)).toBe(status);
  });

  it("names condition_false as the reason, on the event and afterwards", () => {
    const rig = runOf(
      graph([{ id: "a" }, reads("b", "x")], [edge("a", "b", { condition: { type: "equals", value: "x" } })]),
    );
    rig.complete("a", { stdout: "y" });
    expect(rig.of("node.skipped", "b")[0]).toMatchObject({ reason: "condition_false" });
    expect(rig.effects).toContainEqual(expect.objectContaining({ type: "notify", kind: "skipped", nodeId: "b" }));
  });

  const fork = (joinConfig: NodeSpec = {}) =>
    runOf(
      graph(
        [{ id: "a" }, reads("yes", "y"), reads("no", "n"), reads("join", "<[[p]]>", joinConfig)],
        [
          edge("a", "yes", { condition: { type: "equals", value: "yes" } }),
          edge("a", "no", { condition: { type: "equals", value: "no" } }),
          edge("yes", "join"),
          edge("no", "join"),
        ],
      ),
    )
      .complete("a", { stdout: "yes" })
      .complete("yes", { stdout: "taken" });

  it("runs only the chosen branch, and a join with the branch that was taken", () => {
    const rig = fork();
    expect(rig.status("no")).toBe("skipped");
    expect(message(rig, "join")).toBe("<taken>");
  });

  it("does not fail a propagating join because of a branch not taken", () => {
    expect(fork({ on_parent_failure: "propagate" }).status("join")).toBe("running");
  });

  it("skips a node all of whose parents were skipped", () => {
    const rig = runOf(
      graph(
        [{ id: "a" }, reads("b", "x"), reads("c", "x")],
        [edge("a", "b", { condition: { type: "equals", value: "x" } }), edge("b", "c")],
      ),
    ).complete("a", { stdout: "y" });
    expect(rig.of("node.skipped", "c")[0]).toMatchObject({ reason: "parents_skipped" });
  });
});

describe("merge and binding", () => {
  const three = (merge: NodeSpec) =>
    runOf(
      graph(
        [{ id: "a", label: "First" }, { id: "b" }, { id: "c" }, reads("j", "[[p]]", { merge: "last_write_wins" })],
        ["a", "b", "c"].map((id) => edge(id, "j", merge)),
      ),
    )
      .complete("a", { stdout: "alpha" })
      .complete("b", { stdout: "beta" })
      .complete("c", { stdout: "gamma" });

  it.each([
    [{}, "gamma"],
    [{ merge_strategy: "concat" }, "alpha\n\nbeta\n\ngamma"],
    [{ merge_strategy: "array" }, '["alpha","beta","gamma"]'],
    [{ merge_strategy: "json_object" }, '{"First":"alpha","b":"beta","c":"gamma"}'],
  ])("%j → %s", (merge, text) => {
    expect(message(three(merge), "j")).toBe(text);
  });

  it("makes an array of one edge too", () => {
    const rig = runOf(graph([{ id: "a" }, reads("j")], [edge("a", "j", { merge_strategy: "array" })]));
    expect(message(rig.complete("a", { stdout: "aa" }), "j")).toBe('["aa"]');
  });

  it("lets an edge value beat a root input, and keeps the other root inputs", () => {
    const rig = runOf(
      graph([{ id: "a" }, reads("b", "[[p]] [[q]]")], [edge("a", "b")], {
        root_inputs: { p: { type: "string" }, q: { type: "string" } },
      }),
      { args: { p: "root p", q: "root q" } },
    ).complete("a", { stdout: "edge" });
    expect(message(rig, "b")).toBe("edge root q");
  });

  it("resolves dotted and indexed paths, and never the whole output for a missing one", () => {
    const outputs = { nested: { x: [1, { y: "deep" }] } };
    const at = (key: string) =>
      runOf(graph([{ id: "a" }, reads("b", "[[p!]]|")], [edge("a", "b", { source_output_key: key })])).complete("a", {
        outputs,
        stdout: "whole",
      });
    expect(message(at("nested.x[1].y"), "b")).toBe("deep|");
    expect(message(at("data.nested.x[0]"), "b")).toBe("1|");
    expect(message(at("nowhere"), "b")).toBe("|");
    expect(message(at("output"), "b")).toBe("whole|");
  });

  it("lets overrides beat edges, and reads other nodes by [[node.path]], which makes it wait for them", () => {
    const rig = runOf(
      graph(
        [
          { id: "a" },
          { id: "z" },
          reads("b", "[[p]]", { param_overrides: { p: "tone [[z.tone]] of [[a.output]], [[label]]" } }),
        ],
        [edge("a", "b")],
      ),
    ).complete("a", { stdout: "A" });
    expect(rig.status("b")).toBe("awaiting_dependency");
    rig.complete("z", { outputs: { tone: "calm" } });
    expect(message(rig, "b")).toBe("tone calm of A, [[label]]");
  });

  it("records one hand-off per edge that was used", () => {
    const rig = three({ merge_strategy: "concat" });
    expect(rig.of("node.provenance", "j").map((handoff) => [handoff.sourceNodeId, handoff.transform])).toEqual([
      ["a", "concat"],
      ["b", "concat"],
      ["c", "concat"],
    ]);
  });
});

describe("rendering", () => {
  const render = (template: string, args: { [key: string]: Json }) => {
    const root_inputs = Object.fromEntries(Object.keys(args).map((label) => [label, { default: null }]));
    return runOf(graph([reads("a", template)], [], { root_inputs }), { args });
  };

  it("blocks with every unbound required label, and runs once a person gives the values", () => {
    const rig = render("[[one]] [[maybe!]] [[two]] {{three}}", { three: "3" });
    expect(rig.of("node.blocked", "a")[0]).toMatchObject({
      waitingReason: "human_input",
      code: "placeholder_unbound",
      missing: ["one", "two"],
    });
    expect(rig.dispatches).toHaveLength(0);
    rig.submit({ type: "resolve", nodeId: "a", by: "user:ann", values: { one: "1", two: "2" } });
    expect(message(rig, "a")).toBe("1  2 3");
  });

  it("renders an input that says it is not required as nothing", () => {
    const root_inputs = { tone: { type: "string", required: false }, topic: { type: "string" } };
    const rig = runOf(graph([reads("a", "<[[Tone]]>")], [], { root_inputs }));
    expect(rig.dispatch("a").request.message).toBe("<>");
    expect(runOf(graph([reads("a", "[[topic]]")], [], { root_inputs })).status("a")).toBe("blocked");
  });

  it("matches labels without case and with spaces as underscores, drops [[:uuid]], leaves [ x ] alone", () => {
    const rig = render("[[MY_topic]] {{my topic}} [[:0f8fad5b-d9cb-469f-a165-70867728950e]][ x ]", {
      "My Topic": { a: 1 },
    });
    expect(message(rig, "a")).toBe('{"a":1} {"a":1} [ x ]');
  });

  it("never expands a value again", () => {
    const rig = render("[[a]]", { a: "[[b]] {{b}} $& ${b}", b: "secret" });
    expect(message(rig, "a")).toBe("[[b]] {{b}} $& ${b}");
  });
});
