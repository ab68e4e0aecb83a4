import { describe, expect, it } from "vitest";
import { jsonSchema } from "../../core/definition/index.ts";
import type { Json } from "../../core/base/index.ts";
import { schemasAt } from "../editor/schema-walk.ts";
import { controlFor, readTyped } from "./control.ts";

const control = (key: string, value?: Json): string => {
  const [step = {}] = schemasAt(jsonSchema("lobsterx"), ["steps", 0]);
  const schema = (step["properties"] as Record<string, never>)[key];
  return controlFor(schema ?? {}, value).kind;
};

describe("the control of a field", () => {
  it.each([
    ["command", undefined, "text"],
    ["approval", undefined, "choice"],
    ["on_failure", "skip", "choice"],
    ["on_failure", { retry: {} }, "group"],
    ["four_eyes", undefined, "flag"],
    ["quorum", undefined, "number"],
    ["depends_on", ["a"], "list"],
    ["depends_on", [{ step: "a" }], "records"],
    ["outputs", { a: "string" }, "map"],
    ["outputs", { a: { type: "string" } }, "yaml"],
    ["inputs", { a: "${b}" }, "map"],
    ["retry", undefined, "group"],
    ["wait", "5m", "text"],
    ["wait", { event: "x" }, "group"],
    ["emit", undefined, "group"],
    ["timeout", 5, "text"],
  ])("of %s with %j is a %s", (key, value, kind) => {
    expect(control(key, value as Json | undefined)).toBe(kind);
  });

  it("of a field that takes only text keeps digits as text", () => {
    const [text, either] = [{ type: "string" }, { type: ["string", "integer"] }];
    expect([text, either].map((schema) => controlFor(schema, undefined))).toEqual([
      { kind: "text", isPlain: true },
      { kind: "text", isPlain: false },
    ]);
  });

  it("of a list or map of numbers keeps them numbers", () => {
    const [number, text] = [{ type: "number" }, { type: "string" }];
    const plain = (schema: object): boolean | undefined => {
      const found = controlFor(schema as never, undefined);
      return "isPlain" in found ? found.isPlain : undefined;
    };
    expect([number, text].map((items) => plain({ type: "array", items }))).toEqual([false, true]);
    expect([number, text].map((each) => plain({ type: "object", additionalProperties: each }))).toEqual([false, true]);
  });

  it("reads numbers as numbers, and leaves everything else as it is", () => {
    expect(["5", "1.5", "true", "05", "1e3", "a", " x"].map(readTyped)).toEqual([5, 1.5, true, "05", "1e3", "a", " x"]);
  });
});
