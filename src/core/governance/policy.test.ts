import { describe, expect, it } from "vitest";
import type { DispatchFacts } from "./facts.ts";
import { judgeDispatch } from "./judge.ts";
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
    "'internal' in agent.may_read and agent.budget_monthly_usd == null",
    "gateway.id == 'local' and gateway.environment == 'staging' and gateway.min_trust_level == 1",
    "run.workflow == 'vendor' and run.depth == 0 and run.environment == null and run.args.vendor == 'acme'",
    "node.id == 'assess' and node.kind == 'agent' and node.action == 'execute' and node.phase == 'intake'",
    "node.provider == 'openai' and node.model == 'gpt-x' and 'search' in node.tools and node.tools.length == 1",
    "node.estimatedUsd == 0.25",
    "role.name == 'researcher' and 'research' in role.skills",
    "budget == null and budget.ratio == null",
    "context.sources.length == 0",
  ])("%s", (when) => {
    expect(holds(when)).toBe(true);
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
