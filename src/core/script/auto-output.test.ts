import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutputField } from "../definition/index.ts";
import { checkFields, outputJsonSchema } from "../outputs/index.ts";
import { makeOutputs } from "./auto-output.ts";

function made(fields: Readonly<Record<string, OutputField>>, seed = "7/w/n/1") {
  const outputs = makeOutputs(outputJsonSchema(fields), seed);
  return { outputs, errors: checkFields(fields, outputs) };
}

describe("made-up outputs", () => {
  it("takes the first member of an enum, and true", () => {
    const { outputs, errors } = made({
      kind: { type: "string", required: true, enum: ["saas", "other"] },
      level: { type: "integer", required: true, enum: [3, 4] },
      ok: { type: "boolean", required: true },
    });
    expect(outputs).toEqual({ kind: "saas", level: 3, ok: true });
    expect(errors).toEqual([]);
  });

  it.each([
    "^[A-Z]{3}-\\d{4}$",
    "^(red|green)$",
    "^v\\d+\\.\\d+\\.\\d+$",
    "[a-f0-9]{8}",
    "^\\w+@\\w+\\.org$",
    "^[^a-z ]+$",
    "colou?r",
  ])("finds a text for the pattern %s", (pattern) => {
    expect(made({ code: { type: "string", required: true, pattern } }).errors).toEqual([]);
  });

  it.each([
    ["^a+$", 12, 20],
    ["^[a-z]{2,}$", 30, 300],
    ["x", 5, 5],
  ])("finds a text for %s of at least %i characters", (pattern, minLength, maxLength) => {
    expect(made({ code: { type: "string", required: true, pattern, minLength, maxLength } }).errors).toEqual([]);
  });

  it("gives some text for a pattern beyond its reach, and never throws", () => {
    const { outputs } = made({ code: { type: "string", required: true, pattern: "^\\pL[[:alpha:]]$" } });
    expect(typeof outputs["code"]).toBe("string");
  });

  it("depends on the seed and on nothing else", () => {
    const fields = { score: { type: "integer", required: true, minimum: 0, maximum: 1_000_000 } } as const;
    expect(made(fields).outputs).toEqual(made(fields).outputs);
    expect(made(fields).outputs).not.toEqual(made(fields, "8/w/n/1").outputs);
  });

  it("satisfies any bounds that can be satisfied", () => {
    const numbers = fc
      .record({
        low: fc.integer({ min: -1_000, max: 1_000 }),
        span: fc.nat(50),
        type: fc.constantFrom("integer" as const, "number" as const),
      })
      .map(({ low, span, type }): OutputField => ({ type, required: true, minimum: low, maximum: low + span }));
    const fractions = fc
      .integer({ min: -500, max: 500 })
      .map((low): OutputField => ({ type: "number", required: true, minimum: low + 0.2, maximum: low + 0.4 }));
    const texts = fc
      .record({ low: fc.nat(60), span: fc.nat(60) })
      .map(({ low, span }): OutputField => ({ type: "string", required: true, minLength: low, maxLength: low + span }));
    const lists = fc
      .record({
        low: fc.nat(5),
        span: fc.nat(5),
        items: fc.constantFrom("string" as const, "number" as const, "boolean" as const, "object" as const),
      })
      .map(({ low, span, items }): OutputField => ({
        type: "array",
        required: true,
        minLength: low,
        maxLength: low + span,
        items: { type: items },
      }));
    fc.assert(
      fc.property(fc.oneof(numbers, fractions, texts, lists), fc.string(), (field, seed) => {
        expect(made({ field }, seed).errors).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
