import { z } from "zod";
import { getOwn, type JsonObject } from "../core/base/index.ts";
import { type Catalog, EMPTY_CATALOG } from "../core/definition/index.ts";
import { WORKFLOW_STATUSES } from "../core/event/index.ts";
import { POSTURES } from "../core/governance/index.ts";
import { checkSource } from "../core/plan/index.ts";
import { spec } from "./field.ts";
import { type SpecCode, specProblem, type SpecProblem } from "./spec-problem.ts";

export const workflowSpec = spec({
  source: z.string().describe("Text of the workflow"),
  origin: z
    .enum(["file", "code"])
    .nullish()
    .describe("Whether the text was written as a file or made by code. Default: file"),
  status: z.enum(WORKFLOW_STATUSES).nullish().describe("Status of the workflow. Default: unchanged"),
  posture: z.enum(POSTURES).nullish().describe("Level of autonomy of the workflow. Default: unchanged"),
  exposed: z.boolean().nullish().describe("Whether the workflow is available over MCP. Default: unchanged"),
});

/** A problem inside the text of a workflow, with its line and column in that text. */
export interface SourceProblem extends SpecProblem {
  readonly inSource: { readonly line: number; readonly column: number };
}

/** With the catalog of an organisation, also reports missing entries that the text names. */
export function workflowProblems(
  name: string,
  written: JsonObject,
  catalog: Catalog = EMPTY_CATALOG,
): readonly (SpecProblem | SourceProblem)[] {
  const source = getOwn(written, "source");
  if (typeof source !== "string") return [];
  const { definition, problems } = checkSource(source, catalog);
  if (definition === null) {
    return problems.map(({ code, message, path, line, column, hint }): SourceProblem => {
      const place = path === "" ? `line ${line}` : `${path}, line ${line}`;
      const problem = specProblem(code as SpecCode, ["source"], `In the source, ${place}: ${message}`, { hint });
      return { ...problem, inSource: { line, column } };
    });
  }
  if (definition.name === name) return [];
  const message = `The manifest is called "${name}", but its source "${definition.name}".`;
  return [specProblem("bad_name", ["source"], message, { hint: "Give both the same name." })];
}
