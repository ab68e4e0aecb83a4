import type { Approval } from "../../../client/index.ts";
import type { Json, JsonObject } from "../../../core/base/index.ts";

export type FormFields = NonNullable<Approval["form"]>;
export type FormField = FormFields[string];
/** The entered values, as text, by field. */
export type FormTexts = Readonly<Record<string, string>>;

export interface ReadForm {
  readonly values: JsonObject;
  /** The problems, by field. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Initial texts of a form: values entered by earlier approvers, else the defaults. Changing nothing approves the same values. */
export function initialTexts(fields: FormFields, entered: JsonObject | null): FormTexts {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, textOf(entered === null ? field.default : entered[name])]),
  );
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Reads and checks the entered values; the server checks again. An empty field is left out, or null if it had a default. */
export function readForm(fields: FormFields, texts: FormTexts): ReadForm {
  const values: [string, Json][] = [];
  const problems = new Map<string, string>();
  for (const [name, field] of Object.entries(fields)) {
    const text = texts[name] ?? "";
    if (text === "") {
      if (field.required) problems.set(name, "This is required.");
      else if ((field.default ?? null) !== null) values.push([name, null]);
      continue;
    }
    const read = readField(field, text);
    if (typeof read === "string") problems.set(name, read);
    else values.push([name, read.value]);
  }
  return { values: Object.fromEntries(values), problems };
}

function readField(field: FormField, text: string): { readonly value: Json } | string {
  switch (field.enum === undefined ? field.type : "enum") {
    case "number":
    case "integer":
      return readNumber(field, text);
    case "boolean":
      return text === "true" || text === "false" ? { value: text === "true" } : "Choose yes or no.";
    case "enum": {
      const value = field.enum?.find((choice) => String(choice) === text);
      return value === undefined ? `Choose one of ${(field.enum ?? []).join(", ")}.` : { value };
    }
    case "date":
      return isDate(text) ? { value: text } : "This must be a date: 2026-01-31.";
    case "string":
    case "text":
      return readText(field, text);
  }
}

function readNumber({ type, min, max }: FormField, text: string): { readonly value: Json } | string {
  const value = Number(text.trim());
  const isNumber = text.trim() !== "" && Number.isFinite(value) && (type === "number" || Number.isInteger(value));
  if (!isNumber) return `This must be ${type === "integer" ? "a whole number" : "a number"}.`;
  if (min !== undefined && value < min) return `This must be at least ${min}.`;
  if (max !== undefined && value > max) return `This must be at most ${max}.`;
  return { value };
}

function readText({ min, max }: FormField, text: string): { readonly value: Json } | string {
  const { length } = Array.from(text);
  if (min !== undefined && length < min) return `This must have at least ${min} characters.`;
  if (max !== undefined && length > max) return `This must have at most ${max} characters.`;
  return { value: text };
}

function isDate(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
}

/** Describes in words which values a field accepts. */
export function hintOf({ type, description, min, max, pattern }: FormField): string | undefined {
  const unit = type === "string" || type === "text" ? " characters" : "";
  const bounds = [
    min === undefined ? null : `at least ${min}${unit}`,
    max === undefined ? null : `at most ${max}${unit}`,
    pattern === undefined ? null : `matches ${pattern}`,
  ].filter((part) => part !== null);
  const text = [description, bounds.join(", ")].filter((part) => part !== undefined && part !== "").join(" · ");
  return text === "" ? undefined : text;
}
