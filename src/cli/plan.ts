import { definitionHashOf } from "../core/definition/index.ts";
import {
  checkSource,
  describePlan,
  printPlanDot,
  printPlanMermaid,
  printPlanText,
  type Plan,
} from "../core/plan/index.ts";
import { loadCatalog } from "./catalog.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { readWorkflowFile } from "./workflow-file.ts";

export const PLAN_FORMATS = ["text", "json", "mermaid", "dot"] as const;

export interface PlanOptions {
  readonly format: (typeof PLAN_FORMATS)[number];
  readonly json?: boolean;
  readonly library?: string;
}

export async function plan(io: Io, name: string, options: PlanOptions): Promise<number> {
  const catalog = await loadCatalog(io, options.library);
  const file = await readWorkflowFile(io, name);
  const checked = checkSource(file.bytes, catalog);
  printProblems(io, file, checked.problems);
  if (checked.plan === null) return EXIT.badUsage;
  const text = print(checked.plan, definitionHashOf(file.bytes), options.json === true ? "json" : options.format);
  io.out.write(text.endsWith("\n") ? text : `${text}\n`);
  return EXIT.fine;
}

function print(compiled: Plan, definitionHash: string | null, format: PlanOptions["format"]): string {
  switch (format) {
    case "text":
      return printPlanText(compiled);
    case "json":
      return JSON.stringify({ ...describePlan(compiled), definitionHash }, null, 2);
    case "mermaid":
      return printPlanMermaid(compiled);
    case "dot":
      return printPlanDot(compiled);
  }
}
