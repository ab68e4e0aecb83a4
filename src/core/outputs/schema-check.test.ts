import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../base/index.ts";
import type { OutputField } from "../definition/index.ts";
import { outputJsonSchema } from "./output-schema.ts";
import { checkAgainstSchema, checkToolArgs } from "./schema-check.ts";
import { settleOutputs } from "./settlement.ts";

const one = (property: JsonObject, value: Json, required = true): readonly string[] =>
  checkAgainstSchema({ type: "object", properties: { a: property }, required: required ? ["a"] : [] }, { a: value });

describe("checkAgainstSchema", () => {
  it.each<[JsonObject, Json]>([
    [{ type: "string" }, "x"],
    [{ type: "string" }, 7],
    [{ type: "integer" }, "7"],
    [{ type: "number" }, " 7.5 "],
    [{ type: "boolean" }, "yes"],
    [{ type: "array" }, "alone"],
    [{ type: "string", enum: ["saas", "paas"] }, "saas - hosted"],
    [{ type: ["object", "array"] }, {}],
    [{}, { any: ["thing"] }],
    [{ type: "string", format: "uri" }, "https://a.example/b"],
    [{ type: "string", minLength: 1, maxLength: 1 }, "😀"],
    [{ type: "string", pattern: "^(a+)+$" }, "aaa"],
    [{ type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 }, ["a", "b"]],
  ])("%j takes %j", (property, value) => {
    expect(one(property, value)).toEqual([]);
  });

  it.each<[JsonObject, Json, string]>([
    [{ type: "string" }, null, '"a" is missing'],
    [{ type: "integer" }, "seven", '"a" must be integer, got "seven"'],
    [{ type: "number", minimum: 1 }, 0, '"a" must be at least 1, is 0'],
    [{ type: "number", maximum: 1 }, 1.5, '"a" must be at most 1, is 1.5'],
    [{ type: "string", enum: ["x"] }, "y", '"a" must be one of "x", got "y"'],
    [{ type: "string", maxLength: 1 }, "é😀", 'the length of "a" must be at most 1 characters, is 2'],
    [{ type: "array", minItems: 2 }, [1], 'the length of "a" must be at least 2 elements, is 1'],
    [{ type: "array", items: { type: "string" } }, ["x", 1], '"a"[1] must be string, got 1'],
    [{ type: ["object", "array"] }, "text", '"a" must be object or array, got "text"'],
    [{ type: "string", format: "uri" }, "nowhere", '"a" must be an absolute address'],
    [{ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(40)}!`, '"a" must match the pattern ^(a+)+$'],
    [{ type: "object", properties: { b: { type: "number" } }, required: ["b"] }, {}, '"a"."b" is missing'],
    [{ type: "object", properties: { b: { type: "number" } } }, { b: "x" }, '"a"."b" must be number, got "x"'],
  ])("%j reports for %j: %s", (property, value, problem) => {
    expect(one(property, value)).toEqual([problem]);
  });

  it("asks for an object, lets undeclared keys be, and is not led astray by inherited ones", () => {
    expect(checkAgainstSchema({ type: "object" }, [1])).toEqual(["the answer must be a JSON object, not a list of 1"]);
    const closed = { type: "object", properties: {}, required: [], additionalProperties: false };
    expect(checkAgainstSchema(closed, { extra: 1 })).toEqual([]);
    const hostile = { type: "object", properties: { toString: { type: "string" } }, required: ["toString"] };
    expect(checkAgainstSchema(hostile, {})).toEqual(['"toString" is missing']);
    expect(one({ type: "string" }, null, false)).toEqual([]);
  });

  it("lists no more than twenty problems", () => {
    const properties = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, { type: "number" }]));
    expect(checkAgainstSchema({ properties, required: Object.keys(properties) }, {})).toHaveLength(20);
    expect(
      one(
        { type: "array", items: { type: "number" } },
        Array.from({ length: 50 }, () => "x"),
      ),
    ).toHaveLength(20);
  });

  it("finds a problem exactly when the engine will", () => {
    const field = fc.record(
      {
        type: fc.constantFrom("string", "number", "integer", "boolean", "object", "array" as const),
        required: fc.boolean(),
        enum: fc.constant(["red", "green"]),
        minimum: fc.constant(2),
        maximum: fc.constant(5),
        minLength: fc.constant(1),
        maxLength: fc.constant(3),
        pattern: fc.constant("^[a-z]+$"),
      },
      { requiredKeys: ["type", "required"] },
    );
    const value: fc.Arbitrary<Json> = fc.oneof(
      fc.constantFrom<Json>(
        "red",
        "red - really",
        "abc",
        "abcd",
        "",
        "3",
        "7",
        "yes",
        3,
        7,
        2.5,
        true,
        null,
        [],
        [1],
        {},
      ),
      fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
    );
    fc.assert(
      fc.property(field, value, (spec, given) => {
        // An enum of words only makes sense for texts; other types would compare it their own way.
        const { enum: members, ...rest } = spec;
        const declared: OutputField =
          spec.type === "string" && members !== undefined ? { ...rest, enum: members } : rest;
        const outputs = { a: given };
        const isBad = settleOutputs({ a: declared }, outputs).errors.length > 0;
        expect(checkAgainstSchema(outputJsonSchema({ a: declared }), outputs).length > 0).toBe(isBad);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("checkToolArgs", () => {
  const schema = {
    type: "object",
    properties: { order: { type: "string" }, amount: { type: "number", maximum: 500 } },
    required: ["order"],
    additionalProperties: false,
  };

  it.each<[JsonObject, readonly string[]]>([
    [{ order: "o-1" }, []],
    [{ order: "o-1", amount: 500 }, []],
    [{}, ['"order" is missing']],
    [{ order: 7 }, ['"order" must be string, got 7']],
    [{ order: "o-1", amount: "5" }, ['"amount" must be number, got "5"']],
    [{ order: "o-1", amount: 501 }, ['"amount" must be at most 500, is 501']],
    [{ order: "o-1", urgent: true }, ['"urgent" is not known']],
    [{ order: "o-1", toString: true }, ['"toString" is not known']],
  ])("%j: %j", (args, problems) => {
    expect(checkToolArgs(schema, args)).toEqual(problems);
  });

  it("lets further args be where the schema does, and counts what it cannot read as fulfilled", () => {
    expect(checkToolArgs({ type: "object" }, { any: 1 })).toEqual([]);
    expect(checkToolArgs({ properties: "none", required: 7, additionalProperties: {} }, { any: 1 })).toEqual([]);
    expect(checkToolArgs({ properties: { a: { contains: { type: "string" } } } }, { a: [1] })).toEqual([]);
    expect(checkToolArgs({ properties: { a: { $ref: "elsewhere.json" } } }, { a: 1 })).toEqual([]);
  });

  const money = { type: "number", exclusiveMinimum: 0, multipleOf: 0.01 };
  it.each<[JsonObject, Json, readonly string[]]>([
    [money, 0.29, []],
    [money, 0, ['"a" must be more than 0, is 0']],
    [money, 0.295, ['"a" must be a multiple of 0.01, is 0.295']],
    [{ exclusiveMaximum: 5 }, 5, ['"a" must be less than 5, is 5']],
    [{ const: "eur" }, "usd", ['"a" must be one of "eur", got "usd"']],
    [{ const: null }, null, []],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, null, []],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 7, ['"a" must be string, got 7, or "a" must be null, got 7']],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, ['"a" must fit exactly one of 2 schemas, and fits 2']],
    [{ oneOf: [{ type: "string" }] }, 1, ['"a" must be string, got 1']],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 3, ['"a" must be at most 2, is 3']],
    [{ not: { const: "all" } }, "all", ['"a" must not be "all"']],
    [{ type: "array", uniqueItems: true }, [{ b: 1 }, { b: 1 }], ['"a" must not hold the same element twice']],
    [{ prefixItems: [{ type: "string" }], items: false }, ["x", 1], ['"a"[1] must not be given']],
    [{ properties: { b: {} }, additionalProperties: false }, { b: 1, c: 2 }, ['"a"."c" is not known']],
    [{ additionalProperties: { type: "number" } }, { c: "2" }, ['"a"."c" must be number, got "2"']],
    [{ patternProperties: { "^x-": { type: "string" } }, additionalProperties: false }, { "x-a": "1" }, []],
    [{ patternProperties: { "^x-": { type: "string" } } }, { "x-a": 1 }, ['"a"."x-a" must be string, got 1']],
    [{ minProperties: 1 }, {}, ['the size of "a" must be at least 1 members, is 0']],
    [{ $ref: "#/$defs/amount" }, -1, ['"a" must be at least 0, is -1']],
    [{ $ref: "#/$defs/tree" }, { next: { next: 1 } }, ['"a"."next"."next" must be object, got 1']],
  ])("%j for %j: %j", (property, value, problems) => {
    const $defs = {
      amount: { type: "number", minimum: 0 },
      tree: { type: "object", properties: { next: { $ref: "#/$defs/tree" } } },
    };
    expect(checkToolArgs({ properties: { a: property }, $defs }, { a: value })).toEqual(problems);
  });

  it.each<JsonObject>([
    { not: { $ref: "#/$defs/loop" } },
    { oneOf: [{ type: "string" }, { $ref: "#/$defs/loop" }] },
    { anyOf: [{ type: "number" }, { $ref: "#/$defs/loop" }] },
    { not: { not: { $ref: "#/$defs/loop" } } },
    { not: { anyOf: [{ type: "number" }, { $ref: "#/$defs/loop" }] } },
    { allOf: [{ oneOf: [{ not: { $ref: "#/$defs/loop" } }] }] },
  ])("does not take for granted what it cannot check: %j", (property) => {
    const $defs = { loop: { allOf: [{ $ref: "#/$defs/loop" }] } };
    expect(checkToolArgs({ properties: { a: property }, $defs }, { a: "x" })).toEqual([
      '"a" cannot be checked: its schema is too involved',
    ]);
  });

  it.each<[JsonObject, readonly string[]]>([
    [{ not: { allOf: [{ $ref: "#/$defs/loop" }, { type: "number" }] } }, []],
    [{ anyOf: [{ type: "string" }, { $ref: "#/$defs/loop" }] }, []],
    [{ oneOf: [{}, {}, { $ref: "#/$defs/loop" }] }, ['"a" must fit exactly one of 3 schemas, and fits 2']],
  ])("decides without what it cannot check where that changes nothing: %j", (property, problems) => {
    const $defs = { loop: { allOf: [{ $ref: "#/$defs/loop" }] } };
    expect(checkToolArgs({ properties: { a: property }, $defs }, { a: "x" })).toEqual(problems);
  });

  it("ends with a schema that only refers to itself, in many places", () => {
    const ref = { $ref: "#" };
    expect(checkToolArgs({ anyOf: [ref, ref, ref] }, {})).toEqual([expect.stringContaining("too involved")]);
  });
});
