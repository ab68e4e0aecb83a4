import { describe, expect, it } from "vitest";
import { creditsFor } from "./credits.ts";
import type { CreditPlan } from "./registered.ts";

const plan = (more: Partial<CreditPlan>): CreditPlan => ({
  id: "p",
  perUsd: null,
  perToken: null,
  isEnabled: true,
  ...more,
});
const spent = {
  costMicros: 2_500,
  tokens: { inputTokens: 1_000, outputTokens: 200, thinkingTokens: 50, cachedTokens: 10 },
};

describe("what an attempt is charged in credits", () => {
  it("is nothing without a plan, or with none that is enabled", () => {
    expect(creditsFor([], spent)).toBeNull();
    expect(creditsFor([plan({ perUsd: 100, isEnabled: false })], spent)).toBeNull();
  });

  it("is by cost, or by the tokens of each class, to a millionth", () => {
    expect(creditsFor([plan({ perUsd: 100 })], spent)).toBe(0.25);
    expect(creditsFor([plan({ perUsd: 1 / 3 })], spent)).toBe(0.000833);
    const perToken = { input: 0.001, output: 0.01, thinking: 0.1, cached: 0 };
    expect(creditsFor([plan({ perToken })], spent)).toBe(8);
    expect(creditsFor([plan({ perUsd: 0 })], spent)).toBe(0);
  });

  it("is by the first plan that is enabled", () => {
    const plans = [plan({ perUsd: 5, isEnabled: false }), plan({ perUsd: 100 }), plan({ perUsd: 1 })];
    expect(creditsFor(plans, spent)).toBe(0.25);
  });
});
