import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonToText, type Json, type JsonObject } from "../base/index.ts";
import type { EdgeCondition } from "../definition/index.ts";
import type { Envelope } from "../event/index.ts";
import { parseExpression } from "../expression/index.ts";
import { isEdgeSatisfied } from "./edge-condition.ts";
import { makeEnvelope, outputDataOf } from "./envelope.ts";
import { mergeValues } from "./merge.ts";
import { parseOutputPath, resolveOutputPath } from "./output-path.ts";

const nothing = () => undefined;

function holds(condition: EdgeCondition | null, value: Json | undefined): boolean | string {
  const outcome = isEdgeSatisfied(condition, value, nothing);
  return outcome.ok ? outcome.value : outcome.failure.message;
}

describe("isEdgeSatisfied", () => {
  it("is satisfied without a condition", () => {
    expect(holds(null, undefined)).toBe(true);
  });

  it.each<readonly [Json | undefined, Json, boolean]>([
    ["a", "a", true],
    ["a", "b", false],
    [5, "5", true],
    ["5", 5, true],
    [true, "true", true],
    [null, "", true],
    [undefined, "", true],
    [undefined, null, true],
    ["", null, true],
    [undefined, "x", false],
    [{ a: 1 }, '{"a":1}', true],
    [{ b: 1, a: 2 }, '{"b":1,"a":2}', true],
    [{ b: 1, a: 2 }, '{"a":2,"b":1}', true],
    [{ b: 1, a: 2 }, { a: 2, b: 1 }, true],
    [[1, 2], [2, 1], false],
    ["a ", "a", false],
  ])("equals: %j and %j is %s", (value, wanted, expected) => {
    expect(holds({ type: "equals", value: wanted }, value)).toBe(expected);
  });

  it.each<readonly [Json | undefined, Json, boolean]>([
    ["no errors", "error", true],
    ["all good", "error", false],
    ["error 404", 404, true],
    ["text", null, false],
    [404, "4", false],
    [true, "true", false],
    [{ error: 1 }, "error", false],
    [undefined, "", false],
    [["a", "b"], "b", true],
    [["a", "b"], "a,b", false],
    [["ab"], "a", false],
    [[1, 2], "2", true],
    [[{ a: 1, b: 2 }], { b: 2, a: 1 }, true],
    [[], "", false],
  ])("contains: %j and %j is %s", (value, wanted, expected) => {
    expect(holds({ type: "contains", value: wanted }, value)).toBe(expected);
  });

  it.each<readonly [Json | undefined, boolean, boolean]>([
    [undefined, false, false],
    [null, false, false],
    ["", false, false],
    [0, true, false],
    [false, true, false],
    ["0", true, true],
    ["false", true, true],
    [[], true, true],
    [{}, true, true],
    [1, true, true],
  ])("%j: present %s, truthy %s", (value, isPresent, isTruthy) => {
    expect(holds({ type: "present" }, value)).toBe(isPresent);
    expect(holds({ type: "truthy" }, value)).toBe(isTruthy);
  });

  it("asks the expression, and passes its failure on", () => {
    const parsed = parseExpression("score > 3");
    if (!parsed.ok) throw new Error("the expression of this test must parse");
    const condition: EdgeCondition = { type: "expression", expression: parsed.value };
    expect(isEdgeSatisfied(condition, undefined, () => 4)).toStrictEqual({ ok: true, value: true });
    expect(isEdgeSatisfied(condition, undefined, () => 2)).toStrictEqual({ ok: true, value: false });
    expect(isEdgeSatisfied(condition, undefined, () => "4").ok).toBe(false);
  });

  it("says so when a value is too deep to compare", () => {
    let deep: Json = 1;
    for (let level = 0; level < 10_000; level += 1) deep = [deep];
    expect(holds({ type: "equals", value: "x" }, deep)).toBe("the value to test is nested deeper than 100 levels");
  });
});

describe("mergeValues", () => {
  const sources = [
    { label: "Draft", id: "a", value: "alpha" },
    { label: null, id: "b", value: { x: 1 } },
    { label: "Review", id: "c", value: null },
  ];

  it("follows each strategy", () => {
    expect(mergeValues("last_write_wins", sources)).toBe("");
    expect(mergeValues("last_write_wins", sources.slice(0, 2))).toStrictEqual({ x: 1 });
    expect(mergeValues("concat", sources)).toBe('alpha\n\n{"x":1}\n\n');
    expect(mergeValues("array", sources)).toStrictEqual(["alpha", { x: 1 }, null]);
    expect(mergeValues("array", sources.slice(0, 1))).toStrictEqual(["alpha"]);
    expect(mergeValues("json_object", sources)).toStrictEqual({ Draft: "alpha", b: { x: 1 }, Review: null });
  });

  it("has an empty result for no sources", () => {
    expect(mergeValues("last_write_wins", [])).toBe("");
    expect(mergeValues("concat", [])).toBe("");
    expect(mergeValues("array", [])).toStrictEqual([]);
    expect(mergeValues("json_object", [])).toStrictEqual({});
  });

  it("falls back to ids for a label that occurs twice", () => {
    const twins = [
      { label: "Draft", id: "a", value: 1 },
      { label: "Draft", id: "b", value: 2 },
      { label: "Other", id: "c", value: 3 },
      { label: "", id: "d", value: 4 },
    ];
    expect(mergeValues("json_object", twins)).toStrictEqual({ a: 1, b: 2, Other: 3, d: 4 });
  });

  it("loses nothing when keys still collide", () => {
    const clash = [
      { label: "b", id: "a", value: 1 },
      { label: null, id: "b", value: 2 },
      { label: null, id: "b", value: 3 },
      { label: null, id: "b_2", value: 4 },
    ];
    expect(mergeValues("json_object", clash)).toStrictEqual({ b: 1, b_2: 2, b_3: 3, b_2_2: 4 });
  });

  it("keeps a hostile label as a key", () => {
    const merged = mergeValues("json_object", [{ label: "__proto__", id: "a", value: { x: 1 } }]);
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"x":1}}');
  });

  it("keeps every value of every source, in any strategy but the last one wins", () => {
    const source = fc.record({
      label: fc.option(fc.constantFrom("x", "y", "__proto__", "a", "a_2", "")),
      id: fc.constantFrom("a", "b", "a_2", "toString"),
      value: fc.jsonValue() as fc.Arbitrary<Json>,
    });
    fc.assert(
      fc.property(fc.array(source, { maxLength: 8 }), (given) => {
        expect(mergeValues("array", given)).toStrictEqual(given.map(({ value }) => value));
        expect(Object.keys(mergeValues("json_object", given) as JsonObject)).toHaveLength(given.length);
        expect(mergeValues("last_write_wins", given)).toStrictEqual(given.at(-1)?.value ?? "");
        const texts = given.map(({ value }) => jsonToText(value));
        expect(mergeValues("concat", given)).toBe(texts.join("\n\n"));
      }),
      { numRuns: 300 },
    );
  });
});

describe("parseOutputPath", () => {
  it.each<readonly [string, readonly (string | number)[] | undefined]>([
    ["output", ["output"]],
    [" data.summary ", ["data", "summary"]],
    ["data.items[0].name", ["data", "items", 0, "name"]],
    ["a[0][12]", ["a", 0, 12]],
    ["[3].x", [3, "x"]],
    ["My field.x", ["My field", "x"]],
    ["data.items.0", ["data", "items", "0"]],
    ["a[999999999]", ["a", 999999999]],
    ["a[1000000000]", undefined],
    ["", undefined],
    ["  ", undefined],
    [".", undefined],
    [".a", undefined],
    ["a.", undefined],
    ["a..b", undefined],
    ["a[", undefined],
    ["a[]", undefined],
    ["a[-1]", undefined],
    ["a[x]", undefined],
    ["a[0]b", undefined],
    ["a.[0]", undefined],
    ["a]", undefined],
  ])("reads %j as %j", (key, expected) => {
    expect(parseOutputPath(key)).toStrictEqual(expected);
  });
});

describe("resolveOutputPath", () => {
  const data = JSON.parse(
    '{"summary": "s", "nested": {"x": 0, "gone": null}, "items": [{"id": 7}], "__proto__": {"y": 1}, "output": "inner"}',
  ) as JsonObject;
  const envelope: Envelope = { kind: "text", artifactKind: "text", output: "whole", data };
  const outputData = outputDataOf(envelope, { score: 3, output: "other" });

  it.each<readonly [string, Json | undefined]>([
    ["output", "whole"],
    [" output ", "whole"],
    ["score", 3],
    ["data.summary", "s"],
    ["data.output", "inner"],
    ["summary", "s"],
    ["nested.x", 0],
    ["nested.gone", null],
    ["data.items[0].id", 7],
    ["items.0.id", 7],
    ["data.items[1]", undefined],
    ["data.items.length", undefined],
    ["summary.length", undefined],
    ["output.length", undefined],
    ["missing", undefined],
    ["nested.y", undefined],
    ["constructor", undefined],
    ["nested.toString", undefined],
    ["__proto__.y", 1],
    ["nested.__proto__", undefined],
    ["media", undefined],
    ["nested[0]", undefined],
    ["bad..path", undefined],
  ])("%j leads to %j", (key, expected) => {
    expect(resolveOutputPath(outputData, envelope, key)).toStrictEqual(expected);
  });

  it("walks data that is a list", () => {
    const listed: Envelope = { ...envelope, data: [{ a: 1 }] };
    expect(resolveOutputPath(outputDataOf(listed, {}), listed, "[0].a")).toBe(1);
    expect(resolveOutputPath({}, { ...listed, data: undefined }, "[0].a")).toBeUndefined();
  });
});

describe("makeEnvelope", () => {
  it("wraps text and outputs", () => {
    expect(makeEnvelope({ stdout: "hi" })).toStrictEqual({ kind: "text", artifactKind: "text", output: "hi" });
    expect(makeEnvelope({ stdout: "hi", outputs: { a: 1 } })).toStrictEqual({
      kind: "text",
      artifactKind: "text",
      output: "hi",
      data: { a: 1 },
    });
    expect(makeEnvelope({ stdout: "", outputs: {} })).toStrictEqual({ kind: "text", artifactKind: "text", output: "" });
    expect(makeEnvelope({})).toStrictEqual({ kind: "text", artifactKind: "text", output: "" });
  });

  it("takes outputs alone for a JSON answer", () => {
    expect(makeEnvelope({ outputs: { b: 1, a: 2 } })).toStrictEqual({
      kind: "json",
      artifactKind: "json",
      output: '{"b":1,"a":2}',
      data: { b: 1, a: 2 },
    });
    expect(makeEnvelope({ outputs: {} })).toStrictEqual({ kind: "text", artifactKind: "text", output: "", data: {} });
  });

  it("takes its kinds from the contract", () => {
    const contract = { kind: "research", artifactKind: "json", schema: {}, tokens: [] };
    expect(makeEnvelope({ outputs: { a: 1 }, contract })).toMatchObject({ kind: "research", artifactKind: "json" });
    expect(makeEnvelope({ stdout: "x", contract: null })).toMatchObject({ kind: "text" });
  });

  it("keeps an adapter's envelope and completes it", () => {
    const envelope: Envelope = { kind: "image", artifactKind: "png", output: "", media: { url: "u" } };
    expect(makeEnvelope({ envelope, stdout: "caption", outputs: { a: 1 } })).toStrictEqual({
      ...envelope,
      output: "caption",
      data: { a: 1 },
    });
    const full: Envelope = { ...envelope, output: "own", data: { own: true } };
    expect(makeEnvelope({ envelope: full, stdout: "caption", outputs: { a: 1 } })).toStrictEqual(full);
  });

  it("spreads hostile names of outputs as data", () => {
    const outputs = JSON.parse('{"__proto__": 1}') as JsonObject;
    const spread = outputDataOf(makeEnvelope({ stdout: "x" }), outputs);
    expect(Object.entries(spread)).toStrictEqual([
      ["output", "x"],
      ["__proto__", 1],
    ]);
  });
});
