import { describe, expect, it } from "vitest";
import { Rig, type RigOptions, workflow } from "../../../test/conformance/rig.ts";
import type { Json } from "../base/index.ts";
import { branchInTurn, NO_TOKENS, type TurnPoint } from "./index.ts";

const SOURCE = workflow(["before", "a < before", "after < a", "side"]);
const open = (message: Json) => message;

class TurnRig extends Rig {
  round(nodeId: string, round: number, tools: readonly string[], message: Json = { content: `words ${round}` }) {
    const { attempts } = this.node(nodeId);
    return this.submit({
      type: "round",
      nodeId,
      attempt: attempts,
      segment: this.node(nodeId).turn?.segment ?? 0,
      round,
      finish: tools.length === 0 ? "stop" : "tool_calls",
      text: `words ${round}`,
      message,
      calls: tools.map((tool) => ({ tool, args: { of: tool } })),
      tokens: { ...NO_TOKENS, inputTokens: 10, outputTokens: 5 },
      costMicros: 100,
      model: "m",
    });
  }

  result(nodeId: string, round: number, position: number, result: Json) {
    const callId = `${this.state.runId}/${nodeId}/0/${round}/${position}`;
    const about = {
      nodeId,
      attempt: this.node(nodeId).attempts,
      segment: this.node(nodeId).turn?.segment ?? 0,
      callId,
    };
    return this.submit({ type: "tool_result", ...about, result, isError: false, durationMs: 3 });
  }
}

const deny: NonNullable<RigOptions["judgeTool"]> = ({ call: { tool } }) =>
  tool === "drop"
    ? {
        disposition: "deny",
        verdictId: "v",
        action: "write",
        effects: "at_most_once",
        gate: "tool_allowed",
        code: "tool_not_allowed",
        reason: "drop is not named",
      }
    : undefined;

/** Three rounds: find and a denied drop, then book, then the answer. */
function finishedRig(): TurnRig {
  const rig = new TurnRig(SOURCE, { judgeTool: deny }).start();
  rig.complete("before").complete("side");
  rig.round("a", 0, ["find", "drop"]);
  rig.result("a", 0, 0, "found");
  rig.round("a", 1, ["book"]);
  rig.result("a", 1, 0, { booked: 1 });
  rig.round("a", 2, []);
  rig.complete("a", { stdout: "done" }).complete("after");
  return rig;
}

function carriedOf(rig: Rig, point: TurnPoint) {
  const outcome = branchInTurn(rig.state, point, open);
  if ("refusal" in outcome) throw new Error(outcome.refusal.message);
  return outcome.carried;
}

function refusalOf(rig: Rig, point: TurnPoint, opener: (message: Json) => Json | undefined = open) {
  const outcome = branchInTurn(rig.state, point, opener);
  return "refusal" in outcome ? outcome.refusal : null;
}

function branched(rig: Rig, point: TurnPoint, source = SOURCE): TurnRig {
  const next = new TurnRig(source, { judgeTool: deny });
  return next.start({ carried: carriedOf(rig, point), sourceRunId: "run_1" });
}

describe("a branch inside a turn", () => {
  it("keeps what is before and beside the node, and sends it with the rounds up to there", () => {
    const next = branched(finishedRig(), { nodeId: "a", round: 1 });
    expect(next.statuses).toMatchObject({ before: "completed", side: "completed", a: "running" });
    const { turn, segment, attempt } = next.dispatch("a");
    expect([attempt, segment, turn?.rounds.length]).toEqual([1, 0, 2]);
    expect(turn?.rounds[1]).toMatchObject({ text: "words 1", model: "m", inputTokens: 10, outputTokens: 5 });
    expect([...(turn?.calls.values() ?? [])].map(({ id, ruling, result }) => [id, ruling.kind, result?.value])).toEqual(
      [
        ["run_1/a/0/0/0", "allow", "found"],
        ["run_1/a/0/0/1", "deny", undefined],
        ["run_1/a/0/1/0", "allow", { booked: 1 }],
      ],
    );
    // Nothing of it is paid, judged or called again.
    expect(next.of("cost.recorded", "a")).toEqual([]);
    expect(next.state.costMicros).toBe(0);
    expect(next.effects.filter(({ type }) => type === "request-tool-verdict")).toEqual([]);
  });

  it("continues with the next round, counts what was carried, and ends like any turn", () => {
    const next = branched(finishedRig(), { nodeId: "a", round: 0 });
    expect(next.round("a", 0, ["find", "drop"]).events.map(({ type }) => type)).toEqual(["cost.recorded"]);
    next.round("a", 1, ["find"]);
    const request = next.effects.find((effect) => effect.type === "request-tool-verdict");
    expect(request).toMatchObject({ callId: "run_1/a/0/1/0", callsBefore: 2, repeatsBefore: 1 });
    next.result("a", 1, 0, "found again");
    next.round("a", 2, []);
    next.complete("a", { stdout: "other" });
    next.complete("after");
    expect(next.state.status).toBe("completed");
    expect(next.replayed().nodes.map(({ turn }) => turn)).toEqual(next.state.nodes.map(({ turn }) => turn));
  });

  it("survives the loss of its first execution with all it has", () => {
    const next = branched(finishedRig(), { nodeId: "a", round: 1 });
    next.submit({ type: "timer", timer: { kind: "lost", nodeId: "a", attempt: 1 } });
    expect(next.dispatch("a")).toMatchObject({ attempt: 1, segment: 1, turn: { rounds: { length: 2 } } });
  });

  it("puts another result in the place of one, also of a call that was denied or never came back", () => {
    const rig = finishedRig();
    const edit = { callId: "run_1/a/0/1/0", result: "sold out", isError: true };
    const call = branched(rig, { nodeId: "a", round: 1, edit, by: "ann" }).node("a").turn?.calls.get(edit.callId);
    expect(call?.result).toEqual({ value: "sold out", isError: true });
    const allowed = { callId: "run_1/a/0/0/1", result: "dropped" };
    const other = branched(rig, { nodeId: "a", round: 0, edit: allowed, by: "ann" });
    expect(other.of("tool.completed").at(-1)).toMatchObject({ result: "dropped", by: "ann", carried: true });
    expect(other.node("a").turn?.calls.get(allowed.callId)?.ruling.kind).toBe("allow");
    const open = new TurnRig(SOURCE).start();
    open.complete("before");
    open.round("a", 0, ["find"]);
    expect(refusalOf(open, { nodeId: "a", round: 0 })).toMatchObject({ code: "round_open" });
    const given = { callId: "run_1/a/0/0/0", result: "as if" };
    expect(branched(open, { nodeId: "a", round: 0, edit: given }).dispatch("a").turn?.rounds).toHaveLength(1);
  });

  it("keeps calls that the agent has requested one by one", () => {
    const rig = new TurnRig(SOURCE, { judgeTool: deny }).start();
    rig.complete("before").complete("side");
    rig.round("a", 0, [], { content: "words 0" });
    for (const [position, tool] of ["find", "drop"].entries()) {
      const callId = `run_1/a/0/0/${position}`;
      const about = { nodeId: "a", attempt: 1, segment: 0, callId, round: 0 };
      rig.submit({ type: "tool_call", ...about, call: { tool, args: { of: tool } }, waits: false });
    }
    rig.result("a", 0, 0, "found");
    const outcome = branchInTurn(rig.state, { nodeId: "a", round: 0 }, open);
    expect("refusal" in outcome ? outcome.refusal : outcome.carried.at(-1)).toMatchObject({
      rounds: [
        {
          calls: [
            { asked: { tool: "find", args: { of: "find" } }, outcome: { value: "found", isError: false } },
            { asked: { tool: "drop" }, outcome: { denied: "drop is not named" } },
          ],
        },
      ],
    });
  });

  it("keeps args that a person had changed, so that the model learns of it", () => {
    const rule = { approvers: [], otherwise: null, expiresMs: 60_000, isSeparate: false, quorum: 1, show: [] };
    const rig = new TurnRig(SOURCE, {
      judgeTool: () => ({
        disposition: "hold",
        verdictId: "v",
        action: "financial",
        effects: "at_most_once",
        gate: "policy_rules",
        message: "ask",
        agentId: "support",
        policies: [],
        rule: { ...rule, form: null, confirm: null },
        facts: { provider: "p", model: "m", trust: 2, estimateMicros: 7, reasons: [] },
      }),
    }).start();
    rig.complete("before");
    rig.round("a", 0, ["refund"]);
    const suspended = { status: "suspended", transcript: null, tokens: NO_TOKENS, costMicros: 0 } as const;
    rig.callback("a", suspended);
    expect(refusalOf(rig, { nodeId: "a", round: 0 })?.code).toBe("round_open");
    rig.submit({
      type: "approval",
      approvalId: rig.approvalId("a"),
      decision: "approve",
      by: "user:ann",
      modifications: { args: { of: "less" } },
    });
    rig.result("a", 0, 0, "paid");
    const call = branched(rig, { nodeId: "a", round: 0 }).node("a").turn?.calls.get("run_1/a/0/0/0");
    expect(call).toMatchObject({ args: { of: "less" }, isChanged: true, ruling: { kind: "allow" } });
  });

  it("puts other words in the place of the model's, in both forms of a message", () => {
    const edit = { message: "I refund nothing." };
    const next = branched(finishedRig(), { nodeId: "a", round: 2, edit, by: "ann" });
    expect(next.node("a").turn?.rounds[2]).toMatchObject({ text: edit.message, message: { content: edit.message } });
    expect(next.of("round.completed").map(({ by }) => by)).toEqual([undefined, undefined, "ann"]);
    const parts = new TurnRig(SOURCE).start();
    parts.complete("before");
    const call = { type: "tool-call", toolCallId: "1" };
    const text = { type: "text", text: "old", providerOptions: { openai: { itemId: "i" } } };
    parts.round("a", 0, [], { role: "assistant", content: [{ type: "reasoning", text: "…" }, text, text, call] });
    expect(branched(parts, { nodeId: "a", round: 0, edit }).node("a").turn?.rounds[0]?.message).toEqual({
      role: "assistant",
      content: [{ type: "reasoning", text: "…" }, { type: "text", text: edit.message }, call],
    });
    const strange = new TurnRig(SOURCE).start();
    strange.complete("before");
    strange.round("a", 0, [], ["own form"]);
    expect(refusalOf(strange, { nodeId: "a", round: 0, edit })?.code).toBe("turn_not_editable");
  });

  it("refuses what it cannot continue, with the reason", () => {
    const rig = finishedRig();
    expect(refusalOf(rig, { nodeId: "zz", round: 0 })?.code).toBe("unknown_node");
    expect(refusalOf(rig, { nodeId: "side", round: 0 })?.code).toBe("unknown_round");
    expect(refusalOf(rig, { nodeId: "a", round: 3 })).toMatchObject({
      code: "unknown_round",
      message: "a has no round 3; its last one is 2.",
    });
    const elsewhere = { callId: "run_1/a/0/0/0", result: 1 };
    expect(refusalOf(rig, { nodeId: "a", round: 1, edit: elsewhere })).toMatchObject({
      code: "unknown_call",
      message: 'Round 1 of a has no call "run_1/a/0/0/0"; its calls are run_1/a/0/1/0.',
    });
    expect(refusalOf(rig, { nodeId: "a", round: 0 }, () => undefined)?.code).toBe("turn_not_kept");
  });

  it("does not continue on what may be another input: a parent that did not complete runs again", () => {
    const source = workflow(["before", "a {depends_on: [{step: before, on: settled}]}"]);
    const rig = new TurnRig(source).start();
    rig.fail("before", "provider_auth");
    rig.round("a", 0, []);
    expect(refusalOf(rig, { nodeId: "a", round: 0 })).toMatchObject({
      code: "turn_not_kept",
      message: expect.stringContaining("before did not complete and runs again"),
    });
  });

  it("continues one instance of a list, and keeps the others", () => {
    const source = workflow(["e {for_each: list}", "z < e"], "args: {list: [1, 2, 3]}");
    const rig = new TurnRig(source).start();
    rig.complete("e[0]");
    rig.round("e[1]", 0, ["find"]);
    rig.result("e[1]", 0, 0, "found");
    rig.round("e[1]", 1, []);
    rig.complete("e[1]").complete("e[2]").complete("z");
    const next = branched(rig, { nodeId: "e[1]", round: 0 }, source);
    expect(next.statuses).toMatchObject({ "e[0]": "completed", "e[1]": "running", "e[2]": "completed" });
    expect(next.dispatch("e[1]").turn?.rounds).toHaveLength(1);
    expect(next.dispatches).toHaveLength(1);
    expect(next.replayed().nodes.map(({ turn }) => turn)).toEqual(next.state.nodes.map(({ turn }) => turn));
  });

  it("continues one round of a repeated step, after those before it and without those after it", () => {
    const source = workflow(["e {repeat: {until: round == 2}}"]);
    const rig = new TurnRig(source).start();
    rig.complete("e[0]");
    rig.round("e[1]", 0, []);
    rig.complete("e[1]").complete("e[2]");
    const next = branched(rig, { nodeId: "e[1]", round: 0 }, source);
    expect(next.statuses).toMatchObject({ "e[0]": "completed", "e[1]": "running" });
    expect(next.dispatch("e[1]").turn?.rounds).toHaveLength(1);
  });
});
