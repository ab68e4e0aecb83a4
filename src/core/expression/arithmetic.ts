import type { Json } from "../base/index.ts";
import type { ArithmeticOperator, Expression } from "./expression.ts";
import { kindFault, describeOperand } from "./fault.ts";
import { finite } from "./function/number.ts";
import { checkLength, type Meter } from "./meter.ts";

type Found = Json | undefined;
type Calculation = Extract<Expression, { readonly kind: "arithmetic" | "negate" }>;

/** Applies one operator to evaluated operands. `right` is used only by binary operators. */
export function calculate(node: Calculation, left: Found, right: Found, meter: Meter): Json {
  if (node.kind === "negate") {
    if (typeof left === "number") return left === 0 ? 0 : -left;
    throw kindFault(`- takes a number, but ${describeOperand(node.operand, left)}`, node.position);
  }
  const { operator, position } = node;
  if (typeof left === "number" && typeof right === "number") return calculateNumbers(operator, left, right, position);
  if (operator === "+" && typeof left === "string" && typeof right === "string") {
    const length = left.length + right.length;
    checkLength(length);
    meter.characters(length);
    return left + right;
  }
  const sides = `${describeOperand(node.left, left)} and ${describeOperand(node.right, right)}`;
  const takes = operator === "+" ? "two numbers or two texts" : "two numbers";
  throw kindFault(`${sides}: ${operator} takes ${takes}${adviceFor(operator, left, right)}`, position);
}

function calculateNumbers(operator: ArithmeticOperator, left: number, right: number, position: number): number {
  if (right === 0 && (operator === "/" || operator === "%")) {
    throw kindFault(`${operator} divides by zero`, position);
  }
  const result = finite(applied(operator, left, right));
  if (result === undefined) throw kindFault(`the result of ${operator} is too large for a number`, position);
  return result;
}

function applied(operator: ArithmeticOperator, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "%":
      return left % right;
  }
}

function adviceFor(operator: ArithmeticOperator, left: Found, right: Found): string {
  if (left === undefined || left === null || right === undefined || right === null) {
    return "; write (x ?? 0) for a value that may be missing";
  }
  const isText = typeof left === "string" || typeof right === "string";
  if (!isText) return "";
  return operator === "+" ? "; write string(x) to join, or number(x) to add" : "; write number(x) for a text";
}
