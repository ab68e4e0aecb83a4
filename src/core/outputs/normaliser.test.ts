import { describe, expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { normaliseOutput, type OutputRepair } from "./normaliser.ts";

function json(text: string): Json | undefined {
  return normaliseOutput(text, "json").value;
}

function files(text: string): Json | undefined {
  return normaliseOutput(text, "files").value;
}

function nested(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}

describe("text", () => {
  it("takes off the fence around the whole answer and nothing else", () => {
    const fenced = "```ts\nconst a = 1;\n```\n";
    expect(normaliseOutput(fenced, "text")).toStrictEqual({
      text: "const a = 1;",
      repairs: ["code_fence"],
      raw: fenced,
    });
    for (const text of [
      "plain",
      "",
      "  spaced ",
      "before\n```\na\n```",
      "```\na\n```\nafter",
      "```a```",
      "```\nopen",
    ]) {
      expect(normaliseOutput(text, "text")).toStrictEqual({ text, repairs: [], raw: text });
    }
    expect(normaliseOutput("~~~\r\na\r\nb\r\n~~~", "text").text).toBe("a\r\nb");
    expect(normaliseOutput("````\n```\ninner\n```\n````", "text").text).toBe("```\ninner\n```");
    expect(normaliseOutput("```\na\n```\n```\nb\n```", "text").repairs).toStrictEqual([]);
    expect(normaliseOutput("```\n```", "text").text).toBe("");
  });
});

describe("json", () => {
  it.each<readonly [string, Json, string, readonly OutputRepair[]]>([
    ['{"a": 1}', { a: 1 }, '{"a": 1}', []],
    ['\uFEFF {"a": 1}\n', { a: 1 }, '{"a": 1}', []],
    ['```json\n{"a": 1}\n```', { a: 1 }, '{"a": 1}', ["code_fence"]],
    ['```json\n{"ok": "yes"}\n``` done', { ok: "yes" }, '{"ok": "yes"}', ["first_json"]],
    [
      'Sure! Here it is: {"a": [1, {"b": "}"}]} Enjoy {"c": 2}',
      { a: [1, { b: "}" }] },
      '{"a": [1, {"b": "}"}]}',
      ["first_json"],
    ],
    ["```\nHere: [1, 2]\n```", [1, 2], "[1, 2]", ["code_fence", "first_json"]],
    ["42", 42, "42", []],
    ['```\n"text"\n```', "text", '"text"', ["code_fence"]],
    [" null ", null, "null", []],
    ["-1.5e2", -150, "-1.5e2", []],
  ])("%j", (raw, value, text, repairs) => {
    expect(normaliseOutput(raw, "json")).toStrictEqual({ text, value, repairs, raw });
  });

  it.each([
    "",
    "no json here",
    "The answer is 42",
    "true enough",
    "{",
    "[1, 2",
    '{"a": 1',
    "{a: 1}",
    "[1,]",
    "01",
    "+1",
  ])("finds nothing in %j", (raw) => {
    expect(normaliseOutput(raw, "json")).toStrictEqual({ text: raw, repairs: ["no_json"], raw });
  });

  it("continues after what only looks like a value", () => {
    expect(json('{not json} {"a": 1}')).toStrictEqual({ a: 1 });
    expect(json('{ {"a": 1} }')).toStrictEqual({ a: 1 });
    expect(json('[[[ {"a": 1}')).toStrictEqual({ a: 1 });
    expect(json('[1, {"a": 2}, oops')).toStrictEqual({ a: 2 });
    expect(json('see [link](x) and "quotes" {"a": "b"}')).toStrictEqual({ a: "b" });
    expect(json('["the answer: {"a":1}')).toStrictEqual({ a: 1 });
    expect(json('[[[["the answer: {"a":1}')).toStrictEqual({ a: 1 });
    expect(json('{"broken": "line\nbreak"} then {"a": 1}')).toStrictEqual({ a: 1 });
    expect(json("[1e999] [1]")).toStrictEqual([1]);
    expect(json('{"a": "\\x"} {"b": "\\u00e9\\n"}')).toStrictEqual({ b: "é\n" });
    expect(json("[] and then {}")).toStrictEqual([]);
  });

  it("prefers an object when one is wanted", () => {
    const prose = 'As shown in [1], [2]: {"a": [3]} and {"b": 1}';
    expect(normaliseOutput(prose, "json", "object").value).toStrictEqual({ a: [3] });
    expect(normaliseOutput(prose, "json", "any").value).toStrictEqual([1]);
    expect(normaliseOutput("only [1] and [2]", "json", "object").value).toStrictEqual([1]);
    expect(normaliseOutput('[ [1], {"a": 1}', "json", "object").value).toStrictEqual({ a: 1 });
  });

  it("keeps hostile keys as data", () => {
    const value = json('x {"__proto__": {"admin": true}, "constructor": 1}');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true},"constructor":1}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("takes no value nested past the limit, nor a piece of one", () => {
    expect(normaliseOutput(nested(100), "json").repairs).toStrictEqual([]);
    expect(normaliseOutput(nested(101), "json")).toMatchObject({ repairs: ["too_deep", "no_json"] });
    expect(normaliseOutput(`x ${nested(100)}`, "json").repairs).toStrictEqual(["first_json"]);
    expect(json(`x ${nested(101)}`)).toBeUndefined();
    const after = normaliseOutput(`x ${nested(10_000)} {"a": 1}`, "json");
    expect(after.value).toStrictEqual({ a: 1 });
    expect(after.repairs).toStrictEqual(["first_json", "too_deep"]);
  });

  it("stays cheap on long hostile text", () => {
    const million = 1_000_000;
    const many = million / 5;
    const hostile = [
      "[".repeat(many),
      "{".repeat(many),
      '["'.repeat(many / 2),
      '{"a":'.repeat(many / 5),
      "[[1],".repeat(many / 5),
      `${"[".repeat(many / 2)}"${"a".repeat(many / 2)}`,
      `["[",${'",",'.repeat(many / 4)}`,
      '["\\'.repeat(many / 3),
      "[1,".repeat(many / 3),
      "```\n".repeat(many / 4),
      "9".repeat(many),
      " ".repeat(many),
    ];
    for (const text of hostile) {
      for (const wanted of ["any", "object"] as const) expect(normaliseOutput(text, "json", wanted).raw).toBe(text);
    }
    expect(json(`${"[".repeat(million)}x {"a": 1}`)).toStrictEqual({ a: 1 });
  });
});

describe("tool", () => {
  it("takes the structured part", () => {
    const raw = '{"content": [{"type": "text", "text": "x"}], "structuredContent": {"a": 1}}';
    expect(normaliseOutput(raw, "tool")).toStrictEqual({
      text: '{"a":1}',
      value: { a: 1 },
      repairs: ["tool_result"],
      raw,
    });
  });

  it("takes the text parts, as JSON when they are", () => {
    const prose = '{"content": [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]}';
    expect(normaliseOutput(prose, "tool")).toMatchObject({ text: "one\ntwo", value: "one\ntwo" });
    const data = '{"content": [{"type": "text", "text": "{\\"a\\": 1}"}], "structuredContent": null}';
    expect(normaliseOutput(data, "tool")).toMatchObject({ text: '{"a": 1}', value: { a: 1 } });
  });

  it("takes any other JSON as it stands", () => {
    expect(normaliseOutput('{"content": "text"}', "tool").value).toStrictEqual({ content: "text" });
    expect(normaliseOutput('{"content": []}', "tool").value).toStrictEqual({ content: [] });
    expect(normaliseOutput("[1]", "tool").value).toStrictEqual([1]);
    expect(normaliseOutput("no", "tool")).toStrictEqual({ text: "no", repairs: ["no_json"], raw: "no" });
  });
});

describe("files", () => {
  it("extracts named blocks", () => {
    const raw = [
      "Two files:",
      "```ts src/a.ts",
      "const a = 1;",
      "```",
      "```sh",
      "npm test",
      "```",
      "~~~ ./docs/read me.md",
      "```",
      "code",
      "```",
      "~~~",
      "```.env",
      "```",
      "",
    ].join("\n");
    expect(normaliseOutput(raw, "files")).toStrictEqual({
      text: raw,
      value: [
        { path: "src/a.ts", content: "const a = 1;\n" },
        { path: "docs/read me.md", content: "```\ncode\n```\n" },
        { path: ".env", content: "" },
      ],
      repairs: ["code_fence"],
      raw,
    });
  });

  it("takes a path with spaces after its language", () => {
    expect(files("```md docs/read me.md\nx\n```")).toStrictEqual([{ path: "docs/read me.md", content: "x\n" }]);
    expect(files("```md .\\docs//b.md\nx\n```")).toStrictEqual([{ path: "docs/b.md", content: "x\n" }]);
  });

  it("lets a later block replace an earlier one", () => {
    expect(files("```ts a.ts\n1\n```\n```ts ./a.ts\n2\n```")).toStrictEqual([{ path: "a.ts", content: "2\n" }]);
  });

  it.each([
    "/etc/passwd",
    "../a",
    "a/../../b",
    "a/..",
    "..\\a",
    "\\\\host\\a",
    "C:\\a",
    "c:a",
    "~/a",
    "a/",
    ".",
    "a/.. /b",
    "a\u0000b",
  ])("refuses the path %j", (path) => {
    const { value, repairs } = normaliseOutput(`\`\`\`txt ${path}\nx\n\`\`\``, "files");
    expect(value).toStrictEqual([]);
    expect(repairs).toStrictEqual(["refused_path"]);
  });

  it.each(["ts", "ts {1,3}", 'ts title="a.ts"', ""])("takes %j for no file name", (info) => {
    expect(normaliseOutput(`\`\`\`${info}\nx\n\`\`\``, "files")).toMatchObject({ value: [], repairs: [] });
  });

  it("does not take a block that was cut off", () => {
    expect(normaliseOutput("```ts a.ts\n1", "files")).toMatchObject({ value: [], repairs: ["unclosed_fence"] });
  });

  it("finds none in plain text", () => {
    expect(normaliseOutput("nothing", "files")).toStrictEqual({
      text: "nothing",
      value: [],
      repairs: [],
      raw: "nothing",
    });
  });
});
