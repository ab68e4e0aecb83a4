import { describe, expect, it } from "vitest";
import { hintOf, readArgs } from "./arg-values.ts";

const FIELDS = {
  who: { type: "string", required: true },
  times: { type: "integer", required: false, default: 1, minimum: 1, maximum: 9 },
  share: { type: "number", required: false },
  loud: { type: "boolean", required: false },
  tags: { type: "array", required: false },
  more: { type: "object", required: false },
  level: { type: "string", required: false, enum: ["LOW", "HIGH"] },
} as const;

describe("args from a form", () => {
  it("reads each type, and leaves out what is empty", () => {
    const texts = { who: "Ada", times: "3", share: "0.5", loud: "true", tags: '["a"]', more: '{"b":1}', level: "" };
    const { args, problems } = readArgs(FIELDS, texts);
    expect(args).toEqual({ who: "Ada", times: 3, share: 0.5, loud: true, tags: ["a"], more: { b: 1 } });
    expect(problems.size).toBe(0);
  });

  it("reports what is wrong, at the field", () => {
    const texts = { times: "1.5", share: "much", loud: "yes", tags: "{}", more: "[", level: "LOW" };
    const { args, problems } = readArgs(FIELDS, texts);
    expect(args).toEqual({ level: "LOW" });
    expect([...problems.keys()]).toEqual(["who", "times", "share", "loud", "tags", "more"]);
  });

  it("takes hostile names as data", () => {
    const { args } = readArgs(
      JSON.parse('{"__proto__":{"type":"string","required":true}}'),
      JSON.parse('{"__proto__":"x"}'),
    );
    expect(Object.hasOwn(args, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  });

  it("hints at bounds and defaults", () => {
    expect(hintOf(FIELDS.times)).toBe("at least 1, at most 9, default 1");
    expect(hintOf(FIELDS.who)).toBeUndefined();
  });
});
