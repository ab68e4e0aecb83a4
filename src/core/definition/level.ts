/** A level of a document: its own steps, or those of one block. References, graphs and types are checked per level. */
import { getOwn, isJsonObject, type Json, LIMITS, type TreePath } from "../base/index.ts";
import type { BlockDraft } from "./block-draft.ts";
import type { ArgField } from "./field.ts";
import { checkGraph } from "./graph-check.ts";
import type { Report } from "./report.ts";
import type { StepDraft } from "./step-draft.ts";
import { warnOfShadowedFacts } from "./step-fact.ts";
import { checkOutcomes } from "./step-outcome.ts";
import { resolveReferences } from "./step-reference.ts";
import { type Around, StepScope } from "./step-scope.ts";
import { checkStepTypes } from "./step-type.ts";

/** Results collected while levels are checked. */
export interface Findings {
  readonly args: Readonly<Record<string, ArgField>>;
  readonly usedArgs: Set<string>;
  /** Dependencies of each step of any level. */
  readonly dependencies: Map<StepDraft, readonly string[]>;
  readonly report: Report;
}

/** Checks a level and all blocks inside it. `around` is the step that contains the block, with its scope. */
export function checkLevel(level: BlockDraft, around: Around | null, findings: Findings): StepScope {
  const { drafts, shown, path } = level;
  const { usedArgs, report } = findings;
  const scope = scopeOf(level, around, findings);
  for (const draft of drafts) {
    findings.dependencies.set(draft, resolveReferences(draft, scope, usedArgs, report));
  }
  const vertices = drafts.map((draft) => ({
    id: draft.id,
    path: draft.path,
    parents: (findings.dependencies.get(draft) ?? []).map((id) => scope.steps.get(id) ?? 0),
  }));
  for (const draft of drafts) checkOutcomes(draft, findings.dependencies.get(draft) ?? [], scope, report);
  resolveReferences(shown, scope, usedArgs, report);
  checkGraph(vertices, path, report);
  for (const draft of [...drafts, shown]) checkStepTypes(draft, scope, report);
  warnOfShadowedFacts(drafts, around === null ? findings.args : {}, report);
  for (const draft of drafts) {
    for (const block of draft.blocks) checkLevel(block, { scope, draft }, findings);
  }
  return scope;
}

function scopeOf(level: BlockDraft, around: Around | null, { args, report }: Findings): StepScope {
  const { drafts, written } = level;
  const steps = new Map<string, number>();
  for (const [index, draft] of drafts.entries()) {
    if (draft.id === null) continue;
    if (!steps.has(draft.id)) steps.set(draft.id, index);
    else {
      const message = `Another step is already called "${draft.id}": ids are unique.`;
      report.problem("duplicate_id", [...draft.path, "id"], message, { hint: "Give this one another id." });
    }
    checkShadow(draft.id, draft.path, around, report);
  }
  const brokenIds = new Set<string>();
  for (const [index, { raw: step }] of written.entries()) {
    const id: Json | undefined = isJsonObject(step) ? getOwn(step, "id") : undefined;
    if (typeof id === "string" && drafts[index]?.id === null) brokenIds.add(id);
  }
  return new StepScope(drafts, args, steps, brokenIds, around);
}

/** Reports a step inside a block with the same id as a step outside, because it would hide that step. */
function checkShadow(id: string, path: TreePath, around: Around | null, report: Report): void {
  for (let outer = around; outer !== null; outer = outer.scope.around) {
    if (!outer.scope.steps.has(id)) continue;
    const message = `A step around this block is already called "${id}".`;
    return report.problem("duplicate_id", [...path, "id"], message, { hint: "Give this one another id." });
  }
}

/** Yields all steps of a level and of the blocks inside it. */
export function* allDrafts({ drafts }: Pick<BlockDraft, "drafts">): Generator<StepDraft> {
  for (const draft of drafts) {
    yield draft;
    for (const block of draft.blocks) yield* allDrafts(block);
  }
}

/** Checks the number of steps and the depth of blocks. Steps of blocks count as nodes, and blocks are runs inside runs. */
export function checkSize(levels: readonly BlockDraft[], report: Report): void {
  let count = 0;
  for (const level of levels) for (const _ of allDrafts(level)) count += 1;
  if (count > LIMITS.nodesMax) {
    const message = `The document has ${count} steps, those of its blocks included; at most ${LIMITS.nodesMax} are allowed.`;
    report.problem("too_many_steps", ["steps"], message);
  }
  for (const level of levels) checkDepth(level, level.path[0] === "finally" ? 1 : 0, report);
}

function checkDepth({ drafts, path }: BlockDraft, depth: number, report: Report): void {
  if (depth > LIMITS.recursionDepthMax) {
    const message = `This block stands ${depth} levels deep; at most ${LIMITS.recursionDepthMax} are allowed.`;
    report.problem("too_deep", path, message, { hint: "Put it into a workflow of its own, or beside the others." });
    return;
  }
  for (const { blocks } of drafts) for (const block of blocks) checkDepth(block, depth + 1, report);
}
