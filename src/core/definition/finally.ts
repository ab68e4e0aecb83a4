/** `finally` of the document: a block that runs after all nodes have settled. */
import { type BlockDraft, draftBlock, freeMentions } from "./block-draft.ts";
import type { WrittenSteps } from "./block-shape.ts";
import type { Catalog } from "./definition.ts";
import { checkLevel, type Findings } from "./level.ts";
import type { Report } from "./report.ts";
import { resolveReferences } from "./step-reference.ts";
import type { StepDraft } from "./step-draft.ts";
import type { StepScope } from "./step-scope.ts";
import type { KnownNames } from "./step-value.ts";

/** The name of the block in a plan and in the records of a run. */
export const FINALLY = "finally";

export interface FinallyDraft {
  readonly block: BlockDraft;
  /** The block's references to the document, as those of a step after all others. */
  readonly draft: StepDraft;
}

export function draftFinally(
  steps: WrittenSteps | undefined,
  { drafts, shown }: BlockDraft,
  names: KnownNames,
  catalog: Catalog,
  report: Report,
): FinallyDraft | null {
  if (steps === undefined) return null;
  const known = { ...names, steps: new Set(drafts.flatMap(({ id }) => (id === null ? [] : [id]))) };
  const block = draftBlock({ path: [FINALLY], steps, outputs: {}, above: [] }, known, catalog, report);
  for (const { id, path } of drafts) {
    if (id !== FINALLY) continue;
    const message = `A step cannot be called "${FINALLY}" in a document that has "${FINALLY}" steps.`;
    report.problem("duplicate_id", [...path, "id"], message, { hint: "Give it another id." });
  }
  return { block, draft: { ...shown, with: {}, path: [FINALLY], mentions: freeMentions(block), blocks: [block] } };
}

export function checkFinally({ block, draft }: FinallyDraft, scope: StepScope, findings: Findings): void {
  resolveReferences(draft, scope, findings.usedArgs, findings.report);
  checkLevel(block, { scope, draft }, findings);
}

export function isFinally({ path }: StepDraft): boolean {
  return path.length === 1 && path[0] === FINALLY;
}
