import type { JsonObject } from "../core/base/index.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

/** `scope_id` names the member of the scope; scope global has no id. */
export function scopeProblems(written: JsonObject, isIdNeeded: boolean): readonly SpecProblem[] {
  const { scope = "global", scope_id: id = null } = written;
  if (typeof scope !== "string") return [];
  if (scope === "global") {
    if (id === null) return [];
    const hint = "Remove it, or choose a narrower scope.";
    return [specProblem("conflicting_fields", ["scope_id"], `"scope_id" means nothing with scope global.`, { hint })];
  }
  if (id !== null || !isIdNeeded) return [];
  const message = `Scope ${scope} needs "scope_id": which ${scope} is meant.`;
  return [specProblem("missing_field", ["scope_id"], message, { hint: `Add "scope_id".` })];
}
