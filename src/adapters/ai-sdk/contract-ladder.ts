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

/** The outputs or the failure with which an attempt ends. */
export interface ContractResult {
  readonly stdout?: string;
  readonly outputs?: JsonObject;
  readonly failure: CallFailure | null;
  /** Model calls after the first one that the contract made necessary. */
  readonly extraCalls: number;
}

interface Rung {
  readonly found: NormalisedOutput;
  readonly problems: readonly string[];
}

/**
 * The steps that bring an answer to its JSON contract: the schema for the model, repair without tokens, and at most one
 * more model call in the same attempt. Every step is logged.
 */
export class ContractLadder {
  readonly #schema: JsonObject | undefined;
  readonly #onLog: AdapterHooks["onLog"];
  /** The answers already checked, so that each is logged only once. */
  readonly #rungs = new Map<string, Rung>();

  constructor({ outputSchema }: AdapterRequest, onLog: AdapterHooks["onLog"]) {
    this.#schema = outputSchema;
    this.#onLog = onLog;
  }

  /** Returns the correction request for an answer that does not fit. Null when it fits. */
  correct(text: string): string | null {
    const { problems } = this.#rung(text);
    return problems.length === 0 ? null : reaskText(problems);
  }

  /** Returns the final result. `extraCalls`: how often the model was called again. */
  end(text: string, extraCalls: number, context: FailureContext): ContractResult {
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

/** Keeps the values as the model gave them. The engine converts them to their declared types and records that. */
function resultOf({ text, value }: NormalisedOutput): { stdout: string; outputs?: JsonObject } {
  return { stdout: text, ...(isJsonObject(value) ? { outputs: value } : {}) };
}

/** Converts the final result of the ladder to a result of the adapter. */
export function endResult({ stdout, outputs, failure }: ContractResult): FinalResult {
  if (failure !== null) return failed(failure);
  return {
    status: "completed",
    ...(stdout === undefined ? {} : { stdout }),
    ...(outputs === undefined ? {} : { outputs }),
  };
}
