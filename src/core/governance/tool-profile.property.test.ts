import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ACTIONS, type ToolAction } from "../definition/index.ts";
import { boundsOf, profileOf } from "./tool-profile.ts";
import { ruleOf } from "./tool-sample.test.ts";

const REFUND = { name: "pay/refund", server: "pay" };
const said = (...actions: ToolAction["action"][]): readonly ToolAction[] =>
  actions.map((action) => ({ name: "pay/*", action }));

describe("what is known of a tool", () => {
  it("is execute, and may be made again, where nothing is said", () => {
    expect(profileOf(REFUND, [], [])).toEqual({
      action: "execute",
      effects: "at_least_once",
      rules: [],
      timeoutMs: null,
    });
    expect(profileOf(REFUND, [{ name: "other", action: "financial" }], [ruleOf({ name: "x" })]).rules).toEqual([]);
  });

  it("is the strictest action of all that say one", () => {
    const anyAction = fc.constantFrom(...ACTIONS);
    fc.assert(
      fc.property(fc.array(anyAction, { maxLength: 3 }), fc.array(anyAction, { maxLength: 3 }), (steps, manifests) => {
        const rules = manifests.map((action, index) => ruleOf({ id: String(index), action }));
        const ranks = [...steps, ...manifests].map((action) => ACTIONS.indexOf(action));
        const expected = ranks.length === 0 ? "execute" : ACTIONS[Math.max(...ranks)];
        expect(profileOf(REFUND, said(...steps), rules).action).toBe(expected);
      }),
    );
  });

  it("takes the word of a server only where it is trusted, and only for what it says", () => {
    const action = (hints: object, isTrusted = true, server: string | null = "pay"): string =>
      profileOf({ ...REFUND, hints }, [], [ruleOf({ name: "*", server, isTrusted })]).action;
    expect(action({ readOnly: true })).toBe("read");
    expect(action({ destructive: true })).toBe("write");
    expect(action({ readOnly: true, destructive: true })).toBe("write");
    expect(action({ readOnly: false, destructive: false })).toBe("execute");
    expect(action({ readOnly: true }, false)).toBe("execute");
    expect(action({ readOnly: true }, true, "other")).toBe("execute");
    expect(
      profileOf({ ...REFUND, hints: { readOnly: true } }, said("write"), [ruleOf({ isTrusted: true })]).action,
    ).toBe("write");
  });

  it("is made at most once, and in the shortest time, where any manifest says so", () => {
    const rules = [
      ruleOf({ id: "a", effects: "at_most_once", timeoutMs: 5_000 }),
      ruleOf({ id: "b", effects: "at_least_once", timeoutMs: 3_000 }),
    ];
    expect(profileOf(REFUND, [], rules)).toMatchObject({ effects: "at_most_once", timeoutMs: 3_000 });
  });
});

describe("how far a turn may go", () => {
  const limit = fc.option(fc.integer({ min: 1, max: 100 }), { nil: null });
  const limits = fc.option(fc.record({ maxRounds: limit, maxToolCalls: limit, maxRepeats: limit }), { nil: null });

  it("is the lower of what a step and its agent say, or the default", () => {
    fc.assert(
      fc.property(limits, limits, (step, agent) => {
        const bounds = boundsOf(step, agent);
        const keys = ["maxRounds", "maxToolCalls", "maxRepeats"] as const;
        for (const [index, key] of keys.entries()) {
          const found = [step?.[key] ?? null, agent?.[key] ?? null].filter((one) => one !== null);
          expect(bounds[key]).toBe(found.length === 0 ? [20, 50, 3][index] : Math.min(...found));
        }
      }),
    );
  });
});
