import type { Json, JsonObject } from "../base/index.ts";
import type { ContractError, InputContract } from "../definition/index.ts";
import { normaliseLabel } from "../template/index.ts";
import { checkLensValue, isPresent } from "./lens-field.ts";

/**
 * Returns every violation of a lens's input contract by the bound values. Labels are compared in normalised form. `exempt`
 * names labels whose value a policy set in place of a failed parent: these may be missing.
 */
export function checkInputContract(
  contract: InputContract,
  values: JsonObject,
  exempt: ReadonlySet<string>,
): readonly ContractError[] {
  const valueByLabel = new Map<string, Json>(
    Object.entries(values).map(([label, value]) => [normaliseLabel(label), value]),
  );
  const excused = new Set([...exempt].map((label) => normaliseLabel(label)));
  return [
    ...checkContractFields(contract, valueByLabel, excused),
    ...checkAnyOf(contract, valueByLabel, excused),
    ...(contract.isStrict ? checkUnknown(contract, values) : []),
  ];
}

function checkContractFields(
  contract: InputContract,
  valueByLabel: ReadonlyMap<string, Json>,
  excused: ReadonlySet<string>,
): ContractError[] {
  return Object.entries(contract.fields).flatMap(([label, field]): ContractError[] => {
    const value = valueByLabel.get(normaliseLabel(label));
    if (isPresent(value)) return checkLensValue(label, field, value);
    return field.required && !excused.has(normaliseLabel(label)) ? [{ field: label, reason: "missing_required" }] : [];
  });
}

function checkAnyOf(
  contract: InputContract,
  valueByLabel: ReadonlyMap<string, Json>,
  excused: ReadonlySet<string>,
): ContractError[] {
  return contract.requireAnyOf
    .filter((group) => {
      const labels = group.map((label) => normaliseLabel(label));
      return !labels.some((label) => excused.has(label) || isPresent(valueByLabel.get(label)));
    })
    .map((group) => ({
      field: group.join("|"),
      reason: "missing_required",
      details: "at least one of these is needed",
    }));
}

/** A label that only `require_any_of` names also counts as declared. */
function checkUnknown(contract: InputContract, values: JsonObject): ContractError[] {
  const declared = [...Object.keys(contract.fields), ...contract.requireAnyOf.flat()];
  const known = new Set(declared.map((label) => normaliseLabel(label)));
  return Object.keys(values)
    .filter((label) => !known.has(normaliseLabel(label)))
    .map((label) => ({
      field: label,
      reason: "unknown_field",
      details: "the contract is strict and does not name it",
    }));
}
