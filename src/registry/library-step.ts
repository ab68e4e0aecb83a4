import type { Json, JsonObject } from "../core/base/index.ts";
import { readCatalog } from "../core/definition/index.ts";
import { anyMap } from "./field.ts";
import { partsOf, type SpecCode, specProblem, type SpecProblem } from "./spec-problem.ts";

/** Describes the fields only; the reader of steps checks them. */
export const libraryStepSpec = anyMap.describe("Any field of a step except id");

const PREFIX = "spec.";

export function libraryStepProblems(name: string, written: JsonObject): readonly SpecProblem[] {
  const manifest: Json = { kind: "LibraryStep", name, spec: written };
  return readCatalog(JSON.stringify(manifest)).problems.map(({ code, path, message, hint }) => {
    const at = path === "spec" ? [] : partsOf(path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path, written);
    return specProblem(code as SpecCode, at, message, { isAtKey: code === "unknown_key", hint });
  });
}
