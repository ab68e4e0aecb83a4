import { describe, expect, it } from "vitest";
import { replay, type Verdict } from "../../src/core/engine/index.ts";
import { ALLOW, Rig, runOf, workflow } from "./rig.ts";

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

  it("is cancelled at once on a cancel, without waiting for adapters", () => {
    const rig = runOf(workflow(["a", "b < a"]));
    rig.submit({ type: "cancel", reason: "changed my mind" });
    expect(rig.state.status).toBe("cancelled");
    expect(rig.statuses).toEqual({ a: "cancelled", b: "cancelled" });
    expect(rig.events.at(-1)?.type).toBe("run.cancelled");
    expect(rig.effects.filter((effect) => effect.type === "cancel-dispatch")).toHaveLength(1);
  });

  it("keeps the cost and drops the output of a result that comes after a cancel, once", () => {
    const rig = runOf(workflow(["a"]));
    rig.submit({ type: "cancel", reason: "stop" });
    rig.complete("a", { costMicros: 700 });
    rig.complete("a", { costMicros: 700 });
    expect(rig.of("cost.recorded")).toEqual([expect.objectContaining({ costMicros: 700, late: true })]);
    expect(rig.state).toMatchObject({ status: "cancelled", costMicros: 700 });
  });

  it("refuses a second cancel of a finished run", () => {
    const rig = runOf(workflow(["a"])).complete("a");
    expect(rig.submit({ type: "cancel", reason: "late" })).toMatchObject({
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

  const changesOf = (rig: ReturnType<typeof runOf>) =>
    rig.of("run.status.changed").map(({ from, to, epoch }) => `${from} → ${to} (${epoch})`);

  it("says every change, and never one to itself", () => {
    const rig = runOf(workflow(["a", "b < a"]));
    expect(rig.events.slice(0, 2).map(({ type }) => type)).toEqual(["run.started", "run.status.changed"]);
    rig.complete("a").fail("b", "provider_auth");
    rig.submit({ type: "recover" });
    rig.complete("b");
    expect(changesOf(rig)).toEqual([
      "queued → running (0)",
      "running → failed (0)",
      "failed → running (1)",
      "running → recovered (1)",
      "recovered → completed (1)",
    ]);
    expect(rig.events.slice(-2).map(({ type }) => type)).toEqual(["run.recovered", "run.completed"]);
  });

  it("says a cancel of a run that had not started", () => {
    const rig = new Rig(workflow(["a"]));
    rig.submit({ type: "cancel", reason: "stop" });
    expect(changesOf(rig)).toEqual(["queued → cancelled (0)"]);
    expect(rig.events.at(-1)?.type).toBe("run.cancelled");
  });

  it("does not change when a running run is rewound; a finished one runs again", () => {
    const rig = runOf(workflow(["a", "b < a"])).complete("a");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(rig.of("run.rewound")).toEqual([{ toEventId: 1, epoch: 1 }]);
    expect(changesOf(rig)).toEqual(["queued → running (0)"]);
    rig.complete("a").complete("b");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(changesOf(rig).slice(1)).toEqual(["running → completed (1)", "completed → running (2)"]);
    expect(rig.state).toMatchObject({ status: "running", epoch: 2, endedAt: null });
  });

  it("has ended only with the event that ends it, not with the change that announces it", () => {
    const rig = runOf(workflow(["a"])).fail("a", "provider_auth");
    const cut = replay(rig.state.plan, "run_1", rig.events.slice(0, -1));
    expect(rig.events.at(-2)).toMatchObject({ type: "run.status.changed", payload: { to: "failed" } });
    expect(cut).toMatchObject({ status: "running", endedAt: null });
  });
});

describe("a run that winds down", () => {
  it("says once as what and why, also when a cancel overtakes a halt", () => {
    const rig = runOf(workflow(["a", "b", "c < b"])).fail("a", "provider_auth");
    expect(rig.of("run.ending")).toMatchObject([{ as: "failed", reason: "a failed", errorCode: "provider_auth" }]);
    rig.submit({ type: "cancel", reason: "enough" });
    expect(rig.of("run.ending").slice(1)).toEqual([{ as: "cancelled", reason: "enough" }]);
    expect(rig.state.status).toBe("cancelled");
    expect(rig.of("run.status.changed").filter(({ from, to }) => from === to)).toEqual([]);
  });

  it("says nothing when nothing has to wind down", () => {
    expect(
      runOf(workflow(["a"]))
        .complete("a")
        .of("run.ending"),
    ).toEqual([]);
  });

  it("still skips what fails under on_failure: skip", () => {
    const rig = runOf(workflow(["a", "b {on_failure: skip}", "d {on_failure: skip, timeout: 9}", "c"]));
    rig.fail("a", "provider_auth").fail("b", "provider_auth").fire("attempt", "d").fail("c", "provider_auth");
    expect(rig.statuses).toEqual({ a: "failed", b: "skipped", d: "skipped", c: "failed" });
    expect(rig.of("node.skipped", "b")[0]).toMatchObject({ reason: "on_failure", errorCode: "provider_auth" });
    expect(rig.of("run.failed")[0]).toMatchObject({ errorCode: "provider_auth", counts: { skipped: 2, failed: 2 } });
  });

  it("skips a for_each node under on_failure: skip whose elements fail meanwhile", () => {
    const each = 'each {for_each: list, on_failure: skip, command: "do ${item}"}';
    const head = "args: { list: { type: array, default: [1, 2] } }";
    const rig = runOf(workflow(["a", each], head)).fail("a", "provider_auth");
    rig.fail("each[0]").complete("each[1]");
    expect(rig.status("each")).toBe("skipped");
    expect(rig.state.status).toBe("failed");
  });
});

describe("where a run and its nodes went", () => {
  it("is in its log: the placement of the run, and from where a node was sent elsewhere", () => {
    const judge = () => ({ ...ALLOW, reroutedFrom: "gone" }) as Verdict;
    const rig = new Rig(workflow(["a"]), { judge }).start({ placement: { gateway: "gone", from: "run" } });
    expect(rig.of("run.started")[0]?.placement).toEqual({ gateway: "gone", from: "run" });
    expect(rig.of("node.started", "a")[0]).toMatchObject({ gatewayId: "local", reroutedFrom: "gone" });
    expect(rig.replayed().placement).toEqual({ gateway: "gone", from: "run" });
  });
});
