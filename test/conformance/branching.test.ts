import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/base/index.ts";
import { branchFrom, replay, type RunState } from "../../src/core/engine/index.ts";
import { type Rig, runOf, workflow } from "./rig.ts";

/** What a branch from the end of a run keeps, by node id. */
const kept = (rig: Rig, args: JsonObject): readonly string[] => branchFrom(rig.state, args).map(({ nodeId }) => nodeId);

/** The state after the first event that fits. */
function after(rig: Rig, type: string, nodeId: string): RunState {
  const at = rig.events.findIndex(
    (event) => event.type === type && "nodeId" in event.payload && event.payload.nodeId === nodeId,
  );
  return replay(rig.state.plan, "run_1", rig.events.slice(0, at + 1));
}

describe("a branch with other args", () => {
  it("starts at the first node whose inputs change, and keeps what is not touched", () => {
    const source = workflow(
      ["a", "b < a {command: 'say ${tone}'}", "c < b", "side {command: 'for ${who}'}"],
      "args: {tone: plain, who: ann}",
    );
    const run = runOf(source).complete("a").complete("b").complete("c").complete("side");
    expect(kept(run, { tone: "plain", who: "ann" })).toEqual(["a", "side", "b", "c"]);
    expect(kept(run, { tone: "solemn", who: "ann" })).toEqual(["a", "side"]);
    expect(kept(run, { tone: "plain", who: "bea" })).toEqual(["a", "b", "c"]);
    expect(kept(run, { tone: "solemn", who: "bea" })).toEqual(["a"]);
  });

  it.each([
    ["the command", "x {command: 'say ${word}'}"],
    ["stdin", "x {command: go, stdin: '${word}'}"],
    ["the condition", `x {command: go, condition: "word != 'z'"}`],
    ["a criterion", `x {command: go, success_criteria: ["word != 'z'"]}`],
    ["an input with a source", "x {command: go, inputs: {given: {from: word}}}"],
    ["an input of the same name", "x {command: go, inputs: {word: {type: string}}}"],
    ["an arg of a child run", "x {workflow_ref: other, with: {deep: [{word: '${word}'}]}}"],
  ])("finds an arg in %s", (_place, step) => {
    const run = runOf(workflow(["a", step, "y < x"], "args: {word: one, more: 1}"));
    const state = { ...run.state, nodes: run.state.nodes.map((node) => ({ ...node, now: DONE })) };
    expect(branchFrom(state, { word: "two", more: 1 }).map(({ nodeId }) => nodeId)).toEqual(["a"]);
    expect(branchFrom(state, { word: "one", more: 2 })).toHaveLength(3);
  });

  it("looks only at the part of an arg that is read", () => {
    const run = runOf(
      workflow(["x {command: '${who.name}'}"], "args: {who: {type: object, default: {name: ann, age: 1}}}"),
    );
    run.complete("x");
    expect(kept(run, { who: { name: "ann", age: 2 } })).toEqual(["x"]);
    expect(kept(run, { who: { name: "bea", age: 1 } })).toEqual([]);
    expect(kept(run, {})).toEqual([]);
  });

  it("does a list again when the list or what each instance reads is another", () => {
    const source = workflow(
      ["a {command: 'go ${tone}', for_each: list}", "b < a"],
      "args: {list: [1, 2], tone: plain}",
    );
    const run = runOf(source).complete("a[0]").complete("a[1]").complete("b");
    const same = { list: [1, 2], tone: "plain" };
    expect(kept(run, same)).toEqual(["a", "b"]);
    expect(kept(run, { ...same, list: [1, 3] })).toEqual([]);
    const half = after(run, "node.completed", "a[0]");
    expect(branchFrom(half, same).map(({ nodeId }) => nodeId)).toEqual(["a[0]"]);
    expect(branchFrom(half, { ...same, tone: "solemn" })).toEqual([]);
    expect(branchFrom(half, { ...same, list: [2, 2] })).toEqual([]);
  });

  it("does again what was skipped only because of a condition on the arg", () => {
    const source = workflow(
      [`x {command: go, condition: "size > 5"}`, "y < x"],
      "args: {size: {type: number, default: 1}}",
    );
    const run = runOf(source);
    expect(run.statuses).toEqual({ x: "skipped", y: "skipped" });
    expect(kept(run, { size: 1 })).toEqual(["x", "y"]);
    expect(kept(run, { size: 9 })).toEqual([]);
  });
});

const DONE = {
  status: "completed",
  outputs: {},
  envelope: { kind: "text", artifactKind: "text", output: "done" },
  durationMs: 1,
  isCarried: false,
  settledAt: 1,
  eventId: 1,
} as const;

describe("a branch of a lens graph with other root inputs", () => {
  const node = (id: string, template: string, config: JsonObject = {}): JsonObject => ({
    id,
    config: { template_body: template, ...config },
  });
  const graph = JSON.stringify({
    format: "lens-graph/v1",
    name: "g",
    root_inputs: { topic: { type: "string", default: "sea" }, tone: { type: "string", default: "plain" } },
    nodes: [
      node("a", "About [[Topic]]."),
      node("b", "Write [[text]], [[tone]].", { param_overrides: { tone: "always so" } }),
      node("c", "Say it [[tone]]."),
      node("d", "Print [[text]]."),
    ],
    edges: [
      { id: "e1", source_node_id: "a", target_node_id: "b", target_param_label: "text" },
      { id: "e2", source_node_id: "c", target_node_id: "d", target_param_label: "text" },
    ],
  });

  it("starts at the nodes whose template asks for it, unless something else gives the value", () => {
    const run = runOf(graph).complete("a").complete("c").complete("b").complete("d");
    expect(kept(run, { topic: "sea", tone: "plain" })).toEqual(["a", "c", "b", "d"]);
    expect(kept(run, { topic: "land", tone: "plain" })).toEqual(["c", "d"]);
    expect(kept(run, { topic: "sea", tone: "solemn" })).toEqual(["a", "b"]);
  });

  it("does again what was skipped, or done without, because a parent failed", () => {
    const run = runOf(graph).fail("a").complete("c").complete("d");
    expect(run.statuses).toMatchObject({ a: "failed", b: "skipped" });
    expect(kept(run, run.state.args)).toEqual(["c", "d"]);
  });
});
