import { fail, isJsonArray, succeed, type Json, type Outcome } from "../base/index.ts";
import { isSameJson } from "./equality.ts";
import type { ComparisonOperator, Expression, ResolvePath } from "./expression.ts";
import { KIND_PHRASES, kindOfValue, nameOperand } from "./kind.ts";
import { namesMember } from "./member.ts";

/** Why a value does not fit, found anywhere below; an object of its own, so that no value can be taken for it. */
class Fault {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

type Found = Json | undefined | Fault;

/** The value of an expression; `undefined` is missing. The failure is a sentence for the author. */
export function evaluate(root: Expression, resolve: ResolvePath): Outcome<Json | undefined, string> {
  const found = find(root, resolve);
  return found instanceof Fault ? fail(found.message) : succeed(found);
}

/** Whether a condition holds: null and missing do not, and anything but a boolean is a failure. */
export function evaluateCondition(root: Expression, resolve: ResolvePath): Outcome<boolean, string> {
  const truth = findTruth(root, resolve, "a condition");
  return truth instanceof Fault ? fail(truth.message) : succeed(truth);
}

function find(node: Expression, resolve: ResolvePath): Found {
  switch (node.kind) {
    case "literal":
      return node.value;
    case "path":
      return resolve(node.path);
    case "list":
      return findList(node.items, resolve);
    case "not": {
      const truth = findTruth(node.operand, resolve, "not");
      return truth instanceof Fault ? truth : !truth;
    }
    case "and":
    case "or":
      return findChain(node, node.kind, resolve);
    case "compare":
      return findComparison(node, resolve);
    case "in":
      return findMembership(node, resolve);
  }
}

function findTruth(node: Expression, resolve: ResolvePath, taker: string): boolean | Fault {
  const value = find(node, resolve);
  if (typeof value === "boolean" || value instanceof Fault) return value;
  if (value === undefined || value === null) return false;
  const advice = taker === "not" ? "; to negate a comparison write not (…)" : "; compare it with something";
  return new Fault(`${taker} takes true or false, but ${saying(node, value)}${advice}`);
}

/** Left to right, no further than needed. Chains lean to the right, so this is a loop. */
function findChain(chain: Expression, kind: "and" | "or", resolve: ResolvePath): boolean | Fault {
  let rest = chain;
  while (rest.kind === kind) {
    const truth = findTruth(rest.left, resolve, kind);
    if (truth instanceof Fault || truth === (kind === "or")) return truth;
    rest = rest.right;
  }
  return findTruth(rest, resolve, kind);
}

function findList(items: readonly Expression[], resolve: ResolvePath): readonly Json[] | Fault {
  const values: Json[] = [];
  for (const item of items) {
    const value = find(item, resolve);
    if (value instanceof Fault) return value;
    values.push(value ?? null);
  }
  return values;
}

function findComparison(node: Extract<Expression, { kind: "compare" }>, resolve: ResolvePath): boolean | Fault {
  const left = find(node.left, resolve);
  if (left instanceof Fault) return left;
  const right = find(node.right, resolve);
  if (right instanceof Fault) return right;
  const { operator } = node;
  if (left === undefined || left === null || right === undefined || right === null) {
    const areBothEmpty = (left ?? null) === (right ?? null);
    return operator === "==" ? areBothEmpty : operator === "!=" && !areBothEmpty;
  }
  if (kindOfValue(left) !== kindOfValue(right)) {
    const sides = `${saying(node.left, left)} and ${saying(node.right, right)}`;
    return new Fault(`${sides}: ${operator} compares values of one kind`);
  }
  if (operator === "==") return isSameJson(left, right);
  if (operator === "!=") return !isSameJson(left, right);
  if (typeof left === "number" && typeof right === "number") return holds(operator, left, right);
  if (typeof left === "string" && typeof right === "string") return holds(operator, left, right);
  return new Fault(`${operator} orders numbers or texts, but ${saying(node.left, left)}`);
}

/** Texts are ordered by code unit, as the language does it. */
function holds<T extends number | string>(operator: ComparisonOperator, left: T, right: T): boolean {
  if (operator === ">") return left > right;
  if (operator === ">=") return left >= right;
  return operator === "<" ? left < right : left <= right;
}

function findMembership(node: Extract<Expression, { kind: "in" }>, resolve: ResolvePath): boolean | Fault {
  const value = find(node.value, resolve);
  if (value instanceof Fault) return value;
  const list = find(node.list, resolve);
  if (list instanceof Fault) return list;
  if (list === undefined || list === null) return false;
  if (!isJsonArray(list)) {
    return new Fault(`in looks into a list, but ${saying(node.list, list)}`);
  }
  if (value === undefined) return false;
  if (typeof value !== "string") return list.some((member) => isSameJson(value, member));
  const text = value.trim();
  return list.some((member) => typeof member === "string" && namesMember(text, member));
}

function saying(node: Expression, value: Exclude<Json, null>): string {
  return `${nameOperand(node)} is ${KIND_PHRASES[kindOfValue(value)]}`;
}
