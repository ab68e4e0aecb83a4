import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { PLAIN_AGENT, PLAIN_MEMBER, PLAIN_TOOL } from "../../test/conformance/plain.ts";
import type { Json, JsonObject } from "../core/base/index.ts";
import type { Entry } from "../store/index.ts";
import { agentOf, DEFAULT_AGENT } from "./agent.ts";
import { budgetOf } from "./budget.ts";
import { planChange } from "./change.ts";
import { changeAudit } from "./change-audit.ts";
import { deploymentOf } from "./deployment.ts";
import { grantOf } from "./grant.ts";
import { microsOf } from "./field.ts";
import type { RegisteredKind } from "./kind.ts";
import { lensOf } from "./lens.ts";
import { modelOf } from "./model.ts";
import { policyOf } from "./policy.ts";
import { readSpec } from "./read-spec.ts";
import { bindingOf } from "./role-binding.ts";
import { specText } from "./spec-text.ts";
import { teamOf } from "./team.ts";
import { toolOf } from "./tool.ts";

const AT = 1_900_000_000_000;

/** As it would lie in the store. */
function kept(kind: RegisteredKind, id: string, spec: JsonObject, before?: JsonObject, at = AT): Entry {
  const read = readSpec(kind, id, spec);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const plan = planChange({ kind, name: id, body: read.body }, before, [], at);
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
  const body = JSON.parse(JSON.stringify(plan.body)) as JsonObject;
  return { id, revision: 3, body, createdAt: at, updatedAt: at, savedBy: null };
}

describe("agentOf", () => {
  it("fills in what the contract defines", () => {
    expect(agentOf(kept("Agent", "plain", {}))).toEqual({ ...PLAIN_AGENT, phaseSince: AT });
    expect(DEFAULT_AGENT).toMatchObject({ id: "default", trustLevel: 5, autonomy: "supervised", maxConcurrent: 50 });
  });

  it("says which tools it may call and how far it may go, where that is written", () => {
    const spec = { tools: { deny: ["mail/*"] }, turn: { max_rounds: 5 } };
    expect(agentOf(kept("Agent", "a", spec))).toMatchObject({
      tools: { allow: null, deny: ["mail/*"] },
      turn: { maxRounds: 5, maxToolCalls: null, maxRepeats: null },
    });
  });

  it("keeps no memory by default, and uses twenty entries of it by default", () => {
    const memory = (memory_profile: Json): unknown => agentOf(kept("Agent", "a", { memory_profile })).memoryProfile;
    expect(memory(null)).toBeNull();
    expect(memory("log")).toEqual({ name: "log", entries: 20 });
    expect(memory({ name: "log" })).toEqual({ name: "log", entries: 20 });
    expect(memory({ name: "log", entries: 50 })).toEqual({ name: "log", entries: 50 });
    const wrong = readSpec("Agent", "a", { memory_profile: { name: "log", entries: 51 } });
    expect(wrong).toMatchObject({ problems: [{ message: '"entries" must be at most 50, but it is 51.' }] });
  });

  it("reads money, windows and moments", () => {
    const spec = {
      budget_monthly_usd: 12.345678,
      financial_threshold_usd: 100,
      rate_limit: { count: 2, per_seconds: 0.5 },
      identity: { expires_at: "2031-05-04T10:00:00+02:00" },
    };
    expect(agentOf(kept("Agent", "a", spec))).toMatchObject({
      budgetMonthlyMicros: 12_345_678,
      financialThresholdMicros: 100_000_000,
      rateLimit: { count: 2, perSeconds: 0.5 },
      identity: { expiresAt: Date.UTC(2031, 4, 4, 8), isRevoked: false },
    });
    const date = (text: string): unknown => agentOf(kept("Agent", "a", { identity: { expires_at: text } })).identity;
    expect(date("2031-05-04")).toEqual({ expiresAt: Date.UTC(2031, 4, 4), isRevoked: false });
    expect(date("2031-05-04T10:00:00")).toEqual({ expiresAt: Date.UTC(2031, 4, 4, 10), isRevoked: false });
    expect(agentOf(kept("Agent", "a", { identity: {} })).identity).toEqual({ expiresAt: null, isRevoked: false });
  });

  it("remembers when the phase started, until it is another", () => {
    const first = kept("Agent", "a", { phase: "poc" });
    const second = kept("Agent", "a", { phase: "poc", trust_level: 2 }, first.body, AT + 5);
    expect(agentOf(second)).toMatchObject({ trustLevel: 2, phaseSince: AT });
    const third = kept("Agent", "a", { phase: "staging" }, second.body, AT + 9);
    expect(agentOf(third).phaseSince).toBe(AT + 9);
  });

  it("passes over what only a later program knows", () => {
    const { body, ...rest } = kept("Agent", "a", { trust_level: 4 });
    expect(agentOf({ ...rest, body: { ...body, halo: true } }).trustLevel).toBe(4);
  });
});

describe("the other readers", () => {
  it("read a policy, its version the revision of its entry", () => {
    const spec = { category: "data", condition: "agent.trust_level < 3", action: "require_approval" };
    const policy = policyOf(kept("Policy", "p", { ...spec, approvers: [{ who: "role:ops", within: "2h" }] }));
    expect(policy).toMatchObject({
      name: "p",
      version: 3,
      scope: "global",
      scopeId: null,
      enforcement: "hard",
      isEnabled: true,
      condition: { text: "agent.trust_level < 3" },
      approvers: { approvers: [{ who: "role:ops", withinMs: 7_200_000 }], otherwise: null, isSeparate: false },
    });
    expect(policyOf(kept("Policy", "p", spec)).approvers).toBeNull();
    const strict = { ...spec, four_eyes: true, quorum: 3, confirm: "sign_in", approvers: ["key:CI bot"] };
    expect(policyOf(kept("Policy", "p", strict)).approvers).toMatchObject({
      approvers: [{ who: "key:CI bot" }],
      quorum: 3,
      isSeparate: true,
      confirm: "sign_in",
    });
    expect(policyOf(kept("Policy", "p", { ...spec, condition: true })).condition.text).toBe("true");
  });

  it("read budgets, models, deployments, bindings", () => {
    const budget = { scope: "agent", scope_id: "a", period: "monthly", amount_usd: 0.1, alert_at: [1, 0.5, 1] };
    expect(budgetOf(kept("Budget", "b", budget))).toEqual({
      id: "b",
      scope: "agent",
      scopeId: "a",
      period: "monthly",
      amountMicros: 100_000,
      isEnabled: true,
      alertAt: [0.5, 1],
      onExhausted: "block",
    });
    const price = { input_usd_per_mtok: 1.25, output_usd_per_mtok: 10 };
    expect(modelOf(kept("Model", "openai:gpt-5", price))).toEqual({
      id: "openai:gpt-5",
      inputMicrosPerMtok: 1_250_000,
      outputMicrosPerMtok: 10_000_000,
      cachedMicrosPerMtok: null,
      maxOutputTokens: null,
    });
    expect(modelOf(kept("Model", "gpt-5", { ...price, provider: "openai" })).id).toBe("openai:gpt-5");
    expect(modelOf(kept("Model", "openai:gpt-5", { ...price, provider: "openai" })).id).toBe("openai:gpt-5");
    expect(modelOf(kept("Model", "ft:gpt:x", { ...price, provider: "openai" })).id).toBe("openai:ft:gpt:x");
    expect(deploymentOf(kept("Deployment", "d", { workflow: "w", gateway: "g" }))).toEqual({
      id: "d",
      workflow: "w",
      agent: null,
      version: null,
      gateway: "g",
      roleBindings: {},
      environment: null,
      isActive: true,
    });
    expect(bindingOf(kept("RoleBinding", "r", { role: "x", agent: "a" }))).toEqual({
      id: "r",
      role: "x",
      agent: "a",
      workflow: null,
      maxSpendMicros: null,
    });
    const bounded = { role: "x", agent: "a", workflow: "w", max_spend_usd: 0.25 };
    expect(bindingOf(kept("RoleBinding", "r", bounded))).toMatchObject({ workflow: "w", maxSpendMicros: 250_000 });
  });

  it("read lenses and teams", () => {
    expect(lensOf(kept("Lens", "l", { versions: [{ id: "v1", template_body: "[[x]]" }] })).versions).toHaveLength(1);
    const policies = { approval_policy: "required", retry_policy: { attempts: 3 } };
    const spec = { members: [{ agent: "a" }], queue_policy: "serial", assignments: [{ workflow: "w", ...policies }] };
    expect(teamOf(kept("Team", "t", spec))).toEqual({
      name: "t",
      members: [PLAIN_MEMBER],
      queuePolicy: "serial",
      assignments: [
        {
          workflow: "w",
          approvalPolicy: {
            approvers: [],
            otherwise: null,
            expiresMs: 7 * 86_400_000,
            isSeparate: false,
            quorum: 1,
            show: [],
            form: null,
            confirm: null,
          },
          retryPolicy: {
            attempts: 3,
            backoffMs: 500,
            maxBackoffMs: 8_000,
            retryOn: ["timeout", "provider_error", "rate_limit"],
          },
        },
      ],
    });
  });
});

describe("money", () => {
  it("loses no micro-dollar, whatever the amount", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000_000_000 }), (micros) => {
        const usd = micros / 1_000_000;
        expect(microsOf(usd)).toBe(micros);
        const read = readSpec("Budget", "b", { scope: "global", period: "daily", amount_usd: usd });
        expect(read.ok).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe("what changed", () => {
  it("is nothing when only the order of keys is another", () => {
    const before = kept("Deployment", "d", { workflow: "w", gateway: "g", role_bindings: { a: "x", b: "y" } });
    const read = readSpec("Deployment", "d", { role_bindings: { b: "y", a: "x" }, gateway: "g", workflow: "w" });
    if (!read.ok) throw new Error("it is right");
    expect(planChange({ kind: "Deployment", name: "d", body: read.body }, before.body, [], AT)).toEqual({
      ok: true,
      action: "unchanged",
      body: before.body,
    });
  });

  it("is written as a manifest would write it", () => {
    expect(
      specText({
        name: "true",
        note: "one\ntwo\n",
        tail: "one\ntwo",
        list: [1, "a b", { key: null, more: [[], {}] }],
        empty: {},
        "odd key": -0.5,
        quoted: "- x: y",
      }),
    ).toBe(
      `name: "true"\nnote: |\n  one\n  two\ntail: |-\n  one\n  two\nlist:\n  - 1\n  - a b\n  - key: null\n    more:\n      - []\n      - {}\nempty: {}\n"odd key": -0.5\nquoted: "- x: y"\n`,
    );
  });

  it("is reported by the names of fields, never by their values", () => {
    const [before, after] = [kept("Agent", "a", {}), kept("Agent", "a", { trust_level: 9, system_prompt: "hush" })];
    const change = { kind: "Agent", name: "a", action: "updated", before: before.body, after: after.body } as const;
    const entries = changeAudit(change, "key_1", AT);
    expect(entries).toMatchObject([
      {
        type: "agent.changed",
        actor: "key_1",
        resource: "agent/a",
        detail: { action: "updated", fields: ["trust_level", "system_prompt"] },
      },
      { type: "trust.changed", resource: "agent/a", detail: { from: 1, to: 9 } },
    ]);
    expect(JSON.stringify(entries)).not.toContain("hush");
    const gone = { kind: "Budget", name: "b", action: "deleted", before: {}, after: undefined } as const;
    expect(changeAudit(gone, "key_1", AT)).toMatchObject([{ type: "config.applied", resource: "budget/b" }]);
    const channel = { ...gone, kind: "Channel", name: "ops" } as const;
    expect(changeAudit(channel, "key_1", AT)).toMatchObject([{ type: "channel.changed", resource: "channel/ops" }]);
  });
});

describe("toolOf and grantOf", () => {
  it("say nothing of a tool that is not written", () => {
    expect(toolOf(kept("Tool", "plain", { name: "pay/*" }))).toEqual(PLAIN_TOOL);
  });

  it("read an approval as a step does", () => {
    const approval = (written: Json) => toolOf(kept("Tool", "t", { name: "t", approval: written })).approval;
    expect(approval("required")).toMatchObject({ approvers: [], quorum: 1 });
    expect(approval({ approvers: ["role:risk"], four_eyes: true, expires: "2d" })).toMatchObject({
      approvers: [{ who: "role:risk", withinMs: null }],
      quorum: 2,
      isSeparate: true,
      expiresMs: 172_800_000,
    });
  });

  it("keep the condition of a grant as it can be evaluated, and its end as a moment", () => {
    const spec = { tool: "t", where: "tool.args.amount <= 50", agent: "a", until: "2031-05-04" };
    expect(grantOf(kept("Grant", "g", spec))).toMatchObject({
      tool: "t",
      where: { text: "tool.args.amount <= 50" },
      run: null,
      agent: "a",
      until: Date.UTC(2031, 4, 4),
    });
    expect(grantOf(kept("Grant", "g", { ...spec, where: null })).where).toBeNull();
  });
});
