import type { Json } from "../base/index.ts";
import { isSameJson } from "./equality.ts";
import type { ComparisonOperator, Expression } from "./expression.ts";
import { kindFault, describeOperand } from "./fault.ts";
import { kindOfValue } from "./kind.ts";
import type { Meter } from "./meter.ts";

type Comparison = Extract<Expression, { readonly kind: "compare" }>;

/** Null and missing are equal only to each other and have no order. Other values are compared only with values of the same kind. */
export function compareValues(
  node: Comparison,
  left: Json | undefined,
  right: Json | undefined,
  meter: Meter,
): boolean {
  const { operator } = node;
  if (left === undefined || left === null || right === undefined || right === null) {
    const areBothEmpty = (left ?? null) === (right ?? null);
    return operator === "==" ? areBothEmpty : operator === "!=" && !areBothEmpty;
  }
  if (kindOfValue(left) !== kindOfValue(right)) {
    const sides = `${describeOperand(node.left, left)} and ${describeOperand(node.right, right)}`;
    throw kindFault(`${sides}: ${operator} compares values of one kind`, node.position);
  }
  if (operator === "==") return isSameJson(left, right, meter);
  if (operator === "!=") return !isSameJson(left, right, meter);
  if (typeof left === "number" && typeof right === "number") return holds(operator, left, right);
  if (typeof left === "string" && typeof right === "string") {
    meter.characters(Math.min(left.length, right.length));
    return holds(operator, left, right);
  }
  throw kindFault(`${operator} orders numbers or texts, but ${describeOperand(node.left, left)}`, node.position);
}

/** Texts are ordered by code unit, as in JavaScript. */
function holds<T extends number | string>(operator: ComparisonOperator, left: T, right: T): boolean {
  if (operator === ">") return left > right;
  if (operator === ">=") return left >= right;
  return operator === "<" ? left < right : left <= right;
}
