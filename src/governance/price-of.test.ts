import { describe, expect, it } from "vitest";
import type { ModelPrice } from "../core/governance/index.ts";
import { findPrice } from "../prices/index.ts";
import { isPricedProvider, priceOf } from "./price-of.ts";

const AT = Date.UTC(2026, 0, 1);
const own = (id: string): ModelPrice => ({
  id,
  inputMicrosPerMtok: 1,
  outputMicrosPerMtok: 2,
  cachedMicrosPerMtok: null,
  maxOutputTokens: null,
});
const models = new Map([["openai:o3", own("openai:o3")]]);

describe("the price of a call", () => {
  it("is the operator's own, under each way to write the model", () => {
    for (const [provider, model] of [
      ["openai", "o3"],
      ["ai-sdk", "openai:o3"],
      ["ai-sdk", "openai/o3"],
      ["scripted", "openai:o3"],
    ] as const) {
      expect(priceOf({ models }, { provider, model, at: AT })?.id).toBe("openai:o3");
    }
  });

  it("is else the list's, as it was at that moment, and names it", () => {
    const listed = findPrice("openai", "o3", { atMs: AT })?.priceId;
    expect(listed).toMatch(/^genai-prices\/openai\/o3/);
    expect(priceOf({ models: new Map() }, { provider: "openai", model: "o3", at: AT })?.id).toBe(listed);
    const early = Date.UTC(2025, 4, 1);
    expect(priceOf({ models: new Map() }, { provider: "openai", model: "o3", at: early })?.id).toBe(
      findPrice("openai", "o3", { atMs: early })?.priceId,
    );
  });

  it("is unknown without a model, without an entry, and where nothing is billed by token", () => {
    expect(priceOf({ models }, { provider: "openai", model: null, at: AT })).toBeNull();
    expect(priceOf({ models }, { provider: "openai", model: "no-such-model", at: AT })).toBeNull();
    expect(priceOf({ models: new Map() }, { provider: "process", model: "openai:o3", at: AT })).toBeNull();
    expect(["scripted", "http", "process", "mcp", null].some(isPricedProvider)).toBe(false);
  });
});
