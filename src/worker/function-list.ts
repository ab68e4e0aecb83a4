import type { JsonObject } from "../core/base/index.ts";
import { jsonSchemaOf } from "./schema.ts";
import type { StepFunction } from "./step.ts";
import { WorkerError } from "./worker-error.ts";

export type Functions = Readonly<Record<string, StepFunction>>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,63}$/;

/** Returns the functions of a worker by name. Several maps may be given, but no two with the same name. */
export function functionsByName(given: Functions | readonly Functions[]): ReadonlyMap<string, StepFunction> {
  const found = new Map<string, StepFunction>();
  const maps: readonly Functions[] = Array.isArray(given) ? given : [given as Functions];
  for (const [name, fn] of maps.flatMap((map) => Object.entries(map))) {
    if (!NAME.test(name)) {
      const message = `"${name}" cannot be the name of a function: letters, digits and . _ - : @, at most 64, a letter or digit first.`;
      throw new WorkerError("bad_name", message);
    }
    if (found.has(name)) throw new WorkerError("duplicate_function", `Two functions have the name "${name}".`);
    if (typeof fn?.run !== "function") {
      throw new WorkerError(
        "bad_function",
        `"${name}" is no function of a worker. Write step({ input, output, run }).`,
      );
    }
    found.set(name, fn);
  }
  if (found.size === 0) throw new WorkerError("no_functions", "The worker has no functions.");
  return found;
}

/** Returns the registration of a function. */
export function specOf(name: string, { input, output, action, effects, description }: StepFunction): JsonObject {
  return {
    input: jsonSchemaOf(name, "input", input),
    output: jsonSchemaOf(name, "output", output),
    action,
    effects,
    ...(description === null ? {} : { description }),
  };
}
