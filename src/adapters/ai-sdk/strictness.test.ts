import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/base/index.ts";
import { fitsStrictMode } from "./strictness.ts";

describe("fitsStrictMode", () => {
  const object = (properties: JsonObject, required: string[], rest: JsonObject = { additionalProperties: false }) => ({
    type: "object",
    properties,
    required,
    ...rest,
  });

  it("takes closed objects whose fields are all required", () => {
    expect(
      fitsStrictMode(
        object({ a: { type: "string", enum: ["x"] }, b: { type: "array", items: { type: "number" } } }, ["a", "b"]),
      ),
    ).toBe(true);
    expect(fitsStrictMode(object({ a: object({ b: { type: "integer", minimum: 1 } }, ["b"]) }, ["a"]))).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ["an optional field", object({ a: { type: "string" } }, [])],
    ["an open object", object({ a: { type: "string" } }, ["a"], {})],
    ["an object of anything", object({ a: { type: "object" } }, ["a"])],
    ["a list of anything", object({ a: { type: "array" } }, ["a"])],
    ["no type", object({ a: {} }, ["a"])],
    ["several types", object({ a: { type: ["object", "array"] } }, ["a"])],
    ["a pattern", object({ a: { type: "string", pattern: "x" } }, ["a"])],
    ["no fields", object({}, [])],
  ])("does not take %s", (_, schema) => {
    expect(fitsStrictMode(schema)).toBe(false);
  });
});
