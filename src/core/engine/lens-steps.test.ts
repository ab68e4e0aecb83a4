import { describe, expect, it } from "vitest";
import { startedChildren } from "../../../test/conformance/child-runs.ts";
import { type Rig, runOf } from "../../../test/conformance/rig.ts";
import { type JsonObject, LIMITS } from "../base/index.ts";
import { childCallOf, concurrencyKey, createRunState, NO_TOKENS } from "./index.ts";

const graph = (nodes: readonly string[], edges: readonly string[] = [], more = ""): string =>
  `format: lens-graph/v1
name: g
root_inputs: { "Open Words": { type: array, default: [tea, salt] }, n: 4, p: { type: string, required: false } }
nodes:
${nodes.map((node) => `  - ${node}`).join("\n")}
edges: [${edges.join(", ")}]
${more}`;
const edge = (source: string, target: string, label: string, key = "output"): string =>
  `{ id: ${source}-${target}-${label}, source_node_id: ${source}, target_node_id: ${target}, source_output_key: ${key}, target_param_label: "${label}" }`;

const why = (rig: Rig, nodeId: string) => rig.of("node.failed", nodeId)[0];

/** More than a node may be given. */
const HUGE = "x".repeat(LIMITS.boundInputBytesMax);

describe("a lens node that calculates", () => {
  it("reads what its edges bring by the names of their labels, and says where that came from", () => {
    const rig = runOf(
      graph(
        ["{ id: a, config: { template_body: x } }", '{ id: b, config: { set: { x: "${some_word}!", n: "${n}" } } }'],
        [edge("a", "b", "Some Word")],
      ),
    ).complete("a", { stdout: "tea" });
    expect(rig.outputs("b")).toEqual({ x: "tea!", n: 4 });
    const from = { sourceNodeId: "a", sourceOutputPath: "output", targetInputPath: "Some Word" };
    expect(rig.of("node.provenance", "b")).toContainEqual(expect.objectContaining(from));
    expect(rig.state.nodes).toEqual(rig.replayed().nodes);
  });

  it("fails with the value that cannot be found, or when that is too much", () => {
    const missing = runOf(graph(['{ id: a, config: { set: { v: "${n.x}" } } }']));
    expect(why(missing, "a")).toMatchObject({
      errorCode: "unbound_reference",
      errorMessage: expect.stringContaining("set.v"),
    });
    const nodes = ["{ id: a, config: { template_body: x } }", '{ id: b, config: { set: { v: "${word}" } } }'];
    const rig = runOf(graph(nodes, [edge("a", "b", "word")])).complete("a", { stdout: HUGE });
    expect(why(rig, "b")).toMatchObject({ errorCode: "context_too_large" });
  });

  it("ends the run with its own words", () => {
    const rig = runOf(graph(['{ id: a, config: { fail: { code: mine, message: "no ${open_words[0]}" } } }']));
    expect(rig.of("run.failed")).toMatchObject([{ errorCode: "mine", reason: "no tea" }]);
  });
});

describe("a lens node with steps inside", () => {
  const A = "{ id: a, config: { template_body: x } }";
  const B = '{ id: b, config: { steps: [{ id: q, command: "${word} ${n}" }] } }';

  it("gives them what they read of its labels", () => {
    const rig = runOf(graph([A, B], [edge("a", "b", "word")])).complete("a", { stdout: "tea" });
    expect(startedChildren(rig)).toMatchObject([{ nodeId: "b", block: "b", args: { word: "tea", n: 4 } }]);
    const [child] = startedChildren(rig);
    if (child === undefined) throw new Error("no child was started");
    const { nodeId, attempt, childRunId } = child;
    expect(childCallOf(rig.state, { kind: "child", nodeId, attempt, childRunId })).toEqual(child);
  });

  it("is not begun with more than it may be given", () => {
    const rig = runOf(graph([A, B], [edge("a", "b", "word")])).complete("a", { stdout: HUGE });
    expect(startedChildren(rig)).toEqual([]);
    expect(why(rig, "b")).toMatchObject({ errorCode: "context_too_large" });
  });

  it("chooses by its labels, and fails where they are too much", () => {
    const choice = `{ id: b, config: { choose: [{ name: hot, when: "word == 'tea'", steps: [{ id: q, command: Q }] }, { name: cold, else: [{ id: r, command: R }] }] } }`;
    const taken = (stdout: string) => runOf(graph([A, choice], [edge("a", "b", "word")])).complete("a", { stdout });
    expect(startedChildren(taken("tea")).map(({ block }) => block)).toEqual(["b.0"]);
    expect(startedChildren(taken("salt")).map(({ block }) => block)).toEqual(["b.1"]);
    const broken = taken(HUGE);
    expect([startedChildren(broken), broken.error("b")]).toEqual([[], "context_too_large"]);
  });
});

describe("a lens node over a list", () => {
  it("is given it by its edges, and fails where that is too much", () => {
    const nodes = [
      "{ id: a, config: { template_body: x } }",
      `{ id: b, config: { for_each: "split(word, ' ')", as: it, template_body: "[[it]]" } }`,
    ];
    const over = (stdout: string) => runOf(graph(nodes, [edge("a", "b", "word")])).complete("a", { stdout });
    expect(over("red tea").of("node.expanded", "b")).toMatchObject([{ items: ["red", "tea"] }]);
    const broken = over(HUGE);
    expect([broken.error("b"), broken.of("node.expanded")]).toEqual(["context_too_large", []]);
  });

  it("asks a person for what nothing gives its template", () => {
    const rig = runOf(graph(['{ id: a, config: { for_each: open_words, template_body: "[[item]] [[nothing]]" } }']));
    const asked = { code: "placeholder_unbound", missing: ["nothing"] };
    expect(rig.of("node.blocked", "a[1]")).toMatchObject([asked]);
    rig.submit({ type: "resolve", nodeId: "a[1]", by: "ann", values: { nothing: "here" } });
    expect(rig.dispatches.map(({ nodeId, request }) => [nodeId, request.message])).toEqual([["a[1]", "salt here"]]);
  });
});

describe("the names of a lens graph", () => {
  const nodes = ["{ id: first, config: { set: { v: 1 } } }", "{ id: b, config: { template_body: x } }"];

  it("are known to its outputs, and what its nodes returned as well", () => {
    const more = 'outputs: { v: "${first.v}", text: "${b.output}", words: "${open_words[1]}" }';
    const rig = runOf(graph(nodes, [], more)).complete("b", { stdout: "said" });
    expect(rig.of("run.completed")).toMatchObject([{ outputs: { v: 1, text: "said", words: "salt" } }]);
  });

  it("are known to what comes last", () => {
    const more = 'finally: [{ id: f, command: "${open_words} ${n}" }]';
    const rig = runOf(graph(nodes, [], more)).complete("b");
    expect(startedChildren(rig)).toMatchObject([{ nodeId: "finally", args: { open_words: ["tea", "salt"], n: 4 } }]);
  });

  it("are known to what limits how many of its runs are open", () => {
    const more = 'concurrency: { key: "${open_words[0]}", limit: 1 }';
    const { plan } = runOf(graph(nodes, [], more)).state;
    const key = (args: JsonObject) => concurrencyKey(createRunState(plan, "run_1"), args, 1);
    expect(key({ "Open Words": ["tea"] })).toEqual(key({ "Open Words": ["tea", 2] }));
    expect(key({ "Open Words": ["tea"] })).not.toEqual(key({ "Open Words": ["salt"] }));
    expect(key({ "Open Words": ["tea"] })).toMatchObject({ ok: true });
  });

  it("are not those of steps, whose args are called what they are", () => {
    const source =
      "name: w\nargs: { Word: { default: tea } }\nsteps: [{ id: a, command: x }]\noutputs: { w: '${Word}' }\n";
    expect(runOf(source).complete("a").of("run.completed")).toMatchObject([{ outputs: { w: "tea" } }]);
  });
});

describe("a lens node in a child run", () => {
  it("hands what it spent to the node that waits", () => {
    const rig = runOf(graph(["{ id: a, config: { steps: [{ id: q, command: Q }] } }"]));
    const [child] = startedChildren(rig);
    if (child === undefined) throw new Error("no child was started");
    const { nodeId, attempt, childRunId } = child;
    const report = { status: "completed", outputs: { q: 1 }, costMicros: 3, tokens: NO_TOKENS } as const;
    rig.submit({ type: "child_finished", nodeId, attempt, childRunId, ...report });
    expect([rig.outputs("a"), rig.state.costMicros]).toEqual([{ q: 1 }, 3]);
  });
});
