/** Blocks that have been read, but whose references are not resolved yet. */
import { formatPath, getOwn, isJsonObject, required, type TreePath } from "../base/index.ts";
import type { WrittenBranches, WrittenSteps } from "./block-shape.ts";
import { pathsOfValue } from "../template/index.ts";
import { declaredBy } from "./declared.ts";
import type { Concurrency } from "./concurrency-shape.ts";
import type { Block, Branch, Catalog, RunOutput } from "./definition.ts";
import type { Report } from "./report.ts";
import { readRunOutputs, type WrittenOutput } from "./run-output.ts";
import type { Located } from "./shape.ts";
import type { Mention } from "./mention.ts";
import { draftStep, finishStep, type StepDraft } from "./step-draft.ts";
import { isAfterBinding, seesOwnOutputs } from "./step-scope.ts";
import type { RawStep } from "./step-shape.ts";
import type { KnownNames } from "./step-value.ts";

/** The steps of a document or a block. */
export interface BlockDraft {
  /** Path of the steps. */
  readonly path: TreePath;
  readonly written: WrittenSteps;
  readonly drafts: readonly StepDraft[];
  readonly outputs: Readonly<Record<string, RunOutput>> | null;
  /** The outputs, treated as a step after all others. */
  readonly shown: StepDraft;
}

export type DependenciesOf = (draft: StepDraft) => readonly string[];

interface WrittenBlock {
  readonly path: TreePath;
  readonly steps: WrittenSteps;
  readonly outputs: Readonly<Record<string, WrittenOutput>>;
  /** Path of the object that contains the outputs. */
  readonly above: TreePath;
}

/** Reads a block. Its steps can also refer to everything around the block. */
export function draftBlock(
  { path, steps, outputs, above }: WrittenBlock,
  around: KnownNames,
  catalog: Catalog,
  report: Report,
): BlockDraft {
  const names = namesOf(steps, around);
  const drafts = steps.map((step) => draftStep(step, names, catalog, report));
  const shown = readRunOutputs(outputs, names, report, above);
  return { path, written: steps, drafts, outputs: shown.outputs, shown: shown.draft };
}

/** Returns all names that a text could refer to, including names with an invalid declaration. */
function namesOf(steps: WrittenSteps, around: KnownNames): KnownNames {
  const declared = steps.flatMap(({ read }) => [
    ...Object.keys(read.outputs ?? {}),
    ...Object.keys(read.block_outputs ?? {}),
    ...Object.keys(read.set?.values ?? {}),
    ...(read.for_each === undefined ? [] : [read.as ?? "item"]),
    ...(read.repeat === undefined ? [] : ["previous", "round"]),
  ]);
  return {
    steps: new Set([...around.steps, ...idsOf(steps)]),
    variables: new Set([...around.variables, ...declared]),
  };
}

function idsOf(steps: WrittenSteps): readonly string[] {
  const ids = steps.map(({ raw }) => (isJsonObject(raw) ? getOwn(raw, "id") : undefined));
  return ids.filter((id) => typeof id === "string");
}

export function draftBlocks(
  { read, path }: Located<RawStep>,
  names: KnownNames,
  catalog: Catalog,
  report: Report,
): readonly BlockDraft[] {
  if (read.steps !== undefined) {
    const { steps, block_outputs: outputs = {} } = read;
    return [draftBlock({ path: [...path, "steps"], steps, outputs, above: path }, names, catalog, report)];
  }
  return (read.choose ?? []).map(({ steps, outputs, path: above, key }) =>
    draftBlock({ path: [...above, key], steps, outputs, above }, names, catalog, report),
  );
}

/** Returns the references of a step with blocks: in conditions of its branches, and those of its steps to names outside the blocks. */
export function mentionsOfBlocks(
  { read, path: rest }: Located<RawStep>,
  blocks: readonly BlockDraft[],
): readonly Mention[] {
  const conditions = (read.choose ?? []).flatMap(({ when, path }): Mention[] => {
    const at = [...path, "when"];
    return (when?.paths ?? []).map((found) => ({ path: found, field: "choose", about: at, at }));
  });
  return [...conditions, ...mentionsOfKey(read, rest), ...blocks.flatMap(freeMentions)];
}

/** Returns the references in the concurrency key of a block. They are resolved at the step that contains the block. */
function mentionsOfKey({ concurrency }: RawStep, path: TreePath): readonly Mention[] {
  const at = [...path, "concurrency", "key"];
  if (concurrency === undefined || concurrency.key === null) return [];
  return [...pathsOfValue(concurrency.key)].map(({ path: found }) => ({ path: found, field: "choose", about: at, at }));
}

/** Returns the references of a block's steps to names outside the block. */
export function freeMentions({ written, drafts, shown }: BlockDraft): readonly Mention[] {
  const ids = new Set(idsOf(written));
  const declaring = drafts.filter(({ forEach }) => forEach === null);
  const variables = new Set([
    ...declaring.flatMap((draft) => declaredBy(draft).map(([name]) => name)),
    ...drafts.flatMap(({ brokenNames }) => [...brokenNames]),
  ]);
  const isOwn = ({ path, field }: Mention, draft: StepDraft): boolean => {
    const head = String(path.segments[0]);
    if (ids.has(head) || (seesOwnOutputs(field) && head === "outputs")) return true;
    if (field !== "for_each" && isElementOf(head, draft)) return true;
    if (draft.raw.repeat !== undefined && (head === "previous" || head === "round")) return true;
    if (variables.has(head) || variables.has(formatPath(path.segments))) return true;
    return isAfterBinding(field) && Object.hasOwn(draft.inputs, head);
  };
  return [...drafts, shown].flatMap((draft) =>
    draft.mentions
      .filter((mention) => !isOwn(mention, draft))
      .map((mention): Mention => ({ ...mention, field: "steps", isInner: true })),
  );
}

function isElementOf(head: string, { forEach, isForEachBroken, raw }: StepDraft): boolean {
  if (forEach === null && !isForEachBroken) return false;
  return head === "index" || head === (raw.as ?? "item");
}

/** Returns the steps for which no other step of the block waits. */
export function leavesOf({ drafts }: BlockDraft): readonly StepDraft[] {
  const waitedFor = new Set(
    drafts.flatMap(({ raw, mentions }) => [
      ...(raw.depends_on ?? []).map(({ read }) => read),
      ...mentions.map(({ path }) => String(path.segments[0])),
    ]),
  );
  return drafts.filter(({ id }) => id !== null && !waitedFor.has(id));
}

export function finishBlock(
  draft: BlockDraft | undefined,
  dependenciesOf: DependenciesOf,
  concurrency: Concurrency | null = null,
): Block {
  const { drafts, outputs } = required(draft, "a block was drafted");
  return { steps: drafts.map((step) => finishStep(step, dependenciesOf)), outputs, concurrency };
}

export function finishBranches(
  branches: WrittenBranches,
  blocks: readonly BlockDraft[],
  dependenciesOf: DependenciesOf,
): readonly Branch[] {
  return branches.map(({ name, when }, index) => ({ name, when, block: finishBlock(blocks[index], dependenciesOf) }));
}
