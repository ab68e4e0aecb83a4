import { compareCodeUnits, isJsonObject, type Json, type JsonObject, sameJson, type TreePath } from "../base/index.ts";
import { type Mismatch, shown } from "./expectation.ts";
import type { CaseOutcome } from "./outcome.ts";

/** Returns the parts of an outcome that should stay the same: status, outputs, nodes, and every text that was sent. */
export function snapshotOf(outcome: CaseOutcome): JsonObject {
  const asked: Record<string, Json[]> = {};
  for (const { node, kind, name, text, args } of outcome.calls) {
    const call = kind === "tool" || kind === "workflow" ? { [kind]: name ?? "", args: args ?? {} } : text;
    (asked[node] ??= []).push(call);
  }
  const nodes = [...outcome.nodes].map(([id, { status }]) => [id, status] as const);
  return {
    status: outcome.status,
    ...(outcome.errorCode === null ? {} : { error: outcome.errorCode }),
    outputs: outcome.outputs,
    nodes: Object.fromEntries(nodes.toSorted(byName)),
    asked: Object.fromEntries(Object.entries(asked).toSorted(byName)),
  };
}

function byName(left: readonly [string, unknown], right: readonly [string, unknown]): number {
  return compareCodeUnits(left[0], right[0]);
}

/** Returns the differences between two snapshots, each at the deepest path that both have. */
export function compareSnapshots(
  expected: Json | undefined,
  actual: Json | undefined,
  path: TreePath,
): readonly Mismatch[] {
  if (expected !== undefined && actual !== undefined && sameJson(expected, actual)) return [];
  if (expected !== undefined && actual !== undefined && isJsonObject(expected) && isJsonObject(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return names.flatMap((name) => compareSnapshots(expected[name], actual[name], [...path, name]));
  }
  return [{ path, expected: shown(expected), actual: shown(actual) }];
}
