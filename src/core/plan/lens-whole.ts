import type { LensGraphDefinition, LobsterDefinition } from "../definition/index.ts";
import { nameOfLabel } from "../template/index.ts";
import type { Plan, Scope } from "./plan.ts";

/** Compiles the parts of a lens graph that concern a run as a whole: `finally`, concurrency and outputs. */
export function planWhole(
  { last, results, nodes }: LensGraphDefinition,
  compile: (document: LobsterDefinition) => Plan,
): Pick<Plan, "finally" | "concurrency" | "outputs"> {
  const end = last === undefined ? null : compile(last);
  const outputs = results === undefined ? null : compile(results).outputs;
  const names = new Set(nodes.map(({ id }) => nameOfLabel(id)));
  return {
    finally: end?.finally ?? null,
    concurrency: end?.concurrency ?? null,
    outputs: outputs === null ? null : { ...outputs, scope: readingNodes(outputs.scope, names) },
  };
}

/** Marks args that represent nodes as steps, so that a node that did not complete is read like a step that did not. */
function readingNodes(scope: Scope, names: ReadonlySet<string>): Scope {
  const entries = [...scope].map(([text, reference]) => {
    const { origin } = reference;
    const isNode = origin.kind === "arg" && names.has(origin.name);
    return [text, isNode ? { ...reference, origin: { ...origin, isStep: true as const } } : reference] as const;
  });
  return new Map(entries);
}
