import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { isJsonArray, isJsonObject, type Json, type TreePath } from "../base/index.ts";
import { LineTable } from "./line-table.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import { ProblemList } from "./problem-list.ts";
import { readFullYaml } from "./read-yaml.ts";
import { makeTree } from "./source-tree.ts";

/** Ways to write a value on one line; some mean nothing on their own or are not plain. */
const spellings = [
  "1",
  "-1",
  "-1.50",
  "007",
  "0x1F",
  ".5",
  "1e5",
  "-0",
  "3 of 4",
  "~",
  "True",
  "null",
  "nullable",
  "two words",
  "a  b ",
  "a:b",
  "http://x/y",
  "$x.y",
  "é 😀",
  "(x)",
  "a]",
  "a, b",
  "a#b",
  "'it''s'",
  '"q\\n"',
  '"a\\\\b"',
  "''",
  '""',
  "[x, y]",
  "[x,y]",
  "[true, a-b]",
  "[]",
  "",
  " ",
  "{}",
  "a # c",
  "x: y",
  "'x' y",
  "x:",
  "- x",
  "@x",
  "9007199254740993",
  "a\tb",
  '"\\u0041"',
  "[x y]",
  "[1]",
  "!t",
  "&a",
  "*a",
  "> ",
  "? x",
  "%x",
  "---",
  "...",
] as const;
type Shape =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "list" | "map"; readonly parts: readonly Shape[] };
const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      is: fc.constant("text" as const),
      text: fc
        .oneof(
          { weight: 30, arbitrary: fc.nat({ max: 31 }) },
          { weight: 1, arbitrary: fc.nat({ max: spellings.length - 1 }) },
        )
        .map((index) => spellings[index] ?? ""),
    }),
    fc.record({
      is: fc.constantFrom("list" as const, "map" as const),
      parts: fc.array(tie("shape"), { minLength: 1, maxLength: 4 }),
    }),
  ),
}));

/** The lines of a shape below a key or dash; `loose` spaces lists and blocks as people do, one way or another. */
function linesOf(value: Shape, indent: number, loose: number): readonly string[] {
  if (value.is === "text") return [];
  const margin = " ".repeat(indent);
  return value.parts.flatMap((part, index) => {
    const name = value.is === "map" ? `k${index}_${"xyz".charAt(loose % 3)}:` : "-";
    if (part.is === "text" && part.text === "" && loose % 2 === 0) {
      return [
        `${margin}${name} |`,
        `${margin}  one`,
        "",
        `${margin}    two`,
        ...(loose % 4 === 0 ? ["", `${margin}# c`] : []),
      ];
    }
    if (part.is === "text") return [`${margin}${name} ${part.text}`];
    if (value.is === "list") {
      const [first = "", ...more] = linesOf(part, indent + 2, loose + 1);
      return [`${margin}- ${first.trimStart()}`, ...more];
    }
    const isFlush = part.is === "list" && loose % 2 === 1;
    return [
      `${margin}${name}`,
      ...(loose % 5 === 0 ? ["", "  # c"] : []),
      ...linesOf(part, isFlush ? indent : indent + 2, loose + 1),
    ];
  });
}

const edits = [
  "",
  "",
  "",
  " ",
  "  ",
  "\n",
  "\r\n",
  "\t",
  "#",
  " #",
  ":",
  ": ",
  "-",
  "- ",
  "'",
  '"',
  "[",
  "|",
  "a",
] as const;
const almostPlain = fc
  .tuple(shape, fc.nat({ max: 19 }), fc.nat(), fc.constantFrom(...edits), fc.nat({ max: 2 }))
  .map(([value, loose, at, edit, cut]) => {
    const root: Shape = value.is === "text" ? { is: "map", parts: [value] } : value;
    const text = linesOf(root, 0, loose).join(loose % 7 === 0 ? "\r\n" : "\n") + (loose % 3 === 0 ? "" : "\n");
    const position = at % (text.length + 1);
    return edit === "" ? text : text.slice(0, position) + edit + text.slice(position + cut);
  });

const word = fc.string({ unit: fc.constantFrom("a", "b", "é", " ", "-", "/", ".", "1"), minLength: 1, maxLength: 8 });
const { plainValue } = fc.letrec<{ plainValue: Json }>((tie) => ({
  plainValue: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(
      word,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constant("one\ntwo\n"),
      fc.constant("one\n\n  two"),
    ),
    fc.array(tie("plainValue"), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[a-z_]{1,5}$/), tie("plainValue"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

function pathsOf(value: Json, path: TreePath = []): readonly TreePath[] {
  const below = isJsonArray(value)
    ? value.flatMap((item, index) => pathsOf(item, [...path, index]))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))
      : [];
  return [path, ...below, [...path, "missing"]];
}

/** Whether the plain reader took the text; when it did, the full parser must say the same, places included. */
function isTakenAlike(text: string): boolean {
  const plain = readPlainYaml(text);
  if (plain === null) return false;
  const lines = new LineTable(text);
  const problems = new ProblemList(lines);
  const [full] = readFullYaml(text, lines, problems, true);
  expect(problems.sorted()).toEqual([]);
  expect(plain.value).toEqual(full?.value);
  const tree = makeTree(plain.value, plain, lines);
  for (const path of pathsOf(plain.value)) {
    expect([path, tree.placeOf(path), tree.keyPlaceOf(path)]).toEqual([
      path,
      full?.placeOf(path),
      full?.keyPlaceOf(path),
    ]);
  }
  return true;
}

describe("the plain reader agrees with the full parser on all it takes", () => {
  test("plain files, most of them with one edit", () => {
    let taken = 0;
    fc.assert(
      fc.property(almostPlain, (text) => {
        if (isTakenAlike(text)) taken += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(taken).toBeGreaterThan(400);
  });

  test("what a writer makes of plain values", () => {
    let taken = 0;
    fc.assert(
      fc.property(plainValue, fc.boolean(), fc.boolean(), (value, indentSeq, hasCrlf) => {
        const text = stringify({ root: value, tail: 1 }, { indentSeq, lineWidth: 0, aliasDuplicateObjects: false });
        if (isTakenAlike(hasCrlf ? text.replaceAll("\n", "\r\n") : text)) taken += 1;
      }),
      { numRuns: 600 },
    );
    expect(taken).toBeGreaterThan(200);
  });
});

test("an ordinary workflow is plain", () => {
  const text = `# Weekly report
name: weekly-report
args:
  topic:
    type: string

steps:
  - id: draft
    command: |
      Write about \${topic}.

      - keep it short
    depends_on: []
    timeout: 30
  # the second
  - id: check
    command: 'Check: \${draft.stdout}'
    depends_on: [draft]
    on_failure: retry
    condition: "$draft.approved == true"
`;
  expect(isTakenAlike(text)).toBe(true);
});
