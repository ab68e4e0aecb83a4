import type { JsonObject } from "../core/base/index.ts";
import type { WrittenCase } from "../core/cases/index.ts";

/** A case in the form of a file: how the workflow is run, and the expected results. */
export type Case = WrittenCase;

export interface CasesOptions {
  /** Manifests whose gates apply: files or folders, relative to the folder of the module. */
  readonly registry?: string | readonly string[];
  readonly library?: string;
}

/** Marks the exports of a module that contain cases, so that `sluice test` finds them, and holds the tested workflow. */
const CASES = Symbol.for("sluice.cases");

/** Returns cases of a workflow, to be exported from `NAME.cases.ts`. */
export function cases(
  workflow: string | { readonly definition: JsonObject },
  list: readonly Case[],
  options: CasesOptions = {},
): object {
  const tested = typeof workflow === "string" ? workflow : workflow.definition;
  return { [CASES]: workflow, ...options, workflow: tested, cases: list };
}
