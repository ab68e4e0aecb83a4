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
  thresholdsCrossed,
} from "./envelope.ts";
import { type Budget, LIFECYCLES, RUNGS } from "./registered.ts";
import { agentOf, anyEnvelope, NOW } from "./sample.test.ts";

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
    expect(agentEnvelopeOf(agentOf(), NOW, spending)).toBeNull();
    expect(agentEnvelopeOf(agentOf({ budgetMonthlyMicros: 9 }), NOW, spending)).toMatchObject({
      id: "agent/analyst/monthly",
      scope: "agent",
      scopeId: "analyst",
      period: "monthly",
      periodEnd: Date.UTC(2031, 5, 1),
      ceilingMicros: 9,
    });
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
