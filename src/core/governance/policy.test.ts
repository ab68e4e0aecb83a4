import { describe, expect, it } from "vitest";
import type { DispatchFacts } from "./facts.ts";
import { judgeDispatch } from "./judge.ts";
import { reasonOf } from "./policy.ts";
import { policySubject } from "./policy-subject.ts";
import type { Policy } from "./registered.ts";
import { envelope, factsOf, GATEWAY, policyOf } from "./sample.test.ts";

function isMatch(policy: Policy, facts: DispatchFacts = factsOf()): boolean {
  return judgeDispatch({ ...facts, policies: [{ ...policy, action: "log" }] }).matched.length === 1;
}

const holds = (when: string, facts?: DispatchFacts): boolean => isMatch(policyOf({ when }), facts);

describe("the scope of a policy", () => {
  it.each([
    ["global", null, true],
    ["gateway", "local", true],
    ["gateway", "other", false],
    ["agent", "analyst", true],
    ["agent", "other", false],
    ["workflow", "vendor", true],
    ["workflow", "other", false],
    ["environment", "staging", true],
    ["environment", "production", false],
    ["agent", null, true],
    ["environment", null, true],
  ] as const)("%s %s: applies %s", (scope, scopeId, applies) => {
    expect(isMatch(policyOf({ scope, scopeId }))).toBe(applies);
  });

  it("takes the environment of the run and of the gateway", () => {
    const { run } = factsOf();
    const facts = factsOf({ run: { ...run, environment: "production" } });
    const about = (scopeId: string | null): Policy => policyOf({ scope: "environment", scopeId });
    expect(isMatch(about("production"), facts)).toBe(true);
    expect(isMatch(about("staging"), facts)).toBe(true);
    expect(isMatch(about(null), factsOf({ gateway: { ...GATEWAY, environment: null } }))).toBe(false);
  });

  it("does not apply when switched off", () => {
    expect(isMatch(policyOf({ isEnabled: false }))).toBe(false);
  });
});

describe("what a policy sees", () => {
  it.each([
    "agent.id == 'analyst' and agent.trustLevel == 5 and agent.trust_level == 5",
    "agent.autonomy == 'supervised' and agent.max_concurrent == 4 and 'research' in agent.skills",
    "'internal' in agent.may_read and agent.budget_monthly_usd == null and agent.financial_threshold_usd == null",
    "gateway.id == 'local' and gateway.environment == 'staging' and gateway.min_trust_level == 1",
    "run.workflow == 'vendor' and run.depth == 0 and run.environment == null and run.args.vendor == 'acme'",
    "node.id == 'assess' and node.kind == 'agent' and node.action == 'execute' and node.phase == 'intake'",
    "node.provider == 'openai' and node.model == 'gpt-x' and 'search' in node.tools and node.tools.length == 1",
    "node.estimatedUsd == 0.25",
    "role.name == 'researcher' and 'research' in role.skills",
    "budget == null and budget.ratio == null",
    "context.sources.length == 0",
    "adapter.turns == 'durable'",
  ])("%s", (when) => {
    expect(holds(when)).toBe(true);
  });

  it("sees amounts of money in dollars", () => {
    const facts = factsOf({ agent: { budgetMonthlyMicros: 2_500_000, financialThresholdMicros: 750_000 } });
    expect(holds("agent.budgetMonthlyUsd == 2.5 and agent.financial_threshold_usd == 0.75", facts)).toBe(true);
  });

  it("reaches nothing that is not a field", () => {
    for (const path of ["agent.constructor", "run.args.__proto__", "agent.toString.name", "facts.at", "run.runId"]) {
      expect(holds(`${path} != null`), path).toBe(false);
    }
  });

  it("sees the classes of declared sources", () => {
    const facts = factsOf({ node: { contextSources: [{ class: "external", asOf: "2031-05-04" }] } });
    expect(holds("'external' in context.sources", facts)).toBe(true);
    expect(holds("'trusted' in context.sources", facts)).toBe(false);
  });

  it("sees the ceiling nearest to its end", () => {
    const facts = factsOf({
      agentBudget: envelope({ ceilingMicros: 4_000_000, spentMicros: 1_000_000 }),
      envelopes: [envelope({ spentMicros: 5_000_000 }), envelope({ spentMicros: 2_000_000 })],
    });
    expect(policySubject(facts)["budget"]).toEqual({ spentUsd: 5, limitUsd: 10, ratio: 0.5 });
    const spent = factsOf({ envelopes: [envelope(), envelope({ ceilingMicros: 0 })] });
    expect(policySubject(spent)["budget"]).toEqual({ spentUsd: 0, limitUsd: 0, ratio: 1 });
  });

  it("knows nothing of an agent, a gateway, a role or a price that is not there", () => {
    const facts = factsOf({ agent: null, gateway: null, role: null, estimateMicros: null });
    expect(policySubject(facts)).toMatchObject({
      agent: null,
      gateway: null,
      role: null,
      node: { estimatedUsd: null },
    });
  });
});

describe("policies that match", () => {
  const matched = (policies: readonly Policy[], grants: readonly string[] = []) =>
    judgeDispatch(factsOf({ policies, grants })).matched;

  it("are in the order of their scope, their name and, the newest first, their version", () => {
    const soft = { action: "log" } as const;
    const policies = [
      policyOf({ ...soft, name: "b", version: 1 }),
      policyOf({ ...soft, name: "b", version: 12 }),
      policyOf({ ...soft, name: "b", version: 2 }),
      policyOf({ ...soft, name: "a", version: 1 }),
      policyOf({ ...soft, name: "z", version: 1, scope: "agent", scopeId: "analyst" }),
    ];
    expect(matched(policies).map(({ name, version }) => `${name}@${version}`)).toEqual([
      "z@1",
      "a@1",
      "b@12",
      "b@2",
      "b@1",
    ]);
  });

  it("are satisfied by a grant only where they ask for an approval", () => {
    const asks = policyOf({ name: "asks", action: "require_approval" });
    const blocks = policyOf({ name: "blocks" });
    const states = matched([asks, blocks], ["asks@1", "blocks@1"]).map(({ name, isSatisfied }) => [name, isSatisfied]);
    expect(states).toEqual([
      ["asks", true],
      ["blocks", false],
    ]);
  });

  it("give the people they ask a reason, also without one of the author and when the condition could not be evaluated", () => {
    expect(reasonOf({ name: "ask", reason: null, error: null })).toEqual({
      name: "ask",
      reason: "It asks for an approval.",
    });
    expect(reasonOf({ name: "ask", reason: "Money leaves.", error: null }).reason).toBe("Money leaves.");
    expect(reasonOf({ name: "ask", reason: "Money leaves.", error: "no number" }).reason).toBe(
      "Money leaves. Its condition could not be evaluated and so counts as true: no number",
    );
  });

  it("do not count where advice could not be evaluated, and a warning names it", () => {
    const advice = policyOf({ name: "advice", enforcement: "soft", when: "run.args.vendor > 1" });
    const judgement = judgeDispatch(factsOf({ policies: [advice] }));
    expect(judgement).toMatchObject({ disposition: "allow", matched: [] });
    expect(judgement.disposition === "allow" && judgement.warnings).toEqual([
      expect.stringMatching(/^policy advice@1 says nothing, its condition could not be evaluated: ./),
    ]);
  });
});
