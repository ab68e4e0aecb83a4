import { didYouMean, getOwn, isJsonObject, type JsonObject, type TreePath } from "../base/index.ts";
import { type BlockDraft, type DependenciesOf, draftBlock, finishBlock } from "./block-draft.ts";
import { checkConcurrency, concurrencyOf } from "./concurrency-shape.ts";
import type { Known } from "../expression/index.ts";
import { knownOf } from "./declared.ts";
import type { Catalog, LobsterDefinition, Phase } from "./definition.ts";
import type { ArgField } from "./field.ts";
import { headOf } from "./document-shape.ts";
import { checkRunLabels } from "./label-shape.ts";
import { checkFinally, draftFinally } from "./finally.ts";
import { allDrafts, checkLevel, checkSize, type Findings } from "./level.ts";
import { mergeLibrary } from "./library.ts";
import { lobsterShape, type RawLobster } from "./lobster-shape.ts";
import { checkChannels } from "./notify.ts";
import { isWritten } from "./record.ts";
import type { Report } from "./report.ts";
import type { Located } from "./shape.ts";
import type { StepDraft } from "./step-draft.ts";
import type { StepScope } from "./step-scope.ts";

/** Reads a `.lobsterX` document. The result is a valid definition only if no problem was reported. */
export function readLobster(document: JsonObject, catalog: Catalog, report: Report): LobsterDefinition {
  const merged = mergeLibrary(document, catalog, report);
  const raw = lobsterShape.read(merged, [], report) ?? {};
  const args = argsOf(merged, raw);
  const names = { steps: new Set<string>(), variables: new Set(Object.keys(args)) };
  const { outputs = {}, steps = [] } = raw;
  const level = draftBlock({ path: ["steps"], steps, outputs, above: [] }, names, catalog, report);
  const last = draftFinally(raw.finally, level, names, catalog, report);
  const levels = last === null ? [level] : [level, last.block];
  const keyed = checkConcurrency(raw.concurrency, args, report);
  const labelled = checkRunLabels(raw.labels, args, report);
  const findings = { args, usedArgs: new Set<string>([...keyed, ...labelled]), dependencies: new Map(), report };
  const scope = checkLevel(level, null, findings);
  if (last !== null) checkFinally(last, scope, findings);
  checkSize(levels, report);
  const around = surroundingsOf(merged, raw, catalog);
  for (const draft of levels.flatMap((each) => [...allDrafts(each)])) {
    checkSurroundings(draft, around, report);
    checkElementName(draft, scope, report);
  }
  warnOfUnusedArgs(levels, findings);
  checkChannels(raw.notify ?? [], catalog.channels ?? null, report);
  const dependenciesOf: DependenciesOf = (draft) => findings.dependencies.get(draft) ?? [];
  return {
    format: "lobsterx",
    ...headOf(raw),
    completion: raw.completion ?? "strict",
    args: raw.args ?? {},
    roles: raw.roles ?? {},
    phases: phasesOf(raw.phases ?? [], report),
    ...finishBlock(level, dependenciesOf),
    outputKinds: outputKindsOf(level, scope),
    concurrency: concurrencyOf(raw.concurrency),
    finally: last === null ? null : finishBlock(last.block, dependenciesOf),
  };
}

function outputKindsOf({ outputs, shown }: BlockDraft, scope: StepScope): Readonly<Record<string, Known>> {
  const kinds = Object.entries(outputs ?? {}).map(([name, { value, field }]): [string, Known] => [
    name,
    field === null ? scope.knownOfValue(value, "outputs", shown) : knownOf(field),
  ]);
  return Object.fromEntries(kinds);
}

function warnOfUnusedArgs(levels: readonly BlockDraft[], { args, usedArgs, report }: Findings): void {
  const drafts = levels.flatMap((level) => [...allDrafts(level)]);
  // With unresolved library steps or invalid references, it is not certain that an arg is unused.
  const isOpen = drafts.some(({ unresolvedLibraryStep }) => unresolvedLibraryStep !== null);
  if (isOpen || report.problems.length > 0) return;
  for (const name of Object.keys(args)) {
    if (usedArgs.has(name)) continue;
    const message = `No step refers to arg "${name}".`;
    const hint = `Use \${${name}} in a step, or remove the arg.`;
    report.warning("unused_arg", ["args", name], message, { isAtKey: true, hint });
  }
}

function phasesOf(phases: readonly Located<Phase>[], report: Report): readonly Phase[] {
  const seen = new Set<string>();
  for (const { read, path, raw } of phases) {
    const at = isJsonObject(raw) ? [...path, "id"] : path;
    if (seen.has(read.id)) report.problem("duplicate_id", at, `Phase "${read.id}" is declared twice.`);
    seen.add(read.id);
  }
  return phases.map((phase) => phase.read);
}

/** Returns the args, including those with an invalid declaration, so that using one is not reported a second time. */
function argsOf(document: JsonObject, raw: RawLobster): Readonly<Record<string, ArgField>> {
  const written = getOwn(document, "args");
  const names = isJsonObject(written) ? Object.keys(written) : [];
  return { ...Object.fromEntries(names.map((name) => [name, { required: false }])), ...raw.args };
}

/** Names outside a step that it may use. Null when any name is accepted. */
interface Surroundings {
  readonly phases: ReadonlySet<string>;
  readonly roles: ReadonlySet<string> | null;
  readonly workflows: ReadonlySet<string> | null;
}

function surroundingsOf(document: JsonObject, raw: RawLobster, catalog: Catalog): Surroundings {
  return {
    phases: new Set((raw.phases ?? []).map((phase) => phase.read.id)),
    roles: isWritten(document, "roles") ? new Set(Object.keys(raw.roles ?? {})) : null,
    // The workflow itself is included, because it may call itself before it is registered.
    workflows: catalog.workflows === null ? null : new Set([...catalog.workflows, raw.name ?? ""]),
  };
}

function checkSurroundings({ raw, path }: StepDraft, around: Surroundings, report: Report): void {
  const { phase, role, workflow_ref: workflowRef } = raw;
  if (phase !== undefined && !around.phases.has(phase)) {
    unknown("unknown_phase", [...path, "phase"], `Phase "${phase}" is not declared.`, phase, around.phases, report);
  }
  if (role !== undefined && around.roles?.has(role) === false) {
    unknown("unknown_role", [...path, "role"], `Role "${role}" is not declared.`, role, around.roles, report);
  }
  if (workflowRef !== undefined && around.workflows?.has(workflowRef.name) === false) {
    const message = `There is no workflow "${workflowRef.name}".`;
    unknown("unknown_workflow", [...path, "workflow_ref"], message, workflowRef.name, around.workflows, report);
  }
  for (const { read, path: at } of raw.tools ?? []) {
    if (read.own?.kind !== "workflow" || around.workflows?.has(read.own.workflow.name) !== false) continue;
    const { name } = read.own.workflow;
    unknown("unknown_workflow", at, `There is no workflow "${name}".`, name, around.workflows, report);
  }
}

function unknown(
  code: "unknown_phase" | "unknown_role" | "unknown_workflow",
  path: TreePath,
  message: string,
  name: string,
  known: ReadonlySet<string>,
  report: Report,
): void {
  const listed = known.size > 0 && known.size <= 12 ? `Known: ${[...known].join(", ")}.` : undefined;
  report.problem(code, path, message, { hint: () => didYouMean(name, known) ?? listed });
}

/** Reports an element name that equals a step or an arg, because it would hide that step or arg inside the step. */
function checkElementName(draft: StepDraft, scope: StepScope, report: Report): void {
  const { forEach } = draft;
  if (forEach === null) return;
  const at = [...draft.path, "for_each"];
  const hint = "Choose another name with as, or rename the other.";
  if (forEach.as === "index") {
    const message = `The element cannot be called "index": that is its position.`;
    report.problem("conflicting_fields", [...draft.path, "as"], message, { hint });
  }
  for (const name of new Set([forEach.as, "index"])) {
    const kind = scope.steps.has(name) ? "step" : Object.hasOwn(scope.args, name) ? "arg" : undefined;
    if (kind === undefined) continue;
    const message = `"${name}" is the ${kind} "${name}" and also what this step calls ${name === "index" ? "the position of an element" : "its element"}.`;
    report.problem("conflicting_fields", at, message, { hint });
  }
}
