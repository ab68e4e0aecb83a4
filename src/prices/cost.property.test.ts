import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costMicros } from "./cost.ts";
import type { Price, Rate } from "./price.ts";

const flat = (base: number): Rate => ({ base, tiers: [] });
/** Rates as price lists write them: whole numbers of 10⁻⁶ dollars per million tokens. */
const parts = fc.integer({ min: 0, max: 1_000_000_000 });
const tokens = fc.integer({ min: 0, max: 2_000_000_000 });

describe("costMicros", () => {
  it("is the exact sum, rounded once", () => {
    fc.assert(
      fc.property(parts, parts, parts, tokens, tokens, tokens, (input, output, cached, fresh, read, written) => {
        const price: Price = {
          priceId: "p",
          input: flat(input / 1e6),
          output: flat(output / 1e6),
          cacheRead: flat(cached / 1e6),
        };
        const usage = { inputTokens: fresh + read, cachedTokens: read, outputTokens: written };
        const exact = BigInt(fresh) * BigInt(input) + BigInt(read) * BigInt(cached) + BigInt(written) * BigInt(output);
        expect(costMicros(price, usage)).toBe(Number((exact + 500_000n) / 1_000_000n));
      }),
      { numRuns: 500 },
    );
  });

  it("never falls when more is used", () => {
    const price: Price = {
      priceId: "p",
      input: { base: 0.3, tiers: [{ above: 1_000, rate: 0.6 }] },
      output: flat(2.5),
      cacheRead: flat(0.03),
    };
    fc.assert(
      fc.property(tokens, tokens, tokens, (inputTokens, outputTokens, more) => {
        const less = costMicros(price, { inputTokens, outputTokens });
        expect(costMicros(price, { inputTokens: inputTokens + more, outputTokens })).toBeGreaterThanOrEqual(less);
        expect(costMicros(price, { inputTokens, outputTokens: outputTokens + more })).toBeGreaterThanOrEqual(less);
      }),
      { numRuns: 300 },
    );
  });
});

describe("costMicros at its edges", () => {
  const price: Price = { priceId: "p", input: flat(3), output: flat(15), cacheRead: flat(0.3), cacheWrite: flat(3.75) };

  it("distinguishes fresh, cached and written input", () => {
    const usage = { inputTokens: 1_000, cachedTokens: 600, cacheWriteTokens: 100, outputTokens: 10 };
    expect(costMicros(price, usage)).toBe(300 * 3 + 180 + 375 + 150);
    const plain: Price = { priceId: "p", input: flat(3), output: flat(15) };
    expect(costMicros(plain, usage)).toBe(3_150);
  });

  it("charges no more cached tokens than there is input, and nothing for nonsense", () => {
    expect(costMicros(price, { inputTokens: 10, cachedTokens: 50, cacheWriteTokens: 50, outputTokens: 0 })).toBe(3);
    expect(costMicros(price, { inputTokens: -5, outputTokens: Number.NaN })).toBe(0);
    expect(costMicros(price, { inputTokens: Number.POSITIVE_INFINITY, outputTokens: 1.9 })).toBe(15);
  });

  it("rounds half up, and reads the smallest rates", () => {
    const tiny: Price = { priceId: "p", input: flat(0.5), output: flat(1e-7) };
    expect(costMicros(tiny, { inputTokens: 1, outputTokens: 0 })).toBe(1);
    expect(costMicros(tiny, { inputTokens: 0, outputTokens: 4_999_999 })).toBe(0);
    expect(costMicros(tiny, { inputTokens: 0, outputTokens: 5_000_000 })).toBe(1);
  });
});
