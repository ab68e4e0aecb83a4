import { isJsonObject, type Json, type TreePath } from "../base/index.ts";
import { declaredField, FORM_TYPES, type FormField, type FormFields } from "../event/index.ts";
import { parseStepTemplate, type StepTemplate } from "../template/index.ts";
import { FORM_TEXT_KEYS, type FormFill } from "./approval-rule.ts";
import type { OutputField } from "./field.ts";
import { fitProblems } from "./field-fit.ts";
import { optional, record, type Reading } from "./record.ts";
import type { Report } from "./report.ts";
import {
  anyJson,
  anyText,
  byKind,
  choice,
  flag,
  list,
  mapOf,
  number,
  refine,
  refuseType,
  type Shape,
} from "./shape.ts";
import { patternText } from "./text-shape.ts";

const formType = choice(FORM_TYPES);

const member: Shape<string | number> = {
  read: (value, path, report) =>
    typeof value === "string" || typeof value === "number"
      ? value
      : refuseType(path, report, "text or a number", value),
  schema: { type: ["string", "number"] },
};

const FIELD = {
  type: optional(formType, "Type of the entered value; enum: one of the values of enum."),
  label: optional(anyText, "Display name of the field. Default: its name."),
  description: optional(anyText, "Purpose of the field."),
  enum: optional(list(member), "Values to choose from."),
  default: optional(anyJson, "Initial value of the field; a text may have references."),
  required: optional(flag, "Whether a value must be entered.", { default: true }),
  min: optional(number({ expected: "a number" }), "Smallest allowed number, or minimum number of characters.", {
    alias: "minimum",
  }),
  max: optional(number({ expected: "a number" }), "Largest allowed number, or maximum number of characters.", {
    alias: "maximum",
  }),
  pattern: optional(patternText, "Regular expression (RE2 syntax) that the text must match."),
};

const formField: Shape<FormField> = byKind("a type or a map", {
  text: refine(formType, (type, path, report) => checked({ type, required: true }, path, report)),
  map: refine(record(FIELD, { title: "a field of a form" }), (raw, path, report) => {
    const type = raw.type ?? (raw.enum === undefined ? undefined : "enum");
    // An invalid type has been reported already.
    if (type === undefined) {
      if (!Object.hasOwn(raw, "type")) reportMissing(path, report);
      return undefined;
    }
    return checked(fieldOf(raw, type), path, report);
  }),
});

function reportMissing(path: TreePath, report: Report): void {
  const hint = `Add type: one of ${FORM_TYPES.join(", ")}.`;
  report.problem("missing_field", [...path, "type"], `A field of a form needs "type".`, { at: path, hint });
}

function fieldOf(raw: Reading<typeof FIELD>, type: FormField["type"]): FormField {
  return {
    type,
    required: raw.required ?? true,
    ...(raw.label === undefined ? {} : { label: raw.label }),
    ...(raw.description === undefined ? {} : { description: raw.description }),
    ...(raw.enum === undefined ? {} : { enum: [...raw.enum] }),
    ...(raw.default === undefined ? {} : { default: raw.default }),
    ...(raw.min === undefined ? {} : { min: raw.min }),
    ...(raw.max === undefined ? {} : { max: raw.max }),
    ...(raw.pattern === undefined ? {} : { pattern: raw.pattern }),
  };
}

const FITTING: Readonly<Record<"enum" | "min" | "max" | "pattern", readonly FormField["type"][]>> = {
  enum: ["enum", "string", "number", "integer"],
  min: ["number", "integer", "string", "text"],
  max: ["number", "integer", "string", "text"],
  pattern: ["string", "text"],
};

function checked(field: FormField, path: TreePath, report: Report): FormField | undefined {
  const { type, enum: members, min, max } = field;
  for (const key of ["enum", "min", "max", "pattern"] as const) {
    const fitting = FITTING[key];
    if (field[key] === undefined || fitting.includes(type)) continue;
    const message = `"${key}" says nothing about a field of type ${type}.`;
    report.problem("conflicting_fields", [...path, key], message, {
      isAtKey: true,
      hint: `It fits ${fitting.join(", ")}.`,
    });
  }
  if (type === "enum" && members === undefined) {
    const message = `A field of type enum needs "enum", the values to choose from.`;
    report.problem("bad_enum", [...path, "enum"], message, { at: path, hint: "Add enum: [one, two]." });
    return undefined;
  }
  if (members?.length === 0) {
    report.problem("bad_enum", [...path, "enum"], `"enum" is empty, so no value could ever be chosen.`);
    return undefined;
  }
  if (min !== undefined && max !== undefined && min > max) {
    report.problem("bad_number", [...path, "min"], `"min" (${min}) is above "max" (${max}).`);
  }
  checkTexts(field, path, report);
  checkMembers(field, path, report);
  checkDefault(field, path, report);
  return field;
}

function checkMembers(field: FormField, path: TreePath, report: Report): void {
  const { type } = declaredField(field);
  for (const [index, one] of (field.enum ?? []).entries()) {
    if (field.type === "enum" || fitProblems(one, { type }).length === 0) continue;
    report.problem("type_mismatch", [...path, "enum", index], `${JSON.stringify(one)} is not of type ${field.type}.`);
  }
}

function checkDefault(field: FormField, path: TreePath, report: Report): void {
  const { default: value } = field;
  // A null default means "no default" for every type. A default with references is checked when it is filled in.
  if (value === undefined || value === null || fillIn(value) !== undefined) return;
  for (const { message } of fitProblems(value, declaredField(field))) {
    report.problem("type_mismatch", [...path, "default"], `The default does not fit its own field: it ${message}.`);
  }
}

/** Output names that a gate sets itself. */
const OWN_NAMES: ReadonlySet<string> = new Set(["approved", "_skipped"]);

const fieldName: Shape<string> = refine(anyText, (name, path, report) => {
  if (!OWN_NAMES.has(name) && name.trim() !== "") return name;
  const message =
    name.trim() === ""
      ? "A field of a form needs a name."
      : `A field of a form cannot be called "${name}": a gate has an output of that name.`;
  report.problem(name.trim() === "" ? "bad_name" : "reserved_id", path, message, { isAtKey: true });
  return undefined;
});

const fields = mapOf(formField, fieldName);

export const form: Shape<FormFields> = {
  read(value, path, report) {
    const read = fields.read(value, path, report);
    if (read === undefined) return undefined;
    // Invalid fields have been reported already.
    if (isJsonObject(value) && Object.keys(value).length === 0) {
      const hint = "Remove it, or add a field.";
      report.problem("missing_field", path, `"form" must have at least one field.`, { hint });
    }
    return Object.keys(read).length === 0 ? undefined : { ...read };
  },
  schema: { ...fields.schema, minProperties: 1 },
};

/** Returns the texts of a form that contain references. */
export function fillsOf(declared: FormFields): readonly FormFill[] {
  return Object.entries(declared).flatMap(([field, texts]) =>
    FORM_TEXT_KEYS.flatMap((key) => {
      const template = fillIn(texts[key]);
      return template === undefined ? [] : [{ field, key, template }];
    }),
  );
}

/** Returns the template of a text with references. Undefined for a text without references. */
function fillIn(text: unknown): StepTemplate | undefined {
  const parsed = typeof text === "string" ? parseStepTemplate(text) : undefined;
  return parsed?.ok === true && parsed.value.parts.some((part) => typeof part === "object") ? parsed.value : undefined;
}

/** Returns the default of the field that does not depend on the run. Null when the default contains references. */
export function fixedDefault({ default: value = null }: FormField): Json {
  return fillIn(value) === undefined ? value : null;
}

function checkTexts(field: FormField, path: TreePath, report: Report): void {
  for (const key of FORM_TEXT_KEYS) {
    const text = field[key];
    const parsed = typeof text === "string" ? parseStepTemplate(text) : undefined;
    if (parsed?.ok !== false) continue;
    const { message, position: offset, hint } = parsed.failure;
    // Versions stored earlier may contain text that only looks like a reference.
    report.strict("bad_template", [...path, key], `"${key}" cannot be read: ${message}.`, { offset, hint });
  }
}

/** Returns the outputs of a gate with this form, besides `approved`. */
export function outputsOfForm(declared: FormFields): Readonly<Record<string, OutputField>> {
  return Object.fromEntries(Object.entries(declared).map(([name, field]) => [name, declaredField(field)]));
}
