import type { z } from "zod";
import {
  formatPath,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type PathSegment,
  type ProblemCode,
  type TreePath,
} from "../core/base/index.ts";
import { didYouMean } from "../core/definition/index.ts";
import { isField } from "./field.ts";

/** The problem codes of definitions. */
export type SpecCode = ProblemCode;

/** A problem of a spec. Paths begin inside the spec. */
export interface SpecProblem {
  readonly code: SpecCode;
  readonly message: string;
  /** The path as authors write it: `members[0].lane`. */
  readonly path: string;
  /** The same path in segments, for a caller that knows the places in the text. */
  readonly at: TreePath;
  /** The problem is shown at the key and not at its value. */
  readonly isAtKey?: boolean;
  /** The problem concerns the name of the entry, which is written beside the spec. */
  readonly isAboutName?: true;
  readonly hint?: string;
}

export function specProblem(
  code: SpecCode,
  at: TreePath,
  message: string,
  more: { readonly isAtKey?: boolean; readonly hint?: string | undefined } = {},
): SpecProblem {
  const { isAtKey, hint } = more;
  return {
    code,
    message,
    path: formatPath(at),
    at,
    ...(isAtKey === true ? { isAtKey } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Returns the words by which a message names the value at a path. */
export function nameOf(at: TreePath, title = "the spec"): string {
  const last = at.at(-1);
  if (last === undefined) return `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
  if (typeof last === "string") return `"${last}"`;
  const field = at.findLast((segment) => typeof segment === "string");
  return `Entry ${last + 1} of ${field === undefined ? "the list" : `"${field}"`}`;
}

/** Converts the issues of a schema into problems with the usual wording. `title`: "an agent". */
export function problemsOfIssues(
  issues: readonly z.core.$ZodIssue[],
  schema: z.core.$ZodType,
  title: string,
): readonly SpecProblem[] {
  const seen = new Set<string>();
  return issues
    .flatMap((issue) => problemsOf(issue, schema, title))
    .filter(({ code, path }) => {
      const isFirst = !seen.has(`${code} ${path}`);
      seen.add(`${code} ${path}`);
      return isFirst;
    });
}

function problemsOf(issue: z.core.$ZodIssue, schema: z.core.$ZodType, title: string): readonly SpecProblem[] {
  const at = issue.path.map((segment): PathSegment => (typeof segment === "number" ? segment : String(segment)));
  const subject = nameOf(at, title);
  const input = issue.input as Json | undefined;
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(key, at, keysAt(schema, at), title));
    case "invalid_type":
      return [input === undefined ? missing(at, title) : wrongType(issue.expected, input, at, subject)];
    case "invalid_value":
      return [input === undefined ? missing(at, title) : wrongWord(issue.values.map(String), input, at, subject)];
    case "too_big":
    case "too_small":
      return [outOfRange(issue, input, at, subject)];
    case "custom": {
      const params: Readonly<Record<string, unknown>> = issue.params ?? {};
      const code = isField(params) ? params.code : "wrong_type";
      const shownInput = isField(params) && params.isHidden === true ? "" : butItIs(input);
      return [specProblem(code, at, `${subject} ${issue.message}${shownInput}.`, isField(params) ? params : {})];
    }
    case "invalid_union": {
      const meant = issue.errors.find((branch) => branch.every((one) => isWithin(one, input)));
      if (meant === undefined || meant.length === 0) break;
      const path = (one: z.core.$ZodIssue): z.core.$ZodIssue => ({ ...one, path: [...issue.path, ...one.path] });
      return meant.flatMap((one) => problemsOf(path(one), schema, title));
    }
    case "invalid_key":
      return [wrongKey(issue, at, subject)];
    default:
      break;
  }
  if (input === undefined) return [missing(at, title)];
  return [specProblem("wrong_type", at, `${subject} ${issue.message}, but it is ${kindOf(input)}.`)];
}

/** Checks whether an alternative of a union is the one the author meant, judged by the type of the value. */
function isWithin(issue: z.core.$ZodIssue, input: Json | undefined): boolean {
  if (issue.path.length > 0 || issue.code === "unrecognized_keys") return true;
  return typeof input === "string" && issue.code === "invalid_value";
}

/** Reports a key chosen by the author that is not allowed. */
function wrongKey({ issues }: z.core.$ZodIssueInvalidKey, at: TreePath, subject: string): SpecProblem {
  const [first] = issues;
  if (first?.code === "invalid_value") {
    const known = first.values.map(String);
    return unknownKey(String(at.at(-1)), at.slice(0, -1), known, "the map");
  }
  const message = `${subject} ${first?.message ?? "is not a name that can be used here"}.`;
  return specProblem("bad_name", at, message, { isAtKey: true });
}

function unknownKey(key: string, at: TreePath, known: readonly string[], title: string): SpecProblem {
  const owner = at.length === 0 ? title : nameOf(at);
  const hint = didYouMean(key, known) ?? (known.length === 0 ? undefined : `The keys are ${known.join(", ")}.`);
  return specProblem("unknown_key", [...at, key], `"${key}" is not a key of ${owner}.`, { isAtKey: true, hint });
}

function missing(at: TreePath, title: string): SpecProblem {
  const owner = nameOf(at.slice(0, -1), title);
  return specProblem("missing_field", at, `${owner} needs "${String(at.at(-1))}".`, {
    hint: `Add "${String(at.at(-1))}".`,
  });
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};

function wrongType(expected: string, input: Json, at: TreePath, subject: string): SpecProblem {
  const wanted = EXPECTED[expected] ?? expected;
  if (typeof input === "number" && expected === "int") {
    return specProblem("bad_number", at, `${subject} must be ${wanted}, but it is ${input}.`);
  }
  return specProblem("wrong_type", at, `${subject} must be ${wanted}, but it is ${kindOf(input)}.`, {
    hint: typeHint(wanted, input),
  });
}

function typeHint(wanted: string, input: Json): string | undefined {
  if (input === null) return "Give it a value or remove the key.";
  if (typeof input === "number" && wanted === "text") return `Write "${input}" in quotes.`;
  if (typeof input !== "string") return undefined;
  const isNumber = wanted.endsWith("number") && input.trim() !== "" && Number.isFinite(Number(input));
  const isFlag = wanted === "true or false" && (input === "true" || input === "false");
  if (isNumber || isFlag) return `Write ${input.trim()} without quotes.`;
  return wanted === "a list" ? `Write a list: [${shown(input)}].` : undefined;
}

function wrongWord(words: readonly string[], input: Json | undefined, at: TreePath, subject: string): SpecProblem {
  const expected = `one of ${words.join(", ")}`;
  if (typeof input !== "string") {
    return specProblem("wrong_type", at, `${subject} must be ${expected}, but it is ${kindOf(input ?? null)}.`);
  }
  const hint = didYouMean(input, words) ?? `Use ${expected}.`;
  return specProblem("bad_enum", at, `${subject} must be ${expected}, but it is ${shown(input)}.`, { hint });
}

function outOfRange(
  issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall,
  input: Json | undefined,
  at: TreePath,
  subject: string,
): SpecProblem {
  const [limit, side] = issue.code === "too_big" ? [issue.maximum, "at most"] : [issue.minimum, "at least"];
  if (issue.origin === "string" || issue.origin === "array") {
    const unit = issue.origin === "string" ? "characters" : limit === 1 ? "entry" : "entries";
    const code = issue.origin === "array" && issue.code === "too_small" ? "missing_field" : "wrong_type";
    const size = isJsonArray(input) || typeof input === "string" ? `, but it has ${input.length}` : "";
    return specProblem(code, at, `${subject} must have ${side} ${limit} ${unit}${size}.`);
  }
  const wanted = issue.inclusive === false ? (issue.code === "too_big" ? "below" : "above") : side;
  return specProblem("bad_number", at, `${subject} must be ${wanted} ${limit}${butItIs(input)}.`);
}

function butItIs(input: Json | undefined): string {
  if (typeof input === "string") return `, but it is ${shown(input)}`;
  return typeof input === "number" ? `, but it is ${input}` : "";
}

/** Quotes a text, shortened so that one bad value cannot fill a screen. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function kindOf(value: Json): string {
  if (value === null) return "empty";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "a number";
  if (typeof value === "boolean") return "true or false";
  return isJsonArray(value) ? "a list" : "a map";
}

/** Returns the keys a schema defines at a path; empty where any key is allowed. */
function keysAt(schema: z.core.$ZodType, at: TreePath): readonly string[] {
  let def = defOf(schema);
  for (const segment of at) {
    let inner: z.core.$ZodType | undefined;
    if (def.type === "object" && typeof segment === "string") inner = getOwn(def.shape, segment);
    else if (def.type === "array") inner = def.element;
    else if (def.type === "record") inner = def.valueType;
    if (inner === undefined) return [];
    def = defOf(inner);
  }
  if (def.type === "object") return Object.keys(def.shape);
  const key = def.type === "record" ? defOf(def.keyType) : undefined;
  return key?.type === "enum" ? Object.values(key.entries).map(String) : [];
}

type Def = z.core.$ZodTypes["_zod"]["def"];

/** Unwraps optional, nullable, default and similar schemas. */
function defOf(schema: z.core.$ZodType): Def {
  const def = (schema as z.ZodType).def as Def;
  switch (def.type) {
    case "optional":
    case "nullable":
    case "default":
      return defOf(def.innerType);
    case "pipe":
      return defOf(def.in);
    default:
      return def;
  }
}

/** Parses a path text into segments, as far as they exist in the value. */
export function partsOf(path: string, value: Json): TreePath {
  const at: PathSegment[] = [];
  let here: Json | undefined = value;
  let rest = path;
  while (rest !== "") {
    const index = /^\[(\d+)\]\.?/.exec(rest);
    if (index !== null && isJsonArray(here)) {
      at.push(Number(index[1]));
      here = here[Number(index[1])];
      rest = rest.slice(index[0].length);
      continue;
    }
    const key = isJsonObject(here) ? longestKey(here, rest) : undefined;
    // A missing value has no segments of its own.
    if (key === undefined || !isJsonObject(here)) return [...at, rest];
    at.push(key);
    here = getOwn(here, key);
    rest = rest.slice(key.length).replace(/^\./, "");
  }
  return at;
}

function longestKey(object: Readonly<Record<string, Json>>, path: string): string | undefined {
  return Object.keys(object)
    .filter((key) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`))
    .sort((left, right) => right.length - left.length)[0];
}
