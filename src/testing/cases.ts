import type { JsonObject } from "../core/base/index.ts";
import type { WrittenCase } from "../core/cases/index.ts";

/** A case as it is written in a file: how the workflow is run, and what is expected. */
export type Case = WrittenCase;

export interface CasesOptions {
  /** Manifests whose gates hold: files or folders, from the folder of the module. */
  readonly registry?: string | readonly string[];
  readonly library?: string;
}

/** How `sluice test` knows it among what a module exports. */
const CASES = Symbol.for("sluice.cases");

/** Cases of a workflow, to be exported from `NAME.cases.ts`. */
export function cases(
  workflow: string | { readonly definition: JsonObject },
  list: readonly Case[],
  options: CasesOptions = {},
): object {
  const tested = typeof workflow === "string" ? workflow : workflow.definition;
  return { [CASES]: true, ...options, workflow: tested, cases: list };
}
