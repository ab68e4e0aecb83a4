import { isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import type { BoundRequest } from "../core/engine/index.ts";
import { lensOutputSchema, outputJsonSchema, settleEnvelope, settleOutputs } from "../core/outputs/index.ts";
import type { PlanNode } from "../core/plan/index.ts";

/** The contract that a node's answer must fit. */
export interface Contract {
  readonly schema: JsonObject | null;
  /** Returns problems in words that a model understands. Deviations that the engine repairs itself are not included. */
  readonly problemsIn: (value: Json) => readonly string[];
}

const PROBLEMS_MAX = 20;

export function contractOf({ body }: PlanNode, { outputFields }: BoundRequest): Contract {
  if (outputFields !== null) {
    return {
      schema: outputJsonSchema(outputFields),
      problemsIn: objectOnly((value) => settleOutputs(outputFields, value).errors),
    };
  }
  const contract = body.kind === "lens" ? body.outputContract : null;
  if (contract === null) return { schema: null, problemsIn: () => [] };
  const { kind, artifactKind } = contract;
  return {
    schema: lensOutputSchema(contract),
    problemsIn: objectOnly((data) =>
      settleEnvelope(contract, { kind, artifactKind, output: JSON.stringify(data), data }).errors.filter(({ field }) =>
        field.startsWith("data"),
      ),
    ),
  };
}

interface Broken {
  readonly field: string;
  readonly reason: string;
  readonly details?: string | undefined;
}

function objectOnly(errorsIn: (value: JsonObject) => readonly Broken[]): Contract["problemsIn"] {
  return (value) => {
    if (!isJsonObject(value)) return ["the answer must be a JSON object"];
    const problems = errorsIn(value).map(
      ({ field, reason, details }) => `${field}: ${reason}${details === undefined ? "" : ` (${details})`}`,
    );
    return problems.slice(0, PROBLEMS_MAX);
  };
}
