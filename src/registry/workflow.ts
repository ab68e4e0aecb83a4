import { z } from "zod";
import { getOwn, type JsonObject } from "../core/base/index.ts";
import { type Catalog, EMPTY_CATALOG } from "../core/definition/index.ts";
import { WORKFLOW_STATUSES } from "../core/event/index.ts";
import { POSTURES } from "../core/governance/index.ts";
import { checkSource } from "../core/plan/index.ts";
import { spec } from "./field.ts";
import { type SpecCode, specProblem, type SpecProblem } from "./spec-problem.ts";

export const workflowSpec = spec({
  source: z.string().describe("The text of the workflow"),
  origin: z.enum(["file", "code"]).nullish().describe("How the text was made; file when absent"),
  status: z.enum(WORKFLOW_STATUSES).nullish().describe("Left as it is when absent"),
  posture: z.enum(POSTURES).nullish().describe("How far it may go by itself; left as it is when absent"),
  exposed: z.boolean().nullish().describe("Over MCP; left as it is when absent"),
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
