import { deadEndHint, deadEndMessage } from "../core/definition/index.ts";
import {
  ANY,
  type closedObject,
  findUndecidable,
  followPath,
  parseExpression,
  type ParsedExpression,
  type Path,
} from "../core/expression/index.ts";
import { required } from "../core/base/index.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

type Facts = ReturnType<typeof closedObject>;

/** An expression in a manifest, and the facts it may use. */
export interface WrittenCondition {
  readonly field: string;
  readonly text: string;
  readonly facts: Facts;
  /** The subject of messages about the expression: "the policy". */
  readonly reader: string;
  /** Returns the message for a path whose first name is not a fact. */
  readonly unseen: (path: Path) => { readonly message: string; readonly hint: string };
}

/** Returns the problems of an expression: it cannot be read, names a fact that does not exist, or could never be decided. */
export function factExpressionProblems(written: WrittenCondition): readonly SpecProblem[] {
  const { field, text, facts } = written;
  const parsed = parseExpression(text);
  if (!parsed.ok) {
    const { message, position, hint, code = "bad_expression" } = parsed.failure;
    const unreadable = `"${field}" cannot be read at character ${position + 1}: ${message}.`;
    return [specProblem(code, [field], unreadable, { hint: sentence(hint) })];
  }
  const unknown = parsed.value.paths.flatMap((path) => factProblems(path, written));
  return unknown.length > 0 ? unknown : typeProblems(parsed.value, field, facts);
}

/** Reports unknown facts: such a fact would always be missing, and the condition would have no effect. */
function factProblems(path: Path, { field, facts, reader, unseen }: WrittenCondition): readonly SpecProblem[] {
  const { segments, text, position } = path;
  const followed = followPath(facts, segments);
  if (followed.ok) return [];
  const { deadEnd } = followed;
  if (deadEnd.index === 0) {
    const { message, hint } = unseen(path);
    return [specProblem("unknown_fact", [field], message, { hint })];
  }
  const end = deadEndMessage(text, segments, deadEnd, { name: reader, length: 0 });
  const message = `"${field}" at character ${position + 1}: ${end}`;
  return [specProblem("unknown_fact", [field], message, { hint: deadEndHint(deadEnd) })];
}

function typeProblems({ root }: ParsedExpression, field: string, facts: Facts): readonly SpecProblem[] {
  const mismatch = findUndecidable(root, ({ segments }) => {
    const followed = followPath(facts, segments);
    return followed.ok ? followed.known : ANY;
  });
  if (mismatch === undefined) return [];
  const { code, position, hint } = mismatch;
  const message = `"${field}" can never be decided at character ${position + 1}: ${mismatch.message}.`;
  return [specProblem(code, [field], message, { hint })];
}

function sentence(hint: string | undefined): string | undefined {
  return hint === undefined
    ? undefined
    : `${hint.charAt(0).toUpperCase()}${hint.slice(1)}${hint.endsWith("?") ? "" : "."}`;
}

/** Parses an expression that was stored, and therefore checked before. */
export function keptExpression(text: string): ParsedExpression {
  const parsed = parseExpression(text);
  return required(parsed.ok ? parsed.value : undefined, "an expression that is kept was read before");
}
