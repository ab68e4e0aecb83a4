import { isJsonObject, type Json, type TreePath } from "../core/base/index.ts";
import { deadEndHint, deadEndMessage, didYouMean } from "../core/definition/index.ts";
import {
  ANY,
  closedObject,
  findUndecidable,
  followPath,
  type Known,
  parseExpression,
  type Path,
  TEXT,
  valueKindOf,
} from "../core/expression/index.ts";
import { parseWithValue, type WithValue } from "../core/template/index.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

const TEXTS: Known = { kind: "object", fields: new Map([["content-type", TEXT]]), isOpen: true };
const NAMES = closedObject([
  ["body", ANY],
  ["headers", TEXTS],
  ["query", TEXTS],
]);
const SEEN = [...NAMES.fields.keys()];

/** What is wrong with an expression over what was delivered. */
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
  const mismatch = findUndecidable(parsed.value.root, ({ segments }) => {
    const followed = followPath(NAMES, segments);
    return followed.ok ? valueKindOf(followed.known) : undefined;
  });
  return mismatch === undefined
    ? []
    : [specProblem("type_mismatch", at, `${label} can never be decided: ${mismatch.message}.`)];
}

/** What is wrong with values that hold templates over what was delivered. */
export function valueProblems(written: Json | undefined, at: TreePath): readonly SpecProblem[] {
  if (!isJsonObject(written)) return [];
  return Object.entries(written).flatMap(([name, value]) => {
    const parsed = parseWithValue(value);
    if (parsed.ok) return pathsOf(parsed.value).flatMap((path) => nameProblems(path, [...at, name], `"${name}"`));
    const { message, position, hint, path } = parsed.failure;
    const unreadable = `"${name}" cannot be read at character ${position + 1}: ${message}.`;
    return [specProblem("bad_template", [...at, name, ...path], unreadable, { hint: sentence(hint) })];
  });
}

function pathsOf(value: WithValue): readonly Path[] {
  switch (value.kind) {
    case "value":
      return [];
    case "text":
      return value.template.parts.flatMap((part) => (typeof part === "string" ? [] : [part]));
    case "list":
      return value.items.flatMap(pathsOf);
    case "object":
      return Object.values(value.members).flatMap(pathsOf);
  }
}

/** A name that does not exist would be missing in every delivery. */
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
