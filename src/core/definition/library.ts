import { didYouMean, getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { Catalog } from "./definition.ts";
import type { Report } from "./report.ts";

/** Two spellings of one field: when the workflow sets either, the entry's is not taken. */
const SAME_FIELD: Readonly<Record<string, string>> = {
  when: "condition",
  condition: "when",
  approval: "hitl",
  hitl: "approval",
};

/** What a step keeps for itself, whatever its library entry says. */
const OWN_FIELDS = ["id", "library_step"];

/** The document with library entries merged into its steps, field by field; what the workflow sets wins. */
export function mergeLibrary(document: JsonObject, catalog: Catalog, report: Report): JsonObject {
  const steps = getOwn(document, "steps");
  if (!isJsonArray(steps)) return document;
  let isChanged = false;
  const merged = steps.map((step, index) => {
    const result = mergeStep(step, index, catalog, report);
    isChanged ||= result !== step;
    return result;
  });
  return isChanged ? { ...document, steps: merged } : document;
}

function mergeStep(step: Json, index: number, catalog: Catalog, report: Report): Json {
  if (!isJsonObject(step)) return step;
  const name = getOwn(step, "library_step");
  if (typeof name !== "string" || name.trim() === "") return step;
  const path = ["steps", index, "library_step"];
  if (catalog.library === null) {
    const message = `Library step "${name}" could not be looked up: no step library is available.`;
    report.doubt("unknown_library_step", path, message);
    return step;
  }
  const entry = getOwn(catalog.library, name);
  if (entry === undefined) {
    const names = Object.keys(catalog.library);
    const hint = (): string | undefined => didYouMean(name, names);
    report.problem("unknown_library_step", path, `There is no library step "${name}".`, { hint });
    return step;
  }
  const taken = Object.entries(entry).filter(([key]) => !isSetBy(step, key) && !OWN_FIELDS.includes(key));
  const keys = taken.map(([key]) => key);
  report.borrow(index, name, keys);
  return { ...Object.fromEntries(taken), ...step };
}

function isSetBy(step: JsonObject, key: string): boolean {
  const twin = getOwn(SAME_FIELD, key);
  return Object.hasOwn(step, key) || (twin !== undefined && Object.hasOwn(step, twin));
}

/** True when a step names an entry that could not be merged. */
export function isUnresolved(name: string | undefined, catalog: Catalog): boolean {
  return name !== undefined && (catalog.library === null || !Object.hasOwn(catalog.library, name));
}
