import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, it } from "vitest";
import { boundStates } from "./pattern-size.ts";

const ATOMS = ["a", "é", "😀", ".", "^", "$", "\\d", "\\b", "\\\\", "\\x{1F600}", "\\pL", "\\p{Greek}", "\\Qa{9}(\\E"];
const CLASSES = ["[a-z]", "[^]a]", "[(){2}]", "[[:alpha:]_]", "[\\]\\d{3}]", "[^[:^word:]]"];
const TIMES = ["", "?", "*", "+", "*?", "{0}", "{1}", "{3}", "{0,2}", "{2,5}", "{2,}", "{4}?"];

const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc
    .array(fc.array(tie("part"), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((choices) => choices.map((parts) => parts.join("")).join("|")),
  part: fc
    .tuple(
      fc.oneof(
        { depthSize: "medium", withCrossShrink: true },
        fc.constantFrom(...ATOMS, ...CLASSES),
        fc
          .tuple(fc.constantFrom("(", "(?:", "(?i:", "(?P<x>", "(?s-m:"), tie("pattern"))
          .map(([begin, inner]) => `${begin}${inner})`),
      ),
      fc.constantFrom(...TIMES),
    )
    .map(([atom, times]) => `${atom}${times}`),
}));

it("is never less than the states of the compiled pattern", () => {
  let compiled = 0;
  fc.assert(
    fc.property(pattern, (text) => {
      const bound = boundStates(text);
      if (bound > 20_000) return;
      let size = 0;
      try {
        size = RE2JS.compile(text).programSize();
      } catch {
        return;
      }
      compiled += 1;
      expect(bound).toBeGreaterThanOrEqual(size);
    }),
    { numRuns: 2_000 },
  );
  expect(compiled).toBeGreaterThan(300);
});

it.each([
  ["^[a-z]+$", 20],
  ["[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", 200],
  ["^.{1,1000}$", 5_000],
])("is not much more than the states of %s", (text, most) => {
  expect(boundStates(text)).toBeLessThan(most);
});

it("multiplies the counts of nested repetitions", () => {
  expect(boundStates("((abcdefgh){31}){32}")).toBeGreaterThanOrEqual(31 * 32 * 8);
});
