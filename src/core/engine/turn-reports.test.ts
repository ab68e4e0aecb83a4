import { describe, expect, it } from "vitest";
import { workflow } from "../../../test/conformance/rig.ts";
import { ALLOWED, call, type TurnRig, turnOf } from "../../../test/conformance/turn-rig.ts";
import { NO_TOKENS, type RequestRoundVerdict, type UnstampedInput } from "./index.ts";

const about = { nodeId: "a", attempt: 1, segment: 0 } as const;
const idOf = (position: number): string => `run_1/a/0/0/${position}`;
const round = (more: object): UnstampedInput => ({
  type: "round",
  ...about,
  round: 0,
  finish: "stop",
  text: "",
  message: {},
  calls: [],
  tokens: NO_TOKENS,
  costMicros: 1,
  ...more,
});
const toolCall = (more: object): UnstampedInput => ({
  type: "tool_call",
  ...about,
  callId: idOf(0),
  round: 0,
  call: call("find"),
  waits: false,
  ...more,
});
const toolResult = (more: object): UnstampedInput => ({
  type: "tool_result",
  ...about,
  callId: idOf(0),
  result: "found",
  isError: false,
  durationMs: 3,
  ...more,
});

describe("a report of a turn is refused", () => {
  const EXPECTED = "the id of a call of this turn is run_1/a/0/ROUND/POSITION, each counted from 0";
  const cases: readonly (readonly [string, UnstampedInput, string, string])[] = [
    ["of a node that is not there", round({ nodeId: "z" }), "unknown_dispatch", "z has no attempt 1"],
    ["of no attempt", round({ attempt: 0 }), "unknown_dispatch", "a has no attempt 0"],
    ["of an attempt that is to come", round({ attempt: 2 }), "unknown_dispatch", "a has no attempt 2"],
    ["that is ahead", round({ round: 2 }), "round_out_of_order", "round 2 follows round 0"],
    ["of a call, of no attempt", toolCall({ attempt: 2 }), "unknown_dispatch", "a has no attempt 2"],
    ["of a call, of another execution", toolCall({ segment: 1 }), "attempt_over", "a does not run any more"],
    ["of a call of another node", toolCall({ callId: "run_1/b/0/0/0" }), "wrong_call_id", EXPECTED],
    ["of a call of an earlier epoch", toolCall({ callId: "run_1/a/1/0/0" }), "wrong_call_id", EXPECTED],
    ["of a result, of no attempt", toolResult({ attempt: 2 }), "unknown_dispatch", "a has no attempt 2"],
    ["of a result of no call", toolResult({ callId: idOf(9) }), "unknown_call", `a has asked for no call ${idOf(9)}`],
  ];

  it.each(cases)("%s", (_, input, code, message) => {
    const rig = turnOf();
    rig.round(0, [call("note"), call("find")]);
    expect(rig.submit(input)).toEqual({ events: [], effects: [], refusal: { code, message } });
  });

  it("where no verdict about a round was asked for, and one counts once", () => {
    const asked: RequestRoundVerdict[] = [];
    const rig = turnOf({ judgeRound: (request) => void asked.push(request) });
    rig.round(0, [call("find")]);
    const again = (more: object) =>
      rig.submit({ type: "round_verdict", nodeId: "a", epoch: 0, verdict: { disposition: "go" }, ...more });
    const refusal = { code: "verdict_not_asked", message: "a did not ask for a verdict" };
    expect(again({})).toEqual({ events: [], effects: [], refusal });
    expect(again({ nodeId: "z" }).refusal?.message).toBe("z did not ask for a verdict");
    const ruled = { type: "tool_verdict", nodeId: "a", epoch: 0, callId: idOf(0), verdict: ALLOWED } as const;
    expect(rig.submit(ruled).refusal?.message).toBe(`a did not ask for a verdict about ${idOf(0)}`);
    expect(asked).toMatchObject([
      { nodeId: "a", epoch: 0, attempt: 1, rounds: 1, extraRounds: 0, route: { agentId: "default" } },
    ]);
  });
});

describe("a report of a turn", () => {
  it("is kept whole, with the model that answered where that is known", () => {
    const rig = turnOf();
    rig.round(0, [call("find")], { model: "m-1", warnings: ["it was slow"] });
    rig.result(0, 0, "found");
    rig.round(1, []);
    const counted = { inputTokens: 10, outputTokens: 5, costMicros: 100 };
    expect(rig.of("round.completed")).toEqual([
      {
        ...about,
        round: 0,
        model: "m-1",
        ...counted,
        finish: "tool_calls",
        text: "words 0",
        message: { role: "assistant", round: 0 },
        calls: [call("find")],
      },
      {
        ...about,
        round: 1,
        model: null,
        ...counted,
        finish: "stop",
        text: "words 1",
        message: { role: "assistant", round: 1 },
        calls: [],
      },
    ]);
    expect(rig.of("node.log").map(({ message }) => message)).toEqual(["it was slow"]);
    expect(rig.of("tool.completed")).toEqual([
      { nodeId: "a", attempt: 1, callId: idOf(0), result: "found", isError: false, durationMs: 3 },
    ]);
  });

  it.each([
    ["stop", [], 0],
    ["tool_calls", [], 1],
    ["stop", [call("find")], 1],
  ] as const)("that ends with %s and calls %j is followed by %d rounds", (finish, calls, times) => {
    const asked: RequestRoundVerdict[] = [];
    const rig = turnOf({ judgeRound: (request) => void asked.push(request) });
    rig.round(0, calls, { finish });
    expect(asked).toHaveLength(times);
  });

  it("of a call that is known changes nothing; with other args it is refused, and each of them once", () => {
    const rig = turnOf();
    const ask = (id: number) => rig.submit(toolCall({ call: call("find", { id }), warnings: ["asked"] })).events;
    ask(1);
    expect(rig.of("node.log").map(({ message }) => message)).toEqual(["asked"]);
    expect(ask(1)).toEqual([]);
    expect(ask(2).map(({ payload }) => payload)).toMatchObject([
      { nodeId: "a", callId: idOf(0), disposition: "deny", verdictId: null, code: "args_changed", isOther: true },
    ]);
    expect(ask(2)).toEqual([]);
    expect(ask(3)).toHaveLength(1);
    expect(rig.rulings()).toEqual(["find allow"]);
  });

  it("of a result counts once, and not after the end of its node", () => {
    const rig = turnOf();
    rig.round(0, [call("find"), call("note")]);
    rig.result(0, 0, "found");
    expect(rig.result(0, 0, "other").events).toEqual([]);
    rig.fail("a", "provider_auth", { retryable: false });
    expect(rig.result(0, 1, "noted").events).toEqual([]);
    expect(rig.node("a").turn?.calls.get(idOf(0))?.result).toMatchObject({ value: "found" });
  });
});

describe("a turn that the gates stop", () => {
  const STOP = {
    disposition: "stop",
    verdictId: "v2",
    gate: "budgets",
    code: "budget_exceeded",
    message: "nothing is left",
  } as const;
  const stopped = (source?: string): TurnRig => {
    const rig = turnOf({ judgeRound: () => STOP }, source);
    rig.round(0, [call("find")]);
    return rig;
  };

  it("asks a person, who may let it continue or end it", () => {
    const rig = stopped();
    expect(rig.of("gate.decided").at(-1)).toMatchObject({
      nodeId: "a",
      disposition: "block",
      gate: "budgets",
      code: "budget_exceeded",
      verdictId: "v2",
    });
    const [asked] = rig.of("approval.requested");
    expect(asked).toMatchObject({ source: "escalation", choices: ["retry", "abort"], rendered: "nothing is left" });
    expect(asked?.subject).toMatchObject({ title: "a was stopped", policies: [] });
    expect(rig.of("node.blocked")).toEqual([
      {
        ...about,
        waitingReason: "human_input",
        approvalId: asked?.approvalId,
        code: "budget_exceeded",
        errorCode: "budget_exceeded",
        errorMessage: "nothing is left",
      },
    ]);
    expect(rig.rulings()).toEqual([]);
  });

  it("ends with a run that winds down meanwhile", () => {
    const source = workflow(["a {command: help}", "b {command: go}"]);
    const rig = turnOf({ judgeRound: () => STOP }, source);
    rig.fail("b", "provider_auth", { retryable: false });
    rig.round(0, [call("find")]);
    expect(rig.of("node.cancelled", "a")).toMatchObject([{ reason: "run_halted" }]);
    expect(rig.of("approval.requested")).toEqual([]);
    expect(rig.effects.filter(({ type }) => type === "cancel-dispatch")).toHaveLength(1);
    expect(rig.state.status).toBe("failed");
  });
});
