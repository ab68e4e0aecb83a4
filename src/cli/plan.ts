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
import { readSourceFile } from "./source-file.ts";

export const PLAN_FORMATS = ["text", "json", "mermaid", "dot"] as const;

export interface PlanOptions {
  readonly format: (typeof PLAN_FORMATS)[number];
  readonly json?: boolean;
  readonly library?: string;
}

export async function plan(io: Io, name: string, options: PlanOptions): Promise<number> {
  const catalog = await loadCatalog(io, options.library);
  const file = await readSourceFile(io, name);
  const checked = checkSource(file.bytes, catalog);
  printProblems(io, file, checked.problems);
  if (checked.plan === null) return EXIT.badUsage;
  const text = print(checked.plan, options.json === true ? "json" : options.format);
  io.out.write(text.endsWith("\n") ? text : `${text}\n`);
  return EXIT.fine;
}

function print(compiled: Plan, format: PlanOptions["format"]): string {
  switch (format) {
    case "text":
      return printPlanText(compiled);
    case "json":
      return JSON.stringify(describePlan(compiled), null, 2);
    case "mermaid":
      return printPlanMermaid(compiled);
    case "dot":
      return printPlanDot(compiled);
  }
}
