import { describe, expect, it } from "vitest";
import { callAt } from "../../../test/conformance/plain.ts";
import { instantText, readInstant } from "./calendar.ts";
import { type Estimated, estimateMicros, maxOutputTokensFor } from "./estimate.ts";
import { jsonBytes } from "./json-size.ts";

describe("moments as people write them", () => {
  it("go to the last minute of a day, of an hour, and to the first and last month", () => {
    expect(readInstant("1970-01-01T23:59:59Z")).toBe(86_399_000);
    expect(readInstant("1970-12-31")).toBe(364 * 86_400_000);
    expect(readInstant("1970-01-02T00:00:00+23:59")).toBe(60_000);
    expect(readInstant("1970-01-01T00:00:00-01:30")).toBe(5_400_000);
    for (const text of ["1970-00-01", "1970-13-01", "1970-01-01T24:00", "1970-01-01T00:60", "1970-01-01T00:00:60"]) {
      expect(readInstant(text)).toBeNull();
    }
    for (const text of ["1970-01-01T00:00+24:00", "1970-01-01T00:00+00:60"]) expect(readInstant(text)).toBeNull();
  });

  it("are said to the second, and unknown ones as such", () => {
    expect(instantText(3_661_999)).toBe("1970-01-01T01:01:01Z");
    expect(instantText(Number.POSITIVE_INFINITY)).toBe("an unknown time");
  });
});

describe("what a call may cost", () => {
  const price = {
    id: "p:m",
    inputMicrosPerMtok: 1_000_000,
    outputMicrosPerMtok: 2_000_000,
    cachedMicrosPerMtok: null,
    maxOutputTokens: null,
  };
  const call = (changes: Partial<Estimated> = {}): Estimated => callAt(price, changes);

  it("is the prompt and a full answer: 13 tokens at 1 and the ceiling at 2 micro-dollars", () => {
    expect(estimateMicros(call({ maxOutputTokens: 100 }))).toBe(13 + 200);
    expect(estimateMicros(call())).toBe(13 + 2 * 4_096);
  });

  it("leaves an answer as many tokens as what was reserved pays for beside the prompt", () => {
    expect([113, 114, 115].map((reserved) => maxOutputTokensFor(call(), reserved))).toEqual([50, 50, 51]);
    expect(maxOutputTokensFor(call({ maxOutputTokens: 20 }), 113)).toBe(20);
    expect(maxOutputTokensFor(call(), 5)).toBe(1);
    expect(maxOutputTokensFor(call(), null)).toBeNull();
  });

  it("has the model's own ceiling where no lower one is set", () => {
    const small = { ...price, maxOutputTokens: 30 };
    expect(estimateMicros(call({ price: small }))).toBe(13 + 60);
    expect(estimateMicros(call({ price: small, maxOutputTokens: 10 }))).toBe(13 + 20);
    expect(estimateMicros(call({ price: small, maxOutputTokens: 40 }))).toBe(13 + 60);
  });
});

describe("bytes of a value as JSON", () => {
  it.each([
    [null, 4],
    [true, 4],
    [1.5, 3],
    ["é", 4],
    [[], 2],
    [[1, "ab", null], 13],
    [{}, 2],
    [{ a: 1, bc: "d" }, 16],
    [{ a: [{ b: [] }] }, 16],
    [{ é: "ü" }, 11],
  ])("%j are %i", (value, bytes) => {
    expect(jsonBytes(value, 1_000)).toBe(bytes);
    expect(new TextEncoder().encode(JSON.stringify(value))).toHaveLength(bytes);
  });

  it("are only known to be more where they are", () => {
    const many = Array.from({ length: 1_000 }, () => "x".repeat(10));
    for (const value of [many, { many }, "x".repeat(10_000)]) {
      expect(jsonBytes(value, 100)).toBeGreaterThan(100);
    }
    expect(jsonBytes(many, 100)).toBeLessThan(2_000);
    expect(jsonBytes("ab", 4)).toBe(4);
    expect(jsonBytes("ab", 3)).toBeGreaterThan(3);
  });
});
