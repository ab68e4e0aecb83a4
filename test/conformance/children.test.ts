import { describe, expect, it } from "vitest";
import type { RunStatus } from "../../src/core/event/index.ts";
import { endChild, startedChildren } from "./child-runs.ts";
import { Rig, runOf, workflow } from "./rig.ts";

const SOURCE = workflow(
  [
    "a {outputs: {list: array}}",
    "child < a {workflow_ref: audit@2, with: {tag: '${tag}', list: '${a.outputs.list}', note: 'for ${tag}'}}",
    "b {command: 'saw ${child.outputs.leaf.n}'}",
  ],
  "args: {tag: v1}",
);
const ends = (rig: Rig, status: RunStatus, outputs = {}) => endChild(rig, status, { outputs, costMicros: 50 });
const running = () => runOf(SOURCE).complete("a", { outputs: { list: [1, 2] } });

describe("a child run", () => {
  it("gets its args with values as they are, no gates, and one id however often it is performed", () => {
    const rig = running();
    expect(startedChildren(rig)).toEqual([
      expect.objectContaining({
        workflow: { name: "audit", version: 2 },
        args: { tag: "v1", list: [1, 2], note: "for v1" },
        recursionDepth: 1,
      }),
    ]);
    expect(rig.of("gate.decided", "child")).toHaveLength(0);
  });

  it("hands its leaves' outputs on, and its cost up", () => {
    const rig = running();
    ends(rig, "completed", { leaf: { n: 7 } });
    expect(rig.outputs("child")).toEqual({ leaf: { n: 7 } });
    expect(rig.dispatch("b").request.message).toBe("saw 7");
    expect(rig.state.costMicros).toBe(50);
  });

  it("fails its node when it fails, and is not retried when it was cancelled", () => {
    const failed = running();
    ends(failed, "failed");
    expect(failed.error("child")).toBe("child_failed");
    const cancelled = runOf(
      SOURCE.replace("workflow_ref: audit@2", "workflow_ref: audit@2, on_failure: retry"),
    ).complete("a", {
      outputs: { list: [] },
    });
    ends(cancelled, "cancelled");
    expect(cancelled.error("child")).toBe("child_cancelled");
  });

  it("is a new child when it is retried", () => {
    const rig = runOf(
      SOURCE.replace("workflow_ref: audit@2", "workflow_ref: audit@2, on_failure: retry_once"),
    ).complete("a", {
      outputs: { list: [] },
    });
    ends(rig, "failed");
    expect(new Set(startedChildren(rig).map((child) => child.childRunId)).size).toBe(2);
  });

  it("receives a cancel and is drained before the run ends", () => {
    const rig = running();
    rig.submit({ type: "cancel", reason: "stop" });
    expect(rig.effects).toContainEqual(expect.objectContaining({ type: "cancel-child", nodeId: "child" }));
    expect(rig.state.status).toBe("running");
    expect(rig.state.ending).toMatchObject({ as: "cancelled" });
    ends(rig, "cancelled");
    expect(rig.state.status).toBe("cancelled");
    expect(rig.events.at(-1)?.type).toBe("run.cancelled");
  });

  it("stops at the recursion limit", () => {
    const at = (recursionDepth: number) =>
      new Rig(workflow(["child {workflow_ref: deeper}"])).start({ recursionDepth });
    expect(startedChildren(at(4))).toHaveLength(1);
    expect(startedChildren(at(5))).toHaveLength(0);
    expect(at(5).error("child")).toBe("recursion_limit");
  });
});
