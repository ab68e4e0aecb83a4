import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import { schemasAt, valuesOf } from "../editor/schema-walk.ts";

/** Kind of control with which a value is entered. */
export type Control =
  | { readonly kind: "choice"; readonly options: readonly string[] }
  | { readonly kind: "flag" }
  | { readonly kind: "number" }
  /** `isPlain`: nothing but a text fits, so that digits remain one. */
  | { readonly kind: "text"; readonly isPlain: boolean }
  /** A list of texts or numbers. Entries are typed when there are no options. */
  | { readonly kind: "list"; readonly options: readonly string[]; readonly isPlain: boolean }
  /** A map whose names the author chooses. With options, each value must be one of them. */
  | { readonly kind: "map"; readonly options: readonly string[]; readonly isPlain: boolean }
  | { readonly kind: "group"; readonly schema: JsonObject }
  /** A list of maps with fields of their own. */
  | { readonly kind: "records"; readonly schema: JsonObject }
  /** YAML for a value that no other control can show. */
  | { readonly kind: "yaml" };

/** Returns the control for a value, based on the schema and the present value. */
export function controlFor(schema: JsonObject, value: Json | undefined): Control {
  const branches = schemasAt(schema, []);
  if (isJsonArray(value)) return forList(branches, value);
  if (isJsonObject(value)) return forMap(branches, value);
  const types = new Set(branches.filter((branch) => wordsOf(branch).length === 0).flatMap(typesOf));
  const options = branches.flatMap((branch) => wordsOf(branch));
  if (options.length > 0 && !types.has("string") && !types.has("number")) return { kind: "choice", options };
  if (types.has("string")) return { kind: "text", isPlain: takesOnlyText(branches) };
  if (types.has("boolean")) return { kind: "flag" };
  if (types.has("integer") || types.has("number")) return { kind: "number" };
  if (types.has("array")) return forList(branches, []);
  if (types.has("object")) return forMap(branches, {});
  return value === undefined || typeof value === "string" ? { kind: "text", isPlain: false } : { kind: "yaml" };
}

const NOT_TEXT = ["number", "integer", "boolean"];

/** True when nothing but a text fits. */
function takesOnlyText(branches: readonly JsonObject[]): boolean {
  const types = branches.flatMap(typesOf);
  return types.includes("string") && NOT_TEXT.every((type) => !types.includes(type));
}

function forList(branches: readonly JsonObject[], value: readonly Json[]): Control {
  const items = branches.flatMap((branch) => schemasAt(branch, [0]));
  const record = items.find((item) => isJsonObject(getOwn(item, "properties")));
  if (record !== undefined && value.every(isJsonObject)) {
    const isEither = value.length === 0 && items.some((item) => typesOf(item).includes("string"));
    return isEither ? { kind: "list", options: [], isPlain: true } : { kind: "records", schema: record };
  }
  if (!value.every((item) => typeof item !== "object")) return { kind: "yaml" };
  return { kind: "list", options: items.flatMap((item) => wordsOf(item)), isPlain: takesOnlyText(items) };
}

function forMap(branches: readonly JsonObject[], value: JsonObject): Control {
  const fixed = branches.find((branch) => isJsonObject(getOwn(branch, "properties")));
  if (fixed !== undefined) return { kind: "group", schema: fixed };
  const open = branches.find((branch) => isJsonObject(getOwn(branch, "additionalProperties")));
  const isFlat = Object.values(value).every((member) => typeof member !== "object" || member === null);
  if (open === undefined || !isFlat) return { kind: "yaml" };
  const members = schemasAt(getOwn(open, "additionalProperties") as JsonObject, []);
  return { kind: "map", options: members.flatMap((member) => wordsOf(member)), isPlain: takesOnlyText(members) };
}

function typesOf(branch: JsonObject): readonly string[] {
  const type = getOwn(branch, "type");
  return (isJsonArray(type) ? type : [type]).filter((each): each is string => typeof each === "string");
}

function wordsOf(branch: JsonObject): readonly string[] {
  return isJsonArray(getOwn(branch, "enum")) ? valuesOf([branch]).map(({ text }) => text) : [];
}

/** Reads typed text like YAML: a number becomes a number, and all other text stays text. */
export function readTyped(text: string): Json {
  const trimmed = text.trim();
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(trimmed) && trimmed.length < 16 ? Number(trimmed) : text;
}

/** Returns the title of a key, such as "Depends on" for `depends_on`. */
export function titleOf(key: string): string {
  const words = key.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
