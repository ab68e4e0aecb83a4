import { digestText, type Problem } from "../core/base/index.ts";
import { type Catalog, EMPTY_CATALOG } from "../core/definition/index.ts";
import { checkSource, type Plan } from "../core/plan/index.ts";

export interface BrowserWorkflow {
  /** Null only when there are problems. */
  readonly plan: Plan | null;
  /** Digest of the source text, the same as a server records. */
  readonly hash: string;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Compiles a `.lobsterX` file or a lens graph to a plan that a page can run. Lenses are found in the catalog. */
export function readWorkflow(source: string, catalog: Catalog = EMPTY_CATALOG): BrowserWorkflow {
  const { plan, problems, warnings } = checkSource(source, catalog);
  return { plan, hash: digestText(source), problems, warnings };
}
