import { describe, expect, it } from "vitest";
import type { LaunchFacts } from "./facts.ts";
import type { Judgement } from "./gate.ts";
import { judgeLaunch, LAUNCH_GATES, LAUNCH_STATUSES } from "./judge.ts";
import { envelope, GATEWAY, launchOf, NOW, policyOf } from "./sample.test.ts";

function blocked(facts: LaunchFacts): Extract<Judgement, { disposition: "block" }> {
  const judgement = judgeLaunch(facts);
  if (judgement.disposition !== "block") throw new Error(`expected a block, but it is ${judgement.disposition}`);
  return judgement;
}

const NAMES = LAUNCH_GATES.map(({ name }) => name);
const creating = { category: "run_creation" } as const;

const STOPS: readonly (readonly [string, string, number, Partial<LaunchFacts>])[] = [
  ["platform_open", "platform_closed", 503, { platform: { isOpen: false, reason: null } }],
  ["platform_open", "workflow_paused", 409, { workflowStatus: "paused" }],
  ["platform_open", "workflow_paused", 409, { workflowStatus: "deprecated" }],
  ["gateway_health", "gateway_unreachable", 503, { gateway: { ...GATEWAY, status: "offline" } }],
  ["gateway_health", "gateway_unreachable", 503, { gateway: null, noGateway: "none at hand" }],
  ["execution_posture", "posture_forbidden", 403, { posture: "advisory", hasApprovedLaunch: true }],
  ["execution_posture", "posture_forbidden", 403, { posture: "retrieval" }],
  ["execution_posture", "posture_forbidden", 403, { posture: "approval_required" }],
  ["budget_envelopes", "budget_exceeded", 403, { envelopes: [envelope({ spentMicros: 10_000_000 })] }],
  ["policy_rules", "policy_blocked", 403, { policies: [policyOf(creating)] }],
  ["start_rate", "rate_limited", 429, { rate: { count: 30, perSeconds: 60, used: 30, freesAt: NOW } }],
];

describe("the launch gates", () => {
  it("stand in the order of the contract", () => {
    expect(NAMES).toEqual([...new Set(STOPS.map(([name]) => name))]);
  });

  it.each(STOPS)("%s stops with %s (%i), and nothing after it is asked", (name, code, status, changes) => {
    const { block, explanation, trail } = blocked(launchOf(changes));
    expect(explanation).toMatchObject({ gate: name, code });
    expect(explanation.unblock.length).toBeGreaterThan(0);
    expect(LAUNCH_STATUSES[code]).toBe(status);
    expect(block.after).toBe("final");
    const index = NAMES.indexOf(name);
    expect(trail.map(({ outcome }) => outcome)).toEqual(
      NAMES.map((_, at) => (at < index ? "pass" : at > index ? "not_evaluated" : "block")),
    );
  });

  it("lets an approved launch of such a workflow pass", () => {
    expect(judgeLaunch(launchOf({ posture: "approval_required", hasApprovedLaunch: true })).disposition).toBe("allow");
  });

  it("looks only at what is already spent", () => {
    const at = (spentMicros: number): LaunchFacts =>
      launchOf({ envelopes: [envelope({ ceilingMicros: 100, spentMicros, reservedMicros: 100 })] });
    expect(judgeLaunch(at(99)).disposition).toBe("allow");
    expect(blocked(at(100)).explanation.message).toContain("budget ops (daily, global)");
    expect(blocked(at(101)).explanation.code).toBe("budget_exceeded");
  });

  it("does not wait for a budget that pauses", () => {
    const { block } = blocked(launchOf({ envelopes: [envelope({ spentMicros: 10_000_000, onExhausted: "pause" })] }));
    expect(block).toMatchObject({ code: "budget_exceeded", after: "final" });
    expect(block.pausedBy).toBeUndefined();
  });

  it("counts starts", () => {
    const at = (used: number): LaunchFacts =>
      launchOf({ rate: { count: 30, perSeconds: 60, used, freesAt: NOW + 1_000 } });
    expect(judgeLaunch(at(29)).disposition).toBe("allow");
    expect(blocked(at(30)).explanation.message).toBe(
      "this key has made 30 of 30 starts in 60 s; try again at 2031-05-04T10:00:01Z",
    );
    expect(blocked(at(31)).block.until).toBe(NOW + 1_000);
  });
});

describe("policies about launches", () => {
  const judged = (changes: Parameters<typeof policyOf>[0], facts: Partial<LaunchFacts> = {}) =>
    judgeLaunch(launchOf({ ...facts, policies: [policyOf({ ...creating, ...changes })] })).disposition;

  it("see the run and nothing else", () => {
    expect(judged({ when: "run.workflow == 'vendor' and run.args.vendor == 'acme' and run.depth == 0" })).toBe("block");
    expect(judged({ when: "agent.id != null or gateway.id != null or node.id != null" })).toBe("allow");
  });

  it("apply by workflow, gateway and environment, and never by agent", () => {
    expect(judged({ scope: "workflow", scopeId: "vendor" })).toBe("block");
    expect(judged({ scope: "workflow", scopeId: "other" })).toBe("allow");
    expect(judged({ scope: "gateway", scopeId: "local" })).toBe("block");
    expect(judged({ scope: "environment", scopeId: "staging" })).toBe("block");
    expect(judged({ scope: "environment", scopeId: "production" })).toBe("allow");
    expect(judged({ scope: "agent", scopeId: "analyst" })).toBe("allow");
    expect(judged({ scope: "agent", scopeId: null })).toBe("allow");
  });

  it("leave every other category to the dispatch", () => {
    expect(judged({ category: "guardrail" })).toBe("allow");
  });

  it("turn a wanted approval into an approved launch", () => {
    const asking = { action: "require_approval", name: "ask" } as const;
    const facts = launchOf({ policies: [policyOf({ ...creating, ...asking })] });
    expect(blocked(facts).explanation.message).toBe("policy ask@1 lets it start only with an approved launch");
    expect(blocked(facts).explanation.unblock[0]?.action).toBe("approve_launch");
    const approved = judgeLaunch({ ...facts, hasApprovedLaunch: true });
    expect(approved).toMatchObject({ disposition: "allow", matched: [{ name: "ask", isSatisfied: true }] });
    expect(judged({ ...asking, enforcement: "soft" })).toBe("allow");
    expect(judged({ action: "block" }, { hasApprovedLaunch: true })).toBe("block");
  });
});
