import { describe, expect, it } from "vitest";
import { ANYONE } from "../definition/index.ts";
import type { Judgement } from "./gate.ts";
import { agentOf, envelope, NOW, policyOf } from "./sample.test.ts";
import type { RoundFacts, CallFacts } from "./tool-fact.ts";
import { judgeRound, judgeTool, ROUND_GATES, TOOL_GATES } from "./tool-judge.ts";
import { grantOf, roundFactsOf, ruleOf, toolFactsOf } from "./tool-sample.test.ts";

type Blocked = Extract<Judgement, { disposition: "block" }>;
type Held = Extract<Judgement, { disposition: "hold" }>;

function denied(facts: CallFacts): Blocked {
  const judgement = judgeTool(facts);
  if (judgement.disposition !== "block") throw new Error(`expected a block, but it is ${judgement.disposition}`);
  return judgement;
}

function held(facts: CallFacts): Held {
  const judgement = judgeTool(facts);
  if (judgement.disposition !== "hold") throw new Error(`expected a hold, but it is ${judgement.disposition}`);
  return judgement;
}

const isAllowed = (facts: CallFacts): boolean => judgeTool(facts).disposition === "allow";
const about = (changes: Partial<Parameters<typeof policyOf>[0]> = {}) => policyOf({ category: "tool", ...changes });
const rate = (used: number) => ({
  rule: "refunds",
  count: 5,
  perSeconds: 60,
  used,
  freesAt: used < 5 ? null : NOW + 11_001,
});

/** Every gate with facts it stops at, in the order they are asked. */
const STOPS: readonly (readonly [string, string, CallFacts])[] = [
  ["platform_open", "platform_closed", toolFactsOf({ platform: { isOpen: false, reason: "outage" } })],
  ["agent_status", "agent_disabled", toolFactsOf({ agent: { status: "paused" } })],
  ["tool_allowed", "tool_not_allowed", toolFactsOf({ tool: { name: "mail/send" } })],
  ["tool_rate", "tool_rate_limited", toolFactsOf({ rates: [rate(4), rate(5)] })],
  ["turn_limits", "turn_limits", toolFactsOf({ tool: { calls: 50 } })],
  ["trust_level", "autonomy_insufficient", toolFactsOf({ agent: { autonomy: "retrieval" } })],
  ["policy_rules", "policy_blocked", toolFactsOf({ policies: [about({ when: "tool.args.amount >= 900" })] })],
  ["approval_required", "", toolFactsOf({ tool: { action: "write" } })],
];

/** The same gates with facts that are just good enough. */
const PASSES: readonly (readonly [string, CallFacts])[] = [
  ["platform_open", toolFactsOf({ platform: { isOpen: true, reason: "was closed" } })],
  ["agent_status", toolFactsOf({ agent: { phase: "production" } })],
  ["tool_allowed", toolFactsOf({ tool: { name: "search" } })],
  ["tool_rate", toolFactsOf({ rates: [rate(4)] })],
  ["turn_limits", toolFactsOf({ tool: { calls: 49, repeats: 2 } })],
  ["trust_level", toolFactsOf({ agent: { autonomy: "retrieval" }, tool: { action: "read" } })],
  ["policy_rules", toolFactsOf({ policies: [about({ when: "tool.args.amount > 900" })] })],
  ["approval_required", toolFactsOf({ agent: { autonomy: "bounded" }, tool: { action: "write" } })],
];

describe("the gates of a tool call", () => {
  it("stand in the order of the contract", () => {
    expect(TOOL_GATES.map(({ name }) => name)).toEqual(STOPS.map(([name]) => name));
  });

  it.each(PASSES)("%s lets pass what is just good enough", (name, facts) => {
    const judgement = judgeTool(facts);
    expect(judgement.disposition).toBe("allow");
    expect(judgement.trail.find(({ gate }) => gate === name)?.outcome).toMatch(/^(?:pass|warn)$/);
  });

  it.each(STOPS)("%s stops with %s, names itself, and nothing after it is asked", (name, code, facts) => {
    const judgement = judgeTool(facts);
    if (judgement.disposition === "allow") throw new Error("expected it to stop");
    expect(judgement.disposition).toBe(code === "" ? "hold" : "block");
    expect(judgement.explanation).toMatchObject({ gate: name, code: code === "" ? "approval_required" : code });
    expect(judgement.explanation.unblock.length).toBeGreaterThan(0);
    const later = judgement.trail.slice(judgement.trail.findIndex(({ gate }) => gate === name) + 1);
    expect(later.every(({ outcome }) => outcome === "not_evaluated")).toBe(true);
  });
});

describe("which tools may be called", () => {
  const node = (tools: readonly string[]) => ({ ...toolFactsOf().node, tools });
  const tools = (allow: readonly string[] | null, deny: readonly string[] = []) => ({ tools: { allow, deny } });

  it.each([
    ["what the step names", toolFactsOf({ node: node(["pay/refund"]) }), true],
    ["what fits a star", toolFactsOf({ node: node(["pay/*"]) }), true],
    ["nothing a step does not name", toolFactsOf({ node: node(["search"]) }), false],
    ["nothing where neither names any", toolFactsOf({ node: node([]) }), false],
    [
      "what the agent may call where the step names none",
      toolFactsOf({ node: node([]), agent: tools(["pay/*"]) }),
      true,
    ],
    ["only what both name", toolFactsOf({ node: node(["pay/*"]), agent: tools(["search"]) }), false],
    ["nothing the agent may never call", toolFactsOf({ agent: tools(["*"], ["*/refund"]) }), false],
    ["nothing more where an agent only denies", toolFactsOf({ node: node([]), agent: tools(null, ["x"]) }), false],
    ["no tool of another server with the same name", toolFactsOf({ node: node(["refund"]) }), false],
  ])("%s", (_what, facts, isAsExpected) => {
    expect(isAllowed(facts)).toBe(isAsExpected);
  });

  it("names the list that would have to change", () => {
    expect(denied(toolFactsOf({ agent: tools(null, ["pay/*"]) })).explanation.unblock).toEqual([
      { action: "change_agent", target: "Agent/analyst", detail: "remove pay/* from tools.deny" },
    ]);
    expect(denied(toolFactsOf({ node: node(["search"]) })).explanation.message).toBe(
      "pay/refund is not among the tools of assess",
    );
  });
});

describe("how often a tool may be called", () => {
  it("denies with the time to try again, by the window that is full for longest", () => {
    const short = { ...rate(5), rule: "short", freesAt: NOW + 1 };
    const { explanation, block } = denied(toolFactsOf({ rates: [short, rate(5), short] }));
    expect(explanation.message).toBe("analyst has made 5 of 5 calls of pay/refund in 60 s; try again after 12 s");
    expect(explanation.facts).toMatchObject({ rule: "refunds", retryAfterSeconds: 12, freesAt: NOW + 11_001 });
    expect(block).toMatchObject({ after: "final", until: NOW + 11_001 });
  });
});

describe("how far a turn may go", () => {
  it.each([
    [49, 0, true],
    [50, 0, false],
    [51, 0, false],
    [10, 2, true],
    [10, 3, false],
    [10, 4, false],
  ])("%i calls before it, %i of them the same: %s", (calls, repeats, isAsExpected) => {
    expect(isAllowed(toolFactsOf({ tool: { calls, repeats } }))).toBe(isAsExpected);
  });
});

describe("policies about tool calls", () => {
  it("see the call, and what is around it", () => {
    const holds = (when: string): boolean => !isAllowed(toolFactsOf({ policies: [about({ when })] }));
    for (const when of [
      "tool.name == 'pay/refund' and tool.server == 'pay' and tool.action == 'execute'",
      "tool.args.amount == 900 and tool.args.card.owner == 'Ann' and tool.calls == 4 and tool.round == 2",
      "agent.trust_level == 5 and node.id == 'assess' and run.workflow == 'vendor' and gateway.id == 'local'",
      "role.name == 'researcher' and adapter.turns == 'durable'",
    ]) {
      expect(holds(when), when).toBe(true);
    }
    expect(holds("tool.args.constructor != null or tool.args.__proto__ != null")).toBe(false);
  });

  it("are only those of the category tool, in their scope", () => {
    expect(isAllowed(toolFactsOf({ policies: [policyOf(), policyOf({ category: "run_creation" })] }))).toBe(true);
    expect(isAllowed(toolFactsOf({ policies: [about({ scope: "agent", scopeId: "other" })] }))).toBe(true);
    expect(isAllowed(toolFactsOf({ policies: [about({ scope: "agent", scopeId: "analyst" })] }))).toBe(false);
  });

  it("count as holding where their condition fails on what it finds, unless they only advise", () => {
    const when = "tool.args.card > 5";
    expect(denied(toolFactsOf({ policies: [about({ when })] })).explanation.message).toContain(
      "could not be evaluated",
    );
    const advised = judgeTool(toolFactsOf({ policies: [about({ when, enforcement: "soft" })] }));
    expect(advised).toMatchObject({ disposition: "allow", warnings: [expect.stringContaining("says nothing")] });
  });
});

describe("who has to see a call first", () => {
  const risk = { ...ANYONE, approvers: [{ who: "role:risk", withinMs: null }] };
  const asks = about({ name: "asks", action: "require_approval", reason: "Money leaves.", approvers: risk });
  const rule = ruleOf({ approval: { ...ANYONE, quorum: 2 } });

  it("is asked once, by all that want it", () => {
    const facts = toolFactsOf({ policies: [asks], rules: [rule], tool: { action: "financial" } });
    const { hold, explanation } = held(facts);
    expect(hold.wanted).toEqual(["asks@1", "Tool/refunds", "rung"]);
    expect(hold.rule).toMatchObject({ approvers: risk.approvers, quorum: 2 });
    expect(hold.reasons[0]).toEqual({ name: "asks", reason: "Money leaves." });
    expect(hold.facts).toMatchObject({ tool: "pay/refund", argsDigest: "sha256:1" });
    expect(JSON.stringify(hold.facts)).not.toContain("4111");
    expect(explanation.unblock[0]).toMatchObject({ action: "approve", target: "run_1/assess/0/2/0" });
  });

  it("is not approved by default when the rung of the agent asks as well", () => {
    const approvers = { ...risk, otherwise: "approve" as const };
    const lenient = about({ name: "asks", action: "require_approval", approvers });
    expect(held(toolFactsOf({ policies: [lenient] })).hold.rule.otherwise).toBe("approve");
    const spending = toolFactsOf({ policies: [lenient], tool: { action: "financial" } });
    expect(held(spending).hold.rule.otherwise).toBeNull();
  });

  it("is a second person where an agent with a threshold moves money, whatever the amount", () => {
    const agent = { autonomy: "bounded", financialThresholdMicros: 1_000_000_000 } as const;
    const { hold } = held(toolFactsOf({ agent, tool: { action: "financial" } }));
    expect([hold.wanted, hold.rule.isSeparate]).toEqual([["two_agents"], true]);
    expect(isAllowed(toolFactsOf({ agent: { autonomy: "bounded" }, tool: { action: "financial" } }))).toBe(true);
  });

  it("is not asked again about a call that was approved, which every other gate still judges", () => {
    const approved = { isApproved: true, action: "write" } as const;
    const passed = judgeTool(toolFactsOf({ policies: [asks], rules: [rule], tool: approved }));
    expect(passed.disposition).toBe("allow");
    expect(passed.trail.at(-1)?.detail).toBe("approved: asks@1, Tool/refunds, rung");
    expect(passed.matched).toMatchObject([{ name: "asks", isSatisfied: true }]);
    for (const [name, code, facts] of STOPS) {
      if (code === "") continue;
      const again = denied({ ...facts, tool: { ...facts.tool, ...approved } });
      expect([name, again.explanation.code]).toEqual([name, code]);
    }
  });

  it.each([
    ["for the run", grantOf(), true],
    ["for the agent", grantOf({ run: null, agent: "analyst" }), true],
    ["for another run", grantOf({ run: "run_2" }), false],
    ["for another agent", grantOf({ run: null, agent: "other" }), false],
    ["for another tool", grantOf({ tool: "mail/*" }), false],
    ["that has ended", grantOf({ until: NOW }), false],
    ["whose condition holds", grantOf({ where: "tool.args.amount <= 900" }), true],
    ["whose condition does not hold", grantOf({ where: "tool.args.amount < 900" }), false],
    ["whose condition cannot be evaluated", grantOf({ where: "tool.args.card > 1" }), false],
  ])("a grant %s covers it: %s", (_what, grant, covers) => {
    const facts = toolFactsOf({ policies: [asks], rules: [rule], grants: [grantOf({ tool: "no" }), grant] });
    const judgement = judgeTool(facts);
    expect(judgement.disposition).toBe(covers ? "allow" : "hold");
    if (covers) expect(judgement.trail.at(-1)?.detail).toBe("covered by grant small: asks@1, Tool/refunds");
    expect(judgement.matched).toMatchObject([{ isSatisfied: covers }]);
  });

  it("is not replaced by a grant where something forbids the call", () => {
    const facts = toolFactsOf({ policies: [about()], grants: [grantOf()] });
    expect(denied(facts).explanation.code).toBe("policy_blocked");
  });
});

describe("the gates of the next round", () => {
  const stopped = (changes: Partial<RoundFacts>): Blocked => {
    const judgement = judgeRound(roundFactsOf(changes));
    if (judgement.disposition !== "block") throw new Error(`expected a block, but it is ${judgement.disposition}`);
    return judgement;
  };
  const goes = (changes: Partial<RoundFacts>): boolean => judgeRound(roundFactsOf(changes)).disposition === "allow";

  it("are these", () => {
    expect(ROUND_GATES.map(({ name }) => name)).toEqual(["turn_limits", "budgets"]);
  });

  it.each([
    [19, 0, true],
    [20, 0, false],
    [21, 0, false],
    [20, 1, true],
    [21, 1, false],
  ])("%i rounds, %i added: %s", (rounds, extraRounds, isAsExpected) => {
    expect(goes({ rounds, extraRounds })).toBe(isAsExpected);
    if (!isAsExpected) expect(stopped({ rounds, extraRounds }).explanation.code).toBe("turn_limits");
  });

  it("stop where the round does not fit under a ceiling, also one that would make a node wait", () => {
    const fits = envelope({ ceilingMicros: 250_001, spentMicros: 1 });
    const full = envelope({ ceilingMicros: 250_000, spentMicros: 1, onExhausted: "pause" });
    expect(goes({ envelopes: [fits] })).toBe(true);
    expect(goes({ agentBudget: fits })).toBe(true);
    expect(stopped({ envelopes: [fits, full] })).toMatchObject({
      block: { code: "budget_exceeded", after: "final" },
      explanation: { gate: "budgets" },
    });
    expect(stopped({ agentBudget: full }).explanation.unblock[0]?.target).toBe("Agent/analyst");
  });

  it("let no round of unknown price pass where there is a ceiling", () => {
    expect(goes({ estimateMicros: null })).toBe(true);
    expect(stopped({ estimateMicros: null, envelopes: [envelope()] }).explanation.code).toBe("price_unknown");
  });
});

describe("an agent that is not registered", () => {
  it("makes no call", () => {
    expect(denied(toolFactsOf({ agent: null })).explanation.code).toBe("agent_disabled");
    expect(isAllowed({ ...toolFactsOf(), agent: agentOf() })).toBe(true);
  });
});
