/** Converts options to the fields of a step in a file. */
import type { Json, JsonObject } from "../core/base/index.ts";
import { fieldsOfSchema, plainSchemaOf } from "./field.ts";
import { expressionTextOf, textOf } from "./operand.ts";
import { pathRef, pathText, quoted, sourceOf } from "./reference.ts";
import type { Schema } from "./schema.ts";
import type { Concurrency, Dependency, FailureRule, RepeatOptions, StepFailure, Tool } from "./step-options.ts";
import { namedValuesOf, objectOf, valueOf } from "./value.ts";
import { WorkflowError } from "./workflow-error.ts";

type Convert = (value: never, path: string) => Json;

/** Conversions by option. Other options are converted by `valueOf`. */
const CONVERT: Readonly<Record<string, Convert>> = {
  name: textOf,
  command: textOf,
  stdin: textOf,
  condition: expressionTextOf,
  depends_on: (value: readonly Dependency[], path) => value.map((one, index) => dependency(one, `${path}[${index}]`)),
  inputs: (value: object, path) => namedValuesOf(value, path),
  outputs: (value: Schema, path) => outputFields(value, path),
  success_criteria: (value: unknown) => criteria(value),
  on_failure: (value: string | FailureRule, path) => failureRule(value, path),
  show: (value: unknown) => (Array.isArray(value) ? value : [value]).map(shown),
  tools: (value: readonly Tool[], path) => value.map((one, index) => tool(one, `${path}[${index}]`)),
  repeat: (value: RepeatOptions<unknown>) => repeatFields(value),
  concurrency: (value: Concurrency) => concurrencyFields(value),
};

export function stepFields(options: object, path: string): JsonObject {
  const fields: Record<string, Json> = {};
  for (const [written, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const name = written === "when" ? "condition" : written;
    const convert = Object.hasOwn(CONVERT, name) ? CONVERT[name] : undefined;
    fields[name] =
      convert === undefined ? valueOf(value, `${path}.${name}`) : convert(value as never, `${path}.${name}`);
  }
  return fields;
}

/** Returns the id of a step, given as a reference or a text. */
export function idOf(step: unknown, path: string): string {
  if (typeof step === "string") return step;
  const source = sourceOf(step);
  if (source?.kind === "path" && source.segments.length === 1) return source.segments[0];
  throw new WorkflowError("wrong_type", path, `${path} is no step.`, "Give what agent(), set() and the like return.");
}

function dependency(value: Dependency, path: string): Json {
  if (sourceOf(value) !== undefined || typeof value === "string") return idOf(value, path);
  const { step, on } = value as Extract<Dependency, { readonly on: unknown }>;
  return { step: idOf(step, `${path}.step`), on };
}

/** Returns output fields without defaults, because agents' outputs have none. */
function outputFields(schema: Schema, path: string): JsonObject {
  const fields = Object.entries(fieldsOfSchema(schema, path, true));
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const { default: _default, ...rest } = field as JsonObject;
      return [name, rest];
    }),
  );
}

function criteria(value: unknown): Json {
  const given = typeof value === "function" && sourceOf(value) === undefined ? value(pathRef("outputs")) : value;
  return (given as readonly unknown[]).map(expressionTextOf);
}

function failureRule(rule: string | FailureRule, path: string): Json {
  if (typeof rule === "string") return rule;
  const { retry, ...rest } = rule;
  if (retry === undefined) return objectOf(rest, path);
  const { if: condition, ...more } = retry;
  const isFunction = typeof condition === "function" && sourceOf(condition) === undefined;
  const judged = isFunction ? (condition as (error: unknown) => unknown)(pathRef<StepFailure>("error")) : condition;
  const found = judged === undefined ? {} : { if: expressionTextOf(judged) };
  return { retry: { ...objectOf(more, path), ...found }, ...objectOf(rest, path) };
}

/** Converts an item of `show`. A text that is a path refers to the value there. */
function shown(item: unknown): Json {
  const source = sourceOf(item);
  if (source !== undefined) return pathText(source) ?? textOf(item);
  if (typeof item !== "object" || item === null) return String(item);
  return Object.fromEntries(
    Object.entries(item)
      .filter(([, value]) => value !== undefined)
      .map(([kind, value]) => [kind, Array.isArray(value) ? value.map(shown) : shown(value)]),
  );
}

function tool(value: Tool, path: string): Json {
  if (typeof value === "string") return value;
  const { parameters, ...rest } = value as { readonly parameters?: Schema };
  const schema = parameters === undefined ? {} : { parameters: plainSchemaOf(parameters, `${path}.parameters`) };
  return { ...objectOf(rest, path), ...schema };
}

export function repeatFields({ until, ...rest }: RepeatOptions<unknown>): JsonObject {
  const isFunction = typeof until === "function" && sourceOf(until) === undefined;
  const judged = isFunction
    ? (until as (outputs: unknown, round: unknown) => unknown)(pathRef("outputs"), pathRef("round"))
    : until;
  return { until: expressionTextOf(judged), ...objectOf(rest, "repeat") };
}

/** Returns the fields of a concurrency limit. A key with references stays a text; any other key becomes an expression. */
export function concurrencyFields({ key, ...rest }: Concurrency): JsonObject {
  const text = typeof key === "string" && sourceOf(key) === undefined ? key : undefined;
  const written = text === undefined ? expressionTextOf(key) : text.includes("${") ? text : quoted(text);
  return { key: written, ...objectOf(rest, "concurrency") };
}
