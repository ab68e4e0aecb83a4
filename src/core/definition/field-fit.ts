import {
  fileValueProblem,
  getOwn,
  isFileValue,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type ProblemCode,
} from "../base/index.ts";
import { compilePattern } from "../text/index.ts";
import type { Constraints, FieldType, ValueField } from "./field.ts";
import { kindOf, quote } from "./shape.ts";

export interface Misfit {
  readonly code: ProblemCode;
  /** A predicate about the value, such as "must be text, but it is a number". */
  readonly message: string;
  /** Path of the inner value with the problem: `.lines[0].price`. Absent when it is the value itself. */
  readonly at?: string;
}

const TYPE_WORDS: Readonly<Record<FieldType, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "a map",
  array: "a list",
  file: "a file",
};

/** Returns all reasons why a value does not fit a declared field. Values are not converted. */
export function fitProblems(value: Json, field: ValueField): readonly Misfit[] {
  const wrongFile = field.type === "file" ? fileValueProblem(value) : null;
  if (wrongFile !== null) return [{ code: "wrong_type", message: wrongFile }];
  if (field.type !== undefined && !isOfType(value, field.type)) {
    return [{ code: "wrong_type", message: `must be ${TYPE_WORDS[field.type]}, but it is ${describe(value)}` }];
  }
  const misfits: Misfit[] = [];
  if (field.enum !== undefined && !field.enum.some((member) => member === value)) {
    misfits.push({
      code: "bad_enum",
      message: `must be one of ${field.enum.join(", ")}, but it is ${describe(value)}`,
    });
  }
  if (typeof value === "number") addNumberMisfits(value, field, misfits);
  if (typeof value === "string") addTextMisfits(value, field, misfits);
  if (isJsonArray(value)) addListMisfits(value, field, misfits);
  if (isJsonObject(value)) addObjectMisfits(value, field, misfits);
  return misfits;
}

/** Adds the problems of a list. Of its elements, only the first that does not fit is reported. */
function addListMisfits(value: readonly Json[], { items, minLength, maxLength }: ValueField, misfits: Misfit[]): void {
  const length = value.length;
  if (minLength !== undefined && length < minLength) {
    misfits.push({ code: "bad_number", message: `must have at least ${minLength} elements, but it has ${length}` });
  }
  if (maxLength !== undefined && length > maxLength) {
    misfits.push({ code: "bad_number", message: `must have at most ${maxLength} elements, but it has ${length}` });
  }
  if (items === undefined) return;
  for (const [index, element] of value.entries()) {
    const found = fitProblems(element, items);
    if (found.length === 0) continue;
    misfits.push(...found.map((misfit) => inside(`[${index}]`, misfit)));
    return;
  }
}

function addObjectMisfits(value: JsonObject, { properties }: ValueField, misfits: Misfit[]): void {
  for (const [name, property] of Object.entries(properties ?? {})) {
    const inner = getOwn(value, name);
    if (inner !== undefined && inner !== null) {
      misfits.push(...fitProblems(inner, property).map((misfit) => inside(`.${name}`, misfit)));
    } else if (property.required) {
      misfits.push({ code: "missing_field", message: `must have "${name}"`, at: `.${name}` });
    }
  }
}

/** Returns the misfit of an inner value with the path from the outer value. */
function inside(at: string, { code, message, at: below = "" }: Misfit): Misfit {
  return { code, message, at: `${at}${below}` };
}

function isOfType(value: Json, type: FieldType): boolean {
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "integer":
      return typeof value === "number" && Number.isSafeInteger(value);
    case "object":
      return isJsonObject(value);
    case "array":
      return isJsonArray(value);
    case "file":
      return isFileValue(value);
  }
}

function addNumberMisfits(value: number, field: Constraints, misfits: Misfit[]): void {
  if (field.minimum !== undefined && value < field.minimum) {
    misfits.push({ code: "bad_number", message: `must be at least ${field.minimum}, but it is ${value}` });
  }
  if (field.maximum !== undefined && value > field.maximum) {
    misfits.push({ code: "bad_number", message: `must be at most ${field.maximum}, but it is ${value}` });
  }
}

function addTextMisfits(value: string, field: Constraints, misfits: Misfit[]): void {
  const { minLength, maxLength, pattern } = field;
  const length = minLength === undefined && maxLength === undefined ? 0 : Array.from(value).length;
  if (minLength !== undefined && length < minLength) {
    misfits.push({ code: "bad_number", message: `must have at least ${minLength} characters, but it has ${length}` });
  }
  if (maxLength !== undefined && length > maxLength) {
    misfits.push({ code: "bad_number", message: `must have at most ${maxLength} characters, but it has ${length}` });
  }
  if (pattern === undefined) return;
  const compiled = compilePattern(pattern);
  // An invalid pattern has its own problem, reported at its declaration.
  if (compiled.ok && !compiled.value.test(value)) {
    misfits.push({ code: "bad_pattern", message: `must match ${pattern}, but it is ${describe(value)}` });
  }
}

/** Describes a value. The content of a list or a map is left out, because it may be large, or nested too deeply for recursion. */
function describe(value: Json): string {
  if (typeof value === "string") return quote(value);
  return typeof value === "object" ? kindOf(value) : String(value);
}
