import { grouped } from "../parts/figures.ts";
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";

/** Description of a field of a spec for its author. */
export interface SpecField {
  readonly name: string;
  readonly isRequired: boolean;
  /** Type in words: `whole number`, `list of text`. Allowed words are in `choices`. */
  readonly type: string;
  readonly choices: readonly string[];
  /** Bounds such as `1 to 10`. Empty when there are none. */
  readonly limits: string;
  /** Default value. Undefined when there is none. */
  readonly fallback: Json | undefined;
  readonly help: string;
  /** Fields of the map, or of each map in a list. */
  readonly members: readonly SpecField[];
  /** A first value, inserted with the field. */
  readonly sample: Json;
}

const OTHER_SPELLING = /^Another spelling of/;

/** Returns the fields of a map from its JSON Schema, required fields first. */
export function fieldsOf(schema: JsonObject): readonly SpecField[] {
  const properties = getOwn(schema, "properties");
  if (!isJsonObject(properties)) return [];
  const required = getOwn(schema, "required");
  const fields = Object.entries(properties).flatMap(([name, property]): readonly SpecField[] => {
    if (!isJsonObject(property) || getOwn(property, "deprecated") === true) return [];
    const help = textAt(property, "description");
    return OTHER_SPELLING.test(help) ? [] : [fieldOf(name, property, isJsonArray(required) && required.includes(name))];
  });
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)];
}

function fieldOf(name: string, property: JsonObject, isRequired: boolean): SpecField {
  const branches = branchesOf(property);
  const fallback = getOwn(property, "default");
  const inner = branches.flatMap((branch) => {
    const items = getOwn(branch, "items");
    return isJsonObject(items) ? branchesOf(items) : [branch];
  });
  return {
    name,
    isRequired,
    type: wordsOf(branches),
    choices: [...new Set(inner.flatMap(choicesOf))],
    limits: [
      ...branches.map(limitsOf),
      ...inner.filter((each) => !branches.includes(each)).map((each) => limitsOf(each).replace(/^(?=.)/, "each ")),
    ]
      .filter((text) => text !== "")
      .join("; "),
    fallback,
    help: textAt(property, "description"),
    members: inner.flatMap(fieldsOf),
    sample: fallback ?? sampleOf(branches),
  };
}

/** Returns the shapes a value may have. Null is not a shape, since it only means that the field is left out. */
function branchesOf(schema: JsonObject): readonly JsonObject[] {
  const branches = getOwn(schema, "anyOf") ?? getOwn(schema, "oneOf");
  const found = isJsonArray(branches) ? branches.filter(isJsonObject).flatMap(branchesOf) : typesOf(schema);
  return found.filter((branch) => getOwn(branch, "type") !== "null");
}

function typesOf(schema: JsonObject): readonly JsonObject[] {
  const type = getOwn(schema, "type");
  return isJsonArray(type) ? type.map((one) => ({ ...schema, type: one })) : [schema];
}

const WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "true or false",
  object: "map",
};

function wordsOf(branches: readonly JsonObject[]): string {
  return [...new Set(branches.map(wordOf))].join(" or ");
}

function wordOf(branch: JsonObject): string {
  if (choicesOf(branch).length > 0) return "one of";
  const items = getOwn(branch, "items");
  if (getOwn(branch, "type") === "array") return isJsonObject(items) ? `list of ${pluralOf(items)}` : "list";
  return getOwn(WORDS, textAt(branch, "type")) ?? "anything";
}

function pluralOf(items: JsonObject): string {
  const word = wordsOf(branchesOf(items));
  return { map: "maps", number: "numbers", "whole number": "whole numbers", "one of": "any of" }[word] ?? word;
}

function choicesOf(branch: JsonObject): readonly string[] {
  const constant = getOwn(branch, "const");
  const members = getOwn(branch, "enum");
  const words = isJsonArray(members) ? members : constant === undefined ? [] : [constant];
  return words.filter((word) => word !== null).map(String);
}

function limitsOf(branch: JsonObject): string {
  const above = numberAt(branch, "exclusiveMinimum");
  const low = above === undefined ? numberAt(branch, "minimum") : above;
  const high = numberAt(branch, "maximum");
  return [
    rangeText(low, high, "", above !== undefined),
    rangeText(numberAt(branch, "minLength"), numberAt(branch, "maxLength"), " characters"),
    rangeText(numberAt(branch, "minItems"), numberAt(branch, "maxItems"), " entries"),
  ]
    .filter((text) => text !== "")
    .join("; ");
}

function rangeText(low: number | undefined, high: number | undefined, unit: string, isAbove = false): string {
  const most = high === undefined ? "" : grouped(high);
  if (low === undefined) return high === undefined ? "" : `at most ${most}${unit}`;
  if (high === undefined) return `${isAbove ? "above" : "at least"} ${grouped(low)}${unit}`;
  return `${isAbove ? "above " : ""}${grouped(low)} to ${most}${unit}`;
}

/** Returns the smallest value that shows the expected content. */
function sampleOf(branches: readonly JsonObject[]): Json {
  const [branch] = branches;
  if (branch === undefined) return "";
  const [choice] = choicesOf(branch);
  if (choice !== undefined) return choice;
  switch (getOwn(branch, "type")) {
    case "boolean":
      return true;
    case "number":
    case "integer":
      return numberAt(branch, "minimum") ?? (numberAt(branch, "exclusiveMinimum") ?? -1) + 1;
    case "array": {
      const items = getOwn(branch, "items");
      return isJsonObject(items) ? [sampleOf(branchesOf(items))] : [];
    }
    case "object": {
      const fields = fieldsOf(branch);
      const needed = fields.filter(({ isRequired }) => isRequired);
      return Object.fromEntries((needed.length > 0 ? needed : fields).map(({ name, sample }) => [name, sample]));
    }
    default:
      return "";
  }
}

function textAt(schema: JsonObject, key: string): string {
  const value = getOwn(schema, key);
  return typeof value === "string" ? value : "";
}

/** Returns a number of the schema. Bounds that every number satisfies are left out. */
function numberAt(schema: JsonObject, key: string): number | undefined {
  const value = getOwn(schema, key);
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}
