/** Converts values of inputs, fields and outputs to the form of a file. */
import { isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { expressionTextOf } from "./operand.ts";
import { bracedText, pathText, sourceOf } from "./reference.ts";
import { type Declaration, declarationOf } from "./declaration.ts";
import { WorkflowError } from "./workflow-error.ts";

/** Any JSON, with references allowed in place of any part. */
export type Value = unknown;

/** Converts a value to JSON. References become `${…}`, which keeps the type of the value when it is the whole text. */
export function valueOf(value: Value, path: string): Json {
  const source = sourceOf(value);
  if (source !== undefined) return bracedText(source);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item, index) => valueOf(item, `${path}[${index}]`));
  if (typeof value === "object" && isPlain(value)) return objectOf(value, path);
  const kind = typeof value === "object" ? "An object of a class" : `A value of type ${typeof value}`;
  throw new WorkflowError("bad_value", path, `${path}: ${kind} cannot be written in a definition.`, "Use JSON values.");
}

export function objectOf(value: object, path: string): JsonObject {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([key, member]) => [key, valueOf(member, `${path}.${key}`)]));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

const REFERENCE_LIKE = /^[A-Za-z_][\w-]*\.outputs(?:[.[]|$)/u;
/** A map declares an input when it has only these keys, and at least one of the first three. */
const DECLARING = ["from", "type", "expr", "required", "enum", "minimum", "maximum", "minLength", "maxLength"];
const DECLARED: ReadonlySet<string> = new Set([...DECLARING, "pattern", "items", "properties"]);

/**
 * Converts the value of a named input or output. A file would interpret some texts and maps there; these are wrapped in
 * `value`, so that a literal stays a literal.
 */
export function namedValueOf(value: Value, path: string): Json {
  const written = valueOf(value, path);
  if (sourceOf(value) !== undefined || !isSpecial(written)) return written;
  if (!hasReference(value)) return { value: written };
  const message = `${path} would be read as a declaration, because of its keys.`;
  throw new WorkflowError("bad_value", path, message, "Calculate it: merge({ type: 'note' }, { text: … }).");
}

function isSpecial(written: Json): boolean {
  if (typeof written === "string") return REFERENCE_LIKE.test(written);
  if (!isJsonObject(written)) return false;
  const keys = Object.keys(written);
  if (keys.length === 1 && (keys[0] === "value" || keys[0] === "expr")) return true;
  return keys.every((key) => DECLARED.has(key)) && DECLARING.slice(0, 3).some((key) => keys.includes(key));
}

function hasReference(value: Value): boolean {
  if (sourceOf(value) !== undefined) return true;
  if (typeof value === "string") return value.includes("${");
  return typeof value === "object" && value !== null && Object.values(value).some(hasReference);
}

/** Converts the outputs of a block or a run. A map with the key `value` would declare an output there, so it is wrapped once more. */
export function outputsDocument(values: object, path: string): JsonObject {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const declared = declarationOf(value);
      if (declared !== undefined)
        return [name, { value: valueOf(declared.value, `${path}.${name}`), ...declared.field }];
      const written = namedValueOf(value, `${path}.${name}`);
      return [name, isJsonObject(written) && Object.hasOwn(written, "value") ? { value: written } : written];
    }),
  );
}

export function namedValuesOf(values: object, path: string): JsonObject {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const declared = declarationOf(value);
      return [name, declared === undefined ? namedValueOf(value, `${path}.${name}`) : declaredInput(declared)];
    }),
  );
}

function declaredInput({ value, field }: Declaration): Json {
  const source = sourceOf(value);
  const from = source === undefined ? undefined : pathText(source);
  return from === undefined ? { expr: expressionTextOf(value), ...field } : { from, ...field };
}
