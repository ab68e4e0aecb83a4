import type { z } from "zod";
import type { SentProblem } from "../contract/index.ts";
import { formatPath, type PathSegment } from "../core/base/index.ts";
import type { SourceTree } from "../core/text/index.ts";
import { suggest } from "../core/definition/index.ts";
import { Refused } from "./problem.ts";

const PROBLEMS_MAX = 50;

/** Returns a body in the shape of its route, or throws all of its problems at once. */
export function readShape<S extends z.ZodType>(schema: S, tree: SourceTree): z.output<S> {
  const checked = schema.safeParse(tree.value);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.flatMap((issue) => problemsOf(issue, schema, tree)).slice(0, PROBLEMS_MAX);
  throw invalidRequest(problems);
}

/**
 * Returns the query in the shape of its route. An unknown or repeated parameter is refused, since an ignored one would
 * look as if it had an effect. A query has no lines, so its problems have only a name as their place.
 */
export function readQuery<S extends z.ZodType>(schema: S | null, sent: URLSearchParams): z.output<S> | undefined {
  const known = schema === null ? [] : keysOf(schema);
  const several = schema === null ? [] : listsOf(schema);
  requireKnown(sent, known, several);
  if (schema === null) return undefined;
  const lists = several.flatMap((name) => (sent.has(name) ? [[name, sent.getAll(name)] as const] : []));
  const checked = schema.safeParse({ ...Object.fromEntries(sent), ...Object.fromEntries(lists) });
  if (checked.success) return checked.data;
  throw invalidRequest(
    checked.error.issues.map((issue) => ({
      code: codeOf(issue),
      message: `${issue.message}.`.replace(/\.\.$/, "."),
      path: formatPath(segmentsOf(issue.path)),
    })),
  );
}

/** Requires that every parameter is known and given once, except those in `several`. */
export function requireKnown(sent: URLSearchParams, known: readonly string[], several: readonly string[] = []): void {
  const strange = [...new Set(sent.keys())].filter((name) => !known.includes(name));
  const problems = strange.slice(0, PROBLEMS_MAX).map((name): SentProblem => {
    const near = suggest(name, known);
    const allowed =
      known.length === 0 ? "This address takes no parameters." : `The parameters are ${known.join(", ")}.`;
    const hint = near === undefined ? allowed : `Did you mean "${near}"? ${allowed}`;
    return { code: "unknown_parameter", message: `There is no parameter "${name}" here.`, path: name, hint };
  });
  const [first] = problems;
  if (first !== undefined) {
    const detail = `${first.message} ${first.hint ?? ""}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ""}`;
    throw new Refused("unknown_parameter", detail, { problems });
  }
  const twice = known.find((name) => !several.includes(name) && sent.getAll(name).length > 1);
  if (twice === undefined) return;
  const message = `The parameter "${twice}" is given ${sent.getAll(twice).length} times; give it once.`;
  throw new Refused("repeated_parameter", message, {
    problems: [{ code: "repeated_parameter", message, path: twice }],
  });
}

export function invalidRequest(problems: readonly SentProblem[]): Refused {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new Refused("invalid_request", `${first?.message ?? "The request is not valid."}${more}`, { problems });
}

function problemsOf(issue: z.core.$ZodIssue, schema: z.ZodType, tree: SourceTree): readonly SentProblem[] {
  const path = segmentsOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const at = [...path, key];
      const near = path.length === 0 ? suggest(key, keysOf(schema)) : undefined;
      const hint = near === undefined ? listed(keysOf(schema)) : `Did you mean "${near}"?`;
      return place("unknown_key", `There is no field "${key}" here.`, at, tree.keyPlaceOf(at), hint);
    });
  }
  if (issue.code === "invalid_union") {
    const meant = issue.errors.find((branch) => branch.every((one) => !isAboutKind(one)));
    if (meant !== undefined) {
      return meant.flatMap((one) => problemsOf({ ...one, path: [...issue.path, ...one.path] }, schema, tree));
    }
  }
  const where = path.length === 0 ? "The body" : `"${formatPath(path)}"`;
  const message = `${where}: ${lowerFirst(issue.message)}.`.replace(/\.\.$/, ".");
  return [place(codeOf(issue), message, path, tree.placeOf(path))];
}

/** True when an alternative of a union does not fit the type of the value; the others are the ones the caller meant. */
function isAboutKind({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && (code === "invalid_type" || code === "invalid_value" || code === "invalid_union");
}

function place(
  code: string,
  message: string,
  path: readonly PathSegment[],
  at: { readonly line: number; readonly column: number },
  hint?: string,
): SentProblem {
  return { code, message, path: formatPath(path), ...at, ...(hint === undefined ? {} : { hint }) };
}

function codeOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.includes("received undefined") ? "missing_field" : "wrong_type";
    case "invalid_value":
      return "bad_enum";
    case "unrecognized_keys":
      return "unknown_key";
    case "too_big":
    case "too_small":
    case "not_multiple_of":
      return "bad_number";
    default:
      return "wrong_type";
  }
}

function keysOf(schema: z.ZodType): readonly string[] {
  const { def } = schema;
  return "shape" in def && typeof def.shape === "object" && def.shape !== null ? Object.keys(def.shape) : [];
}

/** Returns the names of the fields that are lists. */
function listsOf(schema: z.ZodType): readonly string[] {
  const { def } = schema;
  const shape = "shape" in def && typeof def.shape === "object" && def.shape !== null ? def.shape : {};
  return Object.entries(shape).flatMap(([name, field]) => (isList(field) ? [name] : []));
}

function isList(field: z.ZodType): boolean {
  const { def } = field;
  if (def.type === "optional" && "innerType" in def) return isList(def.innerType as z.ZodType);
  return def.type === "array";
}

function listed(keys: readonly string[]): string | undefined {
  return keys.length === 0 ? undefined : `The fields are ${keys.join(", ")}.`;
}

function segmentsOf(path: readonly PropertyKey[]): readonly PathSegment[] {
  return path.map((segment) => (typeof segment === "number" ? segment : String(segment)));
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
