import type { AdapterHooks, AdapterRequest } from "../../adapter/index.ts";
import { isJsonObject, type JsonObject } from "../../core/base/index.ts";
import {
  checkAgainstSchema,
  normaliseOutput,
  type NormalisedOutput,
  outputsOfList,
  propertiesOf,
} from "../../core/outputs/index.ts";
import { badOutput, type CallFailure, type FailureContext } from "./call-failure.ts";
import type { ModelAnswer, Conversation } from "./conversation.ts";
import { reaskText } from "./prompt.ts";

/** What an attempt ends with. */
export interface Climb {
  readonly stdout?: string;
  readonly outputs?: JsonObject;
  readonly failure: CallFailure | null;
  /** Calls beyond the first that the contract made necessary. */
  readonly extraCalls: number;
}

/**
 * Climbs the ladder for an answer in JSON: what the model was held to, repair without tokens, and at most one re-ask
 * in the same attempt. Every rung is logged.
 */
export async function climbLadder(
  first: ModelAnswer,
  conversation: Conversation,
  request: AdapterRequest,
  onLog: AdapterHooks["onLog"],
  context: () => FailureContext,
): Promise<Climb> {
  if (first.failure !== null) return { failure: first.failure, extraCalls: 0 };
  const found = repair(first.text, request.outputSchema, onLog);
  const problems = problemsOf(found, request.outputSchema);
  if (problems.length === 0) return { ...resultOf(found), failure: null, extraCalls: 0 };

  onLog({
    level: "info",
    message: `Contract: the answer does not fit (${problems.join("; ")}); the model is asked again.`,
  });
  const second = await conversation.askAgain(reaskText(problems));
  if (second.failure !== null) return { failure: second.failure, extraCalls: 1 };
  const corrected = repair(second.text, request.outputSchema, onLog);
  const left = problemsOf(corrected, request.outputSchema);
  if (left.length === 0) {
    onLog({ level: "info", message: "Contract: the second answer fits." });
    return { ...resultOf(corrected), failure: null, extraCalls: 1 };
  }
  onLog({ level: "info", message: `Contract: the second answer does not fit either (${left.join("; ")}).` });
  const failure = badOutput(context(), `gave no answer that fits its contract, asked twice: ${left.join("; ")}`);
  return { stdout: corrected.raw, failure, extraCalls: 1 };
}

function repair(text: string, schema: JsonObject | undefined, onLog: AdapterHooks["onLog"]): NormalisedOutput {
  const found = normaliseOutput(text, "json", "object");
  const repairs =
    found.repairs.length === 0
      ? "the answer is JSON as it stands"
      : `repaired without tokens (${found.repairs.join(", ")})`;
  onLog({ level: "info", message: `Contract: ${repairs}.` });
  const outputs = outputsOfList(propertiesOf(schema), found.value);
  return outputs === undefined ? found : { ...found, value: outputs };
}

function problemsOf({ value }: NormalisedOutput, schema: JsonObject | undefined): readonly string[] {
  if (value === undefined) return ["the answer holds no JSON"];
  return schema === undefined ? [] : checkAgainstSchema(schema, value);
}

/** Values stay as the model gave them; bringing them to their type is the engine's work, which records it. */
function resultOf({ text, value }: NormalisedOutput): { stdout: string; outputs?: JsonObject } {
  return { stdout: text, ...(isJsonObject(value) ? { outputs: value } : {}) };
}
