import { describe, expect, test } from "vitest";
import { Composer } from "yaml";
import { LIMITS, type Problem } from "../base/index.ts";
import { readDocuments, readSource } from "./index.ts";

function brief({ code, line, column, path }: Problem): string {
  return `${code} ${line}:${column}${path === "" ? "" : ` ${path}`}`;
}

function problemsOf(text: string | Uint8Array): readonly string[] {
  return readSource(text).problems.map(brief);
}

function valueOf(text: string | Uint8Array): unknown {
  const { tree, problems } = readSource(text);
  expect(problems).toEqual([]);
  return tree?.value;
}

describe("what YAML means", () => {
  test.each<[string, unknown]>([
    ["a: yes\nb: no\nc: on\nd: off\n", { a: "yes", b: "no", c: "on", d: "off" }],
    ["a: true\nb: FALSE\nc: ~\nd: null\ne:\n", { a: true, b: false, c: null, d: null, e: null }],
    [
      "a: 08\nb: 0o17\nc: 0x1F\nd: 1_000\ne: 1:30\nf: 1e3\ng: .5\nh: +1\n",
      { a: 8, b: 15, c: 31, d: "1_000", e: "1:30", f: 1000, g: 0.5, h: 1 },
    ],
    ["v: 1.10\nd: 2001-01-01\n", { v: 1.1, d: "2001-01-01" }],
    ["a: |\n  one\n  two\nb: >-\n  one\n  two\n", { a: "one\ntwo\n", b: "one two" }],
    ["a: 'it''s'\nb: \"tab\\t\\u00e9\"\n", { a: "it's", b: "tab\té" }],
    ["- a\n- [b, {c: 1}]\n- - d\n  - e\n", ["a", ["b", { c: 1 }], ["d", "e"]]],
    ["? a\n: b\n", { a: "b" }],
    ["just text", "just text"],
    ["{a: v\n# c\n}", { a: "v" }],
    ["{a: v\n\t\n\n}", { a: "v" }],
    ["a: # c\n  # d\n- x\n# e\n- y\n", { a: ["x", "y"] }],
    ["null", null],
    ['"<<": {a: 1}\n', { "<<": { a: 1 } }],
    ["a: [1, 2,]\n", { a: [1, 2] }],
    ["---\na: 1\n...\n", { a: 1 }],
    ["%YAML 1.2\n---\na: 1\n", { a: 1 }],
    ["\ufeffa: 1\r\nb: |\r\n  x\r\n", { a: 1, b: "x\n" }],
    ["a: '&x'\n", { a: "&x" }],
  ])("%j", (text, value) => {
    expect(valueOf(text)).toEqual(value);
  });

  test("keys are read as they are written", () => {
    expect(valueOf("1: a\n1.50: b\ntrue: c\n~: d\n'': e\n")).toEqual({
      "1": "a",
      "1.50": "b",
      true: "c",
      "~": "d",
      "": "e",
    });
  });

  test("blank lines and comments between, before and behind change nothing", () => {
    const text =
      "# head\n\n\na:\n\n  # in\n\n  - b # tail\n# out\n\n  - c\n\n\nd: |\n  x\n\n  y\n\n# after\n\n   # far\ne: [\n\n  # flow\n  1,\n\n  2 ]\n#end\n\n";
    expect(valueOf(text)).toEqual({ a: ["b", "c"], d: "x\n\ny\n", e: [1, 2] });
    const { tree } = readSource(text);
    expect(tree?.placeOf(["a", 1])).toEqual({ line: 11, column: 5 });
    expect(tree?.placeOf(["e", 1])).toEqual({ line: 27, column: 3 });
  });

  test("bytes are read as UTF-8, with or without a mark", () => {
    const bytes = new Uint8Array([0x61, 0x3a, 0x20, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80]);
    expect(valueOf(bytes)).toEqual({ a: "é😀" });
    expect(valueOf(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes]))).toEqual({ a: "é😀" });
  });
});

describe("what is refused, and where", () => {
  test.each<[string, string, readonly string[]]>([
    ["nothing", "", ["yaml_empty 1:1"]],
    ["only white space", " \n\t\r\n", ["yaml_empty 1:1"]],
    ["only comments", "# a\n  # b\n", ["yaml_empty 1:1"]],
    ["only a marker", "---\n", ["yaml_empty 1:1"]],
    ["an alias and its anchor", "a: &x 1\nb:\n  - *x\n", ["yaml_alias 1:4 a", "yaml_alias 3:5 b[0]"]],
    ["an anchor alone", "a: &x 1\n", ["yaml_alias 1:4 a"]],
    ["a text that looks like an alias", "a: **bold** words\n", ["yaml_alias 1:4"]],
    ["a merge key", "b: 1\nc:\n  <<: {a: 1}\n", ["yaml_alias 3:3 c"]],
    ["a custom tag", "a: !env HOME\n", ["yaml_tag 1:4 a"]],
    ["a code tag", "a: !!js/function 'x'\n", ["yaml_tag 1:4 a"]],
    ["a known tag", "a: !!str 1\nb: !!binary aGk=\n", ["yaml_tag 1:4 a", "yaml_tag 2:4 b"]],
    ["a bare tag", "a: ! x\n", ["yaml_tag 1:4 a"]],
    ["a tag declaration", "%TAG ! tag:x,2000:\n---\na: 1\n", ["yaml_tag 1:1"]],
    ["another version", "%YAML 1.1\n---\na: yes\n", ["yaml_syntax 1:1"]],
    ["a version without a start marker", "%YAML 1.2\na: 1\n", ["yaml_syntax 2:1"]],
    ["an unknown directive", "%FOO\n---\na: 1\n", ["yaml_syntax 1:1"]],
    ["a second document", "a: 1\n---\nb: 2\n", ["yaml_multiple_documents 2:1"]],
    ["a second document after an end", "a: 1\n...\nb: 2\n", ["yaml_multiple_documents 3:1"]],
    ["an empty second document", "a: 1\n---\n", ["yaml_multiple_documents 2:1"]],
    [
      "a key set twice",
      "a: 1\nb:\n  c: 1\n  'c': 2\na: 3\n",
      ["yaml_duplicate_key 4:3 b.c", "yaml_duplicate_key 5:1 a"],
    ],
    [
      "keys of the prototype",
      "__proto__: {x: 1}\na:\n  constructor: 1\n",
      ["yaml_forbidden_key 1:1 __proto__", "yaml_forbidden_key 3:3 a.constructor"],
    ],
    ["a prototype key in flow", "a: [{prototype: 1}]\n", ["yaml_forbidden_key 1:6 a[0].prototype"]],
    [
      "numbers that are none",
      "a: .inf\nb: -.INF\nc: .nan\nd: 1e400\n",
      ["bad_number 1:4 a", "bad_number 2:4 b", "bad_number 3:4 c", "bad_number 4:4 d"],
    ],
    ["an escaped NUL", 'a: "x\\0"\n', ["text_unstorable 1:4 a"]],
    ["half a pair by escape", 'a:\n  - "\\ud800"\n', ["text_unstorable 2:5 a[0]"]],
    ["an unstorable key", '"\\0": 1\n', ["text_unstorable 1:1 \0"]],
    ["half a pair in the text", "a: x\ud800y\n# \udc00\n", ["text_unstorable 1:5", "text_unstorable 2:3"]],
    ["a raw NUL", "a: 1\nb: \0\n", ["yaml_encoding 2:4"]],
    ["a list as key", "? [a]\n: b\n", ["yaml_syntax 1:3"]],
    ["no key", "a: 1\n: b\n", ["yaml_syntax 2:1"]],
  ])("%s", (_, text, expected) => {
    expect(problemsOf(text)).toEqual(expected);
  });

  test.each<[string, string, string, RegExp]>([
    ["a tab as indentation", "a:\n\tb: 1\n", "2:1", /tab/],
    ["a tab before an item", "steps:\n  - a\n  \t- b\n", "3:3", /tab/],
    ["an open double quote", 'a: 1\nb: "foo\nc: 1\n', "2:4", /never closed/],
    ["an open single quote", "b: 'foo\nc: 1\n", "1:4", /never closed/],
    ["an open list", "a: [1, 2\nb: 3\n", "2:1", /opened with \[/],
    ["an open map", "a: {x: 1\nb: 3\n", "2:1", /opened with \{/],
    ["a colon in a text", "a: b: c\n", "1:4", /second key/],
    ["a key indented under a value", "steps:\n  - command: y\n      timeout: 3\n", "3:7", /indented under a value/],
    ["a key between two columns", "a:\n    b: 1\n  c: 2\n", "3:3", /column/],
    ["a line without colon", "a: 1\nfoo\nb: 2\n", "2:1", /neither a key/],
    ["an item on the line of its key", "a: - b\n", "1:4", /list item/],
    ["a reserved character", "a: @x\n", "1:4", /quotes|character/],
    ["an apostrophe inside quotes", "a: 'it's'\n", "1:8", /already ended/],
    ["a closing bracket too many", "a: ]\n", "1:4", /closing bracket/],
    ["an unknown escape", 'a: "\\q"\n', "1:5", /escape/],
    ["two commas", "[a,, b]", "1:4", /commas/],
  ])("%s is yaml_syntax with a hint", (_, text, place, words) => {
    const { tree, problems } = readSource(text);
    expect(tree).toBeNull();
    expect(problems[0]?.code).toBe("yaml_syntax");
    expect(`${problems[0]?.line}:${problems[0]?.column}`).toBe(place);
    expect(problems[0]?.message).toMatch(words);
    expect(problems[0]?.message).not.toMatch(/\n|at line/);
    expect(problems[0]?.hint).toBeTruthy();
  });

  test("two mistakes on different lines are both reported, two on one line once", () => {
    expect(problemsOf("a: @x\nb: 1\nc: `y\n")).toEqual(["yaml_syntax 1:4", "yaml_syntax 3:4"]);
    expect(problemsOf("- a\nb: 1\n")).toEqual(["yaml_syntax 2:1"]);
  });

  test("problems of several kinds come together, sorted by place", () => {
    expect(problemsOf('z: 1\nz: 2\na: &x 9007199254740993\n__proto__: 1\nb: "\\0"\n')).toEqual([
      "yaml_duplicate_key 2:1 z",
      "yaml_alias 3:4 a",
      "bad_number 3:7 a",
      "yaml_forbidden_key 4:1 __proto__",
      "text_unstorable 5:4 b",
    ]);
  });

  test("wide and broken encodings are reported with the place of the bad byte", () => {
    expect(problemsOf(new Uint8Array([0xff, 0xfe, 0x61, 0]))).toEqual(["yaml_encoding 1:1"]);
    expect(problemsOf(new Uint8Array([0xfe, 0xff, 0, 0x61]))).toEqual(["yaml_encoding 1:1"]);
    expect(problemsOf(new Uint8Array([0x61, 0, 0x3a, 0]))).toEqual(["yaml_encoding 1:1"]);
    expect(problemsOf(new Uint8Array([0, 0x61, 0, 0x3a]))).toEqual(["yaml_encoding 1:1"]);
    expect(problemsOf(new Uint8Array([0x61, 0x0a, 0x62, 0xff, 0x63]))).toEqual(["yaml_encoding 2:2"]);
    expect(problemsOf(new Uint8Array([0x61, 0x0a, 0x62, 0x00, 0x63]))).toEqual(["yaml_encoding 2:2"]);
  });

  test.each<[string, readonly number[]]>([
    ["a stray continuation", [0x80]],
    ["a cut sequence", [0xe2, 0x82]],
    ["a form longer than needed", [0xc0, 0xaf]],
    ["a long form of three bytes", [0xe0, 0x80, 0xaf]],
    ["half a surrogate pair", [0xed, 0xa0, 0x80]],
    ["beyond Unicode", [0xf4, 0x90, 0x80, 0x80]],
    ["a lead of five bytes", [0xf8, 0x88, 0x80, 0x80, 0x80]],
  ])("%s is not UTF-8", (_, bytes) => {
    expect(problemsOf(new Uint8Array([0x61, 0x20, ...bytes, 0x20]))).toEqual(["yaml_encoding 1:3"]);
  });

  test("a tree comes beside problems that leave every value known, and not otherwise", () => {
    expect(readSource("a: 1\na: 2\n__proto__: 3\n").tree?.value).toEqual({ a: 2 });
    expect(readSource("a: &x 1\n").tree?.value).toEqual({ a: 1 });
    expect(readSource("a: 9007199254740993\n").tree?.value).toEqual({ a: 9007199254740992 });
    expect(readSource('a: "\\0"\n').tree?.value).toEqual({ a: "\ufffd" });
    for (const text of ["a: .nan\n", "a: !x 1\n", "a: *x\n", "<<: {}\n", "a: 1\n---\nb: 1\n"]) {
      expect(readSource(text).tree).toBeNull();
    }
  });

  test("a forbidden key never becomes a property", () => {
    const { tree } = readSource('{"__proto__": {"polluted": true}, "a": {"constructor": 1}}');
    expect(tree?.value).toEqual({ a: {} });
    expect(Object.keys(readSource("__proto__: {polluted: 1}\n").tree?.value ?? {})).toEqual([]);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

describe("limits at their edges", () => {
  const padded = (size: number): string => `a: 1\n${"#".repeat(size - 5)}`;

  test("the size of YAML in bytes", () => {
    expect(problemsOf(padded(LIMITS.yamlBytesMax - 1))).toEqual([]);
    expect(problemsOf(padded(LIMITS.yamlBytesMax))).toEqual([]);
    expect(problemsOf(padded(LIMITS.yamlBytesMax + 1))).toEqual(["yaml_too_large 1:1"]);
    expect(problemsOf(padded(LIMITS.yamlBytesMax).replace("##", "é#"))).toEqual(["yaml_too_large 1:1"]);
    expect(problemsOf(new Uint8Array(LIMITS.yamlBytesMax + 1).fill(0x61))).toEqual(["yaml_too_large 1:1"]);
  });

  test("the size of JSON in bytes", () => {
    const json = (size: number): string => `["${"x".repeat(size - 4)}"]`;
    expect(problemsOf(json(LIMITS.jsonBytesMax - 1))).toEqual([]);
    expect(problemsOf(json(LIMITS.jsonBytesMax))).toEqual([]);
    expect(problemsOf(json(LIMITS.jsonBytesMax + 1))).toEqual(["yaml_too_large 1:1"]);
  });

  test("text between the two limits is JSON or nothing", () => {
    expect(problemsOf(`{"a": 1,\n}${" ".repeat(LIMITS.yamlBytesMax)}`)).toEqual(["yaml_syntax 2:1"]);
    expect(problemsOf(`{a: 1}${" ".repeat(100)}`)).toEqual([]);
  });

  const flow = (depth: number): string => `x: ${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}`;
  const block = (depth: number): string =>
    Array.from({ length: depth }, (_, level) => `${" ".repeat(level)}k:`).join("\n");
  const compact = (depth: number): string => `${"- ".repeat(depth)}a`;
  const json = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const pairs = (depth: number): string => `x: ${"[".repeat(depth - 2)}a: b${"]".repeat(depth - 2)}`;
  test.each([
    ["flow", flow],
    ["block", block],
    ["compact", compact],
    ["json", json],
    ["pairs in lists", pairs],
  ])("the depth in %s", (_, nested) => {
    expect(problemsOf(nested(LIMITS.textDepthMax - 1))).toEqual([]);
    expect(problemsOf(nested(LIMITS.textDepthMax))).toEqual([]);
    const [problem, ...more] = readSource(nested(LIMITS.textDepthMax + 1)).problems;
    expect([problem?.code, more]).toEqual(["yaml_too_deep", []]);
  });

  test("the place and path of what is too deep", () => {
    expect(problemsOf(block(21))).toEqual([`yaml_too_deep 21:21 ${Array(20).fill("k").join(".")}`]);
    expect(problemsOf(json(21))).toEqual([`yaml_too_deep 1:21 ${"[0]".repeat(20)}`]);
  });

  test("the number of problems", () => {
    const repeated = (times: number): string => "a: 1\n".repeat(times + 1);
    expect(problemsOf(repeated(49))).toHaveLength(49);
    expect(problemsOf(repeated(50))).toHaveLength(50);
    expect(problemsOf(repeated(51))).toHaveLength(50);
    expect(problemsOf("- &x 1\n".repeat(400))).toHaveLength(50);
    expect(problemsOf(`[${'{"a":1,"a":1},'.repeat(400)}1]`)).toHaveLength(50);
  });

  test("integers up to 2^53 are kept, beyond it they are reported", () => {
    for (const written of ["9007199254740991", "9007199254740992", "-9007199254740992", "0x20000000000000", "1e300"]) {
      expect(problemsOf(`a: ${written}`)).toEqual([]);
    }
    for (const written of ["9007199254740993", "-9007199254740993", "0x20000000000001", "9".repeat(400)]) {
      expect(problemsOf(`a: ${written}`)).toEqual(["bad_number 1:4 a"]);
    }
    expect(problemsOf("[9007199254740992, -9007199254740991]")).toEqual([]);
    expect(problemsOf("[9007199254740993, 1e999]")).toEqual(["bad_number 1:2 [0]", "bad_number 1:20 [1]"]);
  });
});

describe("JSON", () => {
  test.each<[string, readonly string[]]>([
    ['{"a": 1, "b": {"a": 2, "a": 3}}', ["yaml_duplicate_key 1:24 b.a"]],
    ['{"a": 1, "\\u0061": 2}', ["yaml_duplicate_key 1:10 a"]],
    ['[{"__proto__": 1}]', ["yaml_forbidden_key 1:3 [0].__proto__"]],
    ['{"a": "\\u0000", "b": "\\ud800", "c": "\\ud83d\\ude00"}', ["text_unstorable 1:7 a", "text_unstorable 1:22 b"]],
    ['{"\\udfff": 1}', ["text_unstorable 1:2 \udfff"]],
  ])("%s", (text, expected) => {
    expect(problemsOf(text)).toEqual(expected);
  });

  test("plain JSON, also with tabs", () => {
    expect(valueOf('{\n\t"a": [true, false, null, -1.5e3, "x\\n"]\n}\n')).toEqual({
      a: [true, false, null, -1500, "x\n"],
    });
  });

  test("a text that only starts like JSON is YAML", () => {
    expect(valueOf("{a: 1, b: [x y]}\n")).toEqual({ a: 1, b: ["x y"] });
    expect(problemsOf('{"a": 1, "a": 2, }\n')).toEqual(["yaml_duplicate_key 1:10 a"]);
  });
});

describe("places", () => {
  const yaml = "name: x\nsteps:\n  - id: a\n    timeout: 30\n  - id: b\n    run: {k: v}\nempty:\n";
  const json =
    '{"name": "x",\n "steps": [\n  {"id": "a", "timeout": 30},\n  {"id": "b", "run": {"k": "v"}}],\n "empty": null}';

  test.each([
    [[], "1:1", "1:1", "1:1", "1:1"],
    [["name"], "1:7", "1:1", "1:10", "1:2"],
    [["steps"], "3:3", "2:1", "2:11", "2:2"],
    [["steps", 0], "3:5", "3:5", "3:3", "3:3"],
    [["steps", 0, "timeout"], "4:14", "4:5", "3:26", "3:15"],
    [["steps", 1, "run", "k"], "6:14", "6:11", "4:28", "4:23"],
    [["empty"], "7:7", "7:1", "5:11", "5:2"],
    [["steps", 0, "missing"], "3:5", "3:5", "3:3", "3:3"],
    [["steps", 9, "x"], "3:3", "2:1", "2:11", "2:2"],
    [["name", "deeper"], "1:7", "1:1", "1:10", "1:2"],
    [["steps", "0"], "3:3", "2:1", "2:11", "2:2"],
  ])("%j", (path, yamlValue, yamlKey, jsonValue, jsonKey) => {
    const shown = (text: string): readonly string[] => {
      const { tree } = readSource(text);
      const value = tree?.placeOf(path);
      const key = tree?.keyPlaceOf(path);
      return [`${value?.line}:${value?.column}`, `${key?.line}:${key?.column}`];
    };
    expect(shown(yaml)).toEqual([yamlValue, yamlKey]);
    expect(shown(json)).toEqual([jsonValue, jsonKey]);
  });

  test("columns count UTF-16 units, lines end with LF or CRLF", () => {
    const { tree } = readSource('é😀: 1\r\n"x": {a: 2}\r\n');
    expect(tree?.placeOf(["é😀"])).toEqual({ line: 1, column: 6 });
    expect(tree?.placeOf(["x", "a"])).toEqual({ line: 2, column: 10 });
  });

  test("a key a megabyte long does not make the problem long", () => {
    const { problems } = readSource(JSON.stringify({ [`k${"x".repeat(1_000_000)}`]: { constructor: 1 } }));
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems).length).toBeLessThan(1_000);
  });
});

describe("several documents", () => {
  test("each has its own tree, with places of the whole stream", () => {
    const { trees, problems } = readDocuments("a: 1\n---\nb: 2\n---\n---\nc: [3]\n");
    expect(problems).toEqual([]);
    expect(trees.map(({ value }) => value)).toEqual([{ a: 1 }, { b: 2 }, { c: [3] }]);
    expect(trees[1]?.placeOf(["b"])).toEqual({ line: 3, column: 4 });
    expect(trees[2]?.placeOf(["c", 0])).toEqual({ line: 6, column: 5 });
  });

  test("JSON is one document, nothing is none", () => {
    expect(readDocuments('{"a": 1}').trees.map(({ value }) => value)).toEqual([{ a: 1 }]);
    expect(readDocuments("---\n---\n").problems.map(brief)).toEqual(["yaml_empty 1:1"]);
  });

  test("a document that cannot be read is left out, and reported", () => {
    const { trees, problems } = readDocuments("a: 1\n---\nb: *x\n");
    expect(trees.map(({ value }) => value)).toEqual([{ a: 1 }]);
    expect(problems.map(brief)).toEqual(["yaml_alias 3:4 b"]);
  });

  test("their number is limited", () => {
    expect(readDocuments("---\na\n".repeat(1_000)).trees).toHaveLength(1_000);
    expect(readDocuments("---\na\n".repeat(1_001)).problems.map(({ code }) => code)).toEqual(["yaml_too_large"]);
  });
});

describe("hostile files end with a code", () => {
  const megabyte = (piece: string): string =>
    piece.repeat(Math.ceil(LIMITS.yamlBytesMax / piece.length)).slice(0, LIMITS.yamlBytesMax);
  const laughs = Array.from(
    { length: 9 },
    (_, level) => `a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]\n`,
  ).join("");
  test.each([
    ["billion laughs", laughs, "yaml_alias"],
    ["nested brackets", "[".repeat(100_000), "yaml_too_deep"],
    ["nested braces", megabyte("{a: "), "yaml_too_deep"],
    ["nested dashes", megabyte("- "), "yaml_too_deep"],
    ["nested question marks", megabyte("? "), "yaml_too_deep"],
    ["anchors and aliases", megabyte("&a *a "), "yaml_alias"],
    ["tags", megabyte("- !!str a\n"), "yaml_tag"],
    ["commas", `[x${megabyte(",").slice(2)}`, "yaml_too_large"],
    ["backslashes", `"${megabyte("\\").slice(1)}`, "yaml_syntax"],
    ["quotes", '"'.repeat(200_000), "yaml_syntax"],
    ["bad escapes", `"${megabyte("\\q").slice(2)}"`, "yaml_syntax"],
    ["a key of a megabyte", `${megabyte("k").slice(3)}: 1`, "yaml_syntax"],
    ["a number of a megabyte", `a: ${megabyte("9").slice(3)}`, "bad_number"],
    ["comments under a key", `- a\nb:\n${"\n".repeat(100_000)}${" #\n".repeat(100_000)}`, "yaml_syntax"],
    ["five megabytes", "a: b\n".repeat(LIMITS.yamlBytesMax), "yaml_too_large"],
  ])("%s", (_, text, code) => {
    expect(readSource(text).problems[0]?.code).toBe(code);
  });

  test("40,000 keys and 10,000 steps are read", () => {
    const keys = Array.from({ length: 40_000 }, (_, index) => `k${index}: 1`).join("\n");
    expect(Object.keys(valueOf(keys) ?? {})).toHaveLength(40_000);
    const steps = Array.from({ length: 10_000 }, (_, index) => `  - id: s${index}\n    command: x\n`).join("");
    expect(valueOf(`name: x\nsteps:\n${steps}`)).toMatchObject({ steps: { length: 10_000 } });
  });

  test("the YAML package still hands its errors to the handler that stops it", () => {
    expect(Object.hasOwn(new Composer(), "onError")).toBe(true);
    expect(readSource(`[${"a, , ".repeat(20_000)}]`).problems).toHaveLength(1);
  });
});

describe("a template without quotes", () => {
  test.each(["a: {b: ${x}}", "a: [${x}]", "a:\n  - {b: 1, c: x ${y} z}"])("%j asks for quotes", (text) => {
    const [problem] = readSource(text).problems;
    expect(problem).toMatchObject({ code: "yaml_syntax", hint: expect.stringContaining('{order_id: "${order.id}"}') });
    const line = text.split("\n")[(problem?.line ?? 1) - 1] ?? "";
    expect(line.slice((problem?.column ?? 1) - 1)).toMatch(/^\$\{/u);
  });

  test.each(["{id: d, command: ${order.id}}", "{id: d, set: {a: ${b['x']}, c: 1}}", "{id: d, set: {a: [${b} c]}}"])(
    "%s makes no problem of the correct lines below",
    (step) => {
      const { problems } = readSource(`steps:\n  - ${step}\n  - {id: e}\n  - id: f\nname: w\n`);
      expect(problems.map(({ line, message }) => [line, message.includes("${…}")])).toEqual([[2, true]]);
    },
  );

  test("is fine in quotes, and in block style", () => {
    expect(readSource('a: {b: "${x}"}').problems).toEqual([]);
    expect(readSource("a:\n  b: ${x}\n").problems).toEqual([]);
  });
});
