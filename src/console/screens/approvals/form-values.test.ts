import { describe, expect, it } from "vitest";
import { type FormFields, hintOf, initialTexts, readForm } from "./form-values.ts";

const FIELDS: FormFields = {
  amount: { type: "number", required: true, min: 1, max: 100, default: 5 },
  count: { type: "integer", required: false },
  ok: { type: "boolean", required: false },
  kind: { type: "enum", required: false, enum: ["a", 2] },
  size: { type: "string", required: false, enum: ["small", "large"] },
  day: { type: "date", required: false },
  note: { type: "text", required: false, min: 2, max: 4, description: "For the record" },
};

describe("a form", () => {
  it("begins with its defaults", () => {
    expect(initialTexts(FIELDS, null)).toMatchObject({ amount: "5", count: "", note: "" });
  });

  it("begins with what those before have entered", () => {
    const texts = initialTexts(FIELDS, { amount: 7, ok: false, note: "abc" });
    expect(texts).toMatchObject({ amount: "7", count: "", ok: "false", note: "abc" });
  });

  it("reads values by their types, and leaves empty ones out", () => {
    const texts = { amount: "7.5", count: "3", ok: "false", kind: "2", day: "2026-02-28", note: "" };
    expect(readForm(FIELDS, texts)).toEqual({
      values: { amount: 7.5, count: 3, ok: false, kind: 2, day: "2026-02-28" },
      problems: new Map(),
    });
  });

  it("says that a field was emptied which had a default", () => {
    const fields: FormFields = {
      way: { type: "string", required: false, default: "wire" },
      note: { type: "text", required: false },
    };
    expect(readForm(fields, { way: "", note: "" })).toEqual({ values: { way: null }, problems: new Map() });
  });

  it("explains what is wrong with each field", () => {
    const problems = (texts: Record<string, string>) => Object.fromEntries(readForm(FIELDS, texts).problems);
    expect(problems({})).toEqual({ amount: "This is required." });
    expect(
      problems({ amount: "101", count: "1.5", ok: "x", kind: "b", size: "huge", day: "2026-02-30", note: "a" }),
    ).toEqual({
      amount: "This must be at most 100.",
      count: "This must be a whole number.",
      ok: "Choose yes or no.",
      kind: "Choose one of a, 2.",
      size: "Choose one of small, large.",
      day: "This must be a date: 2026-01-31.",
      note: "This must have at least 2 characters.",
    });
    expect(problems({ amount: "0", note: "abcde" })).toEqual({
      amount: "This must be at least 1.",
      note: "This must have at most 4 characters.",
    });
    expect(problems({ amount: " ", note: "abcd" })).toEqual({ amount: "This must be a number." });
  });

  it("shows what may be entered", () => {
    expect(hintOf({ type: "number", required: true })).toBeUndefined();
    expect(hintOf({ type: "text", required: true, min: 2, max: 4, description: "For the record" })).toBe(
      "For the record · at least 2 characters, at most 4 characters",
    );
  });
});
