import { describe, expect, it } from "vitest";
import { DAY_MS } from "../base/index.ts";
import { ANYONE, type ApprovalRule } from "../definition/index.ts";
import { HOUR_MS } from "./calendar.ts";
import type { DispatchFacts } from "./facts.ts";
import type { Judgement } from "./gate.ts";
import { DISPATCH_GATES, judgeDispatch } from "./judge.ts";
import type { Policy } from "./registered.ts";
import { agentOf, envelope, factsOf, GATEWAY, NOW, policyOf } from "./sample.test.ts";

type Blocked = Extract<Judgement, { disposition: "block" }>;
type Held = Extract<Judgement, { disposition: "hold" }>;

function blocked(facts: DispatchFacts): Blocked {
  const judgement = judgeDispatch(facts);
  if (judgement.disposition !== "block") throw new Error(`expected a block, but it is ${judgement.disposition}`);
  return judgement;
}

function held(facts: DispatchFacts): Held {
  const judgement = judgeDispatch(facts);
  if (judgement.disposition !== "hold") throw new Error(`expected a hold, but it is ${judgement.disposition}`);
  return judgement;
}

function isAllowed(facts: DispatchFacts): boolean {
  return judgeDispatch(facts).disposition === "allow";
}

const NAMES = DISPATCH_GATES.map(({ name }) => name);

/** Every gate with facts it stops at, in the order they are asked. */
const STOPS: readonly (readonly [string, string, Partial<DispatchFacts>])[] = [
  ["gateway_health", "gateway_unreachable", { gateway: { ...GATEWAY, status: "offline" } }],
  ["agent_status", "agent_disabled", { agent: null }],
  ["identity", "identity_expired", { agent: agentOf({ identity: { expiresAt: NOW, isRevoked: false } }) }],
  ["concurrency", "agent_busy", { openAttempts: 4 }],
  ["rate_limit", "rate_limited", { rate: { count: 2, perSeconds: 60, used: 2, freesAt: NOW + 1 } }],
  ["agent_budget", "budget_exceeded", { agentBudget: envelope({ ceilingMicros: 1 }) }],
  ["budget_envelopes", "budget_exceeded", { envelopes: [envelope({ ceilingMicros: 1 })] }],
  ["trust_level", "trust_level_insufficient", { gateway: { ...GATEWAY, minTrustLevel: 6 } }],
  ["context_trust", "context_untrusted", { node: { ...factsOf().node, contextSources: [{ class: "untrusted" }] } }],
  ["policy_rules", "policy_blocked", { policies: [policyOf()] }],
  ["approval_required", "", { policies: [policyOf({ action: "require_approval" })] }],
];

const ESTIMATE = factsOf().estimateMicros ?? 0;

/** The same gates with facts that are just good enough. */
const PASSES: readonly (readonly [string, Partial<DispatchFacts>])[] = [
  ["gateway_health", { gateway: { ...GATEWAY, status: "degraded" } }],
  ["agent_status", { agent: agentOf({ lifecycle: "active", phase: "poc", phaseSince: NOW - 60 * DAY_MS + 1 }) }],
  ["identity", { agent: agentOf({ identity: { expiresAt: NOW + 1, isRevoked: false } }) }],
  ["concurrency", { openAttempts: 3 }],
  ["rate_limit", { rate: { count: 2, perSeconds: 60, used: 1, freesAt: null } }],
  ["agent_budget", { agentBudget: envelope({ ceilingMicros: ESTIMATE + 1, spentMicros: 1 }) }],
  ["budget_envelopes", { envelopes: [envelope({ ceilingMicros: ESTIMATE + 2, reservedMicros: 2 })] }],
  ["trust_level", { gateway: { ...GATEWAY, minTrustLevel: 5 } }],
  ["context_trust", { node: { ...factsOf().node, contextSources: [{ class: "external" }] } }],
  ["policy_rules", { policies: [policyOf({ when: "false" }), policyOf({ name: "soft", enforcement: "soft" })] }],
  ["approval_required", { policies: [policyOf({ action: "require_approval" })], grants: ["rule@1"] }],
];

describe("the dispatch gates", () => {
  it.each(PASSES)("%s lets pass what is just good enough", (name, changes) => {
    const judgement = judgeDispatch({ ...factsOf(), ...changes });
    expect(judgement.disposition).toBe("allow");
    expect(judgement.trail.find(({ gate }) => gate === name)?.outcome).toMatch(/^(?:pass|warn)$/);
  });

  it("stand in the order of the contract", () => {
    expect(NAMES).toEqual(STOPS.map(([name]) => name));
  });

  it.each(STOPS)("%s stops with %s, names itself, and nothing after it is asked", (name, code, changes) => {
    const judgement = judgeDispatch({ ...factsOf(), ...changes });
    if (judgement.disposition === "allow") throw new Error("expected it to stop");
    expect(judgement.disposition).toBe(code === "" ? "hold" : "block");
    expect(judgement.explanation).toMatchObject({ gate: name, code: code === "" ? "approval_required" : code });
    expect(judgement.explanation.unblock.length).toBeGreaterThan(0);
    for (const { action, target, detail } of judgement.explanation.unblock) {
      expect([action, target, detail].every((text) => text.length > 0)).toBe(true);
    }
    const index = NAMES.indexOf(name);
    expect(judgement.trail.map(({ gate }) => gate)).toEqual(NAMES);
    expect(judgement.trail.map(({ outcome }) => outcome)).toEqual(
      NAMES.map((_, at) => (at < index ? "pass" : at > index ? "not_evaluated" : judgement.disposition)),
    );
    expect(judgement.trail[index]?.detail).toContain(judgement.explanation.message);
  });

  it.each(STOPS.slice(0, -1))("%s is asked before what would stop later", (name, code, changes) => {
    const rest = STOPS.slice(STOPS.findIndex(([other]) => other === name) + 1);
    for (const [, , later] of rest) {
      // A pair that sets the same fact cannot be combined.
      if (Object.keys(later).some((key) => Object.hasOwn(changes, key))) continue;
      expect(blocked({ ...factsOf(), ...later, ...changes }).explanation).toMatchObject({ gate: name, code });
    }
  });
});

describe("the kill switch", () => {
  const closed = factsOf({ platform: { isOpen: false, reason: "incident 12" }, agent: null });

  it("stands before every gate and is asked again for a while", () => {
    const { block, explanation, trail } = blocked(closed);
    expect(explanation).toMatchObject({ gate: "platform_open", code: "platform_closed" });
    expect(explanation.message).toBe("the platform is closed: incident 12; open it again to continue");
    expect(block.after).toBe("paused");
    expect(trail.map(({ gate }) => gate)).toEqual(["platform_open", ...NAMES]);
    expect(trail.slice(1).every(({ outcome }) => outcome === "not_evaluated")).toBe(true);
  });

  it("leaves no trace while it is open", () => {
    expect(judgeDispatch(factsOf()).trail.map(({ gate }) => gate)).toEqual(NAMES);
  });
});

describe("gateway_health", () => {
  it("says which gateway is offline, or why there is none", () => {
    const offline = blocked(factsOf({ gateway: { ...GATEWAY, status: "offline" } }));
    expect(offline.explanation.message).toContain("gateway local is offline");
    expect(offline.block.after).toBe("final");
    const none = blocked(factsOf({ gateway: null, noGateway: "no gateway has the provider openai" }));
    expect(none.explanation).toMatchObject({
      code: "gateway_unreachable",
      message: "no gateway has the provider openai",
    });
    expect(blocked(factsOf({ gateway: null })).explanation.message).toContain("no gateway fits");
  });

  it("lets a degraded one pass with a warning", () => {
    const judgement = judgeDispatch(factsOf({ gateway: { ...GATEWAY, status: "degraded" } }));
    expect(judgement).toMatchObject({
      disposition: "allow",
      warnings: ["gateway local is degraded; answers may be late"],
    });
    expect(judgement.trail[0]).toMatchObject({ gate: "gateway_health", outcome: "warn" });
  });

  it.each(["restarting", "unknown"] as const)(
    "lets one that is %s pass with a warning: it may well be there",
    (status) => {
      const judgement = judgeDispatch(factsOf({ gateway: { ...GATEWAY, status } }));
      expect(judgement).toMatchObject({
        disposition: "allow",
        warnings: [expect.stringContaining("gateway local has ")],
      });
    },
  );
});

describe("agent_status", () => {
  it.each([
    [{ status: "terminated" }, "final", "analyst is terminated; set status to idle"],
    [{ status: "error" }, "final", "analyst is in status error; set status to idle"],
    [{ status: "paused" }, "paused", "analyst is paused; set status to idle"],
    [{ lifecycle: "draft" }, "final", "analyst is draft; set lifecycle to active"],
    [{ lifecycle: "suspended" }, "final", "analyst is suspended; set lifecycle to active"],
    [{ lifecycle: "archived" }, "final", "analyst is archived, which is final; give the work to another agent"],
    [{ phase: "sunset" }, "final", "analyst is in phase sunset"],
    [{ status: "paused", lifecycle: "archived" }, "final", "analyst is archived"],
    [{ status: "paused", phase: "sunset" }, "final", "analyst is in phase sunset"],
  ] as const)("blocks %j, %s", (agent, after, message) => {
    const { block, explanation } = blocked(factsOf({ agent }));
    expect(explanation).toMatchObject({ gate: "agent_status", code: "agent_disabled" });
    expect(explanation.message).toContain(message);
    expect(block.after).toBe(after);
  });

  it("blocks an agent that is not registered", () => {
    expect(blocked(factsOf({ agent: null })).explanation.message).toContain("no agent analyst is registered");
  });

  it.each(["none", "poc", "staging", "production"] as const)("lets phase %s pass", (phase) => {
    expect(isAllowed(factsOf({ agent: { phase } }))).toBe(true);
  });

  it("ends a proof of concept when 60 days are over", () => {
    const after = (ms: number): DispatchFacts => factsOf({ agent: { phase: "poc", phaseSince: NOW - ms } });
    expect(isAllowed(after(60 * DAY_MS - 1))).toBe(true);
    for (const ms of [60 * DAY_MS, 60 * DAY_MS + 1]) {
      expect(blocked(after(ms))).toMatchObject({ explanation: { code: "agent_disabled" }, block: { after: "final" } });
    }
    expect(blocked(after(60 * DAY_MS)).explanation.message).toContain("ended after 60 days, at 2031-05-04T10:00:00Z");
  });
});

describe("identity", () => {
  const withIdentity = (expiresAt: number | null, isRevoked = false): DispatchFacts =>
    factsOf({ agent: { identity: { expiresAt, isRevoked } } });

  it("passes without a credential, and until the moment it expires", () => {
    expect(isAllowed(factsOf({ agent: { identity: null } }))).toBe(true);
    expect(isAllowed(withIdentity(null))).toBe(true);
    expect(isAllowed(withIdentity(NOW + 1))).toBe(true);
    expect(blocked(withIdentity(NOW)).explanation.message).toContain("expired at 2031-05-04T10:00:00Z");
    expect(blocked(withIdentity(NOW - 1)).explanation.code).toBe("identity_expired");
  });

  it("blocks a revoked one, however long it would last", () => {
    expect(blocked(withIdentity(NOW + 1, true)).explanation.message).toContain("was revoked");
    expect(blocked(withIdentity(null, true)).block.after).toBe("final");
  });
});

describe("concurrency", () => {
  it("queues at the limit and names whom it waits for", () => {
    expect(isAllowed(factsOf({ openAttempts: 3 }))).toBe(true);
    const openExamples = [
      { runId: "run_7", nodeId: "x" },
      { runId: "run_8", nodeId: "y" },
    ];
    const { block, explanation } = blocked(factsOf({ openAttempts: 4, openExamples, waitingAhead: 2 }));
    expect(explanation.message).toBe(
      "analyst has 4 of 4 attempts open; raise max_concurrent, or wait for run_7 node x",
    );
    expect(explanation.facts).toEqual({ agent: "analyst", openAttempts: 4, maxConcurrent: 4, waitingAhead: 2 });
    expect(explanation.unblock.map(({ target }) => target)).toEqual(["Agent/analyst", "run_7/x", "run_8/y"]);
    expect(block).toMatchObject({ code: "agent_busy", after: "queue", waitingReason: "queued" });
    expect(blocked(factsOf({ openAttempts: 5 })).explanation.message).toContain("wait for one of them to end");
  });

  it("never lets an agent without slots work", () => {
    expect(blocked(factsOf({ agent: { maxConcurrent: 0 } })).explanation.message).toContain("0 of 0");
  });
});

describe("rate_limit", () => {
  const withUsed = (used: number, freesAt: number | null): DispatchFacts =>
    factsOf({ rate: { count: 3, perSeconds: 60, used, freesAt } });

  it("queues until the window frees", () => {
    expect(isAllowed(withUsed(2, null))).toBe(true);
    const { block, explanation } = blocked(withUsed(3, NOW + 5_000));
    expect(block).toMatchObject({ after: "queue", waitingReason: "rate_limit", until: NOW + 5_000 });
    expect(explanation.message).toBe(
      "analyst has had 3 of 3 dispatches in 60 s; raise rate_limit, or wait until 2031-05-04T10:00:05Z",
    );
    expect(blocked(withUsed(4, null)).block.until).toBeUndefined();
  });
});

describe("budgets", () => {
  const at = (spentMicros: number, reservedMicros: number, estimateMicros: number): DispatchFacts =>
    factsOf({ estimateMicros, envelopes: [envelope({ ceilingMicros: 100, spentMicros, reservedMicros })] });

  it.each([
    [0, 0, 99, true],
    [0, 0, 100, true],
    [0, 0, 101, false],
    [50, 25, 24, true],
    [50, 25, 25, true],
    [50, 25, 26, false],
    [99, 0, 1, true],
    [99, 0, 0, true],
    [100, 0, 0, false],
    [101, 0, 0, false],
    [99, 100, 0, false],
  ])("spent %i, reserved %i, estimate %i of 100: fits %s", (spent, reserved, estimate, isFine) => {
    const facts = at(spent, reserved, estimate);
    expect(isAllowed(facts)).toBe(isFine);
    const [agentBudget = null] = facts.envelopes;
    const own = { ...facts, envelopes: [], agentBudget };
    expect(isAllowed(own)).toBe(isFine);
    if (isFine) return;
    expect(blocked(facts).explanation).toMatchObject({ gate: "budget_envelopes", code: "budget_exceeded" });
    expect(blocked(own).explanation).toMatchObject({ gate: "agent_budget", code: "budget_exceeded" });
    expect(blocked(own).block.after).toBe("final");
  });

  it("names the binding and its field where a role has a bound", () => {
    const bounded = envelope({ id: "agent/analyst/monthly", ceilingMicros: 1, boundBy: "analyst-writes" });
    const facts = factsOf({ role: { name: "writer", skills: [] }, agentBudget: bounded });
    const { explanation } = blocked(facts);
    expect(explanation).toMatchObject({
      gate: "agent_budget",
      code: "budget_exceeded",
      facts: { envelope: "agent/analyst/monthly", boundBy: "RoleBinding/analyst-writes" },
    });
    expect(explanation.message).toContain("the monthly budget of analyst in the role writer has ");
    expect(explanation.unblock[0]).toMatchObject({ action: "raise_budget", target: "RoleBinding/analyst-writes" });
    expect(explanation.unblock[0]?.detail).toContain("raise max_spend_usd to ");
    const { explanation: own } = blocked(factsOf({ agentBudget: envelope({ ceilingMicros: 1 }) }));
    expect(own.unblock[0]).toMatchObject({ target: "Agent/analyst" });
    expect(own.unblock[0]?.detail).toContain("raise budget_monthly_usd to ");
  });

  it("shows the amounts as people and as programs read them", () => {
    const one = envelope({ spentMicros: 9_500_000, reservedMicros: 300_000 });
    const { explanation } = blocked(factsOf({ envelopes: [envelope({ id: "wide" }), one] }));
    expect(explanation.message).toBe(
      "budget ops (daily, global) has $9.50 of $10.00 spent and $0.30 reserved, and this may cost $0.25; " +
        "raise amount_usd, or wait for the reset at 2031-05-05T00:00:00Z",
    );
    expect(explanation.facts).toMatchObject({
      envelope: "ops",
      spentUsd: "9.50",
      spentMicros: 9_500_000,
      reservedMicros: 300_000,
      ceilingUsd: "10.00",
      estimateUsd: "0.25",
      estimateMicros: 250_000,
    });
    expect(explanation.unblock[0]).toEqual({
      action: "raise_budget",
      target: "Budget/ops",
      detail: "raise amount_usd to 10.05 or more",
    });
  });

  it("that pause make a node wait for the next period or a higher ceiling, however long it takes", () => {
    const pausing = envelope({ spentMicros: 10_000_000, onExhausted: "pause" });
    const { block, explanation } = blocked(factsOf({ envelopes: [pausing], estimateMicros: 0 }));
    expect(block).toMatchObject({
      code: "budget_exceeded",
      after: "queue",
      waitingReason: "queued",
      until: pausing.periodEnd,
      pausedBy: "ops",
    });
    expect(explanation.message).toBe(
      "budget ops (daily, global) has $10.00 of $10.00 spent; " +
        "raise amount_usd, it waits for that or the reset at 2031-05-05T00:00:00Z",
    );
    expect(explanation.unblock.map(({ action }) => action)).toEqual(["raise_budget", "wait"]);
    const fitting = envelope({ ceilingMicros: 250_000, onExhausted: "pause" });
    expect(isAllowed(factsOf({ envelopes: [fitting] }))).toBe(true);
  });

  it("that pause promise nothing of the next period where a whole one is too little", () => {
    const small = envelope({ ceilingMicros: 249_999, onExhausted: "pause" });
    const { block, explanation } = blocked(factsOf({ envelopes: [small] }));
    expect(block).toMatchObject({ after: "queue", pausedBy: "ops" });
    expect(explanation.unblock.map(({ action }) => action)).toEqual(["raise_budget"]);
  });

  it("that block win over those that pause, whichever comes first", () => {
    const pausing = envelope({ id: "waits", spentMicros: 10_000_000, onExhausted: "pause" });
    const blocking = envelope({ id: "ends", spentMicros: 10_000_000 });
    for (const envelopes of [
      [pausing, blocking],
      [blocking, pausing],
    ]) {
      const { block } = blocked(factsOf({ envelopes }));
      expect(block).toMatchObject({ after: "final", facts: { envelope: "ends" } });
      expect(block.pausedBy).toBeUndefined();
    }
  });

  it("names the agent whose own ceiling it is", () => {
    const { explanation } = blocked(factsOf({ agentBudget: envelope({ spentMicros: 10_000_000 }), estimateMicros: 0 }));
    expect(explanation.message).toBe(
      "the monthly budget of analyst has $10.00 of $10.00 spent; " +
        "raise budget_monthly_usd, or wait for the reset at 2031-05-05T00:00:00Z",
    );
    expect(explanation.unblock[0]?.detail).toBe("raise budget_monthly_usd above 10.00");
  });

  it("needs a price wherever there is a ceiling", () => {
    const own = blocked(factsOf({ estimateMicros: null, agentBudget: envelope({ id: "agent/analyst/monthly" }) }));
    expect(own.explanation).toMatchObject({ gate: "budget_envelopes", code: "price_unknown" });
    expect(own.explanation.message).toContain("no price is known for openai:gpt-x");
    expect(own.explanation.message).toContain("agent/analyst/monthly");
    const named = (provider: string | null, model: string | null): string =>
      blocked(factsOf({ estimateMicros: null, envelopes: [envelope()], node: { ...factsOf().node, provider, model } }))
        .explanation.message;
    expect(named("ai-sdk", "house:m-1")).toContain("no price is known for house:m-1,");
    expect(named("ai-sdk", null)).toContain("no price is known for the model ai-sdk calls when none is named,");
    const { explanation } = blocked(factsOf({ estimateMicros: null, envelopes: [envelope()] }));
    expect(explanation.unblock.map(({ action }) => action)).toEqual(["register_model", "set_estimate"]);
    const spent = factsOf({ estimateMicros: null, envelopes: [envelope(), envelope({ ceilingMicros: 0 })] });
    expect(blocked(spent).explanation.code).toBe("budget_exceeded");
  });

  it("warns of an unknown price where nothing is limited", () => {
    const facts = factsOf({ estimateMicros: null, node: { model: null, provider: null } });
    expect(judgeDispatch(facts)).toMatchObject({
      disposition: "allow",
      warnings: ["no price is known for the model: nothing is reserved"],
    });
  });

  it("fails closed on numbers that are none", () => {
    expect(blocked(factsOf({ envelopes: [envelope({ spentMicros: Number.NaN })] })).explanation.code).toBe(
      "budget_exceeded",
    );
    expect(isAllowed(factsOf({ envelopes: [envelope()], estimateMicros: Number.NaN }))).toBe(false);
  });
});

describe("trust_level", () => {
  it("compares with what the gateway demands", () => {
    const at = (minTrustLevel: number): DispatchFacts => factsOf({ gateway: { ...GATEWAY, minTrustLevel } });
    expect(isAllowed(at(4))).toBe(true);
    expect(isAllowed(at(5))).toBe(true);
    expect(blocked(at(6)).explanation.message).toContain("trust level 5, and gateway local demands 6");
  });

  it.each(["assistive", "retrieval"] as const)("lets %s only read", (autonomy) => {
    const doing = (action: DispatchFacts["node"]["action"]): DispatchFacts =>
      factsOf({ agent: { autonomy }, node: { action } });
    expect(isAllowed(doing("read"))).toBe(true);
    for (const action of ["execute", "write", "financial"] as const) {
      const { explanation } = blocked(doing(action));
      expect(explanation).toMatchObject({ gate: "trust_level", code: "autonomy_insufficient" });
      expect(explanation.message).toContain(`assess has action ${action}`);
    }
  });
});

describe("context_trust", () => {
  const reading = (source: DispatchFacts["node"]["contextSources"][number], maxAgeHours: number | null = null) =>
    factsOf({ agent: { maxAgeHours }, node: { contextSources: [{ class: "trusted" }, source] } });

  it("knows what an agent may read", () => {
    expect(isAllowed(reading({ class: "external" }))).toBe(true);
    const { explanation } = blocked(reading({ class: "untrusted" }));
    expect(explanation.code).toBe("context_untrusted");
    expect(explanation.message).toBe(
      "context source 2 of assess (untrusted) is of a class analyst may not read; add untrusted to may_read",
    );
  });

  it("takes nothing older than allowed", () => {
    const asOf = "2031-05-04T08:00:00Z";
    expect(isAllowed(reading({ class: "internal", asOf }))).toBe(true);
    expect(isAllowed(reading({ class: "internal", asOf }, 2))).toBe(true);
    expect(isAllowed({ ...reading({ class: "internal", asOf }, 2), at: NOW - HOUR_MS })).toBe(true);
    const { explanation } = blocked({ ...reading({ class: "internal", asOf }, 2), at: NOW + 1 });
    expect(explanation.message).toContain("is as of 2031-05-04T08:00:00Z, 2 h old, and analyst takes at most 2 h");
    expect(isAllowed(reading({ class: "internal" }, 0))).toBe(true);
    expect(isAllowed(reading({ class: "internal", asOf: "2031-06-01" }, 0))).toBe(true);
    expect(blocked(reading({ class: "internal", asOf: "2031-02-30" }, 2)).explanation.message).toContain("no date");
  });

  it("keeps data in its environment", () => {
    expect(isAllowed(reading({ class: "internal", environment: "staging" }))).toBe(true);
    expect(blocked(reading({ class: "internal", environment: "production" })).explanation.message).toContain(
      "belongs to environment production, and gateway local is staging",
    );
    const homeless = {
      ...reading({ class: "internal", environment: "staging" }),
      gateway: { ...GATEWAY, environment: null },
    };
    expect(blocked(homeless).explanation.message).toContain("gateway local has no environment");
  });
});

describe("policy_rules", () => {
  it("blocks with the most specific policy and names the others", () => {
    const policies = [
      policyOf({ name: "wide", reason: "never" }),
      policyOf({ name: "soft", enforcement: "soft" }),
      policyOf({ name: "narrow", version: 3, scope: "agent", scopeId: "analyst", when: "agent.trustLevel < 6" }),
    ];
    const { block, explanation, matched, trail } = blocked(factsOf({ policies }));
    expect(block).toMatchObject({ code: "policy_blocked", after: "final" });
    expect(explanation.message).toBe("policy narrow@3 blocks assess; so does wide@1");
    expect(explanation.facts).toMatchObject({ policy: "narrow@3", condition: "agent.trustLevel < 6" });
    expect(explanation.unblock.map(({ target }) => target)).toEqual(["Policy/narrow", "Policy/wide"]);
    expect(matched.map(({ name, isSatisfied }) => [name, isSatisfied])).toEqual([
      ["narrow", false],
      ["soft", true],
      ["wide", false],
    ]);
    expect(trail[9]?.detail).toContain("matched: narrow@3 (hard block), soft@1 (soft block), wide@1 (hard block)");
  });

  it("fails closed where a hard policy cannot be evaluated, and open where nothing is enforced", () => {
    const when = "run.args.vendor > 5";
    const { explanation } = blocked(factsOf({ policies: [policyOf({ when, reason: "too expensive" })] }));
    expect(explanation.message).toContain("policy rule@1 (too expensive), whose condition could not be evaluated");
    expect(explanation.message).toContain("run.args.vendor is text and 5 is a number");
    const soft = judgeDispatch(factsOf({ policies: [policyOf({ when, enforcement: "soft" })] }));
    expect(soft).toMatchObject({ disposition: "allow", matched: [] });
    expect(soft.trail[9]).toMatchObject({ outcome: "warn" });
    expect(isAllowed(factsOf({ policies: [policyOf({ when, action: "warn" })] }))).toBe(true);
    expect(held(factsOf({ policies: [policyOf({ when, action: "require_approval" })] })).hold.wanted).toEqual([
      "rule@1",
    ]);
  });

  it("reports what matches and changes nothing", () => {
    const policies = [
      policyOf({ name: "a", action: "warn", reason: "mind the gap" }),
      policyOf({ name: "b", enforcement: "soft" }),
      policyOf({ name: "c", enforcement: "audit" }),
      policyOf({ name: "d", action: "log" }),
      policyOf({ name: "e", action: "require_approval", enforcement: "soft" }),
      policyOf({ name: "f", isEnabled: false }),
    ];
    const judgement = judgeDispatch(factsOf({ policies }));
    expect(judgement).toMatchObject({
      disposition: "allow",
      warnings: ["policy a@1 (mind the gap) warns", "policy b@1 would block", "policy e@1 would ask for an approval"],
    });
    expect(judgement.matched.map(({ name }) => name)).toEqual(["a", "b", "c", "d", "e"]);
    expect(judgement.matched.every(({ isSatisfied }) => isSatisfied)).toBe(true);
  });

  it("leaves policies about launches alone", () => {
    expect(isAllowed(factsOf({ policies: [policyOf({ category: "run_creation" })] }))).toBe(true);
  });
});

describe("approval_required", () => {
  const asking = policyOf({ name: "ask", version: 2, action: "require_approval", reason: "mail leaves the house" });

  it("holds for a policy until it is granted in that version", () => {
    const { hold, gate, explanation } = held(factsOf({ policies: [asking] }));
    expect(gate).toBe("approval_required");
    expect(hold.message).toBe("assess needs an approval: policy ask@2 (mail leaves the house)");
    expect(hold.wanted).toEqual(["ask@2"]);
    expect(hold.rule).toEqual({
      approvers: [],
      otherwise: null,
      expiresMs: 7 * DAY_MS,
      isSeparate: false,
      quorum: 1,
      show: [],
      form: null,
      confirm: null,
    });
    expect(explanation.unblock).toEqual([
      { action: "approve", target: "run_1/assess", detail: "anyone who may approve answers" },
    ]);
    expect(held(factsOf({ policies: [asking], grants: ["ask@1"] })).hold.wanted).toEqual(["ask@2"]);
    const granted = judgeDispatch(factsOf({ policies: [asking], grants: ["ask@2"] }));
    expect(granted.disposition).toBe("allow");
    expect(granted.trail[10]).toEqual({ gate: "approval_required", outcome: "pass", detail: "granted: ask@2" });
    expect(granted.matched).toMatchObject([{ name: "ask", isSatisfied: true }]);
  });

  it("holds what writes or spends under supervision", () => {
    for (const action of ["write", "financial"] as const) {
      const facts = factsOf({ node: { action } });
      expect(held(facts).hold.wanted).toEqual(["rung"]);
      expect(held(facts).hold.message).toBe(
        `assess needs an approval: analyst is supervised and its action is ${action}`,
      );
      expect(isAllowed({ ...facts, grants: ["rung"] })).toBe(true);
      expect(isAllowed(factsOf({ agent: { autonomy: "bounded" }, node: { action } }))).toBe(true);
    }
  });

  it("asks another agent or a person above the threshold", () => {
    const spending = (estimateMicros: number | null, financialThresholdMicros: number | null = 100): DispatchFacts =>
      factsOf({
        estimateMicros,
        agent: { autonomy: "bounded", financialThresholdMicros },
        node: { action: "financial" },
      });
    expect(isAllowed(spending(99))).toBe(true);
    expect(isAllowed(spending(100))).toBe(true);
    expect(held(spending(101)).hold).toMatchObject({ wanted: ["two_agents"], rule: { isSeparate: true } });
    expect(held(spending(101)).hold.facts).toMatchObject({ estimateMicros: 101, thresholdMicros: 100 });
    expect(held(spending(null)).hold.message).toContain("an unknown amount");
    expect(isAllowed(spending(101, null))).toBe(true);
    expect(isAllowed({ ...spending(101), grants: ["two_agents"] })).toBe(true);
    expect(held({ ...spending(101), grants: ["rung"] }).hold.wanted).toEqual(["two_agents"]);
    expect(held(spending(101)).explanation.unblock[0]?.detail).toContain("but not who started the run");
  });

  it("asks for everything at once, by the rule of the most specific policy that names approvers", () => {
    const rule = (who: string, isSeparate = false) => ({
      approvers: [{ who, withinMs: null }],
      otherwise: "reject" as const,
      expiresMs: 5_000,
      isSeparate,
      quorum: 1,
      show: [],
      form: null,
      confirm: null,
    });
    const policies = [
      policyOf({ name: "wide", action: "require_approval", approvers: rule("role:board", true) }),
      policyOf({
        name: "flow",
        action: "require_approval",
        scope: "workflow",
        scopeId: "vendor",
        approvers: rule("role:risk"),
      }),
      policyOf({ name: "own", action: "require_approval", scope: "agent", scopeId: "analyst" }),
    ];
    const { hold, explanation } = held(factsOf({ policies, node: { action: "write" }, grants: ["other@1"] }));
    expect(hold.wanted).toEqual(["own@1", "flow@1", "wide@1", "rung"]);
    expect(hold.rule).toEqual({ ...rule("role:risk"), isSeparate: true });
    expect(explanation.unblock[0]?.detail).toBe("role:risk answers, but not who started the run");
    const counted = policyOf({
      name: "two",
      action: "require_approval",
      scope: "agent",
      scopeId: "analyst",
      approvers: { ...rule("role:x"), approvers: [], quorum: 2, confirm: "sign_in" },
    });
    // How many and how they confirm is demanded by any policy; who they are, by the first that names them.
    expect(held(factsOf({ policies: [...policies, counted], node: { action: "write" } })).hold.rule).toEqual({
      ...rule("role:risk"),
      isSeparate: true,
      quorum: 2,
      confirm: "sign_in",
    });
    expect(hold.reasons.map(({ name }) => name)).toEqual(["own", "flow", "wide", "rung"]);
    const rest = held(factsOf({ policies, node: { action: "write" }, grants: ["own@1", "flow@1", "rung"] }));
    expect(rest.hold.wanted).toEqual(["wide@1"]);
    expect(rest.hold.rule).toEqual(rule("role:board", true));
  });

  it("approves by default only what all who ask approve by default", () => {
    const lenient = { ...ANYONE, approvers: [{ who: "role:risk", withinMs: 1 }], otherwise: "approve" as const };
    const policy = (name: string, approvers: ApprovalRule | null) =>
      policyOf({ name, action: "require_approval", approvers });
    const otherwiseOf = (policies: readonly Policy[], action: "read" | "write" = "read") =>
      held(factsOf({ policies, node: { action } })).hold.rule.otherwise;
    const first = policy("first", lenient);
    expect(otherwiseOf([first])).toBe("approve");
    expect(otherwiseOf([first, policy("second", { ...lenient, quorum: 2 })])).toBe("approve");
    expect(otherwiseOf([first, policy("second", { ...ANYONE, quorum: 2 })])).toBeNull();
    expect(otherwiseOf([first, policy("second", null)])).toBeNull();
    expect(otherwiseOf([first], "write")).toBeNull();
  });

  it("comes after every block", () => {
    const policies = [asking, policyOf({ name: "no" })];
    expect(blocked(factsOf({ policies })).explanation.gate).toBe("policy_rules");
  });
});

describe("a gateway that is offline", () => {
  it("is reported with the cause when that is known, and else with what to do", () => {
    const offline = { ...GATEWAY, status: "offline" } as const;
    expect(blocked(factsOf({ gateway: { ...offline, offlineBecause: "its key was revoked" } })).block.message).toBe(
      "gateway local is offline: its key was revoked",
    );
    expect(blocked(factsOf({ gateway: offline })).block.message).toContain("start its Bridge");
  });
});

describe("a budget that is used up", () => {
  it("is named with what it is for", () => {
    const message = (changes: Parameters<typeof envelope>[0]): string =>
      blocked(factsOf({ envelopes: [envelope({ ceilingMicros: 0, ...changes })] })).block.message;
    expect(message({ scope: "workflow", scopeId: "vendor" })).toContain(", workflow vendor)");
    expect(message({ scope: "global", scopeId: null })).toContain(", global)");
  });
});
