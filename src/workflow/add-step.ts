import type { JsonObject } from "../core/base/index.ts";
import { pathRef } from "./reference.ts";
import { callerPlace, type Places, requireScope } from "./scope.ts";
import { stepFields } from "./step-document.ts";
import type { StepRef } from "./step-options.ts";

const NONE: Places = new Map();

/** Adds a step to the current scope. A step without an id takes the id of the each() or repeat() around it. */
export function addStep<Outputs>(
  kind: string,
  id: string | null,
  options: object,
  own: JsonObject = {},
  inner: Places = NONE,
): StepRef<Outputs> {
  const scope = requireScope(`${kind}()`);
  const fields = { ...own, ...stepFields(options, id ?? kind) };
  scope.steps.push({ id, fields, place: callerPlace(), inner });
  if (id !== null) scope.names.add(id);
  return pathRef<Outputs>(id ?? NO_ID) as unknown as StepRef<Outputs>;
}

/** Placeholder for the id of a step without one of its own. No text may contain it. */
export const NO_ID = "this_step";

/** Separates the arguments `(id, options)` or `(options)`. */
export function idAndOptions<O extends object>(first: string | O, second: O | undefined): readonly [string | null, O] {
  return typeof first === "string" ? [first, second ?? ({} as O)] : [null, first];
}
