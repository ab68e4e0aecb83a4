import { describe, expect, it } from "vitest";
import { EMPTY_CATALOG } from "../../src/core/definition/index.ts";
import { checkSource } from "../../src/core/plan/index.ts";
import { ALLOW, Rig, runOf, workflow } from "./rig.ts";

const codes = (source: string) => checkSource(source, EMPTY_CATALOG).problems.map((problem) => problem.code);

describe("scheduling", () => {
  it("completes a run of one node", () => {
    const rig = runOf(workflow(["a"])).complete("a");
    expect(rig.state.status).toBe("completed");
    expect(rig.statuses).toEqual({ a: "completed" });
  });

  it("completes a chain in order, one attempt each", () => {
    const rig = runOf(workflow(["a", "b < a", "c < b"]))
      .complete("a")
      .complete("b")
      .complete("c");
    expect(rig.of("node.completed").map((payload) => payload.nodeId)).toEqual(["a", "b", "c"]);
    expect(rig.state.nodes.map((node) => node.attempts)).toEqual([1, 1, 1]);
  });

  it("queues roots with a reason and makes the others wait", () => {
    const rig = runOf(workflow(["a", "b < a"]));
    expect(rig.of("node.queued", "a")[0]).toMatchObject({ waitingReason: "queued" });
    expect(rig.of("node.waiting", "b")[0]).toMatchObject({ waitingReason: "dependency" });
    expect(rig.status("b")).toBe("awaiting_dependency");
  });

  it("runs the join of a diamond after both branches", () => {
    const rig = runOf(workflow(["a", "b < a", "c < a", "d < b c"]))
      .complete("a")
      .complete("b");
    expect(rig.status("d")).toBe("awaiting_dependency");
    rig.complete("c");
    expect(rig.status("d")).toBe("running");
    rig.complete("d");
    expect(rig.state.status).toBe("completed");
  });

  it("starts ready nodes in code-unit order of id", () => {
    const rig = runOf(workflow(["z", "b", "a_", "a"]));
    expect(rig.dispatches.map((effect) => effect.nodeId)).toEqual(["a", "a_", "b", "z"]);
  });

  it("never runs more at a time than max_parallel", () => {
    const ids = Array.from({ length: 12 }, (_, index) => `n${index}`);
    const rig = runOf(workflow(ids, "max_parallel: 4"));
    while (rig.state.status === "running") {
      const running = rig.state.nodes.filter((node) => node.now.status === "running");
      expect(running.length).toBeLessThanOrEqual(4);
      expect(running.length).toBeGreaterThan(0);
      rig.complete(running[0]?.id ?? "");
    }
    expect(rig.state.status).toBe("completed");
  });

  it("does not let a slow sibling delay an unrelated branch", () => {
    const rig = runOf(workflow(["slow", "fast", "after < fast"])).complete("fast");
    expect(rig.status("slow")).toBe("running");
    expect(rig.status("after")).toBe("running");
  });

  it("waits for a step that only stdin, a command or a condition names", () => {
    const rig = runOf(
      workflow(["a", 'b {stdin: "$a.stdout"}', 'c {command: "use ${a.stdout}"}', `d {condition: "a.stdout != ''"}`]),
    );
    expect([rig.status("b"), rig.status("c"), rig.status("d")]).toEqual(Array(3).fill("awaiting_dependency"));
    rig.complete("a", { stdout: "text" });
    expect(rig.dispatch("b").request.stdin).toBe("text");
    expect(rig.dispatch("c").request.message).toBe("use text");
    expect(rig.status("d")).toBe("running");
  });

  it("refuses an empty graph, a cycle, missing ends and a cap of 0 before anything runs", () => {
    expect(codes("name: w\nsteps: []\n")).toHaveLength(1);
    expect(codes(workflow(["a < b", "b < a"]))).toEqual(["cycle"]);
    expect(codes(workflow(["a < nope"]))).toEqual(["unknown_step"]);
    expect(codes(workflow(["a"], "max_parallel: 0"))).toEqual(["bad_number"]);
    const graph = (edge: string) => `format: lens-graph/v1\nname: g\nnodes: [{id: a}]\nedges: [${edge}]\n`;
    expect(codes(graph("{id: e, source_node_id: a, target_node_id: x, target_param_label: p}"))).toEqual([
      "orphan_edge",
    ]);
    expect(codes(graph("{id: e, source_node_id: x, target_node_id: a, target_param_label: p}"))).toEqual([
      "orphan_edge",
    ]);
  });

  it("prints the cycle it refuses", () => {
    const [problem] = checkSource(workflow(["a < c", "b < a", "c < b", "d < c"]), EMPTY_CATALOG).problems;
    expect(problem?.message).toMatch(/a → \w → \w → a|b → \w → \w → b|c → \w → \w → c/u);
    expect(problem?.message).not.toMatch(/→ d\b|\bd →/u);
  });

  it("asks no gate about a step whose condition is false, and says why it did not run", () => {
    const asked: string[] = [];
    const rig = runOf(workflow(["a", `b < a {condition: "a.stdout == 'go'"}`, "c < b"]), {
      judge: ({ nodeId }) => {
        asked.push(nodeId);
        return ALLOW;
      },
    }).complete("a", { stdout: "stay" });
    expect(rig.of("node.skipped").map(({ nodeId, reason }) => [nodeId, reason])).toEqual([
      ["b", "condition_false"],
      ["c", "parents_skipped"],
    ]);
    expect(asked).toEqual(["a"]);
    expect(rig.state.status).toBe("completed");
  });

  it("folds the log to the state it is in", () => {
    const rig = runOf(workflow(["a", "b < a", "c < a"]))
      .complete("a")
      .fail("b");
    expect(rig.replayed().nodes.map((node) => node.now)).toEqual(rig.state.nodes.map((node) => node.now));
    expect(rig.replayed().counts).toEqual(rig.state.counts);
  });

  it("takes a second start as nothing", () => {
    const rig = new Rig(workflow(["a"])).start();
    const before = rig.state.lastEventId;
    rig.start();
    expect(rig.state.lastEventId).toBe(before);
  });
});
