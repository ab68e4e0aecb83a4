/*
 * Compares the evaluator with an independent one, for the language both speak: boolean, number and text values,
 * the six comparisons, `&&`, `||`, `!`, `in` with texts, parentheses. Where Sluice means something else on purpose
 * nothing is compared:
 * - missing and null are tolerated here and errors there;
 * - `in` is prefix tolerant here and exact there, so members are single letters and a value is never longer;
 * - `and`/`or` stop at the left operand here; there an error on the left may be absorbed by the right;
 * - values of different kinds are simply unequal there, and an error here for `==` and `!=` too;
 * - ordering booleans is an error here and allowed there;
 * - comparisons chain there and are refused here, so operands of a comparison are never bare comparisons;
 * - whole numbers are integers there, so numbers are written with a point;
 * - a list may mix kinds here.
 */
import { Environment } from "@marcbachmann/cel-js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { walk } from "./walk.ts";
import { evaluate } from "./evaluate.ts";
import { parseExpression } from "./parse.ts";

const VALUES = { n: 1.5, m: -2.25, s: "a", t: "c", yes: true, no: false, deep: { n: 0.5, s: "b", list: ["a", "b"] } };

const number = fc.oneof(
  fc.constantFrom("n", "m", "deep.n"),
  fc.integer({ min: -8, max: 8 }).map((quarters) => (quarters / 4).toFixed(2)),
);
const text = fc.oneof(fc.constantFrom("s", "t", "deep.s"), fc.constantFrom("'a'", "'b'", '"c"', "''"));
const list = fc.oneof(
  fc.constant("deep.list"),
  fc.array(fc.constantFrom("'a'", '"b"', "'c'"), { minLength: 1, maxLength: 3 }).map((all) => `[${all.join(", ")}]`),
);
const ordering = fc.constantFrom("==", "!=", "<", "<=", ">", ">=");
const equality = fc.constantFrom("==", "!=");

const { truth } = fc.letrec<{ truth: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("yes", "no", "true", "false"),
    fc.tuple(tie("truth")).map(([inner]) => `(${inner})`),
    fc.tuple(tie("atom")).map(([inner]) => `!${inner}`),
  ),
  truth: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("atom"),
    fc.tuple(number, ordering, number).map((all) => all.join(" ")),
    fc.tuple(text, ordering, text).map((all) => all.join(" ")),
    fc.tuple(tie("atom"), equality, tie("atom")).map((all) => all.join(" ")),
    fc.tuple(text, list).map((all) => all.join(" in ")),
    fc.tuple(tie("truth"), fc.constantFrom("&&", "||"), tie("truth")).map((all) => all.join(" ")),
  ),
}));

describe("against an independent evaluator", () => {
  it("gives the same truth", () => {
    const oracle = new Environment({ unlistedVariablesAreDyn: true });
    let compared = 0;
    fc.assert(
      fc.property(truth, (written) => {
        const parsed = parseExpression(written);
        // Only the limits may refuse what the generator writes.
        if (!parsed.ok) return expect(parsed.failure.message).toMatch(/nested deeper|characters/);
        compared += 1;
        const value = evaluate(parsed.value.root, (path) => walk(VALUES, path.segments));
        expect(value).toEqual({ ok: true, value: oracle.evaluate(written, VALUES) });
      }),
      { numRuns: 1_500 },
    );
    expect(compared).toBeGreaterThan(1_000);
  });

  it("refuses to order the same mixtures of kinds", () => {
    const oracle = new Environment({ unlistedVariablesAreDyn: true });
    const kinds = [number, text, fc.constantFrom("yes", "false")];
    const operators = fc.constantFrom("<", "<=", ">", ">=");
    const mixed = fc
      .tuple(fc.constantFrom(0, 1, 2), fc.constantFrom(1, 2))
      .chain(([kind, step]) => fc.tuple(pick(kinds, kind), operators, pick(kinds, (kind + step) % 3)));
    fc.assert(
      fc.property(mixed, (all) => {
        const written = all.join(" ");
        const parsed = parseExpression(written);
        expect(parsed.ok && evaluate(parsed.value.root, (path) => walk(VALUES, path.segments)).ok).toBe(false);
        expect(() => oracle.evaluate(written, VALUES)).toThrow();
      }),
      { numRuns: 200 },
    );
  });
});

function pick<T>(all: readonly T[], index: number): T {
  const found = all[index];
  if (found === undefined) throw new Error("no such kind");
  return found;
}
