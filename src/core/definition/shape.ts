import {
  didYouMean,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type ProblemCode,
  type TreePath,
} from "../base/index.ts";
import type { Report } from "./report.ts";

/**
 * The required form of a value in a file. One table reads the value, creates the messages of its problems, and
 * generates the JSON Schema, so that editor and checker always agree. `read` returns undefined when it has reported a
 * problem.
 */
export interface Shape<T> {
  readonly read: (value: Json, path: TreePath, report: Report) => T | undefined;
  readonly schema: JsonObject;
}

export function kindOf(value: Json): string {
  if (value === null) return "empty";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "a number";
  if (typeof value === "boolean") return "true or false";
  return Array.isArray(value) ? "a list" : "a map";
}

/** Returns the name of the value at a path for messages. */
export function nameOf(path: TreePath): string {
  const last = path.at(-1);
  if (last === undefined) return "The file";
  return typeof last === "number" ? `Entry ${last + 1} of ${quoteField(path)}` : `"${last}"`;
}

function quoteField(path: TreePath): string {
  const field = path.findLast((segment) => typeof segment === "string");
  return field === undefined ? "the list" : `"${field}"`;
}

export function refuseType(path: TreePath, report: Report, expected: string, value: Json, hint?: string): undefined {
  const message = `${nameOf(path)} must be ${expected}, but it is ${kindOf(value)}.`;
  const empty = value === null ? "Give it a value or remove the key." : undefined;
  report.problem("wrong_type", path, message, { hint: hint ?? empty });
  return undefined;
}

/** Accepts any value. */
export const anyJson: Shape<Json> = { read: (value) => value, schema: {} };

export const flag: Shape<boolean> = {
  read: (value, path, report) =>
    typeof value === "boolean"
      ? value
      : refuseType(path, report, "true or false", value, unquotedHint(value, ["true", "false"])),
  schema: { type: "boolean" },
};

function unquotedHint(value: Json, words: readonly string[]): string | undefined {
  return typeof value === "string" && words.includes(value) ? `Write ${value} without quotes.` : undefined;
}

export const anyText: Shape<string> = {
  read: (value, path, report) =>
    typeof value === "string"
      ? value
      : refuseType(path, report, "text", value, typeof value === "number" ? `Write "${value}" in quotes.` : undefined),
  schema: { type: "string" },
};

interface WordRule {
  /** The requirement as written in messages, for example "kebab-case". */
  readonly expected: string;
  readonly code: ProblemCode;
  readonly pattern?: RegExp;
  readonly lengthMax?: number;
  /** Returns a corrected text. It is suggested when it would be valid. */
  readonly fix?: (text: string) => string;
}

/** A text that is a name. It is never blank. */
export function word(rule: WordRule): Shape<string> {
  const lengthMax = rule.lengthMax ?? 256;
  const fits = (text: string): boolean =>
    text.length <= lengthMax && text.trim() !== "" && (rule.pattern?.test(text) ?? true);
  return {
    read(value, path, report) {
      const text = anyText.read(value, path, report);
      if (text === undefined) return undefined;
      if (fits(text)) return text;
      const shown = text.length > lengthMax ? `it has ${text.length} characters` : `it is ${JSON.stringify(text)}`;
      const fixed = rule.fix?.(text) ?? "";
      const hint = fits(fixed) ? `Write ${fixed}.` : undefined;
      report.problem(rule.code, path, `${nameOf(path)} must be ${rule.expected}, but ${shown}.`, { hint });
      return undefined;
    },
    schema: {
      type: "string",
      minLength: 1,
      maxLength: lengthMax,
      ...(rule.pattern === undefined ? {} : { pattern: rule.pattern.source }),
    },
  };
}

/** Joins the words of a name in one style: `Build Artifact` and `buildArtifact` become `build_artifact`. */
export function joinWords(text: string, joint: "_" | "-"): string {
  const words = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/);
  return words
    .filter((part) => part !== "")
    .join(joint)
    .toLowerCase();
}

/** One of a fixed set of words. An alias is accepted with a warning. */
export function choice<const T extends string>(
  words: readonly T[],
  aliases: Readonly<Record<string, T>> = {},
  hint?: string,
): Shape<T> {
  const isOnly = words.length === 1;
  const expected = isOnly ? `"${words.join("")}"` : `one of ${words.join(", ")}`;
  const aliasOf = new Map(Object.entries(aliases));
  return {
    read(value, path, report) {
      if (typeof value !== "string") return refuseType(path, report, expected, value, hint);
      const found = words.find((word) => word === value);
      if (found !== undefined) return found;
      const alias = aliasOf.get(value);
      if (alias !== undefined) {
        const message = `"${value}" is an old word for "${alias}".`;
        report.warning("alias_used", path, message, { hint: `Write ${alias}.` });
        return alias;
      }
      const near = (): string => didYouMean(value, words) ?? hint ?? `Use ${expected}.`;
      report.problem("bad_enum", path, `${nameOf(path)} must be ${expected}, but it is ${quote(value)}.`, {
        hint: near,
      });
      return undefined;
    },
    schema: { enum: [...words, ...aliasOf.keys()] },
  };
}

/** Quotes a text for a message. Long text is truncated, so that one invalid value does not fill the screen. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

interface NumberRule {
  readonly min?: number;
  readonly max?: number;
  readonly isInteger?: boolean;
  readonly expected: string;
  readonly code?: ProblemCode;
}

export function number(rule: NumberRule): Shape<number> {
  const min = rule.min ?? -Number.MAX_VALUE;
  const max = rule.max ?? (rule.isInteger === true ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE);
  return {
    read(value, path, report) {
      if (typeof value !== "number") {
        const isQuoted = typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value));
        const hint = isQuoted ? `Write ${value.trim()} without quotes.` : undefined;
        return refuseType(path, report, rule.expected, value, hint);
      }
      if (value >= min && value <= max && (rule.isInteger !== true || Number.isSafeInteger(value))) return value;
      report.problem(rule.code ?? "bad_number", path, `${nameOf(path)} must be ${rule.expected}, but it is ${value}.`);
      return undefined;
    },
    schema: {
      type: rule.isInteger === true ? "integer" : "number",
      ...(rule.min === undefined ? {} : { minimum: rule.min }),
      ...(rule.max === undefined ? {} : { maximum: rule.max }),
    },
  };
}

interface ListRule {
  readonly isFilled?: boolean;
  /** The limit of entries. A longer list is not read, because one problem is enough. */
  readonly limit?: { readonly max: number; readonly code: ProblemCode };
}

export function list<T>(entry: Shape<T>, rule: ListRule = {}): Shape<readonly T[]> {
  return {
    read(value, path, report) {
      if (!isJsonArray(value)) {
        const hint = typeof value === "string" ? `Write a list: [${value}].` : undefined;
        return refuseType(path, report, "a list", value, hint);
      }
      if (rule.isFilled === true && value.length === 0) {
        report.problem("missing_field", path, `${nameOf(path)} must have at least one entry.`);
      }
      const { limit } = rule;
      if (limit !== undefined && value.length > limit.max) {
        const message = `${nameOf(path)} has ${value.length} entries; at most ${limit.max} are allowed.`;
        report.problem(limit.code, path, message);
        return undefined;
      }
      const entries = value.map((member, index) => entry.read(member, [...path, index], report));
      return entries.filter((member) => member !== undefined);
    },
    schema: {
      type: "array",
      items: entry.schema,
      ...(rule.isFilled === true ? { minItems: 1 } : {}),
      ...(rule.limit === undefined ? {} : { maxItems: rule.limit.max }),
    },
  };
}

/** A map from names chosen by the author to values of one shape. */
export function mapOf<T>(entry: Shape<T>, key?: Shape<string>): Shape<Readonly<Record<string, T>>> {
  return {
    read(value, path, report) {
      if (!isJsonObject(value)) return refuseType(path, report, "a map of names", value);
      const entries: [string, T][] = [];
      for (const [name, member] of Object.entries(value)) {
        key?.read(name, [...path, name], report);
        const read = entry.read(member, [...path, name], report);
        if (read !== undefined) entries.push([name, read]);
      }
      return Object.fromEntries(entries);
    },
    schema: {
      type: "object",
      additionalProperties: entry.schema,
      ...(key === undefined ? {} : { propertyNames: key.schema }),
    },
  };
}

type KindKey = "text" | "number" | "flag" | "list" | "map" | "empty";

/** Chooses the shape by the type of the written value, so that a problem always refers to the form the author chose. */
export function byKind<T>(expected: string, shapes: Readonly<Partial<Record<KindKey, Shape<T>>>>): Shape<T> {
  return {
    read(value, path, report) {
      const shape = shapes[kindKey(value)];
      return shape === undefined ? refuseType(path, report, expected, value) : shape.read(value, path, report);
    },
    schema: { anyOf: Object.values(shapes).map((shape) => shape.schema) },
  };
}

function kindKey(value: Json): KindKey {
  if (value === null) return "empty";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "flag";
  return Array.isArray(value) ? "list" : "map";
}

/** Adds a check or conversion after a shape has read a value. */
export function refine<S, T>(
  shape: Shape<S>,
  check: (value: S, path: TreePath, report: Report) => T | undefined,
): Shape<T> {
  return {
    read(value, path, report) {
      const first = shape.read(value, path, report);
      return first === undefined ? undefined : check(first, path, report);
    },
    schema: shape.schema,
  };
}

/** A read value together with the raw value and its path, for checks that report at that path. */
export interface Located<T> {
  readonly read: T;
  readonly raw: Json;
  readonly path: TreePath;
}

export function located<T>(shape: Shape<T>): Shape<Located<T>> {
  return {
    read(value, path, report) {
      const read = shape.read(value, path, report);
      return read === undefined ? undefined : { read, raw: value, path };
    },
    schema: shape.schema,
  };
}

/** Returns the same shape with additional keys in its schema. */
export function described<T>(shape: Shape<T>, more: JsonObject): Shape<T> {
  return { read: shape.read, schema: { ...shape.schema, ...more } };
}
