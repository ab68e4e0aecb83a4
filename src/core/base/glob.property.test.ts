import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesGlob, mayNameToolOf } from "./glob.ts";

describe("a pattern with stars", () => {
  it.each([
    ["refund", "refund", true],
    ["refund", "refunds", false],
    ["refund", "", false],
    ["", "", true],
    ["*", "", true],
    ["*", "any/thing", true],
    ["pay/*", "pay/refund", true],
    ["pay/*", "pay/", true],
    ["pay/*", "pay", false],
    ["*/refund", "pay/refund", true],
    ["*/refund", "refund", false],
    ["a*b*c", "a-b-b-c", true],
    ["a*b*c", "a-c-b", false],
    ["a.c", "abc", false],
    ["github/*", "github/*", true],
  ])("%s and %s: %s", (pattern, text, fits) => {
    expect(matchesGlob(pattern, text)).toBe(fits);
  });

  it("means what a regular expression with .* means", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "*", "/"), maxLength: 12 });
    fc.assert(
      fc.property(word, word, (pattern, text) => {
        const source = pattern.split("*").join("[^]*");
        expect(matchesGlob(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
    );
  });

  it("takes no long time over a hostile pattern", () => {
    expect(matchesGlob(`${"*a".repeat(120)}b`, "a".repeat(5_000))).toBe(false);
  });
});

describe("a pattern for tools", () => {
  it.each([
    ["search/find", "search", true],
    ["search/*", "search", true],
    ["*/find", "search", true],
    ["sea*/find", "search", true],
    ["bill*/find", "search", false],
    ["*", "search", true],
    ["sea*find", "search", true],
    ["search*", "search", true],
    ["searching*", "search", false],
    ["bill*", "search", false],
    ["search", "search", true],
    ["searches", "search", false],
  ])("%s may name a tool of %s: %s", (pattern, server, may) => {
    expect(mayNameToolOf(pattern, server)).toBe(may);
  });

  it("may name a tool of every server whose tools it matches", () => {
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "/"), maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(pattern, name, name, (written, server, tool) => {
        if (matchesGlob(written, `${server}/${tool}`)) expect(mayNameToolOf(written, server)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
