import type { Json } from "../base/index.ts";
import type { Argument, ExpressionFailure } from "./expression.ts";
import { KIND_PHRASES, kindOfValue, nameOperand } from "./kind.ts";

/** The reason why an expression has no value. Thrown where it is found and caught where evaluation began. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: ExpressionFailure["code"];
  constructor(message: string, code: ExpressionFailure["code"]) {
    super(message);
    this.code = code;
  }
}

/** Returns the fault for a value of the wrong kind, with its column in the text. */
export function kindFault(message: string, position: number): Fault {
  return new Fault(`${message} (column ${position + 1})`, "expression_error");
}

export function overLimit(message: string): Fault {
  return new Fault(message, "expression_limit");
}

/** Describes an operand by its source text and its kind, never by its value. */
export function describeOperand(node: Argument, value: Json | undefined): string {
  return `${nameOperand(node)} is ${phraseOf(value)}`;
}

function phraseOf(value: Json | undefined): string {
  if (value === undefined) return "missing";
  return value === null ? "null" : KIND_PHRASES[kindOfValue(value)];
}
