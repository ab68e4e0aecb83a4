import { describe, expect, it } from "vitest";
import { workflow } from "../../../test/conformance/rig.ts";
import { ALLOWED, call, holding, type TurnRig, turnOf } from "../../../test/conformance/turn-rig.ts";
import { NO_TOKENS } from "./index.ts";

function statusesOf(rig: TurnRig): readonly string[] {
  return [...rig.state.approvals.values()].map(({ source, status }) => `${source} ${status}`);
}

describe("questions about the calls of an agent", () => {
  it("are closed when the run goes back before them, whether the agent was at work or suspended", () => {
    for (const isSuspended of [false, true]) {
      const rig = turnOf({ judgeTool: holding("refund") });
      rig.round(0, [call("refund", { n: 1 }), call("refund", { n: 2 })]);
      const [approvalId = ""] = rig.state.approvals.keys();
      if (isSuspended) rig.suspend();
      rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
      expect(statusesOf(rig)).toEqual(["tool cancelled", "tool cancelled"]);
      const answer = rig.submit({ type: "approval", approvalId, decision: "approve", by: "ann" });
      expect(answer.refusal?.code).toBe("approval_closed");
      expect(rig.dispatches.at(-1)).toMatchObject({ attempt: 2, turn: null });
    }
  });

  it("let an agent that failed wait for the person who is asked about that", () => {
    const source = workflow(["a {command: help, on_failure: retry_once_then_escalate}"]);
    const held = turnOf({ judgeTool: holding("refund") }, source);
    held.round(0, [call("refund")]);
    held.fail("a", "provider_refused", { retryable: false });
    expect(statusesOf(held)).toEqual(["tool pending", "escalation pending"]);
    const [asked = "", escalated = ""] = held.state.approvals.keys();
    held.submit({ type: "approval", approvalId: asked, decision: "approve", by: "ann" });
    expect(held.status("a")).toBe("blocked");
    held.submit({ type: "approval", approvalId: escalated, decision: "retry", by: "ann" });
    expect(held.dispatches.at(-1)).toMatchObject({ attempt: 2, turn: { rounds: [{}] } });
    expect(held.rulings()).toEqual(["refund allow"]);
  });

  it("close that question too, when one of them ends the node", () => {
    const source = workflow(["a {command: help, on_failure: retry_once_then_escalate}"]);
    for (const end of ["abort", "expiry"] as const) {
      const rig = turnOf({ judgeTool: holding("refund") }, source);
      rig.round(0, [call("refund")]);
      rig.fail("a", "provider_refused", { retryable: false });
      const [approvalId = ""] = rig.state.approvals.keys();
      if (end === "abort") rig.submit({ type: "approval", approvalId, decision: "abort", by: "ann" });
      else rig.submit({ type: "timer", timer: { kind: "approval-expiry", approvalId } });
      expect(rig.status("a")).toBe("failed");
      expect(statusesOf(rig)).toEqual([end === "abort" ? "tool rejected" : "tool expired", "escalation cancelled"]);
    }
  });

  it("are not asked in vain when an element that was stopped runs again", () => {
    const source = workflow([
      "a {command: help, for_each: [1, 2], on_failure: retry_once_then_escalate, parallel_failure_policy: fail_fast}",
    ]);
    const rig = turnOf({ judgeTool: holding("refund") }, source);
    rig.round(0, [call("refund")], { nodeId: "a[0]", attempt: 1, segment: 0 });
    rig.fail("a[1]", "provider_refused", { retryable: false });
    expect(rig.status("a[0]")).toBe("cancelled");
    expect(rig.of("tool.decided").at(-1)).toMatchObject({ disposition: "deny", code: "cancelled" });
    rig.answer("a", "retry");
    expect(rig.status("a[0]")).toBe("running");
  });

  it("that are not answered leave it open whether the call was made", () => {
    const rig = turnOf({ judgeTool: () => ({ ...ALLOWED, effects: "at_most_once" }) });
    rig.round(0, [call("pay")]);
    rig.lose();
    rig.submit({ type: "cancel", reason: "enough" });
    expect(rig.of("tool.completed").at(-1)).toMatchObject({
      isError: true,
      result: "The call may or may not have been made, and no person has said: the step has ended",
    });
  });
});

describe("executions of an attempt", () => {
  it("each cost what they report last, however many there were", () => {
    const rig = turnOf();
    rig.round(0, [call("find")]);
    rig.lose();
    const last = { status: "failed", errorCode: "provider_error", tokens: NO_TOKENS, costMicros: 7 } as const;
    rig.round(1, []);
    rig.complete("a");
    for (let time = 0; time < 2; time += 1) rig.submit({ type: "callback", nodeId: "a", attempt: 1, result: last });
    expect(rig.of("cost.recorded").at(-1)).toMatchObject({ costMicros: 7, late: true });
    expect(rig.node("a").costMicros).toBe(207);
  });

  it("may make what a person allows while they are at work: a person is asked about it after a loss, and not after a suspension", () => {
    const once = { judgeTool: holding("refund") };
    const lost = turnOf(once);
    lost.round(0, [call("refund")]);
    lost.answer("a", "approve");
    lost.lose();
    expect(lost.node("a").now).toMatchObject({ status: "blocked", errorCode: "outcome_unknown" });
    const suspended = turnOf(once);
    suspended.round(0, [call("refund")]);
    suspended.answer("a", "approve");
    suspended.suspend();
    expect(suspended.node("a").now).toMatchObject({ status: "running", segment: 1 });
    expect(suspended.rulings()).toEqual(["refund allow"]);
  });

  it("are lost by their number: one that was continued since cannot be", () => {
    const rig = turnOf();
    rig.round(0, [call("find")]);
    const timer = { kind: "lost", nodeId: "a", attempt: 1, segment: 0 } as const;
    rig.submit({ type: "timer", timer });
    expect(rig.node("a").now).toMatchObject({ segment: 1 });
    expect(rig.submit({ type: "timer", timer }).events).toEqual([]);
    expect(rig.node("a").now).toMatchObject({ segment: 1 });
  });

  it("that answer a round once more get nothing about the calls of the answer that is kept", () => {
    const rig = turnOf({ judgeTool: holding("refund") });
    rig.lose();
    rig.round(0, [call("find"), call("refund")]);
    expect(rig.round(0, [call("find"), call("refund")], { message: { $sealed: "anew" } }).events).toEqual([]);
    const other = rig.round(0, [call("find", { id: 2 })], {
      message: { role: "assistant", again: true },
      costMicros: 9,
    });
    expect(other.events.map(({ type }) => type)).toEqual(["cost.recorded", "node.queued", "node.blocked"]);
    expect(rig.node("a")).toMatchObject({ now: { status: "blocked" }, costMicros: 109 });
    rig.answer("a", "approve");
    expect(rig.dispatches.at(-1)).toMatchObject({ segment: 1, turn: { rounds: [{ message: { round: 0 } }] } });
    expect(rig.rulings()).toEqual(["find allow", "refund allow"]);
  });
});
