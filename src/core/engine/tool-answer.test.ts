import { describe, expect, it } from "vitest";
import { endChild, startedChildren } from "../../../test/conformance/child-runs.ts";
import { workflow } from "../../../test/conformance/rig.ts";
import { ALLOWED, call, HELD, holding, STOPPED, type TurnRig, turnOf } from "../../../test/conformance/turn-rig.ts";
import { LIMITS } from "../base/index.ts";
import type { RunStatus } from "../event/index.ts";
import type { ToolVerdict } from "./index.ts";

const TOOL = "workflow:refund";
const SOURCE = `name: w
steps:
  - { id: a, command: help, tools: [{ name: "${TOOL}", action: execute }, { name: pay, action: financial }] }
`;
const ends = (rig: TurnRig, index: number, status: RunStatus, more: object = {}) => {
  const child = startedChildren(rig)[index];
  if (child === undefined) throw new Error("no child was started");
  return endChild(rig, status, more, child);
};
const waits = (rig: TurnRig) => rig.of("node.blocked", "a").map(({ waitingReason }) => waitingReason);
const decided = (rig: TurnRig) =>
  rig.of("tool.decided").map(({ disposition, code, reason }) => ({ disposition, code, reason }));
const statuses = (rig: TurnRig) => [...rig.state.approvals.values()].map(({ status }) => status);

describe("an agent that waits for the runs its calls have started", () => {
  it("waits for all of them, says so once, and continues with what they gave", () => {
    const rig = turnOf({}, SOURCE);
    rig.round(0, [call(TOOL, { n: 1 }), call(TOOL, { n: 2 })]);
    expect(startedChildren(rig).map(({ workflow: { name }, args }) => [name, args])).toEqual([
      ["refund", { n: 1 }],
      ["refund", { n: 2 }],
    ]);
    rig.suspend();
    expect(waits(rig)).toEqual(["child"]);
    ends(rig, 0, "completed", { outputs: { paid: 1 } });
    expect([rig.status("a"), waits(rig)]).toEqual(["blocked", ["child"]]);
    ends(rig, 1, "failed", { errorMessage: "no money" });
    expect(rig.node("a").now).toMatchObject({ status: "running", segment: 1 });
    const { childRunId } = startedChildren(rig)[1] ?? { childRunId: "" };
    expect(rig.of("tool.completed").map(({ result, isError }) => [result, isError])).toEqual([
      [{ paid: 1 }, false],
      [`child_failed: the run ${childRunId} ended failed: no money`, true],
    ]);
  });

  it("waits for people first, and then for the runs that are left", () => {
    const rig = turnOf({ judgeTool: holding("pay") }, SOURCE);
    rig.round(0, [call(TOOL), call("pay")]);
    rig.suspend();
    expect(waits(rig)).toEqual(["human_input"]);
    rig.answer("a", "approve");
    expect([rig.status("a"), waits(rig)]).toEqual(["blocked", ["human_input", "child"]]);
    expect(rig.node("a").now).toMatchObject({ waitingReason: "child", approvalId: null });
    ends(rig, 0, "completed");
    expect(rig.node("a").now).toMatchObject({ status: "running", segment: 1 });
  });

  it("does not continue with a run's result while a person is asked", () => {
    const rig = turnOf({ judgeTool: holding("pay") }, SOURCE);
    rig.round(0, [call(TOOL), call("pay")]);
    rig.suspend();
    ends(rig, 0, "completed");
    expect(rig.node("a").now).toMatchObject({ status: "blocked", waitingReason: "human_input" });
    rig.answer("a", "reject");
    expect(rig.status("a")).toBe("running");
    expect(waits(rig)).toEqual(["human_input"]);
  });

  it("starts what was held once it is approved, with what was approved, and waits for it", () => {
    const rig = turnOf({ judgeTool: ({ isApproved }) => (isApproved ? ALLOWED : HELD) }, SOURCE);
    rig.round(0, [call(TOOL, { n: 900 })]);
    rig.suspend();
    expect(startedChildren(rig)).toEqual([]);
    expect(rig.answer("a", "approve", { modifications: { args: { n: 9 } } }).refusal).toBeUndefined();
    expect(startedChildren(rig).map(({ args }) => args)).toEqual([{ n: 9 }]);
    expect(waits(rig)).toEqual(["human_input", "child"]);
  });
});

describe("a question about a call", () => {
  it("does not let an agent continue that was stopped for another reason", () => {
    const rig = turnOf({ judgeTool: holding("refund"), judgeRound: () => STOPPED });
    rig.ask(0, 0, call("refund"));
    rig.round(0, [call("refund")]);
    expect(rig.node("a").now).toMatchObject({ status: "blocked", errorCode: "budget_exceeded" });
    rig.resolve("run_1/a/0/0/0");
    expect(rig.rulings()).toEqual(["refund allow"]);
    expect(rig.node("a").now).toMatchObject({ status: "blocked", errorCode: "budget_exceeded" });
  });

  it("that expires ends the node, and says of no person that they have rejected it", () => {
    const rig = turnOf({ judgeTool: holding("refund") });
    rig.round(0, [call("refund", { n: 1 }), call("refund", { n: 2 })]);
    const [first = ""] = rig.state.approvals.keys();
    rig.submit({ type: "timer", timer: { kind: "approval-expiry", approvalId: first } });
    expect(rig.of("node.failed", "a")).toMatchObject([
      { errorCode: "approval_expired", errorMessage: "no answer about the call of refund by a in time" },
    ]);
    expect(statuses(rig)).toEqual(["expired", "cancelled"]);
    expect(rig.of("approval.resolved").map(({ reason }) => reason)).toEqual(["no answer in time", "no answer in time"]);
    const cancelled = { disposition: "deny", code: "cancelled", reason: "no answer in time" };
    expect(decided(rig).slice(-2)).toEqual([cancelled, cancelled]);
    expect(rig.effects.filter(({ type }) => type === "cancel-dispatch")).toHaveLength(1);
  });

  it("that expires about a call that may have been made leaves that open", () => {
    const rig = turnOf({ judgeTool: () => ({ ...ALLOWED, effects: "at_most_once" }) });
    rig.round(0, [call("pay")]);
    rig.lose();
    rig.fire("approval-expiry");
    expect(rig.node("a").now).toMatchObject({ status: "failed", errorCode: "approval_expired" });
    expect(rig.of("tool.completed")).toMatchObject([
      { isError: true, result: "The call may or may not have been made, and no person has said: no answer in time" },
    ]);
  });

  it("that is answered without a reason by aborting says which call it was", () => {
    const rig = turnOf({ judgeTool: holding("refund") });
    rig.round(0, [call("refund", { n: 1 }), call("refund", { n: 2 })]);
    const [first = ""] = rig.state.approvals.keys();
    rig.submit({ type: "approval", approvalId: first, decision: "abort", by: "ann" });
    expect(rig.of("approval.resolved").map(({ status, reason }) => [status, reason])).toEqual([
      ["rejected", undefined],
      ["cancelled", "refund was not allowed"],
    ]);
    const given = turnOf({ judgeTool: holding("refund") });
    given.round(0, [call("refund", { n: 1 }), call("refund", { n: 2 })]);
    const [one = ""] = given.state.approvals.keys();
    given.submit({ type: "approval", approvalId: one, decision: "abort", by: "ann", reason: "too much" });
    expect(given.of("approval.resolved").map(({ reason }) => reason)).toEqual(["too much", "too much"]);
    expect(given.of("node.failed", "a")).toMatchObject([{ errorCode: "approval_rejected", errorMessage: "too much" }]);
  });

  it("takes a default answer by its chain, which is named", () => {
    if (HELD.disposition !== "hold") throw new Error("it is held");
    const held: ToolVerdict = { ...HELD, rule: { ...HELD.rule, otherwise: "reject" } };
    const rig = turnOf({ judgeTool: () => held });
    rig.round(0, [call("refund")]);
    rig.suspend();
    rig.fire("approval-expiry");
    expect(decided(rig).at(-1)).toEqual({
      disposition: "deny",
      code: "approval_rejected",
      reason: "sluice rejected the call: no answer in time",
    });
    expect(rig.status("a")).toBe("running");
  });

  it("shows the call as it will be made, large args by reference, and what the agent said before", () => {
    const long = "x".repeat(LIMITS.shownValueBytesMax + 1);
    const rig = turnOf({ judgeTool: holding("refund") });
    rig.round(0, [call("refund", { note: long })], { text: long });
    const [asked] = rig.of("approval.requested");
    expect(asked?.subject?.call).toMatchObject({
      args: { note: { $ref: "call.args.note" } },
      words: { $ref: "call.words" },
    });
    const alone = turnOf({ judgeTool: holding("refund") });
    alone.ask(0, 0, call("refund"), { waits: true });
    expect(alone.of("approval.requested")[0]?.subject?.call).toMatchObject({ tool: "refund", round: 0, words: "" });
  });
});

describe("a round of an agent", () => {
  it("is followed by one that reads what this one has read and written", () => {
    const seen: number[] = [];
    const rig = turnOf({ judgeRound: ({ contextTokens }) => void seen.push(contextTokens) });
    rig.round(0, [call("find")]);
    expect(seen).toEqual([15]);
  });

  it("takes no result of a call that was not allowed, and says which", () => {
    const denied = { disposition: "deny", gate: "tool_allowed", code: "tool_not_allowed", reason: "no" } as const;
    const rig = turnOf({ judgeTool: () => ({ ...ALLOWED, ...denied }) });
    rig.round(0, [call("drop")]);
    expect(rig.result(0, 0, "dropped").refusal).toEqual({
      code: "call_not_allowed",
      message: "the call of drop was not allowed",
    });
  });

  it("logs what an adapter warns of, and nothing else", () => {
    const rig = turnOf();
    rig.round(0, [call("find"), call("find", { n: 2 })]);
    rig.result(0, 0, "found");
    expect(rig.of("node.log")).toEqual([]);
    rig.result(0, 1, "found", { warnings: ["it was slow"] });
    expect(rig.of("node.log").map(({ message }) => message)).toEqual(["it was slow"]);
  });
});

describe("a step that is stopped", () => {
  it("has no question and no run of a call left", () => {
    const rig = turnOf({ judgeTool: holding("pay") }, SOURCE + workflow(["b"]).split("steps:\n")[1]);
    rig.round(0, [call(TOOL), call("pay")]);
    rig.suspend();
    rig.submit({ type: "cancel", reason: "enough" });
    expect(statuses(rig)).toEqual(["cancelled"]);
    const { childRunId } = startedChildren(rig)[0] ?? { childRunId: "" };
    expect(rig.effects).toContainEqual({ type: "cancel-child", nodeId: "a", attempt: 1, childRunId });
    expect(rig.state.status).toBe("running");
    ends(rig, 0, "cancelled");
    expect(rig.state.status).toBe("cancelled");
  });
});
