/** The constraints of a declaration beyond the type of the value. */
import { type Json, LIMITS, type TreePath } from "../base/index.ts";
import { fitProblems } from "./field-fit.ts";
import { type Constraints, FIELD_TYPES, type FieldType } from "./field.ts";
import { optional, type Reading } from "./record.ts";
import type { Report } from "./report.ts";
import { choice, list, number, refuseType, type Shape } from "./shape.ts";
import { patternText } from "./text-shape.ts";

const enumMember: Shape<string | number | boolean> = {
  read: (value, path, report) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? value
      : refuseType(path, report, "text, a number, or true or false", value),
  schema: { type: ["string", "number", "boolean"] },
};

const length = number({ isInteger: true, min: 0, max: LIMITS.jsonBytesMax, expected: "a whole number, 0 or more" });
export const fieldType = choice(FIELD_TYPES);

export const CONSTRAINTS = {
  enum: optional(list(enumMember), "Allowed values."),
  minimum: optional(number({ expected: "a number" }), "Smallest allowed number."),
  maximum: optional(number({ expected: "a number" }), "Largest allowed number."),
  minLength: optional(length, "Minimum number of characters, or of elements of a list."),
  maxLength: optional(length, "Maximum number of characters, or of elements of a list."),
  pattern: optional(patternText, "Regular expression (RE2 syntax) that the text must match."),
};

export function inferType(value: Json | undefined): FieldType | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return Array.isArray(value) ? "array" : "object";
}

export function inferFromEnum(members: Constraints["enum"]): FieldType | undefined {
  const kinds = new Set((members ?? []).map(inferType));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

type RawConstraints = Reading<typeof CONSTRAINTS>;
type ConstraintKey = keyof typeof CONSTRAINTS;

const FITTING: Readonly<Record<ConstraintKey, readonly FieldType[]>> = {
  enum: ["string", "number", "integer"],
  minimum: ["number", "integer"],
  maximum: ["number", "integer"],
  minLength: ["string", "array"],
  maxLength: ["string", "array"],
  pattern: ["string"],
};
const CONSTRAINT_KEYS: readonly ConstraintKey[] = ["enum", "minimum", "maximum", "minLength", "maxLength", "pattern"];

export function constraintsOf(
  raw: RawConstraints,
  type: FieldType | undefined,
  path: TreePath,
  report: Report,
): Constraints {
  for (const key of CONSTRAINT_KEYS) {
    if (raw[key] !== undefined) checkFitting(key, FITTING[key], type, path, report);
  }
  checkEnum(raw.enum, type, path, report);
  checkOrder(raw, "minimum", "maximum", path, report);
  checkOrder(raw, "minLength", "maxLength", path, report);
  return {
    ...(raw.enum === undefined ? {} : { enum: raw.enum }),
    ...(raw.minimum === undefined ? {} : { minimum: raw.minimum }),
    ...(raw.maximum === undefined ? {} : { maximum: raw.maximum }),
    ...(raw.minLength === undefined ? {} : { minLength: raw.minLength }),
    ...(raw.maxLength === undefined ? {} : { maxLength: raw.maxLength }),
    ...(raw.pattern === undefined ? {} : { pattern: raw.pattern }),
  };
}

/** Reports a keyword that has no effect on values of the declared type. */
export function checkFitting(
  key: string,
  fitting: readonly FieldType[],
  type: FieldType | undefined,
  path: TreePath,
  report: Report,
): void {
  if (type === undefined || fitting.includes(type)) return;
  const message = `"${key}" says nothing about a value of type ${type}.`;
  const hint = `It fits ${fitting.join(", ")}.`;
  report.problem("conflicting_fields", [...path, key], message, { isAtKey: true, hint });
}

function checkEnum(members: Constraints["enum"], type: FieldType | undefined, path: TreePath, report: Report): void {
  if (members === undefined) return;
  if (members.length === 0) {
    report.problem("bad_enum", [...path, "enum"], `"enum" is empty, so no value could ever fit.`);
  }
  if (type === undefined || !FITTING.enum.includes(type)) return;
  for (const [index, member] of members.entries()) {
    if (fitProblems(member, { type }).length === 0) continue;
    const message = `${JSON.stringify(member)} is not of type ${type}.`;
    report.problem("type_mismatch", [...path, "enum", index], message);
  }
}

function checkOrder(
  raw: RawConstraints,
  low: "minimum" | "minLength",
  high: "maximum" | "maxLength",
  path: TreePath,
  report: Report,
): void {
  const [least, most] = [raw[low], raw[high]];
  if (least === undefined || most === undefined || least <= most) return;
  report.problem("bad_number", [...path, low], `"${low}" (${least}) is above "${high}" (${most}).`);
}
