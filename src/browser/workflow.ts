import { digestText, type Problem } from "../core/base/index.ts";
import { type Catalog, EMPTY_CATALOG } from "../core/definition/index.ts";
import { checkSource, type Plan } from "../core/plan/index.ts";

export interface BrowserWorkflow {
  /** Null exactly when there are problems. */
  readonly plan: Plan | null;
  /** Digest of the text, as a server would record it. */
  readonly hash: string;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** From the text of a `.lobsterX` file or a lens graph to the plan a page can run; lenses come from the catalog. */
export function readWorkflow(source: string, catalog: Catalog = EMPTY_CATALOG): BrowserWorkflow {
  const { plan, problems, warnings } = checkSource(source, catalog);
  return { plan, hash: digestText(source), problems, warnings };
}
