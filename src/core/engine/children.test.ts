import { describe, expect, it } from "vitest";
import { endChild, newestChild, startedChildren } from "../../../test/conformance/child-runs.ts";
import { NOWHERE } from "../../../test/conformance/nowhere.ts";
import { Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import type { Json, JsonObject } from "../base/index.ts";
import type { RunStatus } from "../event/index.ts";
import { childCallOf } from "./index.ts";

const TOKENS = { inputTokens: 1, outputTokens: 2, thinkingTokens: 3, cachedTokens: 4 };
const lens = (nodes: readonly JsonObject[], edges: readonly JsonObject[], more: JsonObject = {}): string =>
  JSON.stringify({ format: "lens-graph/v1", name: "g", ...more, nodes, edges });

describe("a node that is another run", () => {
  it("runs without gates, route, slot or deadline, and says which run it is", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit@3}"]));
    expect(rig.of("gate.decided")).toEqual([]);
    expect(rig.of("node.started")).toEqual([
      {
        nodeId: "c",
        attempt: 1,
        wave: 0,
        ...NOWHERE,
      },
    ]);
    const { childRunId } = newestChild(rig);
    expect(childRunId).toMatch(/^run_1_\d{6}$/u);
    expect(rig.of("child.started")).toEqual([{ nodeId: "c", attempt: 1, childRunId, workflow: "audit" }]);
    expect(rig.node("c").now).toMatchObject({ status: "running", childRunId });
    expect(newestChild(rig)).toMatchObject({ attempt: 1, workflow: { name: "audit", version: 3 }, recursionDepth: 1 });
    const timers = rig.effects.flatMap((effect) => (effect.type === "set-timer" ? [effect] : []));
    expect(timers).toEqual([
      {
        type: "set-timer",
        timer: { kind: "child", nodeId: "c", attempt: 1, childRunId },
        dueAt: rig.now + 10_000,
      },
    ]);
  });

  it("has a deadline when the author writes one, and then calls the child off", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit, timeout: 30}"]));
    expect(rig.of("node.started")[0]?.deadlineAt).toBe(rig.now + 30_000);
    expect(rig.effects).toContainEqual({
      type: "set-timer",
      timer: { kind: "attempt", nodeId: "c", attempt: 1 },
      dueAt: rig.now + 30_000,
    });
    const { childRunId } = newestChild(rig);
    rig.fire("attempt");
    expect(rig.status("c")).toBe("timed_out");
    expect(rig.effects).toContainEqual({ type: "cancel-child", nodeId: "c", attempt: 1, childRunId });
    // The run ends after the child does.
    expect(rig.state.status).toBe("running");
    endChild(rig, "cancelled", { costMicros: 9 });
    expect(rig.state).toMatchObject({ status: "failed", costMicros: 9 });
    expect(rig.of("cost.recorded")).toMatchObject([{ costMicros: 9, late: true, childRunId }]);
  });

  it("fills a place of max_parallel like any other", () => {
    const rig = runOf(workflow(["b {workflow_ref: audit}", "c {workflow_ref: audit}"], "max_parallel: 1"));
    expect(startedChildren(rig)).toHaveLength(1);
    endChild(rig, "completed");
    expect(startedChildren(rig)).toHaveLength(2);
  });

  it("is not sent again when the replica that started it is lost: the child lives on its own", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}"]));
    expect(rig.submit({ type: "timer", timer: { kind: "lost", nodeId: "c", attempt: 1 } }).events).toEqual([]);
    const { childRunId } = newestChild(rig);
    for (const kind of ["child", "child-cancel"] as const) {
      expect(rig.submit({ type: "timer", timer: { kind, nodeId: "c", attempt: 1, childRunId } }).events).toEqual([]);
    }
  });

  it("waits for its own gate first", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit, approval: required}"]));
    expect(startedChildren(rig)).toEqual([]);
    rig.answer("c", "approve");
    expect(startedChildren(rig)).toHaveLength(1);
  });

  it("may be one level below the limit of recursion", () => {
    const at = (recursionDepth: number) => new Rig(workflow(["c {workflow_ref: deeper}"])).start({ recursionDepth });
    expect(newestChild(at(4)).recursionDepth).toBe(5);
    const over = at(5);
    expect(over.of("node.failed", "c")).toMatchObject([
      { errorCode: "recursion_limit", errorMessage: expect.stringContaining("6 levels deep, the limit is 5") },
    ]);
    expect(over.of("node.started")).toEqual([]);
  });
});

describe("the args of a child run", () => {
  it("keep the kind of a value that is one reference, and render every other text", () => {
    const rig = runOf(
      workflow(
        ["c {workflow_ref: audit, with: {n: '${n}', text: 'n is ${n}', deep: {list: ['${list}', 2]}, flag: true}}"],
        "args: {n: 7, list: [1]}",
      ),
    );
    expect(newestChild(rig).args).toEqual({ n: 7, text: "n is 7", deep: { list: [[1], 2] }, flag: true });
  });

  it("fail the node when one is not there", () => {
    const rig = runOf(workflow(["a", "c < a {workflow_ref: audit, with: {x: '${a.outputs.nope}'}}"])).complete("a");
    expect(rig.error("c")).toBe("unbound_reference");
    expect(rig.of("node.failed", "c")[0]?.errorMessage).toContain("with.x");
    expect(startedChildren(rig)).toEqual([]);
  });

  it("come from the edges and overrides of a lens node, and `with` wins; root inputs are only offered", () => {
    const source = lens(
      [
        { id: "a" },
        {
          id: "kid",
          config: { workflow_ref: "audit", with: { tone: "calm" }, param_overrides: { extra: "e", tone: "loud" } },
        },
      ],
      [{ id: "e", source_node_id: "a", target_node_id: "kid", target_param_label: "topic" }],
      { root_inputs: { lang: { default: "en" } } },
    );
    const rig = runOf(source).complete("a", { stdout: "cats" });
    expect(newestChild(rig).args).toEqual({ topic: "cats", extra: "e", tone: "calm" });
    expect(newestChild(rig).offered).toEqual({ lang: "en" });
  });

  it("of a lens node may be as large as any inputs", () => {
    const nodes = [{ id: "kid", config: { workflow_ref: "audit", param_overrides: { t: "x".repeat(600_000) } } }];
    const rig = runOf(lens(nodes, []));
    expect(rig.error("kid")).toBe("context_too_large");
    expect(startedChildren(rig)).toEqual([]);
  });

  it("can be built again from the log for as long as the node waits for that child", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit, with: {n: '${n}'}}"], "args: {n: 7}"));
    const { nodeId, attempt, childRunId } = newestChild(rig);
    const timer = { kind: "child", nodeId, attempt, childRunId } as const;
    expect(childCallOf(rig.state, timer)).toEqual(newestChild(rig));
    expect(childCallOf(rig.state, { ...timer, childRunId: "run_other" })).toBeNull();
    expect(childCallOf(rig.state, { ...timer, nodeId: "zz" })).toBeNull();
    endChild(rig, "completed");
    expect(childCallOf(rig.state, timer)).toBeNull();
  });
});

describe("the end of a child run", () => {
  it("hands on its outputs as data, its cost and its tokens", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}", "b < c {command: 'see ${c.json.leaf.n}'}"]));
    const { childRunId } = newestChild(rig);
    endChild(rig, "completed", { outputs: { leaf: { n: 5 } }, costMicros: 40, tokens: TOKENS });
    expect(rig.of("child.finished")).toEqual([{ nodeId: "c", attempt: 1, childRunId, status: "completed" }]);
    expect(rig.of("cost.recorded")).toMatchObject([{ attempt: 1, costMicros: 40, tokens: TOKENS, childRunId }]);
    expect(rig.of("cost.recorded")[0]).not.toHaveProperty("late");
    expect(rig.of("node.completed", "c")).toMatchObject([
      { attempt: 1, outputs: { leaf: { n: 5 } }, costMicros: 40, inputTokens: 1, outputTokens: 2 },
    ]);
    expect(rig.dispatch("b").request.message).toBe("see 5");
    expect(rig.state).toMatchObject({ costMicros: 40, tokens: TOKENS });
  });

  it.each<[RunStatus, string]>([
    ["failed", "ended failed: no money"],
    ["timed_out", "ended timed_out: no money"],
  ])("as %s fails the node, which may be retried with a new child", (status, why) => {
    const rig = runOf(workflow(["c {workflow_ref: audit, on_failure: retry_once}"]));
    const first = newestChild(rig);
    endChild(rig, status, { errorMessage: "no money" });
    expect(rig.of("node.retried")).toMatchObject([
      { cause: "provider_error", errorCode: "child_failed", errorMessage: expect.stringContaining(why) },
    ]);
    expect(newestChild(rig).childRunId).not.toBe(first.childRunId);
    endChild(rig, status);
    expect(rig.of("node.failed", "c")[0]?.errorMessage).toMatch(/ended \w+$/u);
  });

  it("is taken once, and costs what is new each time it is reported", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}", "b"]));
    const child = newestChild(rig);
    endChild(rig, "completed", { costMicros: 10, tokens: TOKENS });
    expect(endChild(rig, "completed", { costMicros: 10, tokens: TOKENS }, child).events).toEqual([]);
    const more = { inputTokens: 2, outputTokens: 2, thinkingTokens: 9, cachedTokens: 4 };
    endChild(rig, "completed", { costMicros: 15, tokens: more }, child);
    expect(rig.of("cost.recorded").at(-1)).toMatchObject({
      costMicros: 5,
      tokens: { inputTokens: 1, outputTokens: 0, thinkingTokens: 6, cachedTokens: 0 },
      late: true,
    });
    // Overtaken by the one above.
    expect(endChild(rig, "completed", { costMicros: 12, tokens: TOKENS }, child).events).toEqual([]);
    expect(rig.of("child.finished")).toHaveLength(1);
    expect(rig.state.costMicros).toBe(15);
  });

  it("costs also after the parent has ended, and changes nothing else then", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}"]));
    const child = newestChild(rig);
    endChild(rig, "completed");
    expect(rig.state.status).toBe("completed");
    endChild(rig, "completed", { costMicros: 3 }, child);
    expect(rig.state).toMatchObject({ status: "completed", costMicros: 3 });
    expect(rig.events.at(-1)?.type).toBe("cost.recorded");
  });

  it("of an attempt that was given up changes only the cost, and lets the run end", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}"]));
    const old = newestChild(rig);
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(rig.effects).toContainEqual(
      expect.objectContaining({ type: "cancel-child", childRunId: old.childRunId, nodeId: "c" }),
    );
    const again = newestChild(rig);
    expect(again.childRunId).not.toBe(old.childRunId);
    endChild(rig, "completed", { outputs: { leaf: { n: 2 } } }, again);
    expect(rig.outputs("c")).toEqual({ leaf: { n: 2 } });
    expect(rig.state.status).toBe("running");
    endChild(rig, "completed", { outputs: { leaf: { n: 1 } }, costMicros: 4 }, old);
    expect(rig.outputs("c")).toEqual({ leaf: { n: 2 } });
    expect(rig.state).toMatchObject({ status: "completed", costMicros: 4 });
  });

  it("of an attempt that was given up leaves the next one alone", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}"]));
    const old = newestChild(rig);
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    endChild(rig, "completed", { outputs: { leaf: { n: 1 } } }, old);
    expect(rig.of("child.finished")).toMatchObject([{ childRunId: old.childRunId }]);
    expect(rig.status("c")).toBe("running");
    endChild(rig, "completed", { outputs: { leaf: { n: 2 } } });
    expect(rig.outputs("c")).toEqual({ leaf: { n: 2 } });
    // Nothing was handed down to either child.
    expect(rig.state.downstreamCount).toBe(0);
  });

  it("of a run that was not started, or for a node that is not there, is nothing", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}", "b"]));
    const child = newestChild(rig);
    expect(endChild(rig, "completed", {}, { ...child, childRunId: "run_x" }).events).toEqual([]);
    expect(endChild(rig, "completed", {}, { ...child, nodeId: "zz" }).events).toEqual([]);
    expect(rig.status("c")).toBe("running");
  });

  it("as cancelled is not retried", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit, on_failure: retry}"]));
    endChild(rig, "cancelled");
    expect(rig.error("c")).toBe("child_cancelled");
    expect(rig.of("node.retried")).toEqual([]);
  });

  it("is checked against what the node declares", () => {
    const outputs = (leaf: Json) => {
      const rig = runOf(workflow(["c {workflow_ref: audit, outputs: {leaf: object}}"]));
      endChild(rig, "completed", { outputs: { leaf } });
      return rig.error("c");
    };
    expect(outputs({ n: 1 })).toBeNull();
    expect(outputs([])).toBe("output_contract_violation");
  });
});
