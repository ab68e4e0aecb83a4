import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { isJsonArray, isJsonObject, LIMITS, type Json, type TreePath } from "../base/index.ts";
import { readSource } from "./index.ts";
import { LineTable } from "./line-table.ts";
import { ProblemList } from "./problem-list.ts";
import { scanJson } from "./json-scan.ts";

const anyKey = fc
  .string({ minLength: 1, maxLength: 8 })
  .filter((key) => !/^(__proto__|constructor|prototype)$/.test(key));
const anyScalar = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom(
      "a",
      " ",
      "\n",
      ":",
      "#",
      "-",
      "'",
      '"',
      "\\",
      "[",
      "{",
      "&",
      "*",
      "!",
      "|",
      ">",
      "%",
      "\t",
      "0",
      "~",
    ),
  }),
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => (Object.is(value, -0) || (Number.isInteger(value) && Math.abs(value) > 2 ** 53) ? 0 : value)),
  fc.boolean(),
  fc.constant(null),
);
const { anyValue } = fc.letrec<{ anyValue: Json }>((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    anyScalar.filter((scalar) => typeof scalar !== "string" || !scalar.includes("\0")),
    fc.array(tie("anyValue"), { maxLength: 4 }),
    fc.dictionary(
      anyKey.filter((key) => !key.includes("\0")),
      tie("anyValue"),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
}));

/** Texts built from pieces that mean something to YAML, most of them broken. */
const yamlPieces = [
  "a",
  "b: ",
  "c:",
  "- ",
  "? ",
  ": ",
  "\n",
  "\n  ",
  "\n    ",
  "\n\n",
  " # c",
  "\n# c\n",
  "\n   # c\n\n",
  "[",
  "]",
  "{",
  "}",
  ", ",
  "'",
  '"',
  "\\",
  "|\n",
  ">-\n",
  "&x ",
  "*x",
  "!t ",
  "---\n",
  "...\n",
  "%YAML 1.2\n",
  "<<: ",
  "1",
  "0x1F",
  ".nan",
  "true",
  "~",
  "\t",
  "\r\n",
  "__proto__: ",
  "é",
  "😀",
  "\ud800",
  '"\\0"',
  "@",
  "key: value\n",
  "  - x: 1\n",
  "'it''s'",
  '"a\\nb"',
] as const;
const yamlLike = fc.array(fc.constantFrom(...yamlPieces), { maxLength: 25 }).map((pieces) => pieces.join(""));

function pathsOf(value: Json, path: TreePath = []): readonly (readonly [TreePath, Json])[] {
  const below = isJsonArray(value)
    ? value.flatMap((item, index) => pathsOf(item, [...path, index]))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))
      : [];
  return [[path, value], ...below];
}

function offsetOf(text: string, place: { readonly line: number; readonly column: number }): number {
  const before = text.split("\n").slice(0, place.line - 1);
  return before.reduce((offset, line) => offset + line.length + 1, 0) + place.column - 1;
}

describe("what is written is what is read", () => {
  test("JSON, compact and indented", () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(0, 1, 2, "\t"), (value, indent) => {
        const { tree, problems } = readSource(JSON.stringify([value], null, indent));
        expect(problems).toEqual([]);
        expect(tree?.value).toEqual([value]);
      }),
      { numRuns: 300 },
    );
  });

  test("YAML, in every style of the package's writer", () => {
    const style = fc.record({
      indent: fc.integer({ min: 1, max: 4 }),
      lineWidth: fc.constantFrom(0, 20, 80),
      defaultStringType: fc.constantFrom("PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL", "BLOCK_FOLDED"),
      collectionStyle: fc.constantFrom("any", "flow"),
      indentSeq: fc.boolean(),
    });
    fc.assert(
      fc.property(anyValue, style, fc.boolean(), (value, options, hasCrlf) => {
        const text = stringify({ root: value }, { ...options, aliasDuplicateObjects: false });
        // Where it folds a long line, the writer may cut a surrogate pair in two.
        fc.pre(!/\p{Surrogate}/u.test(text));
        const isSafe = !JSON.stringify(value).includes("\\r");
        const { tree, problems } = readSource(hasCrlf && isSafe ? text.replaceAll("\n", "\r\n") : text);
        expect(problems).toEqual([]);
        // The writer itself loses a text of mere spaces in a block, so that its own reader is the measure.
        expect(tree?.value).toEqual(parse(text));
      }),
      { numRuns: 400 },
    );
  });
});

describe("agreement", () => {
  test("whatever is accepted has the value the YAML package gives it", () => {
    let accepted = 0;
    fc.assert(
      fc.property(yamlLike, (text) => {
        const { tree, problems } = readSource(text);
        if (problems.length > 0 || tree === null) return;
        accepted += 1;
        const documents = [...parseAllDocuments(text, { stringKeys: true })];
        const document = documents.findLast((candidate) => candidate.toJS() !== null) ?? documents.at(-1);
        // A last line of mere white space is nothing to us; the package objects to a tab in it.
        if (document?.errors.every(({ code }) => code === "TAB_AS_INDENT") !== true)
          expect(document?.errors).toEqual([]);
        expect(tree.value).toEqual(document?.toJS());
      }),
      { numRuns: 1_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test("the scanner calls JSON what the platform calls JSON", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "a",
      "\\",
      "u00e9",
      "1",
      "0",
      "-",
      ".",
      "e",
      "E+",
      "true",
      "nul",
      "null",
      " ",
      "\n",
      "\t",
      "\u0001",
      '"a":',
      '"b"',
      "[]",
    );
    const broken = fc.array(pieces, { maxLength: 12 }).map((list) => list.join(""));
    const mutated = fc
      .tuple(anyValue, fc.nat(), fc.constantFrom("", ",", '"', "}", "0", "\\"))
      .map(([value, at, piece]) => {
        const text = JSON.stringify(value);
        return text.slice(0, at % (text.length + 1)) + piece + text.slice((at % (text.length + 1)) + 1);
      });
    fc.assert(
      fc.property(fc.oneof(broken, mutated), (text) => {
        const scan = scanJson(text, new ProblemList(new LineTable(text)));
        expect(scan.kind === "broken").toBe(!isJson(text));
      }),
      { numRuns: 1_000 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("laws of any reading", () => {
  test("it never throws; problems are sorted, few, and lie in the text; no tree means a problem", () => {
    const anyInput = fc.oneof(yamlLike, fc.string({ unit: "binary" }), fc.uint8Array({ maxLength: 60 }));
    fc.assert(
      fc.property(anyInput, (source) => {
        const { tree, problems } = readSource(source);
        expect(problems.length).toBeLessThanOrEqual(LIMITS.problemsMax);
        if (tree === null) expect(problems.length).toBeGreaterThan(0);
        const places = problems.map(({ line, column }) => line * 1_000_000 + column);
        expect(places).toEqual(places.toSorted((left, right) => left - right));
        if (typeof source !== "string") return;
        const lines = source.replace(/^\ufeff/, "").split("\n");
        for (const { line, column, message } of problems) {
          expect(message).not.toBe("");
          expect(column).toBeGreaterThan(0);
          expect(column).toBeLessThanOrEqual((lines[line - 1] ?? "").length + 1);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("bytes and text read the same", () => {
    fc.assert(
      fc.property(yamlLike, (text) => {
        const wellFormed = text.replaceAll("\ud800", "");
        const fromBytes = readSource(new TextEncoder().encode(wellFormed));
        const fromText = readSource(wellFormed);
        expect(fromBytes.problems).toEqual(fromText.problems);
        expect(fromBytes.tree?.value).toEqual(fromText.tree?.value);
      }),
      { numRuns: 300 },
    );
  });

  test("every value of a JSON text is found at its place, and its key before it", () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify({ root: value }, null, indent);
        const { tree } = readSource(text);
        for (const [path, expected] of pathsOf({ root: value })) {
          if (tree === null) throw new Error("every generated value is readable");
          const rest = text.slice(offsetOf(text, tree.placeOf(path)));
          const isNested = typeof expected === "object" && expected !== null;
          expect(rest.startsWith(isNested ? (isJsonArray(expected) ? "[" : "{") : JSON.stringify(expected))).toBe(true);
          const key = path.at(-1);
          if (typeof key === "string") {
            expect(text.slice(offsetOf(text, tree.keyPlaceOf(path))).startsWith(JSON.stringify(key))).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  test("every quoted value of a YAML text is found at its place", () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const text = stringify(
          { root: value },
          { defaultStringType: "QUOTE_DOUBLE", lineWidth: 0, aliasDuplicateObjects: false },
        );
        const { tree } = readSource(text);
        for (const [path, expected] of pathsOf({ root: value })) {
          if (tree === null) throw new Error("every generated value is readable");
          if (typeof expected === "string") expect(text.charAt(offsetOf(text, tree.placeOf(path)))).toMatch(/["|>]/);
          if (typeof expected === "boolean") {
            expect(text.slice(offsetOf(text, tree.placeOf(path))).startsWith(String(expected))).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
