import { describe, expect, it } from "vitest";
import { endChild, newestChild } from "../../../test/conformance/child-runs.ts";
import { Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { LIMITS } from "../base/index.ts";

const graph = (nodes: string, edges = "") => `format: lens-graph/v1\nname: g\nnodes: [${nodes}]\nedges: [${edges}]\n`;
const edge = (source: string, target: string) =>
  `{id: ${source}_${target}, source_node_id: ${source}, target_node_id: ${target}, target_param_label: p}`;
const reasons = (rig: Rig) =>
  Object.fromEntries(rig.of("node.cancelled").map(({ nodeId, reason }) => [nodeId, reason]));

describe("a run that is cancelled", () => {
  it("dispatches nothing more, settles everything in that commit, and says by whom at its end", () => {
    const rig = runOf(
      workflow(["flying", "waits < flying", "retries {on_failure: retry}", "g {approval: required}"]),
    ).fail("retries");
    const before = rig.dispatches.length;
    rig.submit({ type: "cancel", reason: "changed my mind" });
    expect(new Set(Object.values(rig.statuses))).toEqual(new Set(["cancelled"]));
    expect(new Set(Object.values(reasons(rig)))).toEqual(new Set(["run_cancelled"]));
    expect(rig.of("run.cancelled")).toMatchObject([{ reason: "changed my mind", counts: { cancelled: 4 } }]);
    expect(rig.state).toMatchObject({ status: "cancelled", ending: null, endedAt: rig.now, errorCode: null });
    expect(rig.of("approval.resolved")).toMatchObject([{ status: "cancelled", reason: "changed my mind" }]);
    expect(rig.effects.filter((effect) => effect.type === "cancel-dispatch")).toEqual([
      { type: "cancel-dispatch", nodeId: "flying", attempt: 1, dispatchId: "run_1/flying/1" },
    ]);
    expect(rig.effects.filter((effect) => effect.type === "close-approval")).toHaveLength(1);
    expect(rig.events.at(-1)?.type).toBe("run.cancelled");
    rig.fire("retry", "retries");
    expect(rig.dispatches).toHaveLength(before);
  });

  it("can be cancelled before it has started, and then never starts", () => {
    const rig = new Rig(workflow(["a", "b < a"]));
    rig.submit({ type: "cancel", reason: "too late" });
    expect(rig.state.status).toBe("cancelled");
    expect(rig.start().dispatches).toEqual([]);
  });

  it("waits for its children, takes no second cancel meanwhile, and calls off again one that was not reached", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}", "b < c"]));
    rig.submit({ type: "cancel", reason: "first" });
    expect(rig.state).toMatchObject({ status: "running", ending: { as: "cancelled", reason: "first" } });
    const again = rig.effects.find((effect) => effect.type === "set-timer" && effect.timer.kind === "child-cancel");
    expect(again).toMatchObject({ dueAt: rig.now + 3_000, timer: { nodeId: "c", attempt: 1 } });
    expect(rig.submit({ type: "cancel", reason: "second" })).toEqual({ events: [], effects: [] });
    endChild(rig, "completed");
    expect(rig.status("c")).toBe("cancelled");
    expect(reasons(rig)).toEqual({ b: "run_cancelled", c: "run_cancelled" });
    expect(rig.of("run.cancelled")).toMatchObject([{ reason: "first" }]);
  });

  it("changes nothing about a run that is winding down because its time was over", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}"], "timeout: 60")).fire("run");
    expect(rig.submit({ type: "cancel", reason: "too slow" })).toEqual({ events: [], effects: [] });
    endChild(rig, "cancelled");
    expect(rig.state.status).toBe("timed_out");
  });

  it("cancels the child of one that streams or runs, each in its way", () => {
    const rig = runOf(workflow(["a", "c {workflow_ref: audit}"]));
    rig.submit({ type: "stream", nodeId: "a", attempt: 1, deltas: [{ index: 0, text: "x" }] });
    rig.submit({ type: "cancel", reason: "stop" });
    expect(rig.effects.filter(({ type }) => type === "cancel-child")).toMatchObject([{ nodeId: "c", attempt: 1 }]);
    expect(rig.effects.filter(({ type }) => type === "cancel-dispatch")).toMatchObject([{ nodeId: "a" }]);
  });
});

describe("a list whose run ends", () => {
  const list = () => runOf(workflow(["e {for_each: list, max_parallel: 2}"], "args: {list: [1, 2, 3]}\ntimeout: 60"));

  it("settles after its instances, of which only those in flight are called off", () => {
    const rig = list();
    rig.submit({ type: "cancel", reason: "stop" });
    const calledOff = rig.effects.flatMap((effect) => (effect.type === "cancel-dispatch" ? [effect.nodeId] : []));
    expect(calledOff).toEqual(["e[0]", "e[1]"]);
    expect(rig.of("node.cancelled").map(({ nodeId }) => nodeId)).toEqual(["e[0]", "e[1]", "e[2]", "e"]);
  });

  it("says why", () => {
    expect(new Set(Object.values(reasons(list().fire("run"))))).toEqual(new Set(["run_timed_out"]));
  });

  it("leaves an instance alone whose element is gone", () => {
    const source = workflow(["z {outputs: {list: array}}", "e < z {for_each: z.outputs.list}"]);
    const rig = runOf(source).complete("z", { outputs: { list: [1, 2] } });
    rig.complete("e[0]").complete("e[1]");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    rig.complete("z", { outputs: { list: [1] } });
    rig.submit({ type: "cancel", reason: "stop" });
    expect(rig.statuses).toEqual({ z: "completed", e: "cancelled", "e[0]": "cancelled", "e[1]": "invalidated" });
    expect(rig.state.status).toBe("cancelled");
    const before = rig.events.length;
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    const said = rig.events.slice(before).flatMap((event) => ("nodeId" in event.payload ? [event.payload.nodeId] : []));
    expect(said).not.toContain("e[1]");
    expect(rig.of("node.invalidated", "e[1]")).toHaveLength(1);
  });
});

describe("a run that takes too long", () => {
  const slow = () => runOf(workflow(["a", "b < a"], "timeout: 60"));

  it("is given its time from the start, and then is cut off with its own status", () => {
    const rig = slow();
    expect(rig.effects).toContainEqual({
      type: "set-timer",
      timer: { kind: "run", epoch: 0 },
      dueAt: rig.now + 60_000,
    });
    rig.fire("run");
    expect(reasons(rig)).toEqual({ a: "run_timed_out", b: "run_timed_out" });
    expect(rig.of("run.timed_out")).toMatchObject([{ errorCode: "timeout" }]);
    expect(rig.state).toMatchObject({ status: "timed_out", errorCode: "timeout", ending: null });
  });

  it("has no timer without a timeout, and takes none of another epoch or after its end", () => {
    const plain = runOf(workflow(["a"]));
    expect(plain.effects.some((effect) => effect.type === "set-timer" && effect.timer.kind === "run")).toBe(false);
    const rig = slow();
    expect(rig.submit({ type: "timer", timer: { kind: "run", epoch: 1 } }).events).toEqual([]);
    rig.complete("a").complete("b");
    expect(rig.submit({ type: "timer", timer: { kind: "run", epoch: 0 } }).events).toEqual([]);
  });

  it("still times out while it halts, but not while it is cancelled", () => {
    const halting = runOf(workflow(["a", "b"], "timeout: 60")).fail("a");
    expect(halting.state.ending).toMatchObject({ as: "failed" });
    halting.fire("run");
    expect(halting.state.status).toBe("timed_out");
    expect(halting.status("b")).toBe("cancelled");
    const cancelled = runOf(workflow(["c {workflow_ref: audit}"], "timeout: 60"));
    cancelled.submit({ type: "cancel", reason: "stop" });
    expect(cancelled.submit({ type: "timer", timer: { kind: "run", epoch: 0 } }).events).toEqual([]);
    endChild(cancelled, "cancelled");
    expect(cancelled.state.status).toBe("cancelled");
  });
});

describe("a run that halts", () => {
  it("fails what is below the failure, cancels all else that waits, and closes approvals", () => {
    const rig = runOf(
      workflow(["a", "below < a", "deeper < below", "g {approval: required}", "beside < g", "both < below g"]),
    ).fail("a", "provider_auth");
    expect(rig.statuses).toEqual({
      a: "failed",
      below: "failed",
      deeper: "failed",
      both: "failed",
      g: "cancelled",
      beside: "cancelled",
    });
    expect(rig.of("node.failed", "deeper")).toMatchObject([
      { errorCode: "upstream_failure", errorMessage: "Blocked by upstream failure", retryable: false },
    ]);
    expect(reasons(rig)).toEqual({ g: "run_halted", beside: "run_halted" });
    expect(rig.of("approval.resolved")).toMatchObject([{ status: "cancelled" }]);
    expect(rig.of("run.failed")).toMatchObject([{ errorCode: "provider_auth", reason: "a failed" }]);
  });

  it("under wait_all lets what is in flight end, a child too, and counts neither retry nor escalation", () => {
    const rig = runOf(workflow(["a", "b {on_failure: retry}", "c {workflow_ref: audit}"])).fail("a", "provider_auth");
    expect(rig.effects.some(({ type }) => type === "cancel-dispatch" || type === "cancel-child")).toBe(false);
    rig.fail("b");
    expect(rig.status("b")).toBe("failed");
    endChild(rig, "completed");
    expect(rig.status("c")).toBe("completed");
    expect(rig.state).toMatchObject({ status: "failed", errorCode: "provider_auth" });
  });

  it("ends with the failure that halted it, whatever failed afterwards", () => {
    const rig = runOf(workflow(["a", "b"]))
      .fail("b", "provider_auth")
      .fail("a", "provider_refused");
    expect(rig.of("run.failed")).toMatchObject([{ errorCode: "provider_auth", reason: "b failed" }]);
  });

  it("under fail_fast cancels what is in flight, and drains a child first", () => {
    const rig = runOf(workflow(["a {parallel_failure_policy: fail_fast}", "b", "c {workflow_ref: audit}"])).fail("a");
    expect(rig.statuses).toEqual({ a: "failed", b: "cancelled", c: "running" });
    expect(reasons(rig)).toEqual({ b: "cancelled_by_sibling" });
    endChild(rig, "cancelled");
    expect(reasons(rig)).toEqual({ b: "cancelled_by_sibling", c: "cancelled_by_sibling" });
    expect(rig.state.status).toBe("failed");
  });

  it("dispatches nothing of what becomes ready while it winds down", () => {
    const rig = runOf(workflow(["a", "b", "each {for_each: list, max_parallel: 1}"], "args: {list: [1, 2]}")).fail("a");
    rig.complete("each[0]");
    expect(rig.statuses).toMatchObject({ "each[0]": "completed", "each[1]": "cancelled", each: "cancelled" });
    expect(reasons(rig)).toMatchObject({ each: "run_halted" });
    rig.complete("b");
    expect(rig.state.status).toBe("failed");
    expect(rig.dispatches.map(({ nodeId }) => nodeId)).toEqual(["a", "b", "each[0]"]);
  });

  it("leaves what is needed to restart it: variables in plan order, whatever order nodes ended in", () => {
    const rig = runOf(
      workflow(
        [
          "b {outputs: {x: string}}",
          "a {outputs: {x: string, y: integer}}",
          "s {condition: 'false'}",
          "t {on_failure: skip}",
          "plain",
          "z < a b plain",
        ],
        "args: {x: given, k: 1}",
      ),
    )
      .complete("b", { outputs: { x: "of b" } })
      .complete("a", { outputs: { x: "of a", y: 2 } })
      .complete("plain", { outputs: { extra: true } })
      .fail("t")
      .fail("z");
    const snapshot = rig.of("run.failed")[0]?.snapshot;
    expect(snapshot).toMatchObject({
      completed: ["a", "b", "plain"],
      cancelled: [],
      variables: { k: 1, x: "of b", y: 2 },
      variableOverwriteOrder: ["a", "b"],
      accumulatedOutputs: {
        a: { x: "of a", y: 2 },
        b: { x: "of b" },
        plain: { extra: true },
        t: { _skipped: true },
      },
    });
    expect([...(snapshot?.skipped ?? [])].sort()).toEqual(["s", "t"]);
    expect(snapshot?.accumulatedOutputs).not.toHaveProperty("s");
    expect(snapshot?.eventId).toBe(rig.state.lastEventId - 1);
    expect(rig.state.snapshot).toEqual(snapshot);
  });

  it("leaves no variables of instances, only of their node", () => {
    const rig = runOf(
      workflow(["each {for_each: list, outputs: {x: string}}", "z < each"], "args: {list: [1], x: mine}"),
    )
      .complete("each[0]", { outputs: { x: "of an instance" } })
      .fail("z");
    expect(rig.of("run.failed")[0]?.snapshot).toMatchObject({
      completed: ["each", "each[0]"],
      variables: { x: "mine" },
      variableOverwriteOrder: [],
    });
  });
});

describe("what a run ends as", () => {
  it("strict: failed before cancelled before completed", () => {
    expect(
      runOf(workflow(["a {on_failure: skip}", "b"]))
        .fail("a")
        .complete("b").state.status,
    ).toBe("completed");
    const mixed = runOf(workflow(["a", "b", "c < b"])).fail("a");
    mixed.complete("b");
    expect(mixed.statuses).toEqual({ a: "failed", b: "completed", c: "cancelled" });
    expect(mixed.state.status).toBe("failed");
  });

  it("leaves: what counts are the nodes without dependents", () => {
    const rig = runOf(graph("{id: a}, {id: b}, {id: c}", edge("a", "b"))).fail("a");
    expect(rig.state.status).toBe("running");
    rig.complete("c");
    expect(rig.statuses).toEqual({ a: "failed", b: "skipped", c: "completed" });
    expect(rig.of("run.completed")).toMatchObject([{ counts: { completed: 1, failed: 1, skipped: 1, cancelled: 0 } }]);
    const leaf = runOf(graph("{id: a}, {id: b}", edge("a", "b")))
      .complete("a")
      .fail("b", "provider_auth");
    expect(leaf.state).toMatchObject({ status: "failed", errorCode: "provider_auth" });
  });

  it("strict: one node that failed or timed out is enough, also where failures are isolated", () => {
    const strict = (nodes: string, edges = "") => `${graph(nodes, edges)}completion: strict\n`;
    const failed = runOf(strict("{id: a}, {id: b}, {id: c}", edge("a", "b")))
      .fail("a", "provider_auth")
      .complete("c");
    expect(failed.statuses).toEqual({ a: "failed", b: "skipped", c: "completed" });
    expect(failed.state).toMatchObject({ status: "failed", errorCode: "provider_auth" });
    const late = runOf(strict("{id: a, config: {timeout_ms: 1000}}, {id: b}", edge("a", "b"))).fire("attempt");
    expect(late.statuses).toEqual({ a: "timed_out", b: "skipped" });
    expect(late.state.status).toBe("failed");
    const well = runOf(strict("{id: a}")).complete("a");
    expect(well.state.status).toBe("completed");
  });

  it("says why it was ended, and not what something failed with that it had passed over", () => {
    const source =
      graph("{id: a}, {id: b}, {id: c}", edge("a", "b")) + "finally: [{id: f, command: '${run.error.message}'}]\n";
    const rig = runOf(source).fail("a", "provider_auth");
    rig.state.lastEventId = LIMITS.eventsPerRunMax;
    rig.submit({ type: "stream", nodeId: "c", attempt: 1, deltas: [{ index: 0, text: "x" }] });
    const [why] = rig.of("run.ending");
    expect(why).toMatchObject({ as: "failed", errorCode: "too_many_events" });
    expect(rig.of("run.finally")).toMatchObject([{ errorCode: "too_many_events", reason: why?.reason }]);
    expect(rig.of("run.finally")[0]).not.toHaveProperty("errorMessage");
    expect(newestChild(rig).args).toEqual({ "run.error": { code: "too_many_events", message: why?.reason } });
  });

  it("leaves: one leaf that failed is enough", () => {
    const rig = runOf(graph("{id: a}, {id: b}")).fail("a", "provider_auth").complete("b");
    expect(rig.state.status).toBe("failed");
  });

  it("leaves: a leaf that timed out is a failure", () => {
    const rig = runOf(graph("{id: a, config: {timeout_ms: 1000}}")).fire("attempt");
    expect(rig.status("a")).toBe("timed_out");
    expect(rig.state).toMatchObject({ status: "failed", errorCode: "timeout" });
    expect(rig.of("run.failed")[0]?.counts).toMatchObject({ timedOut: 1, failed: 0 });
  });

  it("is said once, with what it has cost", () => {
    const rig = runOf(workflow(["a"])).complete("a", { costMicros: 12 });
    expect(rig.of("run.completed")).toEqual([
      { counts: { completed: 1, failed: 0, skipped: 0, cancelled: 0, timedOut: 0 }, costMicros: 12 },
    ]);
    expect(rig.state.endedAt).toBe(rig.now);
    expect(rig.of("run.recovered")).toEqual([]);
  });

  it("emits nothing but cost from then on, whatever is submitted", () => {
    const rig = runOf(workflow(["a", "g {approval: required}"], "timeout: 60")).fail("a", "provider_auth");
    expect(rig.state.status).toBe("failed");
    const approvalId = rig.approvalId("g");
    const decisions = [
      rig.submit({ type: "cancel", reason: "late" }),
      rig.submit({ type: "approval", approvalId, decision: "approve", by: "ann" }),
      rig.submit({ type: "timer", timer: { kind: "run", epoch: 0 } }),
      rig.submit({ type: "timer", timer: { kind: "attempt", nodeId: "a", attempt: 1 } }),
      rig.submit({ type: "timer", timer: { kind: "approval-expiry", approvalId } }),
      rig.submit({ type: "stream", nodeId: "a", attempt: 1, deltas: [{ index: 0, text: "x" }] }),
      rig.submit({ type: "resolve", nodeId: "g", by: "ann", assignTo: "ben" }),
    ];
    expect(decisions.flatMap(({ events, effects }) => [...events, ...effects])).toEqual([]);
  });
});
