import { describe, expect, it } from "vitest";
import type { Report } from "../core/engine/index.ts";
import type { ModelPrice } from "../core/governance/index.ts";
import { bookedCost, type SpentCall } from "./booked-cost.ts";
import { billingPriceOf, priceOf, type PriceSources } from "./price-of.ts";

const AT = Date.UTC(2026, 0, 1);
const own: ModelPrice = {
  id: "openai:gpt-4o",
  inputMicrosPerMtok: 1_000_000,
  outputMicrosPerMtok: 2_000_000,
  cachedMicrosPerMtok: 500_000,
  maxOutputTokens: null,
};
const registered: PriceSources = { models: new Map([[own.id, own]]) };
const none: PriceSources = { models: new Map() };
const tokens = { inputTokens: 1_000, outputTokens: 100, thinkingTokens: 0, cachedTokens: 200 };

const report = (more: Partial<Report> = {}): Report => ({ tokens, costMicros: 0, isCostKnown: false, ...more });
const call = (more: Partial<SpentCall> = {}): SpentCall => ({
  provider: "ai-sdk",
  model: "openai:gpt-4o",
  startedAt: AT,
  estimatedCostMicros: null,
  report: report(),
  ...more,
});

describe("what a call is booked at", () => {
  it("is made of its tokens by the price that is registered", () => {
    expect(bookedCost(registered, call())).toEqual({ costMicros: 800 + 100 + 200, priceId: "openai:gpt-4o" });
    expect(bookedCost(registered, call({ provider: "scripted" }))).toMatchObject({ costMicros: 1_100 });
  });

  it("replaces what an adapter has made of a list, and never what was reported as paid", () => {
    const made = report({ costMicros: 9, isCostKnown: true, priceId: "genai-prices/openai/gpt-4o" });
    expect(bookedCost(registered, call({ report: made }))).toEqual({ costMicros: 1_100, priceId: "openai:gpt-4o" });
    expect(bookedCost(none, call({ report: made }))).toEqual({ costMicros: 9, priceId: "genai-prices/openai/gpt-4o" });
    const paid = report({ costMicros: 9, isCostKnown: true });
    expect(bookedCost(registered, call({ report: paid }))).toEqual({ costMicros: 9, priceId: "reported" });
  });

  it("comes from the configuration of the adapter next, and from the list last", () => {
    const ofAdapter = { "openai:gpt-4o": { input_usd_per_mtok: 10, output_usd_per_mtok: 0 } };
    expect(bookedCost({ ...none, ofAdapter }, call())).toEqual({ costMicros: 10_000, priceId: "own/openai:gpt-4o" });
    expect(bookedCost(none, call())).toMatchObject({
      priceId: expect.stringMatching(/^genai-prices\/openai\/gpt-4o/) as string,
    });
    expect(bookedCost(none, call({ provider: "claude-agent", model: "claude-sonnet-5" }))?.priceId).toContain(
      "anthropic",
    );
  });

  it("goes by the model that answered, else by the one that was asked for", () => {
    const other = (model: string) => call({ report: report({ model }) });
    expect(bookedCost(registered, other("openai:gpt-4o-2099"))).toMatchObject({ priceId: "openai:gpt-4o" });
    expect(bookedCost(none, other("anthropic:claude-sonnet-5"))?.priceId).toContain("claude-sonnet-5");
  });

  it("is never silently nothing: it is the author's estimate, or there is a warning", () => {
    const unknown = call({ model: "house:m" });
    expect(bookedCost(none, unknown)).toMatchObject({
      costMicros: 0,
      warning: expect.stringContaining("No price is known for house:m, so 1100 tokens") as string,
    });
    expect(bookedCost(none, { ...unknown, estimatedCostMicros: 70 })).toMatchObject({
      costMicros: 70,
      priceId: "estimated_cost",
    });
  });

  it("stays as it is where nothing was used, and where nothing is billed by token", () => {
    const nothing = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };
    expect(bookedCost(registered, call({ report: report({ tokens: nothing }) }))).toBeNull();
    expect(bookedCost(none, call({ provider: "process" }))).toBeNull();
  });
});

describe("the price a call is reserved by", () => {
  it("is the one it is booked by, or more", () => {
    for (const sources of [registered, none]) {
      const question = { provider: "ai-sdk", model: "openai:gpt-4o", at: AT };
      const [reserved, booked] = [priceOf(sources, question), billingPriceOf(sources, question)];
      expect(reserved?.id).toBe(booked?.priceId);
      expect(reserved?.inputMicrosPerMtok).toBeGreaterThanOrEqual((booked?.input.base ?? 0) * 1_000_000);
    }
  });
});
