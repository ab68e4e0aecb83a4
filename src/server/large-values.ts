import { createHash } from "node:crypto";
import type { StateNode, State, ValueRef } from "../contract/index.ts";
import { type Json, type JsonObject, withOwn } from "../core/base/index.ts";
import type { NodeResult, RunProjection } from "../core/view/index.ts";
import { LARGE_BYTES_MIN } from "./frame-text.ts";

/** Returns a projection with large values as references: null in their place, and the reference beside it. */
export function withReferences(projection: RunProjection): Omit<State, "waitingFor"> {
  return { ...projection, nodeResults: projection.nodeResults.map(resultWithReferences) };
}

export function resultWithReferences(result: NodeResult): StateNode {
  const refs: ValueRef[] = [];
  const outputs = result.outputs === null ? null : outputsWithReferences(result.outputs, refs);
  const output = result.output === null ? null : take(result.output, ["output"], refs);
  if (refs.length === 0) return result;
  return { ...result, outputs, output: typeof output === "string" ? output : null, refs };
}

function outputsWithReferences(outputs: JsonObject, refs: ValueRef[]): JsonObject {
  let shown = outputs;
  for (const [name, value] of Object.entries(outputs)) {
    const kept = take(value, ["outputs", name], refs);
    if (kept !== value) shown = withOwn(shown, name, kept);
  }
  return shown;
}

/** The digest equals the one under which the log stores the value. */
function take(value: Json, path: readonly string[], refs: ValueRef[]): Json {
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGE_BYTES_MIN) return value;
  refs.push({ path, hash: `sha256:${createHash("sha256").update(text).digest("hex")}`, bytes });
  return null;
}
