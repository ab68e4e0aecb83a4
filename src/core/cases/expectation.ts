import {
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  type Problem,
  sameJson,
  type TreePath,
} from "../base/index.ts";
import {
  evaluate,
  evaluateCondition,
  type ParsedExpression,
  parseExpression,
  type Path,
  walk,
} from "../expression/index.ts";
import { problemAt } from "../script/index.ts";
import type { SourceTree } from "../text/index.ts";
import type { Expected, ExpectedValues } from "./case-schema.ts";
import type { CaseOutcome } from "./outcome.ts";

/** A difference between the expected and the actual result. */
export interface Mismatch {
  /** Path below `expect`, for example `nodes.publish` or `outputs[1]`. */
  readonly path: TreePath;
  readonly expected: string;
  readonly actual: string;
}

/** Returns a problem for every expression that cannot be parsed. */
export function expectationProblems(tree: SourceTree, base: TreePath, expect: Expected): readonly Problem[] {
  const found: Problem[] = [];
  const check = (path: TreePath, values: ExpectedValues | undefined): void => {
    for (const [inner, text] of expressionsIn(values)) {
      const parsed = parseExpression(text);
      if (parsed.ok) continue;
      const { code = "bad_expression", message } = parsed.failure;
      found.push(problemAt(tree, [...base, ...path, ...inner], code, message));
    }
  };
  check(["outputs"], expect.outputs);
  for (const [id, node] of Object.entries(expect.nodes ?? {})) {
    if (typeof node !== "string") check(["nodes", id, "outputs"], node.outputs);
  }
  return found;
}

function expressionsIn(values: ExpectedValues | undefined): readonly (readonly [TreePath, string])[] {
  if (values === undefined) return [];
  if (typeof values === "string") return [[[], values]];
  if (Array.isArray(values)) return values.map((text, index) => [[index], text] as const);
  return Object.entries(values).flatMap(([name, value]) => {
    const inner = typeof value === "string" ? bracedIn(value) : undefined;
    return inner === undefined ? [] : [[[name], inner] as const];
  });
}

/** Returns the expression inside `${…}`. Undefined for any other text. */
function bracedIn(text: string): string | undefined {
  return /^\$\{([^{}]+)\}$/s.exec(text.trim())?.[1];
}

/** Checks conditions and expected values of outputs: of the run, or of one node. */
export function checkValues(
  expected: ExpectedValues,
  base: TreePath,
  outputs: JsonObject,
  outcome: CaseOutcome,
): readonly Mismatch[] {
  if (isJsonObject(expected)) {
    return Object.entries(expected as JsonObject).flatMap(([name, value]) =>
      checkMember(value, [...base, name], getOwn(outputs, name), outputs, outcome),
    );
  }
  const conditions = typeof expected === "string" ? [[base, expected] as const] : [];
  const listed = Array.isArray(expected) ? expected.map((text, index) => [[...base, index], text] as const) : [];
  return [...conditions, ...listed].flatMap(([path, text]) => {
    const parsed = parseExpression(text);
    if (!parsed.ok) return [];
    return checkCondition(parsed.value, path, undefined, outputs, outcome);
  });
}

function checkMember(
  expected: Json,
  path: TreePath,
  actual: Json | undefined,
  outputs: JsonObject,
  outcome: CaseOutcome,
): readonly Mismatch[] {
  if (actual !== undefined && sameJson(expected, actual)) return [];
  const expression = typeof expected === "string" ? expressionOf(expected) : undefined;
  if (expression === undefined) return [{ path, expected: shown(expected), actual: shown(actual) }];
  if (readsValue(expression)) return checkCondition(expression, path, actual, outputs, outcome);
  const wanted = evaluate(expression.root, resolver(actual, outputs, outcome));
  if (!wanted.ok) return [{ path, expected: expression.text, actual: wanted.failure.message }];
  const value = wanted.value ?? null;
  if (actual !== undefined && sameJson(value, actual)) return [];
  return [{ path, expected: `${shown(value)}, by ${expression.text}`, actual: shown(actual) }];
}

/** Parses a text as an expression. `${…}` is always one. Without braces, only a text that compares `value` or `outputs` is one. */
function expressionOf(text: string): ParsedExpression | undefined {
  const braced = bracedIn(text);
  const parsed = parseExpression(braced ?? text);
  if (!parsed.ok) return undefined;
  const isCondition = parsed.value.root.kind !== "path" && readsValue(parsed.value);
  return braced !== undefined || isCondition ? parsed.value : undefined;
}

function readsValue({ paths }: ParsedExpression): boolean {
  return paths.some(({ segments: [head] }) => head === "value" || head === "outputs");
}

function checkCondition(
  expression: ParsedExpression,
  path: TreePath,
  value: Json | undefined,
  outputs: JsonObject,
  outcome: CaseOutcome,
): readonly Mismatch[] {
  const resolve = resolver(value, outputs, outcome);
  const held = evaluateCondition(expression.root, resolve);
  if (held.ok && held.value) return [];
  if (!held.ok) return [{ path, expected: expression.text, actual: held.failure.message }];
  const seen = expression.paths.map((one) => `${one.text} is ${shown(resolve(one))}`);
  return [{ path, expected: expression.text, actual: [...new Set(seen)].join(", ") || "it does not hold" }];
}

/** Resolves the names in conditions of a case: `outputs`, `args`, `status`, `cost`, `value`, and nodes by id or as `nodes.ID`. */
function resolver(
  value: Json | undefined,
  outputs: JsonObject,
  outcome: CaseOutcome,
): (path: Path) => Json | undefined {
  return ({ segments: [head = "", ...rest] }) => {
    switch (head) {
      case "value":
        return walk(value, rest);
      case "outputs":
        return walk(outputs, rest);
      case "args":
        return walk(outcome.args, rest);
      case "status":
        return outcome.status;
      case "cost":
        return outcome.costUsd;
      case "nodes":
        return ofNode(outcome, rest);
      default:
        return Object.hasOwn(outputs, head) ? walk(outputs, [head, ...rest]) : ofNode(outcome, [head, ...rest]);
    }
  };
}

function ofNode({ nodes }: CaseOutcome, [id = "", part, ...rest]: readonly (string | number)[]): Json | undefined {
  const node = nodes.get(String(id));
  if (node === undefined) return undefined;
  const { outputs, text, status, attempts, errorCode } = node;
  if (part === undefined) return outputs ?? undefined;
  switch (part) {
    case "outputs":
      return walk(outputs ?? undefined, rest);
    case "stdout":
      return text ?? undefined;
    case "status":
      return status;
    case "attempts":
      return attempts;
    case "error":
      return errorCode === null ? undefined : walk({ code: errorCode }, rest);
    default:
      return walk(outputs ?? undefined, [part, ...rest]);
  }
}

const SHOWN_MAX = 400;

/** Formats a value for people. A long value is truncated. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}
