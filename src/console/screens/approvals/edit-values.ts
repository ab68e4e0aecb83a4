import { canonicalJson, type Json, type JsonObject } from "../../../core/base/index.ts";
import { largeValueOf, shownText } from "../../../core/view/index.ts";

/**
 * The kind of value that is edited before the approval: the bound inputs of the dispatch, the outputs of a failed node,
 * the args of a tool call, or the result of a call that never reported.
 */
export type Edited = "inputs" | "outputs" | "args" | "result";

/** Returns the modifications to send. Inputs are sent as changed fields only, every other kind as a whole. */
export function modificationsOf(edited: Edited, values: JsonObject, changed: JsonObject): JsonObject {
  if (edited === "inputs") return { inputs: changed };
  const whole = { ...values, ...changed };
  return edited === "outputs" ? { outputs: whole } : whole;
}

export interface EditField {
  readonly name: string;
  readonly before: Json;
  /** Whether the value is edited as plain text. Every other value is edited as JSON. */
  readonly isText: boolean;
}

/** Returns a field per value. A large value is shown only as a reference, so it cannot be edited here. */
export function editFields(values: JsonObject): readonly EditField[] {
  return Object.entries(values).flatMap(([name, before]) =>
    largeValueOf(before) === null ? [{ name, before, isText: typeof before === "string" }] : [],
  );
}

export function initialEdits(fields: readonly EditField[]): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.map(({ name, before }) => [name, shownText(before)]));
}

export interface ReadEdits {
  /** Only the fields that differ. */
  readonly changed: JsonObject;
  readonly problems: ReadonlyMap<string, string>;
}

export function readEdits(fields: readonly EditField[], texts: Readonly<Record<string, string>>): ReadEdits {
  const changed: [string, Json][] = [];
  const problems = new Map<string, string>();
  for (const { name, before, isText } of fields) {
    const text = texts[name] ?? "";
    const after = isText ? text : parseJson(text);
    if (after === undefined) problems.set(name, "This must be JSON.");
    else if (canonicalJson(after) !== canonicalJson(before)) changed.push([name, after]);
  }
  return { changed: Object.fromEntries(changed), problems };
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
