import { isJsonObject, type Json, type TreePath } from "../core/base/index.ts";
import { deadEndHint, deadEndMessage, didYouMean } from "../core/definition/index.ts";
import {
  ANY,
  closedObject,
  type Expression,
  findTypeMismatch,
  findUndecidable,
  followPath,
  type Known,
  parseExpression,
  type Path,
  TEXT,
} from "../core/expression/index.ts";
import { isExpression, parseValue, pathsOfValue, type Value, valueStyle } from "../core/template/index.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

/** Values of a trigger cannot refer to steps, since a trigger has none. */
export const TRIGGER_STYLE = valueStyle(() => false);

const TEXTS: Known = { kind: "object", fields: new Map([["content-type", TEXT]]), isOpen: true };
const NAMES = closedObject([
  ["body", ANY],
  ["headers", TEXTS],
  ["query", TEXTS],
]);
const SEEN = [...NAMES.fields.keys()];

/** Returns the problems of an expression over a delivery. */
export function expressionProblems(written: Json | undefined, at: TreePath): readonly SpecProblem[] {
  if (typeof written !== "string") return [];
  const label = `"${String(at.at(-1))}"`;
  const parsed = parseExpression(written);
  if (!parsed.ok) {
    const { message, position, hint } = parsed.failure;
    const unreadable = `${label} cannot be read at character ${position + 1}: ${message}.`;
    return [specProblem("bad_expression", at, unreadable, { hint: sentence(hint) })];
  }
  const unknown = parsed.value.paths.flatMap((path) => nameProblems(path, at, label));
  if (unknown.length > 0) return unknown;
  return mismatchProblems(findUndecidable(parsed.value.root, known), at, label);
}

function known({ segments }: Path): Known {
  const followed = followPath(NAMES, segments);
  return followed.ok ? followed.known : ANY;
}

function mismatchProblems(
  mismatch: ReturnType<typeof findTypeMismatch>,
  at: TreePath,
  label: string,
): readonly SpecProblem[] {
  if (mismatch === undefined) return [];
  const { code, position, hint } = mismatch;
  const message = `${label} can never be evaluated at character ${position + 1}: ${mismatch.message}.`;
  return [specProblem(code, at, message, { hint: sentence(hint) })];
}

/** Returns the problems of values with templates over a delivery. */
export function valueProblems(written: Json | undefined, at: TreePath): readonly SpecProblem[] {
  if (!isJsonObject(written)) return [];
  return Object.entries(written).flatMap(([name, value]) => {
    const parsed = parseValue(value, TRIGGER_STYLE);
    if (parsed.ok) return problemsOf(parsed.value, [...at, name]);
    const { message, position, hint, path, code } = parsed.failure;
    const unreadable = `"${name}" cannot be read at character ${position + 1}: ${message}.`;
    return [specProblem(code, [...at, name, ...path], unreadable, { hint: sentence(hint) })];
  });
}

function problemsOf(value: Value, at: TreePath): readonly SpecProblem[] {
  const label = `"${String(at.at(-1))}"`;
  const unknown = [...pathsOfValue(value)].flatMap(({ path }) => nameProblems(path, at, label));
  return unknown.length > 0
    ? unknown
    : calculationsOf(value).flatMap((root) => mismatchProblems(findTypeMismatch(root, known), at, label));
}

function calculationsOf(value: Value): readonly Expression[] {
  switch (value.kind) {
    case "literal":
    case "reference":
      return [];
    case "expression":
      return [value.expression.root];
    case "template":
      return value.template.parts.flatMap((part) =>
        typeof part !== "string" && isExpression(part) ? [part.root] : [],
      );
    case "list":
      return value.items.flatMap(calculationsOf);
    case "object":
      return Object.values(value.members).flatMap(calculationsOf);
  }
}

/** Reports unknown names, which would be missing in every delivery. */
function nameProblems({ segments, text, position }: Path, at: TreePath, label: string): readonly SpecProblem[] {
  const followed = followPath(NAMES, segments);
  if (followed.ok) return [];
  const { deadEnd } = followed;
  const where = `${label} at character ${position + 1}`;
  if (deadEnd.index > 0) {
    const message = `${where}: ${deadEndMessage(text, segments, deadEnd, { name: "the delivery", length: 0 })}`;
    return [specProblem("unknown_fact", at, message, { hint: deadEndHint(deadEnd) })];
  }
  const hint = didYouMean(String(segments[0]), SEEN) ?? `A trigger sees ${SEEN.join(", ")}.`;
  return [specProblem("unknown_fact", at, `${where} speaks of "${text}", which a trigger does not see.`, { hint })];
}

function sentence(hint: string | undefined): string | undefined {
  return hint === undefined ? undefined : `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`;
}
