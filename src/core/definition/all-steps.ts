import type { Block, LensGraphDefinition, LobsterDefinition, Step } from "./definition.ts";

/** Yields every step of a document, including the steps of its blocks and of `finally`. */
export function* allSteps(definition: Pick<LobsterDefinition, "steps" | "finally">): Generator<Step> {
  yield* stepsIn(definition);
  if (definition.finally !== null) yield* stepsIn(definition.finally);
}

/** Yields the steps inside the nodes of a lens graph, and the steps of its `finally`. */
export function* stepsInside({ nodes, last }: LensGraphDefinition): Generator<Step> {
  for (const { inside } of nodes) if (inside !== undefined) yield* allSteps(inside);
  if (last !== undefined) yield* allSteps(last);
}

function* stepsIn({ steps }: Pick<Block, "steps">): Generator<Step> {
  for (const step of steps) {
    yield step;
    if (step.block !== null) yield* stepsIn(step.block);
    for (const { block } of step.choose ?? []) yield* stepsIn(block);
  }
}
