import { isJsonObject, LIMITS, type Json, type TreePath } from "../base/index.ts";
import { fitProblems } from "./field-fit.ts";
import { FIELD_TYPES, type ArgField, type Constraints, type FieldType, type OutputField } from "./field.ts";
import { mandatory, optional, record, type Reading } from "./record.ts";
import type { Report } from "./report.ts";
import { anyJson, anyText, byKind, choice, flag, list, number, refine, refuseType, type Shape } from "./shape.ts";
import { expression, patternText, reference } from "./text-shape.ts";
import type { StepInput, Value } from "./definition.ts";

const enumMember: Shape<string | number | boolean> = {
  read: (value, path, report) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? value
      : refuseType(path, report, "text, a number, or true or false", value),
  schema: { type: ["string", "number", "boolean"] },
};

const length = number({ isInteger: true, min: 0, max: LIMITS.jsonBytesMax, expected: "a whole number, 0 or more" });
const fieldType = choice(FIELD_TYPES);

const CONSTRAINTS = {
  enum: optional(list(enumMember), "The values it may have."),
  minimum: optional(number({ expected: "a number" }), "Smallest number allowed."),
  maximum: optional(number({ expected: "a number" }), "Largest number allowed."),
  minLength: optional(length, "Fewest characters allowed."),
  maxLength: optional(length, "Most characters allowed."),
  pattern: optional(patternText, "Regular expression (RE2 syntax) the text must match."),
};

const ITEMS = {
  items: optional(
    record({ type: mandatory(fieldType, "Type of every element.") }, { title: "items" }),
    "What the elements of an array are.",
  ),
};

const OUTPUT = {
  type: mandatory(fieldType, "Type of the value."),
  required: optional(flag, "Whether the agent must return it.", { default: true }),
  ...CONSTRAINTS,
  ...ITEMS,
};

const INPUT = {
  from: optional(reference, "Where the value comes from: step.outputs.field. Without it, the variable of this name."),
  expr: optional(expression, "What the value is calculated by."),
  type: optional(fieldType, "Type of the value."),
  required: optional(flag, "Whether the step needs it.", { default: true }),
  ...CONSTRAINTS,
  ...ITEMS,
};

const ARG = {
  type: optional(fieldType, "Type of the value; inferred from the default when absent."),
  required: optional(flag, "Whether a run must be given it.", { default: false }),
  default: optional(anyJson, "Value when none is given."),
  description: optional(anyText, "Shown in the launch form."),
  ...CONSTRAINTS,
};

export const outputField: Shape<OutputField> = byKind("a type or a map", {
  text: refine(fieldType, (type) => ({ type, required: true })),
  map: refine(record(OUTPUT, { title: "an output" }), (raw, path, report) => {
    const type = raw.type;
    if (type === undefined) return undefined;
    return { type, required: raw.required ?? true, ...constraintsOf(raw, type, path, report) };
  }),
});

/** An input as it is written: declared, or a value that can be read once it is known which steps there are. */
export type WrittenInput = { readonly declared: StepInput } | { readonly value: Json };

const declaredInput: Shape<StepInput> = refine(record(INPUT, { title: "an input" }), (raw, path, report) => {
  const type = raw.type ?? inferFromEnum(raw.enum);
  const constraints = constraintsOf(raw, type, path, report);
  if (raw.from !== undefined && raw.expr !== undefined) {
    const message = `An input has either "from" or "expr".`;
    report.problem("conflicting_fields", [...path, "expr"], message, { isAtKey: true, hint: "Keep one of them." });
  }
  return { from: sourceOf(raw), type: type ?? null, required: raw.required ?? true, ...constraints };
});

function sourceOf({ from, expr }: Reading<typeof INPUT>): Value | null {
  if (expr !== undefined) return { kind: "expression", expression: expr };
  return from === undefined ? null : { kind: "reference", path: from };
}

/** A map is a declaration only when it can be nothing else. */
export function isDeclaration(value: Json): boolean {
  if (!isJsonObject(value) || !Object.keys(value).every((key) => Object.hasOwn(INPUT, key))) return false;
  return ["from", "type", "expr"].some((key) => Object.hasOwn(value, key));
}

export const inputField: Shape<WrittenInput> = {
  read(value, path, report) {
    if (!isDeclaration(value)) return { value };
    const declared = declaredInput.read(value, path, report);
    return declared === undefined ? undefined : { declared };
  },
  schema: {
    anyOf: [
      { ...declaredInput.schema, anyOf: ["from", "type", "expr"].map((key) => ({ required: [key] })) },
      { description: "A value: step.outputs.field, a text with ${…}, or any other literal; {value: …} quotes one." },
    ],
  },
};

/** A declared output of the whole run. */
export const runOutputField = refine(
  record(
    {
      value: mandatory(anyJson, "What the output is: a value as in inputs."),
      type: optional(fieldType, "Type of the value."),
      required: optional(flag, "Whether it must have a value.", { default: true }),
      ...CONSTRAINTS,
      ...ITEMS,
    },
    { title: "an output of the run" },
  ),
  (raw, path, report) => {
    const type = raw.type ?? inferFromEnum(raw.enum);
    const constraints = constraintsOf(raw, type, path, report);
    return {
      value: raw.value,
      field: type === undefined ? null : { type, required: raw.required ?? true, ...constraints },
    };
  },
);

const bareDefault: Shape<ArgField> = {
  read(value) {
    const type = inferType(value);
    return { required: false, default: value, ...(type === undefined ? {} : { type }) };
  },
  schema: { type: ["string", "number", "boolean", "array", "null"] },
};

export const argField: Shape<ArgField> = byKind("a default or a map", {
  text: bareDefault,
  number: bareDefault,
  flag: bareDefault,
  list: bareDefault,
  empty: bareDefault,
  map: refine(record(ARG, { title: "an arg" }), argFromMap),
});

function argFromMap(raw: Reading<typeof ARG>, path: TreePath, report: Report): ArgField | undefined {
  const type = raw.type ?? inferType(raw.default) ?? inferFromEnum(raw.enum);
  // A type that was written but is wrong has been reported already.
  if (Object.hasOwn(raw, "type") && raw.type === undefined) return undefined;
  if (type === undefined && raw.default === undefined) {
    const hint = `Add type: one of ${FIELD_TYPES.join(", ")}.`;
    report.problem("missing_field", [...path, "type"], `An arg needs "type" or a default.`, { at: path, hint });
    return undefined;
  }
  const field: ArgField = {
    required: raw.required ?? false,
    ...(type === undefined ? {} : { type }),
    ...(raw.default === undefined ? {} : { default: raw.default }),
    ...(raw.description === undefined ? {} : { description: raw.description }),
    ...constraintsOf(raw, type, path, report),
  };
  // Null is how a default says "nothing", whatever the type.
  if (field.default === undefined || field.default === null) return field;
  for (const problem of fitProblems(field.default, field)) {
    report.problem(
      "type_mismatch",
      [...path, "default"],
      `The default does not fit its own arg: it ${problem.message}.`,
    );
  }
  return field;
}

export function inferType(value: Json | undefined): FieldType | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return Array.isArray(value) ? "array" : "object";
}

function inferFromEnum(members: Constraints["enum"]): FieldType | undefined {
  const kinds = new Set((members ?? []).map(inferType));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

type RawConstraints = Reading<typeof CONSTRAINTS> & Reading<typeof ITEMS>;
type ConstraintKey = keyof typeof CONSTRAINTS | keyof typeof ITEMS;

const FITTING: Readonly<Record<ConstraintKey, readonly FieldType[]>> = {
  enum: ["string", "number", "integer"],
  minimum: ["number", "integer"],
  maximum: ["number", "integer"],
  minLength: ["string"],
  maxLength: ["string"],
  pattern: ["string"],
  items: ["array"],
};
const CONSTRAINT_KEYS: readonly ConstraintKey[] = [
  "enum",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "items",
];

type Limited = Constraints & { readonly itemsType?: FieldType };

function constraintsOf(raw: RawConstraints, type: FieldType | undefined, path: TreePath, report: Report): Limited {
  for (const key of CONSTRAINT_KEYS) {
    const fitting = FITTING[key];
    if (raw[key] === undefined || type === undefined || fitting.includes(type)) continue;
    const message = `"${key}" says nothing about a value of type ${type}.`;
    const hint = `It fits ${fitting.join(", ")}.`;
    report.problem("conflicting_fields", [...path, key], message, { isAtKey: true, hint });
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
    ...(raw.items?.type === undefined ? {} : { itemsType: raw.items.type }),
  };
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
