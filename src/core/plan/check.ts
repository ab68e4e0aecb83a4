import {
  compareCodeUnits,
  formatPath,
  isJsonArray,
  isJsonObject,
  LIMITS,
  type Json,
  type Problem,
  type TreePath,
} from "../base/index.ts";
import { readDefinition, type Catalog, type Definition, type ReadOptions } from "../definition/index.ts";
import { compilePlan } from "./compile.ts";
import type { Plan } from "./plan.ts";

export interface CheckedSource {
  /** Definition and plan are null exactly when there are problems. */
  readonly definition: Definition | null;
  readonly plan: Plan | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Compiles a text to a plan. `validate`, `plan` and every start of a run use it. */
export function checkSource(source: string | Uint8Array, catalog: Catalog, options: ReadOptions = {}): CheckedSource {
  const { definition, problems, warnings, tree } = readDefinition(source, catalog, options);
  if (definition === null || tree === null) return { definition: null, plan: null, problems, warnings };
  const compiled = compilePlan(definition, catalog);
  const placed = compiled.warnings.map(({ path, ...warning }): Problem => {
    const written = writtenPart(tree.value, path);
    return { ...warning, path: formatPath(written), ...tree.placeOf(written) };
  });
  return {
    definition,
    plan: compiled.plan,
    problems,
    warnings: [...warnings, ...placed].sort(comparePlaces).slice(0, LIMITS.problemsMax),
  };
}

/** A field from an alias or a library entry is not in the text, so the nearest place in the text represents it. */
function writtenPart(root: Json, path: TreePath): TreePath {
  let value: Json | undefined = root;
  for (const [depth, segment] of path.entries()) {
    value = memberOf(value, segment);
    if (value === undefined) return path.slice(0, depth);
  }
  return path;
}

function memberOf(value: Json | undefined, segment: string | number): Json | undefined {
  if (isJsonArray(value)) return typeof segment === "number" ? value[segment] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

function comparePlaces(left: Problem, right: Problem): number {
  return left.line - right.line || left.column - right.column || compareCodeUnits(left.code, right.code);
}
