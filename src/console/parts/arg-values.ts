import type { Json, JsonObject } from "../../core/base/index.ts";
import type { ArgField } from "../../core/definition/index.ts";

export type ArgFields = Readonly<Record<string, ArgField>>;
/** Entered texts by arg. An untouched arg is absent. */
export type ArgTexts = Readonly<Record<string, string>>;

export interface ReadArgs {
  readonly args: JsonObject;
  readonly problems: ReadonlyMap<string, string>;
}

/** Returns a default as the text of an input. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the entered args. An empty field is left out, so that the workflow's default applies. */
export function readArgs(fields: ArgFields, texts: ArgTexts): ReadArgs {
  const args: [string, Json][] = [];
  const problems = new Map<string, string>();
  for (const [name, field] of Object.entries(fields)) {
    const text = texts[name] ?? "";
    if (text === "") {
      if (field.required && field.default === undefined) problems.set(name, "This is required.");
      continue;
    }
    const read = readArg(field, text);
    if (typeof read === "string") problems.set(name, read);
    else args.push([name, read.value]);
  }
  return { args: Object.fromEntries(args), problems };
}

/** Returns the value of a text, or the problem with it. The server makes the remaining checks. */
function readArg(field: ArgField, text: string): { readonly value: Json } | string {
  switch (field.type) {
    case "number":
    case "integer": {
      const value = Number(text);
      const isFine = Number.isFinite(value) && (field.type === "number" || Number.isInteger(value));
      return isFine ? { value } : `This must be ${field.type === "integer" ? "a whole number" : "a number"}.`;
    }
    case "boolean":
      return text === "true" || text === "false" ? { value: text === "true" } : "This must be true or false.";
    case "object":
    case "array":
      return readJson(text, field.type);
    case "file":
      return readJson(text, "object");
    default:
      return { value: enumValue(field, text) };
  }
}

function enumValue(field: ArgField, text: string): Json {
  return field.enum?.find((choice) => String(choice) === text) ?? text;
}

function readJson(text: string, type: "object" | "array"): { readonly value: Json } | string {
  try {
    const value = JSON.parse(text) as Json;
    const isFine =
      type === "array" ? Array.isArray(value) : typeof value === "object" && value !== null && !Array.isArray(value);
    return isFine ? { value } : `This must be ${type === "array" ? "a list" : "an object"} in JSON.`;
  } catch {
    return `This must be ${type === "array" ? "a list" : "an object"} in JSON.`;
  }
}

/** Returns a hint about the allowed values. */
export function hintOf(field: ArgField): string | undefined {
  const bounds = [
    field.minimum === undefined ? null : `at least ${field.minimum}`,
    field.maximum === undefined ? null : `at most ${field.maximum}`,
    field.minLength === undefined ? null : `at least ${field.minLength} characters`,
    field.maxLength === undefined ? null : `at most ${field.maxLength} characters`,
    field.pattern === undefined ? null : `matches ${field.pattern}`,
    field.default === undefined ? null : `default ${textOf(field.default) || "empty"}`,
  ].filter((part) => part !== null);
  const text = [field.description, bounds.join(", ")].filter((part) => part !== undefined && part !== "").join(" · ");
  return text === "" ? undefined : text;
}
