import { describe, expect, it } from "vitest";
import { LIMITS, type Json } from "../base/index.ts";
import type { FieldType } from "../definition/index.ts";
import { coerceValue } from "./coercion.ts";
import { isTooDeep } from "./depth.ts";

function nest(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const COERCED: readonly (readonly [FieldType, Json, Json])[] = [
  ["string", { b: 1, a: [2] }, '{"b":1,"a":[2]}'],
  ["string", [1, "x"], '[1,"x"]'],
  ["string", 5, "5"],
  ["string", -0, "0"],
  ["string", 1.5, "1.5"],
  ["string", false, "false"],
  ["number", "42", 42],
  ["number", " -3.25\n", -3.25],
  ["number", "+7", 7],
  ["number", ".5", 0.5],
  ["number", "007", 7],
  ["integer", "42", 42],
  ["integer", "2.5", 3],
  ["integer", "-2.5", -3],
  ["integer", "2.4", 2],
  ["integer", 2.5, 3],
  ["integer", -2.5, -3],
  ["integer", -0.4, 0],
  ["boolean", "true", true],
  ["boolean", " YES ", true],
  ["boolean", "False", false],
  ["boolean", "no", false],
  ["boolean", { passed: true }, true],
  ["boolean", { status: "No" }, false],
  ["boolean", { status: true, result: "no" }, false],
  ["boolean", { result: "unclear", verified: true }, true],
  ["array", "email", ["email"]],
  ["array", 0, [0]],
  ["array", { a: 1 }, [{ a: 1 }]],
  ["array", "[1,2]", ["[1,2]"]],
];

const UNCHANGED: readonly (readonly [FieldType, Json])[] = [
  ["string", "text"],
  ["string", null],
  ["string", Number.NaN],
  ["number", ""],
  ["number", "  "],
  ["number", "0x10"],
  ["number", "1e3"],
  ["number", "1,000"],
  ["number", "1_000"],
  ["number", "5."],
  ["number", "."],
  ["number", "--5"],
  ["number", "Infinity"],
  ["number", "NaN"],
  ["number", "12 apples"],
  ["number", "٣"],
  ["number", "9".repeat(400)],
  ["number", true],
  ["number", null],
  ["number", ["5"]],
  ["integer", "abc"],
  ["integer", Number.POSITIVE_INFINITY],
  ["boolean", 1],
  ["boolean", 0],
  ["boolean", "y"],
  ["boolean", "1"],
  ["boolean", "yes, surely"],
  ["boolean", ""],
  ["boolean", {}],
  ["boolean", { ok: true }],
  ["boolean", { result: { passed: true } }],
  ["boolean", [true]],
  ["boolean", null],
  ["object", '{"a":1}'],
  ["object", [1]],
  ["array", null],
  ["array", []],
];

describe("coerceValue", () => {
  it.each(COERCED)("%s takes %j as %j", (type, value, expected) => {
    expect(coerceValue({ type }, value)).toStrictEqual(expected);
  });

  it.each(UNCHANGED)("%s leaves %j alone", (type, value) => {
    expect(coerceValue({ type }, value)).toBe(value);
  });

  it("reads a boolean only from own properties", () => {
    const heir: Json = Object.create({ result: true });
    expect(coerceValue({ type: "boolean" }, heir)).toBe(heir);
  });

  it("leaves a value alone that is too deep to write out", () => {
    const deep = nest(10_000);
    expect(coerceValue({ type: "string" }, deep)).toBe(deep);
  });
});

describe("isTooDeep", () => {
  it("allows the limit and nothing past it", () => {
    expect(isTooDeep(nest(LIMITS.valueDepthMax - 1))).toBe(false);
    expect(isTooDeep(nest(LIMITS.valueDepthMax))).toBe(false);
    expect(isTooDeep(nest(LIMITS.valueDepthMax + 1))).toBe(true);
    expect(isTooDeep(nest(10_000))).toBe(true);
    expect(isTooDeep("text")).toBe(false);
  });

  it("looks into objects and past wide levels", () => {
    const wide = Array.from({ length: 1000 }, () => ({}));
    expect(isTooDeep({ wide, deep: { deeper: nest(LIMITS.valueDepthMax - 2) } })).toBe(false);
    expect(isTooDeep({ wide, deep: { deeper: nest(LIMITS.valueDepthMax - 1) } })).toBe(true);
  });
});
