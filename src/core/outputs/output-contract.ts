import { getOwn, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { ContractError, LensField, OutputContract } from "../definition/index.ts";
import type { Envelope } from "../event/index.ts";
import { matchMember } from "../expression/index.ts";
import { coerceValue } from "./coercion.ts";
import { tooDeepError } from "./constraint.ts";
import { outputDataOf } from "./envelope.ts";
import { checkLensValue, isPresent } from "./lens-field.ts";
import { normaliseOutput } from "./normaliser.ts";
import { resolveOutputPath } from "./output-path.ts";

/** Returns every violation of a lens's output contract. Without a contract, the result only must not be empty. */
export function checkOutputContract(contract: OutputContract | null, envelope: Envelope): readonly ContractError[] {
  const tooDeep = envelope.data === undefined ? undefined : tooDeepError("data", envelope.data);
  if (tooDeep !== undefined) return [tooDeep];
  const errors = checkSubstance(envelope);
  if (contract === null) return errors;
  return [
    ...errors,
    ...checkKind("kind", contract.kind, envelope.kind),
    ...checkKind("artifactKind", contract.artifactKind, envelope.artifactKind),
    ...checkSchema(contract.schema, envelope.data),
    ...checkTokens(contract, envelope),
  ];
}

export interface SettledEnvelope {
  readonly envelope: Envelope;
  /** Original text of each enum value that was replaced by its member. */
  readonly raw: JsonObject;
  readonly errors: readonly ContractError[];
}

/**
 * Makes the repairs for a lens that need no model call: takes data from the text when there is none beside it, converts values
 * to their declared types, replaces enum texts by their members. Then checks the contract.
 */
export function settleEnvelope(contract: OutputContract | null, envelope: Envelope): SettledEnvelope {
  const data = contract === null || isEmpty(contract.schema) ? undefined : dataOf(envelope);
  if (contract === null || data === undefined) {
    return { envelope, raw: {}, errors: checkOutputContract(contract, envelope) };
  }
  const settled: [string, Json][] = [];
  const raw: [string, Json][] = [];
  for (const [name, value] of Object.entries(data)) {
    const field = getOwn(contract.schema, name);
    const repaired = field === undefined ? value : settleLensValue(field, value);
    settled.push([name, repaired]);
    if (typeof value === "string" && typeof repaired === "string" && repaired !== value) raw.push([name, value]);
  }
  const repairedEnvelope = { ...envelope, data: Object.fromEntries(settled) };
  return {
    envelope: repairedEnvelope,
    raw: Object.fromEntries(raw),
    errors: checkOutputContract(contract, repairedEnvelope),
  };
}

function dataOf(envelope: Envelope): JsonObject | undefined {
  if (isJsonObject(envelope.data)) return envelope.data;
  if (envelope.data !== undefined && envelope.data !== null) return undefined;
  const { value } = normaliseOutput(envelope.output, "json", "object");
  return isJsonObject(value) ? value : undefined;
}

function settleLensValue(field: LensField, value: Json): Json {
  const { type, enum: members } = field;
  const coerced = type === "url" || type === "json" || type === "any" ? value : coerceValue({ type }, value);
  if (typeof coerced !== "string" || members === undefined) return coerced;
  return matchMember(coerced, members) ?? coerced;
}

/** A result without text, data and media is an error, whatever the contract declares. */
function checkSubstance(envelope: Envelope): ContractError[] {
  const isEmptyHanded = envelope.output === "" && !isPresent(envelope.data) && !isPresent(envelope.media);
  if (!isEmptyHanded) return [];
  return [{ field: "output", reason: "missing_required", details: "the result has no text, no data and no media" }];
}

function checkKind(field: string, promised: string, actual: string): ContractError[] {
  if (actual === promised) return [];
  return [
    { field, reason: "enum_mismatch", details: `must be ${promised}, got ${actual === "" ? "nothing" : actual}` },
  ];
}

function checkSchema(schema: OutputContract["schema"], data: Json | undefined): ContractError[] {
  if (isEmpty(schema)) return [];
  const isAbsent = data === undefined || data === null;
  if (!isAbsent && !isJsonObject(data)) {
    return [{ field: "data", reason: "schema_violation", details: "must be an object with the declared fields" }];
  }
  return Object.entries(schema).flatMap(([name, field]): ContractError[] => {
    const value = isAbsent ? undefined : getOwn(data, name);
    if (isPresent(value)) return checkLensValue(`data.${name}`, field, value);
    return field.required ? [{ field: `data.${name}`, reason: "missing_required" }] : [];
  });
}

/** Tokens are the paths that a lens promises to its readers. Fields that the schema declares are checked by the schema instead. */
function checkTokens(contract: OutputContract, envelope: Envelope): ContractError[] {
  const outputs = isJsonObject(envelope.data) ? envelope.data : {};
  const outputData = outputDataOf(envelope, outputs);
  return contract.tokens
    .filter((token) => token !== "output" && !Object.hasOwn(contract.schema, token.replace(/^data\./, "")))
    .filter((token) => !isPresent(resolveOutputPath(outputData, envelope, token)))
    .map((token) => ({ field: token, reason: "missing_required", details: "the contract promises it as a token" }));
}

function isEmpty(schema: OutputContract["schema"]): boolean {
  return Object.keys(schema).length === 0;
}
