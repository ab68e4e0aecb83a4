import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callAt } from "../../../test/conformance/plain.ts";
import {
  type Estimated,
  estimateMicros,
  firstRoundMicros,
  maxOutputTokensFor,
  nextRoundMicros,
  OUTPUT_TOKENS_DEFAULT,
  promptTokens,
} from "./estimate.ts";
import { toUsd, usdText } from "./money.ts";
import type { ModelPrice } from "./registered.ts";

const price: ModelPrice = {
  id: "openai:gpt-x",
  inputMicrosPerMtok: 3_000_000,
  outputMicrosPerMtok: 15_000_000,
  cachedMicrosPerMtok: null,
  maxOutputTokens: null,
};

const call = (changes: Partial<Estimated> = {}): Estimated =>
  callAt(price, { promptCharacters: 400, maxOutputTokens: 1_000, ...changes });

function exactCost(one: ModelPrice, inputTokens: number, outputTokens: number): number {
  const parts =
    BigInt(inputTokens) * BigInt(one.inputMicrosPerMtok) + BigInt(outputTokens) * BigInt(one.outputMicrosPerMtok);
  return Number((parts + 999_999n) / 1_000_000n);
}

const anyPrice = fc.record({
  id: fc.constant("p:m"),
  inputMicrosPerMtok: fc.nat(200_000_000),
  outputMicrosPerMtok: fc.integer({ min: 1, max: 200_000_000 }),
  cachedMicrosPerMtok: fc.constant(null),
  maxOutputTokens: fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: null }),
});

const anyCall = fc.record({
  estimatedCostMicros: fc.constant(null),
  price: anyPrice,
  isPriced: fc.constant(true),
  promptCharacters: fc.nat(4_000_000),
  contextTokens: fc.option(fc.nat(2_000_000), { nil: 0 }),
  maxOutputTokens: fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: null }),
});

const readBy = ({ promptCharacters, contextTokens = 0 }: Estimated): number =>
  Math.max(promptTokens(promptCharacters), contextTokens);

describe("the estimate", () => {
  it("is what the author wrote, else the price of prompt and answer, else unknown or nothing", () => {
    expect(estimateMicros(call({ estimatedCostMicros: 7 }))).toBe(7);
    expect(estimateMicros(call({ estimatedCostMicros: 0, price: null }))).toBe(0);
    expect(estimateMicros(call())).toBe(130 * 3 + 1_000 * 15);
    expect(estimateMicros(call({ price: null }))).toBeNull();
    expect(estimateMicros(call({ price: null, isPriced: false }))).toBe(0);
    expect(estimateMicros(call({ isPriced: false }))).toBe(15_390);
  });

  it("of a turn covers its first round, or what the author expects where that is more", () => {
    expect(firstRoundMicros(call())).toBe(15_390);
    expect(firstRoundMicros(call({ estimatedCostMicros: 15_389 }))).toBe(15_390);
    expect(firstRoundMicros(call({ estimatedCostMicros: 15_391 }))).toBe(15_391);
    expect(firstRoundMicros(call({ estimatedCostMicros: 7, price: null }))).toBe(7);
    expect(firstRoundMicros(call({ price: null }))).toBeNull();
  });

  it("of a further round covers what it reads and may answer, or what the author expects where no price is known", () => {
    const next = (changes: Partial<Estimated> = {}) => nextRoundMicros(call({ contextTokens: 2_000, ...changes }));
    expect(next()).toBe(2_000 * 3 + 1_000 * 15);
    expect(next({ estimatedCostMicros: 9_999_999 })).toBe(21_000);
    expect(next({ estimatedCostMicros: 7, price: null })).toBe(7);
    expect(next({ price: null })).toBeNull();
    expect(next({ price: null, isPriced: false })).toBe(0);
    // Without tokens in its reports, at least the prompt counts.
    expect(next({ contextTokens: 0 })).toBe(15_390);
  });

  it("takes the lower of two ceilings for the answer, and the ordinary one when there is none", () => {
    const capped = { ...price, maxOutputTokens: 10 };
    expect(estimateMicros(call({ price: capped }))).toBe(130 * 3 + 150);
    expect(estimateMicros(call({ price: capped, maxOutputTokens: null }))).toBe(130 * 3 + 150);
    expect(estimateMicros(call({ maxOutputTokens: null }))).toBe(130 * 3 + OUTPUT_TOKENS_DEFAULT * 15);
  });

  it.each([
    [0, 0],
    [1, 1],
    [3, 1],
    [4, 2],
    [40, 13],
    [41, 14],
    [Number.NaN, 0],
    [-5, 0],
    [Number.POSITIVE_INFINITY, 0],
  ])("%d characters are %i tokens", (characters, tokens) => {
    expect(promptTokens(characters)).toBe(tokens);
  });

  it("is exact, rounded up once", () => {
    fc.assert(
      fc.property(anyCall, (one) => {
        const ceiling = Math.min(
          one.maxOutputTokens ?? one.price.maxOutputTokens ?? OUTPUT_TOKENS_DEFAULT,
          one.price.maxOutputTokens ?? Number.MAX_SAFE_INTEGER,
        );
        expect(estimateMicros(one)).toBe(exactCost(one.price, readBy(one), ceiling));
      }),
      { numRuns: 500 },
    );
  });
});

describe("the token ceiling", () => {
  it("keeps a call within what was reserved, and is the most that does", () => {
    fc.assert(
      fc.property(anyCall, fc.nat(2_000_000_000), (one, reserved) => {
        const tokens = maxOutputTokensFor(one, reserved) ?? 0;
        const prompt = readBy(one);
        expect(tokens).toBeGreaterThanOrEqual(1);
        if (tokens > 1) expect(exactCost(one.price, prompt, tokens)).toBeLessThanOrEqual(reserved);
        const bound = one.maxOutputTokens ?? one.price.maxOutputTokens ?? OUTPUT_TOKENS_DEFAULT;
        const isFull = tokens === Math.min(bound, one.price.maxOutputTokens ?? bound);
        if (!isFull) expect(exactCost(one.price, prompt, tokens + 1)).toBeGreaterThan(reserved);
      }),
      { numRuns: 1_000 },
    );
  });

  it("gives an estimated call its whole ceiling", () => {
    fc.assert(
      fc.property(anyCall, (one) => {
        const bound = one.maxOutputTokens ?? one.price.maxOutputTokens ?? OUTPUT_TOKENS_DEFAULT;
        const ceiling = Math.min(bound, one.price.maxOutputTokens ?? bound);
        expect(maxOutputTokensFor(one, estimateMicros(one))).toBe(ceiling);
      }),
      { numRuns: 500 },
    );
  });

  it("leaves alone what has no price, and answers that cost nothing", () => {
    expect(maxOutputTokensFor(call({ price: null, maxOutputTokens: null }), 5)).toBeNull();
    expect(maxOutputTokensFor(call({ price: null }), 5)).toBe(1_000);
    expect(maxOutputTokensFor(call(), null)).toBe(1_000);
    expect(maxOutputTokensFor(call({ price: { ...price, outputMicrosPerMtok: 0 } }), 0)).toBe(1_000);
  });

  it("lets a call whose prompt alone breaks the author's estimate answer one token", () => {
    expect(maxOutputTokensFor(call({ estimatedCostMicros: 1 }), 1)).toBe(1);
  });
});

describe("dollars", () => {
  it.each([
    [0, "0.00"],
    [1, "0.000001"],
    [999_999, "0.999999"],
    [1_000_000, "1.00"],
    [12_500_000, "12.50"],
    [250_100, "0.2501"],
    [-1_500_000, "-1.50"],
    [9_007_199_254_740_991, "9007199254.740991"],
    [Number.NaN, "NaN"],
  ])("%d micros read %s", (micros, text) => {
    expect(usdText(micros)).toBe(text);
  });

  it("lose nothing", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (micros) => {
        const [whole = "", fraction = ""] = usdText(micros).split(".");
        expect(BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0"))).toBe(BigInt(micros));
      }),
      { numRuns: 300 },
    );
    expect(toUsd(250_000)).toBe(0.25);
  });
});
