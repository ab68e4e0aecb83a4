import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSource } from "./read-source.ts";
import { printYaml } from "./print-yaml.ts";

const word = fc.oneof(
  fc.constantFrom(
    "true",
    "No",
    "null",
    "1.5",
    "0x1f",
    "~",
    "- a",
    "a: b",
    "a #b",
    "#",
    "",
    " x ",
    "*",
    "&a",
    "two\nlines",
    "two\nlines\n",
    "a\n\nb",
    "a\n\n",
    "tab\there",
    "'",
    '"',
    "2026-01-01",
    "node.action == 'financial'",
    "{x}",
    "${who}",
  ),
  fc.string({ maxLength: 12 }),
);
const key = fc
  .string({ minLength: 1, maxLength: 8 })
  .filter((name) => !["__proto__", "constructor", "prototype"].includes(name));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, word, fc.integer(), fc.boolean(), fc.constant(null), tie("list"), tie("map")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  map: fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));

describe("printed YAML", () => {
  it("reads back as what was printed", () => {
    fc.assert(
      fc.property(fc.dictionary(key, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true }), (spec) => {
        const text = printYaml(spec as never);
        const { tree, problems } = readSource(text);
        expect(problems, text).toEqual([]);
        expect(tree?.value, text).toEqual(spec);
      }),
      { numRuns: 400 },
    );
  });

  it("looks as people write it", () => {
    expect(
      printYaml({
        scope: "workflow",
        approvers: [{ who: "role:lead", within: "4h" }],
        note: "two\nlines\n",
        list: [],
        count: 1,
      }),
    ).toBe(
      "scope: workflow\napprovers:\n  - who: role:lead\n    within: 4h\nnote: |\n  two\n  lines\nlist: []\ncount: 1\n",
    );
  });
});
