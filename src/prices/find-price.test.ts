import { describe, expect, it } from "vitest";
import { costMicros } from "./cost.ts";
import { findPrice } from "./find-price.ts";

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

describe("findPrice", () => {
  it("knows exact ids and spelled-out aliases", () => {
    expect(findPrice("anthropic", "claude-sonnet-5")).toMatchObject({
      priceId: "genai-prices/anthropic/claude-sonnet-5",
      input: { base: 2, tiers: [] },
      output: { base: 10 },
      cacheRead: { base: 0.2 },
      cacheWrite: { base: 2.5 },
    });
    expect(findPrice("openai", "o3-mini-2025-01-31")?.priceId).toBe("genai-prices/openai/o3-mini");
  });

  it.each([
    ["anthropic", "claude-sonnet-5-5"],
    ["anthropic", "claude-sonnet-5x"],
    ["anthropic", "Claude-Sonnet-5"],
    ["anthropic", " claude-sonnet-5"],
    ["anthropic", "claude-fable-5-20990101"],
    ["anthropic", "gpt-5"],
    ["Anthropic", "claude-sonnet-5"],
    ["my-anthropic", "claude-sonnet-5"],
    ["openai", ""],
    ["", "gpt-5"],
    ["openai", "__proto__"],
    ["__proto__", "constructor"],
  ])("gives %s:%s no price, however alike", (vendor, modelId) => {
    expect(findPrice(vendor, modelId)).toBeUndefined();
  });

  it("gives no price to a model whose list entry names no rates", () => {
    expect(findPrice("google", "gemma-4-31b-it")).toBeUndefined();
    expect(findPrice("google", "gemini-embedding-001")).toBeUndefined();
  });

  it("takes the price of the day", () => {
    const at = (text: string): string | undefined => findPrice("openai", "o3", { atMs: day(text) })?.priceId;
    expect(at("2025-06-09")).toBe("genai-prices/openai/o3");
    expect(at("2025-06-10")).toBe("genai-prices/openai/o3@2025-06-10");
    expect(findPrice("openai", "o3", { atMs: day("2025-06-10") - 1 })?.input.base).toBe(10);
    expect(findPrice("openai", "o3")?.input.base).toBe(2);
  });

  it("lets the operator's own figures win, by exact key", () => {
    const own = {
      "openai:o3": { input_usd_per_mtok: 1, output_usd_per_mtok: 2 },
      "local:llama": { input_usd_per_mtok: 0, output_usd_per_mtok: 0, cached_usd_per_mtok: 0 },
    };
    const price = findPrice("openai", "o3", { own });
    expect(price).toEqual({ priceId: "own/openai:o3", input: { base: 1, tiers: [] }, output: { base: 2, tiers: [] } });
    expect(findPrice("local", "llama", { own })?.cacheRead).toEqual({ base: 0, tiers: [] });
    expect(findPrice("local", "llama2", { own })).toBeUndefined();
    expect(findPrice("__proto__", "x", { own })).toBeUndefined();
  });

  it("charges a long call by its tier, from one token over the edge", () => {
    const price = findPrice("anthropic", "claude-sonnet-4-5");
    if (price === undefined) throw new Error("the list has lost a model");
    const cost = (inputTokens: number): number => costMicros(price, { inputTokens, outputTokens: 0 });
    expect([cost(199_999), cost(200_000), cost(200_001)]).toEqual([599_997, 600_000, 1_200_006]);
  });
});
