import {
  didYouMean,
  fail,
  formatPath,
  getOwn,
  LIMITS,
  succeed,
  type Json,
  type JsonObject,
  type Outcome,
  type Problem,
  type ProblemCode,
  type TreePath,
} from "../base/index.ts";
import { findUnstorable } from "../text/index.ts";
import { fitProblems } from "./field-fit.ts";
import type { ArgField } from "./field.ts";
import { quote } from "./shape.ts";

/** Checks the args of a run against the declarations of its definition. Returns the complete args, or all problems. */
export function checkArgs(
  fields: Readonly<Record<string, ArgField>>,
  given: JsonObject,
): Outcome<JsonObject, readonly Problem[]> {
  const problems: Problem[] = [];
  const names = Object.keys(fields);
  for (const path of findUnstorable(given)) {
    problems.push(
      problem("text_unstorable", path, "The text holds a NUL or half a surrogate pair, which cannot be stored."),
    );
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(fields, name) || problems.length >= LIMITS.problemsMax) continue;
    const listed = names.length === 0 ? "This workflow takes no args." : `It takes ${names.join(", ")}.`;
    problems.push(problem("unknown_key", [name], `There is no arg ${quote(name)}.`, didYouMean(name, names) ?? listed));
  }
  const args: [string, Json][] = [];
  for (const [name, field] of Object.entries(fields)) {
    // Forms and scripts send null for "not given".
    const own = getOwn(given, name) ?? undefined;
    const value = own ?? field.default;
    if (value === undefined) {
      if (field.required)
        problems.push(problem("missing_field", [name], `Arg "${name}" is required.`, askFor(name, field)));
      continue;
    }
    args.push([name, value]);
    // A default has been checked in its declaration.
    if (own === undefined) continue;
    for (const misfit of fitProblems(value, field)) {
      const { code, message, at = "" } = misfit;
      problems.push(problem(code, [name], `Arg "${name}${at}" ${message}.`, undefined, at));
    }
  }
  return problems.length === 0 ? succeed(Object.fromEntries(args)) : fail(problems.slice(0, LIMITS.problemsMax));
}

function askFor(name: string, field: ArgField): string {
  return `Give "${name}"${field.type === undefined ? "" : ` (${field.type})`}.`;
}

/** Returns a problem of an arg. Args are not written in a file with lines, so every problem has line 1, column 1. */
function problem(code: ProblemCode, path: TreePath, message: string, hint?: string, inside = ""): Problem {
  const place = { path: `${formatPath(["args", ...path])}${inside}`, line: 1, column: 1 };
  return { code, message, ...place, ...(hint === undefined ? {} : { hint }) };
}
