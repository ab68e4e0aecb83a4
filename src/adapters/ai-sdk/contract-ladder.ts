import type { AdapterHooks, AdapterRequest, FinalResult } from "../../adapter/index.ts";
import { isJsonObject, type JsonObject } from "../../core/base/index.ts";
import {
  checkAgainstSchema,
  normaliseOutput,
  type NormalisedOutput,
  outputsOfList,
  propertiesOf,
} from "../../core/outputs/index.ts";
import { badOutput, failed, type CallFailure, type FailureContext } from "./call-failure.ts";
import { reaskText } from "./prompt.ts";

/** What an attempt ends with. */
export interface Climb {
  readonly stdout?: string;
  readonly outputs?: JsonObject;
  readonly failure: CallFailure | null;
  /** Calls beyond the first that the contract made necessary. */
  readonly extraCalls: number;
}

interface Rung {
  readonly found: NormalisedOutput;
  readonly problems: readonly string[];
}

/**
 * The ladder for an answer in JSON: what the model was held to, repair without tokens, and at most one re-ask in the same
 * attempt. Every rung is logged.
 */
export class ContractLadder {
  readonly #schema: JsonObject | undefined;
  readonly #onLog: AdapterHooks["onLog"];
  /** Answers that were looked at, so that each is logged once. */
  readonly #rungs = new Map<string, Rung>();

  constructor({ outputSchema }: AdapterRequest, onLog: AdapterHooks["onLog"]) {
    this.#schema = outputSchema;
    this.#onLog = onLog;
  }

  /** What the model is asked when its answer does not fit; null: it does. */
  correct(text: string): string | null {
    const { problems } = this.#rung(text);
    return problems.length === 0 ? null : reaskText(problems);
  }

  /** The end of the ladder; `extraCalls`: how often the model was asked again. */
  end(text: string, extraCalls: number, context: FailureContext): Climb {
    const { found, problems } = this.#rung(text);
    if (problems.length === 0) {
      if (extraCalls > 0) this.#log("the second answer fits.");
      return { ...resultOf(found), failure: null, extraCalls };
    }
    const left = problems.join("; ");
    this.#log(`the second answer does not fit either (${left}).`);
    const failure = badOutput(context, `gave no answer that fits its contract, asked twice: ${left}`);
    return { stdout: found.raw, failure, extraCalls };
  }

  #rung(text: string): Rung {
    const known = this.#rungs.get(text);
    if (known !== undefined) return known;
    const found = this.#repair(text);
    const rung = { found, problems: problemsOf(found, this.#schema) };
    if (rung.problems.length > 0 && this.#rungs.size === 0) {
      this.#log(`the answer does not fit (${rung.problems.join("; ")}); the model is asked again.`);
    }
    this.#rungs.set(text, rung);
    return rung;
  }

  #repair(text: string): NormalisedOutput {
    const found = normaliseOutput(text, "json", "object");
    const repairs =
      found.repairs.length === 0
        ? "the answer is JSON as it stands"
        : `repaired without tokens (${found.repairs.join(", ")})`;
    this.#log(`${repairs}.`);
    const outputs = outputsOfList(propertiesOf(this.#schema), found.value);
    return outputs === undefined ? found : { ...found, value: outputs };
  }

  #log(what: string): void {
    this.#onLog({ level: "info", message: `Contract: ${what}` });
  }
}

function problemsOf({ value }: NormalisedOutput, schema: JsonObject | undefined): readonly string[] {
  if (value === undefined) return ["the answer holds no JSON"];
  return schema === undefined ? [] : checkAgainstSchema(schema, value);
}

/** Values stay as the model gave them; bringing them to their type is the engine's work, which records it. */
function resultOf({ text, value }: NormalisedOutput): { stdout: string; outputs?: JsonObject } {
  return { stdout: text, ...(isJsonObject(value) ? { outputs: value } : {}) };
}

/** An end as the adapter reports it. */
export function endResult({ stdout, outputs, failure }: Climb): FinalResult {
  if (failure !== null) return failed(failure);
  return {
    status: "completed",
    ...(stdout === undefined ? {} : { stdout }),
    ...(outputs === undefined ? {} : { outputs }),
  };
}
