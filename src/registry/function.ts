import { z } from "zod";
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, sameJson } from "../core/base/index.ts";
import { ACTIONS, EFFECT_GUARANTEES, type WorkerFunction } from "../core/definition/index.ts";
import { anyJson, readBody, spec, text } from "./field.ts";
import type { RegisteredKind } from "./kind.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

const ANY_MAP = { type: "object" } as const;

export const functionSpec = spec({
  description: text.nullish().describe("Purpose of the function"),
  input: anyJson.default(ANY_MAP).describe("JSON Schema of the argument, a map: the inputs of a step"),
  output: anyJson.default(ANY_MAP).describe("JSON Schema of the result, a map: the outputs of a step"),
  action: z
    .enum(ACTIONS)
    .default("execute")
    .describe("Action of the function. When the step names an action too, the stricter one applies"),
  effects: z
    .enum(EFFECT_GUARANTEES)
    .default("at_least_once")
    .describe("at_least_once: work of a lost worker is passed to another worker; at_most_once: it is not"),
});

/** Both schemas must be maps, because a step has named inputs and outputs. */
export function functionProblems(written: JsonObject): readonly SpecProblem[] {
  return ["input", "output"].flatMap((name) => {
    const schema = getOwn(written, name);
    return schema === undefined ? [] : schemaProblems(name, schema);
  });
}

function schemaProblems(name: string, schema: Json): readonly SpecProblem[] {
  if (!isJsonObject(schema) || getOwn(schema, "type") !== "object") {
    const message = `"${name}" must be the JSON Schema of a map, with type: object.`;
    return [specProblem("wrong_type", [name], message, { hint: "Write {type: object, properties: {…}}." })];
  }
  const problems: SpecProblem[] = [];
  const properties = getOwn(schema, "properties") ?? {};
  if (!isJsonObject(properties)) {
    problems.push(specProblem("wrong_type", [name, "properties"], `"properties" must be a map of schemas.`));
  }
  const required = getOwn(schema, "required") ?? [];
  if (!isJsonArray(required) || required.some((one) => typeof one !== "string")) {
    problems.push(specProblem("wrong_type", [name, "required"], `"required" must be a list of names.`));
  }
  return problems;
}

/** Reads a function that was checked when it was registered. */
export function functionOfBody(body: JsonObject): WorkerFunction {
  const { input, output, action, effects } = readBody(functionSpec, body);
  return { input: mapOf(input), output: mapOf(output), action, effects };
}

function mapOf(schema: Json): JsonObject {
  return isJsonObject(schema) ? schema : ANY_MAP;
}

/** Returns which schema a new registration of the same name changes; null when neither changes or the entry is not a function. */
export function changedSchema(
  kind: RegisteredKind,
  before: JsonObject | undefined,
  after: JsonObject,
): "input" | "output" | null {
  if (kind !== "Function" || before === undefined) return null;
  const [was, is] = [functionOfBody(before), functionOfBody(after)];
  if (!sameJson(was.input, is.input)) return "input";
  return sameJson(was.output, is.output) ? null : "output";
}

export const SCHEMA_HINT = "Give the changed function another name, or delete the entry first.";

export function schemaConflict(name: string, part: string): string {
  return `The function "${name}" is registered with another ${part} schema.`;
}
