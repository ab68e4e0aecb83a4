import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIELD_TYPES, type OutputField } from "../definition/index.ts";
import type { Json } from "../base/index.ts";
import { coerceValue } from "./coercion.ts";
import { checkFields } from "./field-check.ts";
import { settleOutputs } from "./settlement.ts";

const runs = { numRuns: 500 };
const coercible = fc.constantFrom<Json>(
  "yes",
  " No ",
  "12",
  "-1.5",
  "0x1",
  "1e9",
  "",
  { result: "yes" },
  { status: 1 },
);
const anyJson: fc.Arbitrary<Json> = fc.oneof(fc.jsonValue() as fc.Arbitrary<Json>, coercible);
const field: fc.Arbitrary<OutputField> = fc.record(
  {
    type: fc.constantFrom(...FIELD_TYPES),
    required: fc.boolean(),
    items: fc.record({ type: fc.constantFrom(...FIELD_TYPES) }),
    minimum: fc.integer({ min: -5, max: 5 }),
    maxLength: fc.nat(5),
    enum: fc.array(fc.constantFrom("yes", "no", "A", "A B", "12"), { minLength: 1 }),
  },
  { requiredKeys: ["type", "required"] },
);

describe("coercion", () => {
  it("is idempotent", () => {
    fc.assert(
      fc.property(field, anyJson, (declared, value) => {
        const once = coerceValue(declared, value);
        expect(coerceValue(declared, once)).toStrictEqual(once);
      }),
      runs,
    );
  });

  it("reaches the declared type or leaves the value as it is", () => {
    fc.assert(
      fc.property(fc.constantFrom(...FIELD_TYPES), anyJson, (type, value) => {
        const coerced = coerceValue({ type }, value);
        if (coerced === value) return;
        expect(checkFields({ field: { type, required: true } }, { field: coerced })).toStrictEqual([]);
      }),
      runs,
    );
  });

  it("never touches a value that fits already", () => {
    fc.assert(
      fc.property(fc.constantFrom(...FIELD_TYPES), anyJson, (type, value) => {
        if (value === null || checkFields({ field: { type, required: true } }, { field: value }).length > 0) return;
        expect(coerceValue({ type }, value)).toBe(value);
      }),
      runs,
    );
  });
});

describe("settleOutputs", () => {
  it("settles settled outputs to themselves, with the same errors and nothing raw", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), field, { maxKeys: 4 }),
        fc.dictionary(fc.string(), anyJson, { maxKeys: 4 }),
        fc.array(anyJson, { maxLength: 4 }),
        (fields, extra, values) => {
          const named = Object.keys(fields).map((name, index): [string, Json] => [name, values[index] ?? null]);
          const first = settleOutputs(fields, Object.fromEntries([...Object.entries(extra), ...named]));
          const second = settleOutputs(fields, first.outputs);
          expect(second.outputs).toStrictEqual(first.outputs);
          expect(second.errors).toStrictEqual(first.errors);
          expect(second.raw).toStrictEqual({});
        },
      ),
      runs,
    );
  });
});
