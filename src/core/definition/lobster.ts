import { didYouMean, getOwn, isJsonObject, type Json, type JsonObject, type TreePath } from "../base/index.ts";
import { checkConcurrency } from "./concurrency-shape.ts";
import type { Catalog, LobsterDefinition, Phase } from "./definition.ts";
import type { ArgField } from "./field.ts";
import { headOf } from "./document-shape.ts";
import { checkGraph } from "./graph-check.ts";
import { mergeLibrary } from "./library.ts";
import { lobsterShape, type RawLobster } from "./lobster-shape.ts";
import { checkChannels } from "./notify.ts";
import { isWritten } from "./record.ts";
import type { Report } from "./report.ts";
import { readRunOutputs } from "./run-output.ts";
import type { Located } from "./shape.ts";
import { draftStep, finishStep, type StepDraft } from "./step-draft.ts";
import { checkOutcomes } from "./step-outcome.ts";
import { resolveReferences } from "./step-reference.ts";
import { warnOfShadowedFacts } from "./step-fact.ts";
import { StepScope } from "./step-scope.ts";
import type { RawStep } from "./step-shape.ts";
import { checkStepTypes } from "./step-type.ts";
import type { KnownNames } from "./step-value.ts";

/** Reads a `.lobsterX` document. What it returns is only a definition when nothing was reported. */
export function readLobster(document: JsonObject, catalog: Catalog, report: Report): LobsterDefinition {
  const merged = mergeLibrary(document, catalog, report);
  const raw = lobsterShape.read(merged, [], report) ?? {};
  const written = raw.steps ?? [];
  const names = namesOf(merged, raw, written);
  const drafts = written.map((step) => draftStep(step, names, catalog, report));
  const shown = readRunOutputs(raw.outputs ?? {}, names, report);
  const scope = scopeOf(merged, raw, drafts, written, report);
  const keyed = checkConcurrency(raw.concurrency, scope.args, report);
  const dependencies = checkSteps(drafts, shown.draft, scope, keyed, report);
  const around = surroundingsOf(merged, raw, catalog);
  for (const draft of drafts) {
    checkSurroundings(draft, around, report);
    checkElementName(draft, scope, report);
  }
  checkChannels(raw.notify ?? [], catalog.channels ?? null, report);
  return {
    format: "lobsterx",
    ...headOf(raw),
    completion: raw.completion ?? "strict",
    args: raw.args ?? {},
    roles: raw.roles ?? {},
    phases: phasesOf(raw.phases ?? [], report),
    outputs: shown.outputs,
    concurrency: concurrencyOf(raw),
    steps: drafts.map((draft, index) => finishStep(draft, dependencies[index] ?? [])),
  };
}

function concurrencyOf({ concurrency }: RawLobster): LobsterDefinition["concurrency"] {
  if (concurrency === undefined || concurrency.key === null) return null;
  return { ...concurrency, key: concurrency.key };
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

/** Also those that are declared wrongly: using one is not a second mistake. */
function argsOf(document: JsonObject, raw: RawLobster): Readonly<Record<string, ArgField>> {
  const written = getOwn(document, "args");
  const names = isJsonObject(written) ? Object.keys(written) : [];
  return { ...Object.fromEntries(names.map((name) => [name, { required: false }])), ...raw.args };
}

/** Names a text could mean, also those that are declared wrongly. */
function namesOf(document: JsonObject, raw: RawLobster, written: readonly Located<RawStep>[]): KnownNames {
  const ids = written.map(({ raw: step }) => (isJsonObject(step) ? getOwn(step, "id") : undefined));
  const declared = written.flatMap(({ read }) => [
    ...Object.keys(read.outputs ?? {}),
    ...Object.keys(read.set?.values ?? {}),
    ...(read.for_each === undefined ? [] : [read.as ?? "item"]),
    ...(read.repeat === undefined ? [] : ["previous", "round"]),
  ]);
  return {
    steps: new Set(ids.filter((id) => typeof id === "string")),
    variables: new Set([...Object.keys(argsOf(document, raw)), ...declared]),
  };
}

function scopeOf(
  document: JsonObject,
  raw: RawLobster,
  drafts: readonly StepDraft[],
  written: readonly Located<unknown>[],
  report: Report,
): StepScope {
  const steps = new Map<string, number>();
  for (const [index, draft] of drafts.entries()) {
    if (draft.id === null) continue;
    const first = steps.get(draft.id);
    if (first === undefined) {
      steps.set(draft.id, index);
      continue;
    }
    const message = `Another step is already called "${draft.id}": ids are unique.`;
    report.problem("duplicate_id", [...draft.path, "id"], message, { hint: "Give this one another id." });
  }
  const brokenIds = new Set<string>();
  for (const [index, { raw: step }] of written.entries()) {
    const id: Json | undefined = isJsonObject(step) ? getOwn(step, "id") : undefined;
    if (typeof id === "string" && drafts[index]?.id === null) brokenIds.add(id);
  }
  return new StepScope(drafts, argsOf(document, raw), steps, brokenIds);
}

/** References, graph, types and unused args; answers the dependencies of each step. */
function checkSteps(
  drafts: readonly StepDraft[],
  shown: StepDraft,
  scope: StepScope,
  keyed: readonly string[],
  report: Report,
): readonly (readonly string[])[] {
  const usedArgs = new Set<string>(keyed);
  const dependencies = drafts.map((draft) => resolveReferences(draft, scope, usedArgs, report));
  for (const [index, draft] of drafts.entries()) checkOutcomes(draft, dependencies[index] ?? [], scope, report);
  const vertices = drafts.map((draft, index) => ({
    id: draft.id,
    path: draft.path,
    parents: (dependencies[index] ?? []).map((id) => scope.steps.get(id) ?? 0),
  }));
  resolveReferences(shown, scope, usedArgs, report);
  checkGraph(vertices, ["steps"], report);
  for (const draft of [...drafts, shown]) checkStepTypes(draft, scope, report);
  warnOfShadowedFacts(drafts, scope.args, report);
  // A reference that could not be read might be the one that uses it.
  if (scope.isOpen || report.problems.length > 0) return dependencies;
  for (const name of Object.keys(scope.args)) {
    if (usedArgs.has(name)) continue;
    const message = `No step refers to arg "${name}".`;
    const hint = `Use \${${name}} in a step, or remove the arg.`;
    report.warning("unused_arg", ["args", name], message, { isAtKey: true, hint });
  }
  return dependencies;
}

/** What a step may name outside itself; null: any name is accepted. */
interface Surroundings {
  readonly phases: ReadonlySet<string>;
  readonly roles: ReadonlySet<string> | null;
  readonly workflows: ReadonlySet<string> | null;
}

function surroundingsOf(document: JsonObject, raw: RawLobster, catalog: Catalog): Surroundings {
  return {
    phases: new Set((raw.phases ?? []).map((phase) => phase.read.id)),
    roles: isWritten(document, "roles") ? new Set(Object.keys(raw.roles ?? {})) : null,
    // A workflow may call itself before it is registered.
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

/** Inside the step the element would hide a step or an arg of the same name. */
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
