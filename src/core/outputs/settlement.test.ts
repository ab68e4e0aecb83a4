import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../base/index.ts";
import type { OutputField } from "../definition/index.ts";
import { checkFields } from "./field-check.ts";
import { outputJsonSchema } from "./output-schema.ts";
import { settleOutputs } from "./settlement.ts";

const text: OutputField = { type: "string", required: true };

function reasons(field: OutputField, value: Json): string[] {
  return checkFields({ field }, { field: value }).map((error) => `${error.field} ${error.reason}`);
}

function nest(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

describe("settleOutputs", () => {
  it("coerces what is declared and keeps what is not", () => {
    const fields: Record<string, OutputField> = {
      row_count: { type: "integer", required: true, minimum: 0 },
      has_key: { type: "boolean", required: true },
      worst_columns: { type: "array", required: true, items: { type: "string" } },
    };
    const given = { row_count: "1042", has_key: "yes", worst_columns: "email", note: "12", count: null };
    expect(settleOutputs(fields, given)).toStrictEqual({
      outputs: { row_count: 1042, has_key: true, worst_columns: ["email"], note: "12", count: null },
      raw: {},
      errors: [],
    });
  });

  it("stores the member of an enum and keeps the raw text beside it", () => {
    const fields = { verdict: { ...text, enum: ["COMPLETE", "COMPLETE LATE"] } };
    expect(settleOutputs(fields, { verdict: "COMPLETE -- all good" })).toStrictEqual({
      outputs: { verdict: "COMPLETE" },
      raw: { verdict: "COMPLETE -- all good" },
      errors: [],
    });
    expect(settleOutputs(fields, { verdict: " COMPLETE LATE: sorry" }).outputs).toStrictEqual({
      verdict: "COMPLETE LATE",
    });
    expect(settleOutputs(fields, { verdict: "COMPLETE" }).raw).toStrictEqual({});
    const refused = settleOutputs(fields, { verdict: "COMPLETED" });
    expect(refused.outputs).toStrictEqual({ verdict: "COMPLETED" });
    expect(refused.errors.map((error) => error.reason)).toStrictEqual(["enum_mismatch"]);
  });

  it("checks other bounds on the member, not on the explanation", () => {
    const fields = { verdict: { ...text, enum: ["OK"], maxLength: 2, pattern: "^OK$" } };
    expect(settleOutputs(fields, { verdict: "OK, because of many reasons" }).errors).toStrictEqual([]);
  });

  it("counts null as absent", () => {
    const fields: Record<string, OutputField> = { a: text, b: { type: "number", required: false }, c: text };
    const { errors, outputs } = settleOutputs(fields, { a: null, b: null });
    expect(errors).toStrictEqual([
      { field: "a", reason: "missing_required" },
      { field: "c", reason: "missing_required" },
    ]);
    expect(outputs).toStrictEqual({ a: null, b: null });
  });

  it("keeps hostile names as data and never finds inherited ones", () => {
    const given = JSON.parse('{"__proto__": {"x": 1}, "constructor": "7"}') as JsonObject;
    const fields = Object.fromEntries([
      ["constructor", { type: "integer", required: true } as const],
      ["toString", text],
      ["__proto__", { type: "object", required: true } as const],
    ]);
    const settled = settleOutputs(fields, given);
    expect(Object.entries(settled.outputs)).toStrictEqual([
      ["__proto__", { x: 1 }],
      ["constructor", 7],
    ]);
    expect(Object.getPrototypeOf(settled.outputs)).toBe(Object.prototype);
    expect(settled.errors).toStrictEqual([{ field: "toString", reason: "missing_required" }]);
    expect(settleOutputs({}, given).outputs).toStrictEqual(given);
  });

  it("refuses values nested too deeply, declared or not", () => {
    const fields: Record<string, OutputField> = { a: { type: "object", required: true } };
    const { errors } = settleOutputs(fields, { a: nest(10_000), b: nest(101), c: nest(100) });
    expect(errors.map((error) => `${error.field} ${error.reason}`)).toStrictEqual([
      "a schema_violation",
      "b schema_violation",
    ]);
  });
});

describe("checkFields", () => {
  it.each<readonly [OutputField, Json, string[]]>([
    [text, "", []],
    [text, 5, ["field type_mismatch"]],
    [{ type: "number", required: true }, Number.NaN, ["field type_mismatch"]],
    [{ type: "number", required: true }, Number.POSITIVE_INFINITY, ["field type_mismatch"]],
    [{ type: "integer", required: true }, 1.5, ["field type_mismatch"]],
    [{ type: "integer", required: true }, "1", ["field type_mismatch"]],
    [{ type: "boolean", required: true }, "true", ["field type_mismatch"]],
    [{ type: "object", required: true }, [], ["field type_mismatch"]],
    [{ type: "array", required: true }, {}, ["field type_mismatch"]],
    [{ type: "number", required: true, minimum: 1, maximum: 3 }, 0.999, ["field below_min"]],
    [{ type: "number", required: true, minimum: 1, maximum: 3 }, 1, []],
    [{ type: "number", required: true, minimum: 1, maximum: 3 }, 3, []],
    [{ type: "number", required: true, minimum: 1, maximum: 3 }, 3.001, ["field above_max"]],
    [{ ...text, minLength: 2, maxLength: 3 }, "a", ["field too_short"]],
    [{ ...text, minLength: 2, maxLength: 3 }, "ab", []],
    [{ ...text, minLength: 2, maxLength: 3 }, "abc", []],
    [{ ...text, minLength: 2, maxLength: 3 }, "abcd", ["field too_long"]],
    [{ ...text, maxLength: 2 }, "😀😀", []],
    [{ ...text, minLength: 3 }, "😀😀", ["field too_short"]],
    [{ type: "array", required: true, minLength: 1 }, [], ["field too_short"]],
    [{ type: "array", required: true, maxLength: 1 }, [1, 2], ["field too_long"]],
    [{ ...text, pattern: "^[a-z]+$" }, "abc", []],
    [{ ...text, pattern: "^[a-z]+$" }, "ab1", ["field pattern_mismatch"]],
    [{ ...text, pattern: "b" }, "abc", []],
    [{ ...text, pattern: "(" }, "abc", ["field pattern_mismatch"]],
    [{ ...text, minLength: 9, pattern: "^x" }, "abc", ["field too_short", "field pattern_mismatch"]],
    [{ ...text, enum: ["a", "b"] }, "b. Since", []],
    [{ ...text, enum: ["a", "b"] }, "bb", ["field enum_mismatch"]],
    [{ ...text, enum: [1, true] }, "1", []],
    [{ type: "number", required: true, enum: [1, 2] }, 2, []],
    [{ type: "number", required: true, enum: [1, 2] }, 12, ["field enum_mismatch"]],
    [{ type: "boolean", required: true, enum: [true] }, false, ["field enum_mismatch"]],
    [{ type: "array", required: true, items: { type: "integer" } }, [1, "2", "3"], ["field[1] type_mismatch"]],
    [{ type: "array", required: true, items: { type: "string" } }, ["a", null], ["field[1] type_mismatch"]],
    [{ type: "array", required: true, items: { type: "string" } }, [], []],
    [{ type: "string", required: false }, null, []],
  ])("%j against %j gives %j", (field, value, expected) => {
    expect(reasons(field, value)).toStrictEqual(expected);
  });

  it("says what is wrong without repeating a long value or cutting a character in half", () => {
    const [error] = checkFields(
      { field: { ...text, enum: ["a"] } },
      { field: `${"x".repeat(59)}😀${"y".repeat(1000)}` },
    );
    expect(error?.details).toBe(`must be one of a; got string "${"x".repeat(59)}"…`);
    const many = Array.from({ length: 25 }, (_, index) => `m${index}`);
    const [long] = checkFields({ field: { ...text, enum: many } }, { field: "x" });
    expect(long?.details).toContain("m19, … (25 in all)");
    expect(long?.details).not.toContain("m20");
  });
});

describe("outputJsonSchema", () => {
  it("writes the keywords that belong to each type", () => {
    expect(
      outputJsonSchema({
        verdict: { ...text, enum: ["yes", 1], minLength: 1, maxLength: 9, pattern: "^.", minimum: 4 },
        score: { type: "integer", required: false, minimum: 0, maximum: 10, minLength: 2 },
        tags: { type: "array", required: true, items: { type: "string" }, minLength: 1, maxLength: 5 },
        any: { type: "array", required: false },
      }),
    ).toStrictEqual({
      type: "object",
      properties: {
        verdict: { type: "string", enum: ["yes", "1"], minLength: 1, maxLength: 9, pattern: "^." },
        score: { type: "integer", minimum: 0, maximum: 10 },
        tags: { type: "array", minItems: 1, maxItems: 5, items: { type: "string" } },
        any: { type: "array" },
      },
      required: ["verdict", "tags"],
      additionalProperties: false,
    });
  });

  it("keeps a field with a hostile name", () => {
    const schema = outputJsonSchema(Object.fromEntries([["__proto__", text]]));
    expect(JSON.stringify(schema)).toContain('"__proto__":{"type":"string"}');
  });

  it("brings what is inside objects to its type, and reports where something is wrong", () => {
    const fields: Record<string, OutputField> = {
      order: {
        type: "object",
        required: true,
        properties: {
          total: { type: "number", required: true },
          state: { type: "string", required: true, enum: ["PAID", "OPEN"] },
          rows: {
            type: "array",
            required: false,
            items: { type: "object", properties: { n: { type: "integer", required: true } } },
          },
        },
      },
    };
    const fine = settleOutputs(fields, {
      order: { total: "12.5", state: "PAID, at last", rows: [{ n: "2" }], more: 1 },
    });
    expect(fine.outputs).toEqual({ order: { total: 12.5, state: "PAID", rows: [{ n: 2 }], more: 1 } });
    expect(fine.errors).toEqual([]);
    const wrong = settleOutputs(fields, { order: { total: "much", rows: [{ n: 1 }, {}] } });
    expect(wrong.errors.map(({ field, reason }) => `${field} ${reason}`)).toEqual([
      "order.total type_mismatch",
      "order.state missing_required",
      "order.rows[1].n missing_required",
    ]);
  });
});
