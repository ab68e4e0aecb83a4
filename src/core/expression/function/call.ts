import { isJsonArray, isJsonObject, type Json, type JsonObject, jsonToText, required } from "../../base/index.ts";
import type { Expression, Lambda } from "../expression.ts";
import { type Fault, kindFault, describeOperand } from "../fault.ts";
import { KIND_PHRASES, kindOfValue, nameOperand } from "../kind.ts";
import { checkLength, type Meter } from "../meter.ts";
import { weigh } from "../size.ts";
import { type FunctionEntry, parameterAt } from "./function.ts";

export type CallNode = Extract<Expression, { readonly kind: "call" }>;
type Found = Json | undefined;

/** The evaluation that executes a call. */
export interface Applier extends Meter {
  apply(lambda: Lambda, first: Found, second: Found): Found;
}

/** One call with its arguments. Their kinds have been checked, so the typed readers below cannot fail. */
export class Call {
  readonly meter: Applier;
  readonly #node: CallNode;
  readonly #values: readonly Found[];

  constructor(entry: FunctionEntry, node: CallNode, values: readonly Found[], evaluation: Applier) {
    this.#node = node;
    this.#values = values;
    this.meter = evaluation;
    for (let index = 0; index < values.length; index += 1) this.#checkKind(entry, index);
  }

  #checkKind(entry: FunctionEntry, index: number): void {
    const parameter = parameterAt(entry, index);
    if (parameter === undefined || parameter.kinds.length === 0) return;
    const given = this.#values[index];
    const isEmpty = given === undefined || given === null;
    if (isEmpty ? parameter.isNullable === true : parameter.kinds.includes(kindOfValue(given))) return;
    const wanted = parameter.kinds.map((kind) => KIND_PHRASES[kind]).join(" or ");
    const advice = isEmpty ? "; write ?? for what stands in its place" : "";
    throw this.kindFault(`${this.#node.name} takes ${wanted}, but ${this.describeOperand(index)}${advice}`, index);
  }

  /** Returns the number of arguments. */
  get count(): number {
    return this.#values.length;
  }

  value(index: number): Found {
    return this.#values[index];
  }

  text(index: number): string {
    return this.#values[index] as string;
  }

  number(index: number): number {
    return this.#values[index] as number;
  }

  /** Returns an argument as a whole number, or `otherwise` when it is absent. */
  whole(index: number, otherwise = 0): number {
    if (index >= this.count) return otherwise;
    const given = this.number(index);
    if (Number.isSafeInteger(given)) return given;
    throw this.kindFault(`${this.#node.name} takes a whole number, but ${this.name(index)} is none`, index);
  }

  list(index: number): readonly Json[] {
    return this.#values[index] as readonly Json[];
  }

  object(index: number): JsonObject {
    return this.#values[index] as JsonObject;
  }

  isList(index: number): boolean {
    return isJsonArray(this.#values[index]);
  }

  isObject(index: number): boolean {
    return isJsonObject(this.#values[index]);
  }

  /** Returns this argument and all after it. */
  from(index: number): readonly Found[] {
    return this.#values.slice(index);
  }

  isLiteral(index: number): boolean {
    return this.#node.args[index]?.kind === "literal";
  }

  hasLambda(index: number): boolean {
    return this.#node.args[index]?.kind === "lambda";
  }

  apply(index: number, element: Json, position: number): Found {
    const lambda = this.#node.args[index];
    if (lambda?.kind !== "lambda") throw this.kindFault(`${this.#node.name} takes a lambda`, index);
    return this.meter.apply(lambda, element, position);
  }

  /** Returns the result of a lambda for an element as a condition: null and missing count as false. */
  holds(index: number, element: Json, position: number): boolean {
    const said = this.apply(index, element, position);
    if (typeof said === "boolean") return said;
    if (said === undefined || said === null) return false;
    const phrase = KIND_PHRASES[kindOfValue(said)];
    throw this.kindFault(`the lambda of ${this.#node.name} says true or false, but here it gives ${phrase}`, index);
  }

  /** Returns a value as it appears inside a text. */
  textOf(given: Found): string {
    if (typeof given === "object" && given !== null) weigh(given, this.meter);
    return jsonToText(given);
  }

  /** Checks and counts the length of a text before it is created. */
  makeText(length: number): void {
    checkLength(length);
    this.meter.characters(length);
  }

  /** Checks the length a text would have at least. */
  checkText(length: number): void {
    checkLength(length);
  }

  name(index: number): string {
    return nameOperand(required(this.#node.args[index], "the argument is given"));
  }

  describeOperand(index: number): string {
    return describeOperand(required(this.#node.args[index], "the argument is given"), this.#values[index]);
  }

  kindFault(message: string, index = -1): Fault {
    return kindFault(message, (this.#node.args[index] ?? this.#node).position);
  }
}
