import { describe, expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { ARG_STYLE, parseValue, valueStyle } from "./value.ts";

const reference = (text: string, position: number) => ({ text, segments: [text.slice(2, -1)], position });
const plain = (value: Json) => ({ kind: "literal", value });

const parseArg = (value: Json) => parseValue(value, ARG_STYLE);

describe("a value", () => {
  it.each<[Json]>([
    [null],
    [5],
    [true],
    ["text"],
    ["$5 and $a.stdout"],
    [[1, ["a"]]],
    [{ a: { b: [null] } }],
    [[]],
    [{}],
  ])("keeps %j as it is", (value) => {
    expect(parseArg(value)).toEqual({ ok: true, value: plain(value) });
  });

  it("turns texts with references into templates, wherever they stand", () => {
    const value = { a: "x ${b}", c: [1, "${d}"], e: { f: "g" } };
    expect(parseArg(value)).toEqual({
      ok: true,
      value: {
        kind: "object",
        members: {
          a: { kind: "template", template: { text: "x ${b}", parts: ["x ", reference("${b}", 2)] } },
          c: {
            kind: "list",
            items: [plain(1), { kind: "template", template: { text: "${d}", parts: [reference("${d}", 0)] } }],
          },
          e: plain({ f: "g" }),
        },
      },
    });
  });

  it("takes the escape out of a text without references", () => {
    expect(parseArg(["$${a}"])).toEqual({ ok: true, value: plain(["${a}"]) });
  });

  it("says where the bad text stands", () => {
    expect(parseArg({ a: [1, { b: "ok ${" }] })).toMatchObject({
      ok: false,
      failure: { path: ["a", 1, "b"], position: 3, message: "the reference that starts with ${ is never closed" },
    });
    expect(parseArg("${}")).toMatchObject({ ok: false, failure: { path: [], position: 0 } });
  });

  it("keeps keys that mean harm as data", () => {
    const value: Json = JSON.parse('{"__proto__": "${a}", "constructor": 1}');
    const parsed = parseArg(value);
    if (!parsed.ok || parsed.value.kind !== "object") throw new Error("not an object");
    expect(Object.keys(parsed.value.members)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(parsed.value.members)).toBe(Object.prototype);
  });
});

describe("a value of an input", () => {
  const parse = (value: Json) =>
    parseValue(
      value,
      valueStyle((id) => id === "a"),
    );
  const path = (text: string, ...segments: (string | number)[]) => ({ text, segments, position: 0 });

  it("is a reference only as an output of a step there is", () => {
    expect(parse("a.outputs.b[0]")).toMatchObject({
      value: { kind: "reference", path: path("a.outputs.b[0]", "a", "outputs", "b", 0) },
    });
    for (const text of ["b.outputs.c", "a", "a.b", "a.outputs.", "a.outputs.b c", "$a.outputs.b", "A.outputs.b"]) {
      expect(parse(text), text).toEqual({ ok: true, value: plain(text) });
    }
    expect(parse({ x: ["a.outputs.b"] })).toMatchObject({
      value: { kind: "object", members: { x: { kind: "list", items: [{ kind: "reference" }] } } },
    });
  });

  it("is calculated under expr, wherever it stands", () => {
    expect(parse({ expr: "a.b * 2" })).toMatchObject({
      value: { kind: "expression", expression: { text: "a.b * 2" } },
    });
    expect(parse([{ x: { expr: "1" } }])).toMatchObject({
      value: { items: [{ members: { x: { kind: "expression" } } }] },
    });
    expect(parse({ expr: "1", other: 2 })).toEqual({ ok: true, value: plain({ expr: "1", other: 2 }) });
    expect(parse({ expr: { a: 1 } })).toEqual({ ok: true, value: plain({ expr: { a: 1 } }) });
    expect(parse({ x: { expr: "1 +" } })).toMatchObject({
      ok: false,
      failure: { code: "bad_expression", path: ["x", "expr"] },
    });
  });

  it("is quoted by value, at its head alone", () => {
    for (const quoted of ["${a", "a.outputs.b", { expr: "1" }, { value: 2 }, null] as const) {
      expect(parse({ value: quoted })).toEqual({ ok: true, value: plain(quoted) });
    }
    expect(parse({ field: { value: "red" } })).toEqual({ ok: true, value: plain({ field: { value: "red" } }) });
    expect(parseArg({ value: 1 })).toEqual({ ok: true, value: plain({ value: 1 }) });
  });
});
