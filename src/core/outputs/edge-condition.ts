import {
  canonicalJson,
  fail,
  isJsonArray,
  jsonToText,
  LIMITS,
  succeed,
  type Json,
  type Outcome,
} from "../base/index.ts";
import type { EdgeCondition } from "../definition/index.ts";
import { evaluateCondition, type ExpressionFailure, type ResolvePath } from "../expression/index.ts";
import { isTooDeep } from "./depth.ts";

/** Returns whether the condition of an edge from a completed source holds. `value` is the output it names, undefined when missing. */
export function isEdgeSatisfied(
  condition: EdgeCondition | null,
  value: Json | undefined,
  resolve: ResolvePath,
): Outcome<boolean, ExpressionFailure> {
  if (condition === null) return succeed(true);
  if (value !== undefined && isTooDeep(value)) {
    const message = `the value to test is nested deeper than ${LIMITS.valueDepthMax} levels`;
    return fail({ code: "expression_error", message });
  }
  switch (condition.type) {
    case "equals":
      return succeed(isSameText(value ?? null, condition.value));
    case "contains":
      return succeed(isContained(value, condition.value));
    case "present":
      return succeed(value !== undefined && value !== null && value !== "");
    case "truthy":
      return succeed(Boolean(value));
    case "expression":
      return evaluateCondition(condition.expression.root, resolve);
  }
}

/** Checks for a substring of a text or an element of a list. Other values contain nothing. */
function isContained(value: Json | undefined, part: Json): boolean {
  if (isJsonArray(value)) return value.some((element) => isSameText(element, part));
  return typeof value === "string" && part !== null && value.includes(jsonToText(part));
}

/**
 * Compares values by their text: 5 equals "5" and null equals ''. Objects are equal regardless of key order, and equal to their
 * JSON text as written or in canonical order.
 */
function isSameText(left: Json, right: Json): boolean {
  return jsonToText(left) === jsonToText(right) || canonicalText(left) === canonicalText(right);
}

function canonicalText(value: Json): string {
  if (value === null) return "";
  return typeof value === "string" ? value : canonicalJson(value);
}
