import { isJsonArray, type Json } from "../base/index.ts";
import type { Argument } from "./expression.ts";

/** The kinds of value that comparisons distinguish. Null and missing have no kind. */
export type ValueKind = "text" | "number" | "boolean" | "list" | "object";

export const KIND_PHRASES: Readonly<Record<ValueKind, string>> = {
  text: "text",
  number: "a number",
  boolean: "a boolean",
  list: "a list",
  object: "an object",
};

export function kindOfValue(value: Exclude<Json, null>): ValueKind {
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return isJsonArray(value) ? "list" : "object";
}

/** Returns the name of an operand for messages: its source text, never its value. */
export function nameOperand(node: Argument): string {
  switch (node.kind) {
    case "path":
      return node.path.text;
    case "local":
      return node.text;
    case "literal":
      return JSON.stringify(node.value);
    case "list":
      return "[…]";
    case "object":
      return "{…}";
    case "not":
      return "not …";
    case "negate":
      return `-${nameOperand(node.operand)}`;
    case "and":
    case "or":
    case "compare":
    case "in":
      return "the comparison in parentheses";
    case "coalesce":
      return `${nameOperand(node.left)} ?? …`;
    case "choice":
      return "the choice … ? … : …";
    case "arithmetic":
      return `the result of ${node.operator}`;
    case "index":
    case "slice":
      return `${nameOperand(node.target)}[…]`;
    case "field":
      return `${nameOperand(node.target)}.${node.name}`;
    case "call":
      return `${node.name}(…)`;
    case "lambda":
      return `${node.parameters.join(", ")} => …`;
  }
}
