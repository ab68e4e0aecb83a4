import type { Json } from "../../base/index.ts";
import type { Argument, SyntaxProblem } from "../expression.ts";
import type { ValueKind } from "../kind.ts";
import type { Known } from "../known.ts";
import type { Call } from "./call.ts";

export type FunctionGroup = "text" | "numbers" | "lists" | "objects" | "values" | "time";

export interface Parameter {
  readonly name: string;
  /** Accepted kinds. Empty means any value, including null and missing. */
  readonly kinds: readonly ValueKind[];
  readonly isOptional?: true;
  /** The argument may be repeated any number of times. */
  readonly isRest?: true;
  /** Null and missing are accepted too. */
  readonly isNullable?: true;
  /** Set for a lambda: its maximum number of parameters. The first is an element of the first argument, the second its index. */
  readonly lambda?: number;
  /** The lambda returns true or false. */
  readonly isTruth?: true;
}

/** One function: its parameters, its implementation, and its documentation. */
export interface FunctionEntry {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly about: string;
  readonly example: string;
  /** The result of the example. */
  readonly gives: Json;
  /** The known type of the result, derived from those of the arguments. For a lambda argument this is the type of its body. */
  readonly result: Known | ((args: readonly Known[]) => Known);
  /** A check that only this function makes on its literal arguments. */
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

/** Declares a lambda that returns true or false. */
export function condition(name: string): Parameter {
  return { ...lambda(name), isTruth: true };
}

export function optional(parameter: Parameter): Parameter {
  return { ...parameter, isOptional: true };
}

export function nullable(parameter: Parameter): Parameter {
  return { ...parameter, isNullable: true };
}

/** Declares an argument that may occur any number of times, including zero. */
export function rest(parameter: Parameter): Parameter {
  return { ...parameter, isOptional: true, isRest: true };
}

export function parameterAt({ parameters }: FunctionEntry, index: number): Parameter | undefined {
  const last = parameters.at(-1);
  return parameters[index] ?? (last?.isRest === true ? last : undefined);
}

/** Returns the signature: `substring(text, from, to?)`, `map(list, x => …)`. */
export function signatureOf({ name, parameters }: FunctionEntry): string {
  const written = parameters.map((parameter) => {
    if (parameter.lambda !== undefined) return parameter.isOptional === true ? "x => …?" : "x => …";
    if (parameter.isRest === true) return `${parameter.name}, …`;
    return parameter.isOptional === true ? `${parameter.name}?` : parameter.name;
  });
  return `${name}(${written.join(", ")})`;
}
