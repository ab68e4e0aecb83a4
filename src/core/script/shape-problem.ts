import type { z } from "zod";
import { formatPath, type Json, type Problem, type TreePath } from "../base/index.ts";
import { suggest } from "../definition/index.ts";
import { walk } from "../expression/index.ts";
import type { SourceTree } from "../text/index.ts";

/** A value to check: its place in the text, and the noun for it in messages (`A script`). */
export interface Judged {
  readonly tree: SourceTree;
  readonly base: TreePath;
  readonly value: Json;
  readonly noun: string;
}

/** Returns the problems of a value that does not match its schema, each with its place. */
export function shapeProblems(judged: Judged, schema: z.ZodType): readonly Problem[] {
  const parsed = schema.safeParse(judged.value);
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => problemsOf(judged, schema, issue, []));
}

export function problemAt(tree: SourceTree, path: TreePath, code: Problem["code"], message: string): Problem {
  return { code, message, path: formatPath(path), ...tree.placeOf(path) };
}

function problemsOf(judged: Judged, schema: z.ZodType, issue: z.core.$ZodIssue, above: TreePath): readonly Problem[] {
  const inner = [...above, ...issue.path.map((segment) => (typeof segment === "number" ? segment : String(segment)))];
  const { tree, base, value } = judged;
  const path = [...base, ...inner];
  if (issue.code === "unrecognized_keys") {
    const keys = keysAt(schema, inner);
    return issue.keys.map((key) => unknownKey(judged, [...path, key], key, keys));
  }
  const name = formatPath(inner);
  const given = walk(value, inner);
  if (issue.code === "invalid_union" && given !== undefined) {
    const meant = meantOption(issue.errors, given);
    if (meant !== undefined) return meant.flatMap((one) => problemsOf(judged, schema, one, inner));
  }
  if (given === undefined) {
    return [problemAt(tree, path, "missing_field", `"${name}" is missing.`)];
  }
  const text = issue.code === "invalid_union" ? alternatives(issue.errors) : issue.message;
  const plain = text.replace(/^Invalid (?:input|option): /, "");
  return [problemAt(tree, path, codeOf(issue, given), `"${name}": ${plain}.`)];
}

/** Returns the union option whose kind was written: a text, a list or a map. */
function meantOption(options: readonly Issues[], given: Json): Issues | undefined {
  const isInside = (issues: Issues): boolean =>
    issues.every(({ code, path }) => path.length > 0 || code === "unrecognized_keys" || code === "invalid_union");
  const isScalar = typeof given !== "object";
  return options.find(isInside) ?? options.find(([first]) => isScalar && first?.code !== "invalid_type");
}

type Issues = readonly z.core.$ZodIssue[];

function alternatives(options: readonly Issues[]): string {
  const kinds = options.flatMap(([issue]) => (issue?.code === "invalid_type" ? [issue.expected] : []));
  return `expected ${[...new Set(kinds)].map((kind) => (kind === "record" ? "object" : kind)).join(" or ")}`;
}

function unknownKey({ tree, noun }: Judged, path: TreePath, key: string, keys: readonly string[]): Problem {
  const meant = suggest(key, keys);
  const hint = meant === undefined ? `The keys are ${keys.join(", ")}.` : `Did you mean "${meant}"?`;
  return {
    code: "unknown_key",
    message: `${noun} has no key "${key}" here.`,
    path: formatPath(path),
    ...tree.keyPlaceOf(path),
    ...(keys.length === 0 ? {} : { hint }),
  };
}

function codeOf(issue: z.core.$ZodIssue, value: Json | undefined): Problem["code"] {
  if (issue.code === "invalid_value") return "bad_enum";
  if (issue.code === "too_small" && typeof value !== "number") return "missing_field";
  if (issue.code === "too_small" || issue.code === "too_big") return "bad_number";
  const isNumber = issue.code === "invalid_type" && (issue.expected === "int" || issue.expected === "number");
  return isNumber && typeof value === "number" ? "bad_number" : "wrong_type";
}

/** Returns the keys that the map at a path may have. Empty when any key is allowed. */
function keysAt(schema: z.core.$ZodType, path: TreePath): readonly string[] {
  const { def } = schema as unknown as { readonly def: z.core.$ZodTypes["_zod"]["def"] };
  const [segment, ...rest] = path;
  switch (def.type) {
    case "optional":
      return keysAt(def.innerType, path);
    case "union":
      return def.options.flatMap((option) => keysAt(option, path));
    case "array":
      return segment === undefined ? [] : keysAt(def.element, rest);
    case "record":
      return segment === undefined ? [] : keysAt(def.valueType, rest);
    case "object": {
      if (segment === undefined) return Object.keys(def.shape);
      const member = def.shape[segment];
      return member === undefined ? [] : keysAt(member, rest);
    }
    default:
      return [];
  }
}
