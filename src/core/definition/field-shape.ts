import { isJsonObject, type Json, type TreePath } from "../base/index.ts";
import { CONSTRAINTS, constraintsOf, fieldType, inferFromEnum, inferType } from "./constraint-shape.ts";
import { fitProblems } from "./field-fit.ts";
import { FIELD_TYPES, type ArgField, type FieldType, type OutputField } from "./field.ts";
import { NESTED_IN_ARGS, NESTED_IN_OUTPUTS, nestedOf } from "./nested-field.ts";
import { mandatory, optional, record, type Reading } from "./record.ts";
import type { Report } from "./report.ts";
import { anyJson, anyText, byKind, flag, refine, type Shape } from "./shape.ts";
import { expression, reference } from "./text-shape.ts";
import type { StepInput, Value } from "./definition.ts";

const OUTPUT = {
  type: mandatory(fieldType, "Type of the value."),
  required: optional(flag, "Whether the agent must return the field.", { default: true }),
  description: optional(anyText, "Description of the field for the agent."),
  ...CONSTRAINTS,
  ...NESTED_IN_OUTPUTS,
};

const INPUT = {
  from: optional(reference, "Source of the value: step.outputs.field. Default: the variable with this name."),
  expr: optional(expression, "Expression that calculates the value."),
  type: optional(fieldType, "Type of the value."),
  required: optional(flag, "Whether the step requires the value.", { default: true }),
  ...CONSTRAINTS,
  ...NESTED_IN_OUTPUTS,
};

const ARG = {
  type: optional(fieldType, "Type of the value. Default: the type of the default value."),
  required: optional(flag, "Whether a run requires the arg.", { default: false }),
  default: optional(anyJson, "Value used when the arg is not given."),
  description: optional(anyText, "Text shown in the launch form."),
  ...CONSTRAINTS,
  ...NESTED_IN_ARGS,
};

export const outputField: Shape<OutputField> = byKind("a type or a map", {
  text: refine(fieldType, (type) => ({ type, required: true })),
  map: refine(record(OUTPUT, { title: "an output" }), (raw, path, report) => {
    const type = raw.type;
    if (type === undefined) return undefined;
    const about = raw.description === undefined ? {} : { description: raw.description };
    return { type, required: raw.required ?? true, ...about, ...limitsOf(raw, type, path, report) };
  }),
});

/** An input as written: a declaration, or a value that can be parsed only when all steps are known. */
export type WrittenInput = { readonly declared: StepInput } | { readonly value: Json };

const declaredInput: Shape<StepInput> = refine(record(INPUT, { title: "an input" }), (raw, path, report) => {
  const type = raw.type ?? inferFromEnum(raw.enum);
  const constraints = limitsOf(raw, type, path, report);
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

/** Checks for a declaration. A map is treated as one only when it contains nothing but keys of a declaration. */
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
      {
        description: "A value: step.outputs.field, a text with ${…}, or any other literal; {value: …} marks a literal.",
      },
    ],
  },
};

/** The declaration of an output of the whole run. */
export const runOutputField = refine(
  record(
    {
      value: mandatory(anyJson, "Value of the output, written as in inputs."),
      type: optional(fieldType, "Type of the value."),
      required: optional(flag, "Whether the output must have a value.", { default: true }),
      ...CONSTRAINTS,
      ...NESTED_IN_OUTPUTS,
    },
    { title: "an output of the run" },
  ),
  (raw, path, report) => {
    const type = raw.type ?? inferFromEnum(raw.enum);
    const constraints = limitsOf(raw, type, path, report);
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
  // An invalid type has been reported already.
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
    ...limitsOf(raw, type, path, report),
  };
  // A null default means "no default" for every type.
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

type RawLimits = Parameters<typeof constraintsOf>[0] & Parameters<typeof nestedOf>[0];

function limitsOf(raw: RawLimits, type: FieldType | undefined, path: TreePath, report: Report) {
  return { ...constraintsOf(raw, type, path, report), ...nestedOf(raw, type, path, report) };
}
