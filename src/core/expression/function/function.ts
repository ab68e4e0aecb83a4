import type { Json } from "../../base/index.ts";
import type { Argument, SyntaxProblem } from "../expression.ts";
import type { ValueKind } from "../kind.ts";
import type { Known } from "../known.ts";
import type { Call } from "./call.ts";

export type FunctionGroup = "text" | "numbers" | "lists" | "objects" | "values" | "time";

export interface Parameter {
  readonly name: string;
  /** What it takes; nothing listed: any value, also null and missing. */
  readonly kinds: readonly ValueKind[];
  readonly isOptional?: true;
  /** It may be given any number of times. */
  readonly isRest?: true;
  /** Null and missing fit as well. */
  readonly isNullable?: true;
  /** It is a lambda with at most so many parameters; the first is an element of the first argument, the second its index. */
  readonly lambda?: number;
  /** The lambda says true or false. */
  readonly isTruth?: true;
}

/** One function: what it is called with, what it does, and how the documentation shows it. */
export interface FunctionEntry {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly about: string;
  readonly example: string;
  /** What the example gives. */
  readonly gives: Json;
  /** What is known of the result when something is known of the arguments; of a lambda, what its body gives. */
  readonly result: Known | ((args: readonly Known[]) => Known);
  /** What only this function asks of its arguments, as far as they are written out. */
  readonly check?: (args: readonly Argument[]) => SyntaxProblem | undefined;
  readonly run: (call: Call) => Json | undefined;
}

export function value(name: string): Parameter {
  return { name, kinds: [] };
}

export function text(name = "text"): Parameter {
  return { name, kinds: ["text"] };
}

export function number(name = "number"): Parameter {
  return { name, kinds: ["number"] };
}

export function list(name = "list"): Parameter {
  return { name, kinds: ["list"] };
}

export function object(name = "object"): Parameter {
  return { name, kinds: ["object"] };
}

export function oneOf(name: string, ...kinds: readonly ValueKind[]): Parameter {
  return { name, kinds };
}

export function lambda(name: string): Parameter {
  return { name, kinds: [], lambda: 2 };
}

/** A lambda that says true or false. */
export function condition(name: string): Parameter {
  return { ...lambda(name), isTruth: true };
}

export function optional(parameter: Parameter): Parameter {
  return { ...parameter, isOptional: true };
}

export function nullable(parameter: Parameter): Parameter {
  return { ...parameter, isNullable: true };
}

/** Any number of them, also none. */
export function rest(parameter: Parameter): Parameter {
  return { ...parameter, isOptional: true, isRest: true };
}

export function parameterAt({ parameters }: FunctionEntry, index: number): Parameter | undefined {
  const last = parameters.at(-1);
  return parameters[index] ?? (last?.isRest === true ? last : undefined);
}

/** `substring(text, from, to?)`, `map(list, x => …)`. */
export function signatureOf({ name, parameters }: FunctionEntry): string {
  const written = parameters.map((parameter) => {
    if (parameter.lambda !== undefined) return parameter.isOptional === true ? "x => …?" : "x => …";
    if (parameter.isRest === true) return `${parameter.name}, …`;
    return parameter.isOptional === true ? `${parameter.name}?` : parameter.name;
  });
  return `${name}(${written.join(", ")})`;
}
