import { describe, expect, it } from "vitest";
import { workflow } from "../../../test/conformance/rig.ts";
import { ALLOWED, call, HELD, holding, STOPPED, turnOf } from "../../../test/conformance/turn-rig.ts";
import { NO_TOKENS } from "./index.ts";
import type { JsonObject } from "../base/index.ts";
import type { RequestToolVerdict, RequestVerdict, ToolVerdict, Verdict } from "./index.ts";

describe("the turn of an agent", () => {
  it("keeps a round with its cost and its calls in one step, each judged, and ends like any attempt", () => {
    const rig = turnOf();
    const { events } = rig.round(0, [call("find", { id: 7 }), call("note")]);
    expect(events.map(({ type }) => type)).toEqual(["round.completed", "cost.recorded"]);
    expect(rig.rulings()).toEqual(["find allow", "note allow"]);
    expect(rig.of("tool.requested")[0]).toMatchObject({ callId: "run_1/a/0/0/0", tool: "find", args: { id: 7 } });
    rig.result(0, 0, "found");
    rig.result(0, 1, "noted");
    rig.round(1, []);
    rig.complete("a", { stdout: "done" });
    expect(rig.status("a")).toBe("completed");
    expect(rig.node("a")).toMatchObject({ costMicros: 200, attempts: 1, tries: 1 });
    // What its rounds cost is what the node cost, in its last event as in the sum of all; the run has paid it once.
    expect(rig.of("node.completed", "a")[0]).toMatchObject({ costMicros: 200, inputTokens: 20, outputTokens: 10 });
    expect(rig.state.costMicros).toBe(200);
    expect(rig.of("cost.recorded").map(({ round, segment }) => [round, segment])).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  it("takes the same reports twice as once", () => {
    const rig = turnOf();
    rig.round(0, [call("find")]);
    rig.result(0, 0, "found");
    const before = rig.events.length;
    rig.round(0, [call("find")]);
    rig.result(0, 0, "found again");
    expect(rig.events.length).toBe(before);
    expect(rig.round(3, []).refusal?.code).toBe("round_out_of_order");
    expect(rig.result(0, 1, "never asked").refusal?.code).toBe("unknown_call");
  });

  it("reports a denied call only to the model, and takes no result of it", () => {
    const denied: ToolVerdict = {
      ...ALLOWED,
      disposition: "deny",
      gate: "tool_allowed",
      code: "tool_not_allowed",
      reason: "not in the list",
    };
    const rig = turnOf({ judgeTool: () => denied });
    rig.round(0, [call("drop")]);
    expect(rig.of("tool.decided")[0]).toMatchObject({ disposition: "deny", code: "tool_not_allowed" });
    expect(rig.result(0, 0, "dropped").refusal?.code).toBe("call_not_allowed");
    expect(rig.status("a")).toBe("running");
  });

  it("counts what was asked before, within a round too", () => {
    const seen: [number, number][] = [];
    const rig = turnOf({
      judgeTool: ({ callsBefore, repeatsBefore }) => {
        seen.push([callsBefore, repeatsBefore]);
        return undefined;
      },
    });
    rig.round(0, [call("find", { id: 1 }), call("find", { id: 2 }), call("find", { id: 1 })]);
    for (const position of [0, 1, 2]) rig.result(0, position, "x");
    rig.round(1, [call("find", { id: 1 })]);
    expect(seen).toEqual([
      [0, 0],
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
  });
});

describe("a held call", () => {
  it("blocks the node without slot once the others have reported, and is made by the next execution", () => {
    const rig = turnOf({ judgeTool: holding("refund") });
    rig.round(0, [call("find"), call("refund", { amount: 900 })]);
    expect(rig.rulings()).toEqual(["find allow", "refund hold"]);
    expect(rig.status("a")).toBe("running");
    rig.result(0, 0, "found");
    rig.suspend({ state: 1 });
    expect(rig.status("a")).toBe("blocked");
    expect(rig.of("approval.requested")[0]).toMatchObject({
      source: "tool",
      choices: ["approve", "reject", "abort"],
      subject: {
        title: "support wants to call refund",
        call: { tool: "refund", server: null, args: { amount: 900 }, action: "financial", round: 0, words: "words 0" },
        costMicros: 100,
        policies: [{ name: "refunds", reason: "much money" }],
        action: "financial",
      },
    });
    rig.answer("a", "approve");
    expect(rig.status("a")).toBe("running");
    expect(rig.node("a")).toMatchObject({ attempts: 1, tries: 1, now: { segment: 1 } });
    const [first, second] = rig.dispatches;
    expect(first).toMatchObject({ dispatchId: "run_1/a/1", segment: 0, turn: null });
    expect(second).toMatchObject({
      dispatchId: "run_1/a/1#1",
      segment: 1,
      turn: { rounds: [{}], transcript: { state: 1 } },
    });
    expect(rig.rulings()).toEqual(["find allow", "refund allow"]);
    rig.result(0, 1, "paid");
    rig.round(1, []);
    rig.complete("a");
    expect(rig.status("a")).toBe("completed");
  });

  it("is made with what a person has changed, if the gates let that pass", () => {
    const seen: RequestToolVerdict[] = [];
    const judgeTool = (request: RequestToolVerdict): ToolVerdict | undefined => {
      seen.push(request);
      if (!request.isApproved) return HELD;
      const isMuch = Number(request.call.args["amount"]) > 500;
      return isMuch
        ? { ...ALLOWED, disposition: "deny", gate: "policy_rules", code: "policy_blocked", reason: "over 500" }
        : ALLOWED;
    };
    const rig = turnOf({ judgeTool });
    rig.round(0, [call("refund", { amount: 900 })]);
    rig.suspend();
    const before = rig.events.length;
    expect(rig.answer("a", "approve", { modifications: { args: { amount: 800 } } }).refusal).toEqual({
      code: "tool_denied",
      message: "over 500",
    });
    expect(rig.events.length).toBe(before);
    expect(rig.answer("a", "approve", { modifications: { amount: 1 } }).refusal?.code).toBe("modifications_invalid");
    expect(rig.answer("a", "approve", { modifications: { args: { amount: 450 } } }).refusal).toBeUndefined();
    expect(seen.at(-1)).toMatchObject({ isApproved: true, callsBefore: 0, call: { args: { amount: 450 } } });
    expect(rig.of("tool.decided").at(-1)).toMatchObject({ disposition: "allow", args: { amount: 450 } });
    expect(rig.node("a").turn?.calls.get("run_1/a/0/0/0")).toMatchObject({
      args: { amount: 450 },
      isChanged: true,
      ruling: { kind: "allow" },
    });
    expect(rig.answer("a", "approve").refusal?.code).toBe("approval_closed");
  });

  it("is held to the schema of its tool, and judged with what its server says, in a round and alone", () => {
    const schema = { type: "object", properties: { amount: { type: "number" } }, additionalProperties: false };
    const about = { schema, hints: { destructive: true } };
    const asked = { ...call("refund", { amount: 900 }), ...about };
    for (const isOfRound of [true, false]) {
      const seen: RequestToolVerdict[] = [];
      const judgeTool = (request: RequestToolVerdict): ToolVerdict | undefined => {
        seen.push(request);
        return request.isApproved ? ALLOWED : HELD;
      };
      const rig = turnOf({ judgeTool });
      if (isOfRound) rig.round(0, [asked]);
      else rig.ask(0, 0, asked);
      const change = (args: JsonObject) => rig.resolve("run_1/a/0/0/0", { modifications: { args } }).refusal?.message;
      expect(change({ amount: "450" })).toContain('"amount" must be number');
      expect(change({ amount: 450, to: "me" })).toContain('"to" is not known');
      expect(change({ amount: 450 })).toBeUndefined();
      expect(seen.at(-1)).toMatchObject({ isApproved: true, call: { args: { amount: 450 }, ...about } });
    }
  });

  it("whose adapter waits is judged again when it is approved: no dispatch would", () => {
    let isOpen = false;
    const seen: RequestToolVerdict[] = [];
    const judgeTool = (request: RequestToolVerdict): ToolVerdict | undefined => {
      seen.push(request);
      if (!request.isApproved) return HELD;
      const closed = { gate: "platform_open", code: "platform_closed", reason: "the platform is closed" } as const;
      return isOpen ? ALLOWED : { ...ALLOWED, disposition: "deny", ...closed };
    };
    const rig = turnOf({ judgeTool });
    rig.ask(0, 0, call("refund", { amount: 9 }), { waits: true });
    const approve = () => rig.resolve("run_1/a/0/0/0").refusal;
    expect(approve()).toEqual({ code: "tool_denied", message: "the platform is closed" });
    expect(rig.rulings()).toEqual(["refund hold"]);
    isOpen = true;
    expect(approve()).toBeUndefined();
    expect(rig.rulings()).toEqual(["refund allow"]);
    expect(seen.at(-1)).toMatchObject({ callsBefore: 0, repeatsBefore: 0, heldAt: rig.now });
    const suspending = turnOf({ judgeTool });
    suspending.round(0, [call("refund")]);
    suspending.resolve("run_1/a/0/0/0");
    expect(seen.at(-1)).toMatchObject({ isApproved: false });
  });

  it("that is rejected is reported to the model, and one that is aborted fails the node", () => {
    const rejected = turnOf({ judgeTool: holding("refund") });
    rejected.round(0, [call("refund")]);
    rejected.suspend();
    rejected.answer("a", "reject", { reason: "not now" });
    expect(rejected.of("tool.decided").at(-1)).toMatchObject({
      disposition: "deny",
      reason: "user:ann rejected the call: not now",
    });
    expect(rejected.status("a")).toBe("running");
    const aborted = turnOf({ judgeTool: holding("refund") });
    aborted.round(0, [call("refund"), call("refund", { again: true })]);
    aborted.answer("a", "abort");
    expect(aborted.status("a")).toBe("failed");
    expect([...aborted.state.approvals.values()].map(({ status }) => status).toSorted()).toEqual([
      "cancelled",
      "rejected",
    ]);
    expect(aborted.effects.some(({ type }) => type === "cancel-dispatch")).toBe(true);
  });

  it("waits for every answer, and continues at once when all came before it could suspend", () => {
    const rig = turnOf({ judgeTool: holding("refund") });
    rig.round(0, [call("refund", { n: 1 }), call("refund", { n: 2 })]);
    const [one, two] = [...rig.state.approvals.keys()];
    const answer = (approvalId = ""): object => ({ type: "approval", approvalId, decision: "approve", by: "ann" });
    rig.submit(answer(one) as never);
    rig.suspend();
    expect(rig.status("a")).toBe("blocked");
    rig.submit(answer(two) as never);
    expect(rig.status("a")).toBe("running");
    const early = turnOf({ judgeTool: holding("refund") });
    early.round(0, [call("refund")]);
    early.answer("a", "approve");
    expect(early.status("a")).toBe("running");
    early.suspend();
    expect(early.node("a").now).toMatchObject({ status: "running", segment: 1 });
  });

  it("fails the node when there is no answer in time", () => {
    const rig = turnOf({ judgeTool: holding("refund") });
    rig.round(0, [call("refund")]);
    rig.suspend();
    rig.fire("approval-expiry");
    expect(rig.node("a").now).toMatchObject({ status: "failed", errorCode: "approval_expired" });
    expect(rig.answer("a", "approve").refusal?.code).toBe("approval_closed");
  });

  it("is not approved after its time, even where its timer is late", () => {
    const rig = turnOf({ judgeTool: holding("refund") });
    rig.round(0, [call("refund")]);
    rig.suspend();
    const { approvalId } = rig.node("a").now as { approvalId: string };
    const expiresAt = rig.state.approvals.get(approvalId)?.expiresAt ?? 0;
    rig.now = expiresAt;
    const late = rig.submit({ type: "approval", approvalId, decision: "approve", by: "ann" });
    expect(late.refusal).toMatchObject({ code: "approval_closed", message: "the approval is already expired" });
    rig.fire("approval-expiry");
    expect(rig.node("a").now).toMatchObject({ status: "failed", errorCode: "approval_expired" });
  });

  it("leaves no question open when the run is cancelled", () => {
    const rig = turnOf({ judgeTool: holding("refund") });
    rig.round(0, [call("refund", { n: 1 }), call("refund", { n: 2 })]);
    rig.suspend();
    rig.submit({ type: "cancel", reason: "enough" });
    expect(rig.state.status).toBe("cancelled");
    expect([...rig.state.approvals.values()].every(({ status }) => status === "cancelled")).toBe(true);
  });

  it("counts only running time against the limit of the attempt", () => {
    const rig = turnOf({ judgeTool: holding("refund") }, workflow(["a {command: help, timeout: 10s}"]));
    rig.now += 4_000;
    rig.round(0, [call("refund")]);
    rig.suspend();
    rig.now += 50_000;
    rig.answer("a", "approve");
    expect(rig.dispatches.at(-1)).toMatchObject({ segment: 1, timeoutMs: 6_000 });
    const timer = { kind: "attempt", nodeId: "a", attempt: 1 } as const;
    rig.now += 5_999;
    rig.submit({ type: "timer", timer });
    expect(rig.status("a")).toBe("running");
    rig.now += 1;
    rig.submit({ type: "timer", timer });
    expect(rig.status("a")).toBe("timed_out");
  });

  it("took the time in which it ran, without the wait for an answer", () => {
    const rig = turnOf({ judgeTool: holding("refund") });
    rig.now += 4_000;
    rig.round(0, [call("refund")]);
    rig.suspend();
    rig.now += 50_000;
    rig.answer("a", "approve");
    rig.now += 500;
    rig.round(1, []);
    rig.complete("a");
    expect(rig.of("node.completed", "a")[0]?.durationMs).toBe(4_500);
  });

  it("an adapter that suspends with nothing held is at fault", () => {
    const rig = turnOf();
    rig.round(0, [call("find")]);
    rig.suspend();
    expect(rig.node("a").now).toMatchObject({ status: "failed", errorCode: "adapter_bug" });
  });
});

describe("a turn whose execution is lost", () => {
  it("continues after its last round in the next execution; the lost one can only cost", () => {
    const rig = turnOf();
    rig.round(0, [call("find")]);
    rig.result(0, 0, "found");
    rig.lose();
    expect(rig.node("a").now).toMatchObject({ status: "running", segment: 1, attempt: 1 });
    expect(rig.dispatches.at(-1)).toMatchObject({ dispatchId: "run_1/a/1#1", turn: { rounds: [{}] } });
    const late = rig.round(1, [], { segment: 0 });
    expect(late.events.map(({ type }) => type)).toEqual(["cost.recorded"]);
    expect(rig.round(1, [], { segment: 0 }).events).toEqual([]);
    rig.round(1, []);
    const result = { status: "completed", tokens: NO_TOKENS, costMicros: 0, stdout: "ok" } as const;
    rig.submit({ type: "callback", nodeId: "a", attempt: 1, result });
    expect(rig.status("a")).toBe("running");
    rig.complete("a");
    expect(rig.status("a")).toBe("completed");
    expect(rig.node("a").costMicros).toBe(300);
  });

  it("asks about a call that may have been made, if it must not be made twice", () => {
    const once: ToolVerdict = { ...ALLOWED, effects: "at_most_once" };
    for (const [decision, more, result] of [
      ["approve", { modifications: { result: "paid" } }, { value: "paid", isError: false }],
      ["reject", {}, { isError: true }],
      ["retry", {}, null],
    ] as const) {
      const rig = turnOf({ judgeTool: () => once });
      rig.round(0, [call("pay"), call("pay", { n: 2 })]);
      rig.result(0, 1, "paid");
      rig.lose();
      expect(rig.node("a").now).toMatchObject({ status: "blocked", errorCode: "outcome_unknown" });
      expect(rig.of("approval.requested")[0]?.choices).toEqual(["approve", "retry", "reject", "abort"]);
      if (decision === "approve") expect(rig.answer("a", "approve").refusal?.code).toBe("modifications_invalid");
      rig.answer("a", decision, more);
      expect(rig.node("a").now).toMatchObject({ status: "running", segment: 1 });
      const made = rig.node("a").turn?.calls.get("run_1/a/0/0/0");
      if (result === null) expect(made).toMatchObject({ result: null, ruling: { kind: "allow" } });
      else expect(made?.result).toMatchObject(result);
    }
  });

  it("keeps what a person has changed, whatever is said of a call that may have been made", () => {
    for (const [decision, more] of [
      ["approve", { modifications: { result: "paid" } }],
      ["retry", {}],
    ] as const) {
      const judgeTool = ({ isApproved }: RequestToolVerdict): ToolVerdict =>
        isApproved ? { ...ALLOWED, effects: "at_most_once" } : HELD;
      const rig = turnOf({ judgeTool });
      rig.round(0, [call("refund", { amount: 900 })]);
      rig.suspend();
      rig.answer("a", "approve", { modifications: { args: { amount: 450 } } });
      rig.lose();
      rig.answer("a", decision, more);
      expect(rig.dispatches.at(-1)).toMatchObject({ segment: 2 });
      expect(rig.node("a").turn?.calls.get("run_1/a/0/0/0"), decision).toMatchObject({
        args: { amount: 450 },
        isChanged: true,
        ruling: { kind: "allow" },
      });
    }
  });

  it("takes the result of such a call when it comes after all", () => {
    const rig = turnOf({ judgeTool: () => ({ ...ALLOWED, effects: "at_most_once" }) });
    rig.round(0, [call("pay")]);
    rig.lose();
    rig.result(0, 0, "paid", { segment: 0 });
    expect(rig.node("a").now).toMatchObject({ status: "running", segment: 1 });
    expect([...rig.state.approvals.values()][0]?.status).toBe("cancelled");
  });

  it("goes on in the next attempt as well, and begins anew in the next epoch", () => {
    const rig = turnOf({}, workflow(["a {command: help, on_failure: {retry: {attempts: 3}}}"]));
    rig.round(0, [call("find")]);
    rig.result(0, 0, "found");
    rig.fail("a");
    rig.fire("retry");
    expect(rig.dispatches.at(-1)).toMatchObject({ attempt: 2, segment: 0, turn: { rounds: [{}] } });
    rig.round(1, []);
    rig.complete("a");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false } as never);
    expect(rig.dispatches.at(-1)).toMatchObject({ attempt: 3, turn: null });
  });

  it("may be sent again as often after each round", () => {
    const rig = turnOf();
    for (let round = 0; round < 3; round += 1) {
      rig.round(round, [call("find")]);
      rig.result(round, 0, "found");
      for (let time = 0; time < 8; time += 1) rig.lose();
      expect(rig.status("a")).toBe("running");
    }
    for (let time = 0; time < 12; time += 1) rig.lose();
    expect(rig.node("a").now).toMatchObject({ status: "failed", errorCode: "too_many_calls" });
  });
});

describe("a turn that is stopped", () => {
  it("is blocked resumably, judges no call, and has as many rounds again when a person lets it go on", () => {
    let isOpen = false;
    const rig = turnOf({ judgeRound: () => (isOpen ? undefined : STOPPED) });
    rig.round(0, [call("find")]);
    expect(rig.node("a").now).toMatchObject({ status: "blocked", errorCode: "budget_exceeded" });
    expect(rig.of("tool.requested")).toEqual([]);
    expect(rig.of("approval.requested")[0]?.choices).toEqual(["retry", "abort"]);
    isOpen = true;
    rig.answer("a", "retry");
    expect(rig.node("a")).toMatchObject({ now: { status: "running", segment: 1 }, turn: { extraRounds: 1 } });
    rig.submit({
      type: "tool_call",
      nodeId: "a",
      attempt: 1,
      segment: 1,
      callId: "run_1/a/0/0/0",
      round: 0,
      call: call("find"),
      waits: false,
    });
    expect(rig.rulings()).toEqual(["find allow"]);
  });

  it("asks for what it will read, and stops again where the budget does not allow it to continue", () => {
    const seen: (number | undefined)[] = [];
    let isSpent = false;
    const spent = {
      disposition: "block",
      verdictId: "v2",
      gate: "budget_envelopes",
      code: "budget_exceeded",
      message: "nothing is left",
      after: "final",
    } as const;
    const judge = ({ nodeId, contextTokens }: RequestVerdict): Verdict | undefined => {
      if (nodeId !== "a") return undefined;
      seen.push(contextTokens);
      return isSpent ? spent : undefined;
    };
    const rig = turnOf({ judge, judgeTool: holding("refund") });
    rig.round(0, [call("refund")]);
    rig.suspend({ state: 1 });
    isSpent = true;
    rig.answer("a", "approve");
    expect(rig.node("a").now).toMatchObject({ status: "blocked", errorCode: "budget_exceeded" });
    expect(rig.of("approval.requested")[1]?.choices).toEqual(["retry", "abort"]);
    rig.answer("a", "retry");
    expect(rig.status("a")).toBe("blocked");
    isSpent = false;
    rig.answer("a", "retry");
    expect(seen).toEqual([undefined, 15, 15, 15]);
    expect(rig.dispatches.at(-1)).toMatchObject({
      dispatchId: "run_1/a/1#1",
      turn: { rounds: [{}], transcript: { state: 1 } },
    });
    expect(rig.rulings()).toEqual(["refund allow"]);
    rig.result(0, 0, "paid");
    rig.round(1, []);
    rig.complete("a");
    expect(rig.status("a")).toBe("completed");
  });
});
