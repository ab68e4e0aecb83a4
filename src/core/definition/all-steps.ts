import type { Block, LobsterDefinition, Step } from "./definition.ts";

/** Every step of a document, those of its blocks and of `finally` included. */
export function* allSteps(definition: Pick<LobsterDefinition, "steps" | "finally">): Generator<Step> {
  yield* stepsIn(definition);
  if (definition.finally !== null) yield* stepsIn(definition.finally);
}

function* stepsIn({ steps }: Pick<Block, "steps">): Generator<Step> {
  for (const step of steps) {
    yield step;
    if (step.block !== null) yield* stepsIn(step.block);
    for (const { block } of step.choose ?? []) yield* stepsIn(block);
  }
}
