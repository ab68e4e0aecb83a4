import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayBecome, pocEndsAt } from "./agent-standing.ts";
import { permissionOf } from "./autonomy.ts";
import { ACTIONS } from "../definition/index.ts";
import {
  agentEnvelopeOf,
  budgetsFor,
  type Charged,
  envelopeOf,
  fits,
  isExhausted,
  isSpendingCounted,
  roleBoundOf,
  thresholdsCrossed,
} from "./envelope.ts";
import { type Budget, LIFECYCLES, type RoleBinding, RUNGS } from "./registered.ts";
import { agentOf, anyEnvelope, NOW } from "./sample.test.ts";

const bound = (changes: Partial<RoleBinding> = {}): RoleBinding => ({
  id: "bound",
  role: "writer",
  agent: "analyst",
  workflow: null,
  maxSpendMicros: 40,
  ...changes,
});

describe("the bound of a role", () => {
  const inRole = { role: "writer", agent: "analyst", workflow: "news" };

  it("is that of the workflow, then that of everywhere, and never that of another", () => {
    const others = [
      bound({ id: "role", role: "reader" }),
      bound({ id: "agent", agent: "ada" }),
      bound({ id: "workflow", workflow: "other" }),
      bound({ id: "none", workflow: "news", maxSpendMicros: null }),
    ];
    expect(roleBoundOf(others, inRole)).toBeNull();
    const everywhere = bound({ id: "everywhere" });
    const here = bound({ id: "here", workflow: "news", maxSpendMicros: 0 });
    expect(roleBoundOf([...others, everywhere], inRole)?.id).toBe("everywhere");
    expect(roleBoundOf([...others, everywhere, here], inRole)?.id).toBe("here");
  });

  it("makes everything its agent spends count, and nothing of other agents", () => {
    const bounds = [bound(), bound({ agent: "ada", maxSpendMicros: null })];
    expect(isSpendingCounted(agentOf(), [])).toBe(false);
    expect(isSpendingCounted(agentOf({ budgetMonthlyMicros: 0 }), [])).toBe(true);
    expect(isSpendingCounted(agentOf(), bounds)).toBe(true);
    expect(isSpendingCounted(agentOf({ id: "ada" }), bounds)).toBe(false);
    expect(isSpendingCounted(undefined, [])).toBe(true);
  });
});

const budget = (changes: Partial<Budget> = {}): Budget => ({
  id: "ops",
  scope: "global",
  scopeId: null,
  period: "daily",
  amountMicros: 1_000,
  isEnabled: true,
  alertAt: [0.8, 1],
  onExhausted: "block",
  ...changes,
});

const charged: Charged = { gateway: "local", agent: "analyst", workflow: "vendor", team: null };

describe("the budgets that count a dispatch", () => {
  it.each([
    [{ scope: "global" }, true],
    [{ scope: "gateway", scopeId: "local" }, true],
    [{ scope: "gateway", scopeId: "other" }, false],
    [{ scope: "agent", scopeId: "analyst" }, true],
    [{ scope: "agent", scopeId: "other" }, false],
    [{ scope: "agent", scopeId: null }, true],
    [{ scope: "workflow", scopeId: "vendor" }, true],
    [{ scope: "workflow", scopeId: "constructor" }, false],
    [{ scope: "team", scopeId: "red" }, false],
    [{ scope: "team", scopeId: null }, false],
    [{ scope: "global", isEnabled: false }, false],
  ] as const)("%j: %s", (changes, applies) => {
    expect(budgetsFor([budget(changes)], charged)).toHaveLength(applies ? 1 : 0);
  });

  it("include the team's when there is one", () => {
    expect(budgetsFor([budget({ scope: "team", scopeId: "red" })], { ...charged, team: "red" })).toHaveLength(1);
  });
});

describe("an envelope", () => {
  const spending = { spentMicros: 5, reservedMicros: 7 };

  it("is a budget in its present period", () => {
    expect(envelopeOf(budget(), NOW, spending)).toMatchObject({
      id: "ops",
      ceilingMicros: 1_000,
      periodStart: Date.UTC(2031, 4, 4),
      periodEnd: Date.UTC(2031, 4, 5),
      ...spending,
    });
  });

  it("stands for an agent's own ceiling, if it has one", () => {
    expect(agentEnvelopeOf(agentOf(), null, NOW, spending)).toBeNull();
    expect(agentEnvelopeOf(agentOf({ budgetMonthlyMicros: 9 }), null, NOW, spending)).toMatchObject({
      id: "agent/analyst/monthly",
      scope: "agent",
      scopeId: "analyst",
      period: "monthly",
      periodEnd: Date.UTC(2031, 5, 1),
      ceilingMicros: 9,
    });
  });

  it("stands for the bound of a role instead, whether the agent has a ceiling of its own or not", () => {
    for (const own of [null, 9, 1_000]) {
      const envelope = agentEnvelopeOf(agentOf({ budgetMonthlyMicros: own }), bound({ id: "b" }), NOW, spending);
      expect(envelope).toMatchObject({ id: "agent/analyst/monthly", ceilingMicros: 40, boundBy: "b", ...spending });
    }
    const plain = agentEnvelopeOf(agentOf({ budgetMonthlyMicros: 9 }), null, NOW, spending);
    expect(plain === null || Object.hasOwn(plain, "boundBy")).toBe(false);
  });

  it("is never overrun by what fits", () => {
    fc.assert(
      fc.property(anyEnvelope, fc.nat(20_000_000), (one, estimate) => {
        if (!fits(one, estimate)) return;
        expect(one.spentMicros + one.reservedMicros + estimate).toBeLessThanOrEqual(one.ceilingMicros);
        expect(isExhausted(one)).toBe(false);
        expect(fits(one, Math.max(0, estimate - 1))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe("alerts", () => {
  it.each([
    [0, 799, []],
    [0, 800, [0.8]],
    [799, 801, [0.8]],
    [800, 801, []],
    [800, 999, []],
    [999, 1_000, [1]],
    [0, 5_000, [0.8, 1]],
    [1_000, 5_000, []],
    [500, 500, []],
  ])("from %i to %i of 1000", (before, after, crossed) => {
    expect(thresholdsCrossed(budget(), before, after)).toEqual(crossed);
  });

  it("never fire for a budget of nothing", () => {
    expect(thresholdsCrossed(budget({ amountMicros: 0 }), 0, 10)).toEqual([]);
  });

  it("fire once each, however spending is cut into steps", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(700), { maxLength: 8 }), (steps) => {
        let spent = 0;
        const fired: number[] = [];
        for (const step of steps) {
          fired.push(...thresholdsCrossed(budget(), spent, spent + step));
          spent += step;
        }
        expect(fired).toEqual([0.8, 1].filter((share) => spent >= share * 1_000));
      }),
      { numRuns: 300 },
    );
  });
});

describe("the two axes of an agent", () => {
  it("keeps archived for ever, and lets everything else change", () => {
    for (const from of LIFECYCLES) {
      for (const to of LIFECYCLES) expect(mayBecome(from, to)).toBe(from !== "archived" || to === "archived");
    }
  });

  it("ends only proofs of concept", () => {
    expect(pocEndsAt({ phase: "poc", phaseSince: 5 })).toBe(5 + 60 * 86_400_000);
    expect(pocEndsAt({ phase: "production", phaseSince: 5 })).toBeNull();
  });

  it("gives each rung its actions", () => {
    const table = RUNGS.map((rung) => [rung, ...ACTIONS.map((action) => permissionOf(rung, action))]);
    expect(table).toEqual([
      ["assistive", "allowed", "forbidden", "forbidden", "forbidden"],
      ["retrieval", "allowed", "forbidden", "forbidden", "forbidden"],
      ["supervised", "allowed", "allowed", "approval", "approval"],
      ["bounded", "allowed", "allowed", "allowed", "allowed"],
    ]);
  });
});
