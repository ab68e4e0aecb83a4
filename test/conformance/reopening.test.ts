import { describe, expect, it } from "vitest";
import { branchFrom, NO_TOKENS, replay, restartFrom } from "../../src/core/engine/index.ts";
import { Rig, runOf, workflow } from "./rig.ts";

const CHAIN = workflow(["a", "b < a", "c < b", "side"]);

describe("restart", () => {
  it("re-runs the failed node and its dependents, and carries the rest at no cost", () => {
    const first = runOf(CHAIN).complete("a", { costMicros: 5 }).complete("side").fail("b");
    const second = new Rig(CHAIN).start({ carried: restartFrom(first.state), sourceRunId: "run_0" });
    expect(second.of("node.completed").map((payload) => [payload.nodeId, payload.carried])).toEqual([
      ["a", true],
      ["side", true],
    ]);
    expect(second.dispatches.map((effect) => effect.nodeId)).toEqual(["b"]);
    second.complete("b").complete("c");
    expect(second.state).toMatchObject({ status: "completed", costMicros: 0 });
  });

  it("re-runs from a named node", () => {
    const first = runOf(CHAIN).complete("a").complete("side").complete("b").complete("c");
    const carried = restartFrom(first.state, "b").map((result) => result.nodeId);
    expect(carried).toEqual(["a", "side"]);
  });

  it("carries deliberate skips", () => {
    const source = workflow([`a {condition: "1 == 2"}`, "b"]);
    const first = runOf(source).fail("b");
    const second = new Rig(source).start({ carried: restartFrom(first.state) });
    expect(second.of("node.skipped")[0]).toMatchObject({ nodeId: "a", reason: "condition_false", carried: true });
  });
});

describe("rewind", () => {
  it("keeps what had settled, invalidates the rest, and never takes cost back", () => {
    const rig = runOf(CHAIN).complete("a", { costMicros: 3 });
    const target = rig.state.lastEventId;
    rig.complete("side").complete("b", { costMicros: 4 }).fail("c");
    expect(rig.state.status).toBe("failed");
    rig.submit({ type: "rewind", eventId: target, isConsumed: false });
    expect(rig.state).toMatchObject({ status: "running", epoch: 1, costMicros: 7 });
    expect(rig.statuses).toEqual({ a: "completed", b: "running", c: "awaiting_dependency", side: "running" });
    expect(rig.dispatch("b")).toMatchObject({ attempt: 2, idempotencyKey: "run_1/b/1", dispatchId: "run_1/b/2" });
    rig.complete("b").complete("c").complete("side");
    expect(rig.state.status).toBe("completed");
    expect(rig.replayed().counts).toEqual(rig.state.counts);
  });

  it("cancels what is in flight, and takes its late result as cost only", () => {
    const rig = runOf(CHAIN);
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(rig.effects.filter((effect) => effect.type === "cancel-dispatch")).toHaveLength(2);
    expect(rig.node("a").attempts).toBe(2);
    rig.callback("a", { status: "completed", stdout: "old", tokens: NO_TOKENS, costMicros: 8 }, 1);
    expect(rig.status("a")).toBe("running");
    expect(rig.state.costMicros).toBe(8);
  });

  it("closes later approvals, whose answers then come too late", () => {
    const rig = runOf(workflow(["g {approval: required}"]));
    const approvalId = rig.approvalId("g");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    const answer = rig.submit({ type: "approval", approvalId, decision: "approve", by: "user:ann" });
    expect(answer.refusal?.code).toBe("approval_closed");
    expect(rig.status("g")).toBe("blocked");
    expect(rig.approvalId("g")).not.toBe(approvalId);
  });

  it("refuses when a parent has taken the result, or the event is not there", () => {
    const rig = runOf(CHAIN);
    expect(rig.submit({ type: "rewind", eventId: 1, isConsumed: true }).refusal?.code).toBe("already_consumed");
    expect(rig.submit({ type: "rewind", eventId: 999, isConsumed: false }).refusal?.code).toBe("cursor_ahead");
  });

  it("keeps completed instances and re-runs the others", () => {
    const rig = runOf(workflow(["a {command: go, for_each: list}"], "args: {list: [1, 2]}")).complete("a[0]");
    const target = rig.state.lastEventId;
    rig.complete("a[1]");
    expect(rig.state.status).toBe("completed");
    rig.submit({ type: "rewind", eventId: target, isConsumed: false });
    expect(rig.statuses).toEqual({ a: "running", "a[0]": "completed", "a[1]": "running" });
    expect(rig.node("a[1]").attempts).toBe(2);
    expect(rig.complete("a[1]").state.status).toBe("completed");
    expect(rig.replayed().nodes.map((node) => node.now)).toEqual(rig.state.nodes.map((node) => node.now));
  });
});

describe("branch and recover", () => {
  it("branches from the state at an event with other args", () => {
    const source = workflow(["a", "b < a {command: 'say ${word}'}"], "args: {word: {type: string}}");
    const first = runOf(source, { args: { word: "one" } })
      .complete("a")
      .complete("b");
    const cut = first.events.findIndex((event) => event.type === "node.completed") + 1;
    const past = replay(first.state.plan, "run_1", first.events.slice(0, cut));
    const second = new Rig(source, { args: { word: "two" } }).start({ carried: branchFrom(past) });
    expect(second.dispatches.map((effect) => effect.request.message)).toEqual(["say two"]);
    expect(first.state.status).toBe("completed");
  });

  it("recovers a failed run in place, and says so at the end", () => {
    const rig = runOf(CHAIN).complete("a").complete("side").fail("b");
    rig.submit({ type: "recover" });
    expect(rig.of("run.status.changed").at(-1)).toMatchObject({ from: "failed", to: "running", epoch: 1 });
    expect(rig.statuses).toEqual({ a: "completed", b: "running", c: "awaiting_dependency", side: "completed" });
    rig.complete("b").complete("c");
    expect(rig.events.slice(-2).map((event) => event.type)).toEqual(["run.recovered", "run.completed"]);
    expect(rig.state.status).toBe("completed");
  });

  it("recovers only what has failed", () => {
    expect(runOf(CHAIN).submit({ type: "recover" }).refusal?.code).toBe("not_recoverable");
  });
});
