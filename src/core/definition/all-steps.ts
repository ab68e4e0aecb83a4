import type { Block, LensGraphDefinition, LobsterDefinition, Step } from "./definition.ts";

/** Every step of a document, those of its blocks and of `finally` included. */
export function* allSteps(definition: Pick<LobsterDefinition, "steps" | "finally">): Generator<Step> {
  yield* stepsIn(definition);
  if (definition.finally !== null) yield* stepsIn(definition.finally);
}

/** Steps inside the nodes of a lens graph, and those that come last in it. */
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
