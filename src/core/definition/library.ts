import {
  didYouMean,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type TreePath,
} from "../base/index.ts";
import type { Catalog } from "./definition.ts";
import type { Report } from "./report.ts";

/** Two spellings of one field. When the workflow sets one of them, the library entry's value of the other is ignored. */
const SAME_FIELD: Readonly<Record<string, string>> = {
  when: "condition",
  condition: "when",
  approval: "hitl",
  hitl: "approval",
  model: "models",
  models: "model",
};

/** Fields that always come from the step and never from its library entry. */
const OWN_FIELDS = ["id", "library_step"];

/** Merges library entries into the steps of a document, field by field. Fields set in the workflow take precedence. */
export function mergeLibrary(document: JsonObject, catalog: Catalog, report: Report): JsonObject {
  return mergeLists(document, ["steps", "finally"], [], catalog, report);
}

function mergeLists(
  holder: JsonObject,
  keys: readonly string[],
  path: TreePath,
  catalog: Catalog,
  report: Report,
): JsonObject {
  let result = holder;
  for (const key of keys) {
    const steps = getOwn(holder, key);
    if (!isJsonArray(steps)) continue;
    const merged = steps.map((step, index) => mergeStep(step, [...path, key, index], catalog, report));
    if (merged.some((step, index) => step !== steps[index])) result = { ...result, [key]: merged };
  }
  return result;
}

/** Merges entries into the steps inside a step. */
function mergeInside(step: JsonObject, path: TreePath, catalog: Catalog, report: Report): JsonObject {
  const merged = mergeLists(step, ["steps"], path, catalog, report);
  const branches = getOwn(merged, "choose");
  if (!isJsonArray(branches)) return merged;
  const chosen = branches.map((branch, index) =>
    isJsonObject(branch) ? mergeLists(branch, ["steps", "else"], [...path, "choose", index], catalog, report) : branch,
  );
  return chosen.some((branch, index) => branch !== branches[index]) ? { ...merged, choose: chosen } : merged;
}

function mergeStep(written: Json, at: TreePath, catalog: Catalog, report: Report): Json {
  if (!isJsonObject(written)) return written;
  const step = mergeInside(written, at, catalog, report);
  const name = getOwn(step, "library_step");
  if (typeof name !== "string" || name.trim() === "") return step;
  const path = [...at, "library_step"];
  if (catalog.library === null) {
    const message = `Library step "${name}" could not be looked up: no step library is available.`;
    report.unconfirmed("unknown_library_step", path, message);
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
  report.reportAtStep(at, name, keys);
  return { ...Object.fromEntries(taken), ...step };
}

function isSetBy(step: JsonObject, key: string): boolean {
  const twin = getOwn(SAME_FIELD, key);
  return Object.hasOwn(step, key) || (twin !== undefined && Object.hasOwn(step, twin));
}

/** Checks whether a step names a library entry that could not be merged. */
export function isUnresolved(name: string | undefined, catalog: Catalog): boolean {
  return name !== undefined && (catalog.library === null || !Object.hasOwn(catalog.library, name));
}
