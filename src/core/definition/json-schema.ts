import type { JsonObject } from "../base/index.ts";
import { lensGraphShape } from "./lens-graph-shape.ts";
import { lobsterShape } from "./lobster-shape.ts";
import { stepShape } from "./step-shape.ts";

const SHAPES = {
  lobsterx: { shape: lobsterShape, title: "Sluice workflow (.lobsterX)" },
  "lens-graph": { shape: lensGraphShape, title: "Sluice lens graph" },
} as const;

/** Returns the JSON Schema (2020-12) of a format, generated from the tables that the checker uses. */
export function jsonSchema(format: keyof typeof SHAPES): JsonObject {
  const { shape, title } = SHAPES[format];
  // The schema is recursive, because steps and nodes can contain steps.
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:sluice:schema:${format}`,
    ...shape.schema,
    title,
    $defs: { step: stepShape.schema },
  };
}
