import { describe, expect, it } from "vitest";
import { runOf, workflow } from "./rig.ts";

const lens = (nodes: string, edges: string) => `format: lens-graph/v1\nname: g\nnodes: [${nodes}]\nedges: [${edges}]\n`;
const edge = (source: string, target: string) =>
  `{id: ${source}_${target}, source_node_id: ${source}, target_node_id: ${target}, target_param_label: p}`;

describe("run status", () => {
  it("is failed when a step failed, and says with what", () => {
    const rig = runOf(workflow(["a"])).fail("a", "provider_auth");
    expect(rig.state.status).toBe("failed");
    expect(rig.of("run.failed")[0]).toMatchObject({ errorCode: "provider_auth", counts: { failed: 1 } });
  });

  it("is failed when a node timed out", () => {
    const rig = runOf(workflow(["a {timeout: 5}"])).fire("attempt");
    expect(rig.status("a")).toBe("timed_out");
    expect(rig.state.status).toBe("failed");
    expect(rig.effects.some((effect) => effect.type === "cancel-dispatch")).toBe(true);
  });

  it("looks at leaves in a lens graph: a failed root over a skipped leaf completes, and the failure stays visible", () => {
    const rig = runOf(lens("{id: a}, {id: b}", edge("a", "b"))).fail("a");
    expect(rig.statuses).toEqual({ a: "failed", b: "skipped" });
    expect(rig.state.status).toBe("completed");
    expect(rig.of("run.completed")[0]).toMatchObject({ counts: { failed: 1, skipped: 1 } });
  });

  it("is failed when a leaf failed and another was cancelled", () => {
    const rig = runOf(workflow(["a", "b", "c < b"])).fail("a");
    expect(rig.status("b")).toBe("running");
    rig.complete("b");
    expect(rig.status("c")).toBe("cancelled");
    expect(rig.state.status).toBe("failed");
  });

  it("is cancelled at once when somebody cancels, without waiting for adapters", () => {
    const rig = runOf(workflow(["a", "b < a"]));
    rig.tell({ type: "cancel", reason: "changed my mind" });
    expect(rig.state.status).toBe("cancelled");
    expect(rig.statuses).toEqual({ a: "cancelled", b: "cancelled" });
    expect(rig.events.at(-1)?.type).toBe("run.cancelled");
    expect(rig.effects.filter((effect) => effect.type === "cancel-dispatch")).toHaveLength(1);
  });

  it("keeps the cost and drops the output of a result that comes after a cancel, once", () => {
    const rig = runOf(workflow(["a"]));
    rig.tell({ type: "cancel", reason: "stop" });
    rig.complete("a", { costMicros: 700 });
    rig.complete("a", { costMicros: 700 });
    expect(rig.of("cost.recorded")).toEqual([expect.objectContaining({ costMicros: 700, late: true })]);
    expect(rig.state).toMatchObject({ status: "cancelled", costMicros: 700 });
  });

  it("refuses a second cancel of a finished run", () => {
    const rig = runOf(workflow(["a"])).complete("a");
    expect(rig.tell({ type: "cancel", reason: "late" })).toMatchObject({
      events: [],
      refusal: { code: "run_finished" },
    });
  });

  it("times out as a whole, waits included", () => {
    const rig = runOf(workflow(["a", "g < a {approval: required}"], "timeout: 60")).complete("a");
    expect(rig.status("g")).toBe("blocked");
    rig.fire("run");
    expect(rig.state.status).toBe("timed_out");
    expect(rig.status("g")).toBe("cancelled");
    expect(rig.of("approval.resolved")[0]).toMatchObject({ status: "cancelled" });
  });

  it("honours completion: leaves in a .lobsterX file", () => {
    const rig = runOf(workflow(["a {on_failure: skip}", "b"], "completion: leaves"))
      .fail("a")
      .complete("b");
    expect(rig.state.status).toBe("completed");
  });
});
