import { describe, expect, it } from "vitest";
import { fieldsOf } from "./spec-fields.ts";

const only = (property: object, required: readonly string[] = []) =>
  fieldsOf({ type: "object", properties: { x: property as never }, required: [...required] })[0];

describe("the fields of a schema", () => {
  it.each([
    [{ type: "integer", minimum: 1, maximum: 10, default: 3 }, "whole number", "1 to 10", 3],
    [{ type: "number", exclusiveMinimum: 0 }, "number", "above 0", 1],
    [{ type: "number", exclusiveMinimum: 0, maximum: 5 }, "number", "above 0 to 5", 1],
    [{ type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 }, "whole number", "", 0],
    [{ type: "integer", minimum: 0, maximum: 9007199254740991 }, "whole number", "at least 0", 0],
    [{ type: ["string", "null"], maxLength: 20 }, "text", "at most 20 characters", ""],
    [{ anyOf: [{ type: "boolean" }, { type: "null" }] }, "true or false", "", true],
    [{ type: "array", items: { type: "string" }, minItems: 1, maxItems: 9 }, "list of text", "1 to 9 entries", [""]],
    [
      { type: "array", items: { type: "number", minimum: 2 }, maxItems: 1_000 },
      "list of numbers",
      "at most 1,000 entries; each at least 2",
      [2],
    ],
    [{ type: "object", additionalProperties: {} }, "map", "", {}],
    [{ anyOf: [{ type: "string" }, { type: "integer", minimum: 2 }] }, "text or whole number", "at least 2", ""],
    [{}, "anything", "", ""],
  ])("describes %j", (property, type, limits, sample) => {
    expect(only(property)).toMatchObject({ type, limits, sample, choices: [], members: [] });
  });

  it("names the words a value may be, also in a list", () => {
    expect(only({ type: "string", enum: ["a", "b"] })).toMatchObject({
      type: "one of",
      choices: ["a", "b"],
      sample: "a",
    });
    expect(only({ const: 1 })).toMatchObject({ type: "one of", choices: ["1"] });
    const list = { type: "array", items: { type: "string", enum: ["a", "b"] }, default: ["b"] };
    expect(only(list)).toMatchObject({ type: "list of any of", choices: ["a", "b"], sample: ["b"], fallback: ["b"] });
  });

  it("looks into maps and lists of maps, whose first value has what must be there", () => {
    const map = {
      type: "object",
      properties: { agent: { type: "string" }, lane: { type: "integer", default: 0 } },
      required: ["agent"],
    };
    expect(only(map)).toMatchObject({ type: "map", sample: { agent: "" } });
    const list = only({ type: "array", items: map });
    expect(list).toMatchObject({ type: "list of maps", sample: [{ agent: "" }] });
    expect(list?.members.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ["agent", true],
      ["lane", false],
    ]);
    expect(only({ type: "object", properties: { a: { type: "integer" } } })?.sample).toEqual({ a: 0 });
  });

  it("puts first what must be there, and leaves old and other spellings out", () => {
    const fields = fieldsOf({
      properties: {
        old: { type: "string", deprecated: true },
        may: { type: "string" },
        when: { type: "string", description: "Another spelling of condition." },
        must: { type: "string", description: "Whose it is." },
      },
      required: ["must"],
    });
    expect(fields.map(({ name, help }) => [name, help])).toEqual([
      ["must", "Whose it is."],
      ["may", ""],
    ]);
    expect(fieldsOf({ type: "object" })).toEqual([]);
  });
});
