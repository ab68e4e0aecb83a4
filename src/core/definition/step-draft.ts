import { getOwn, isJsonObject, LIMITS, type Json, type TreePath } from "../base/index.ts";
import { concurrencyOf } from "./concurrency-shape.ts";
import type { Path } from "../expression/index.ts";
import { parseStepTemplate, pathsOfTemplate, pathsOfValue, type StepTemplate } from "../template/index.ts";
import {
  type BlockDraft,
  type DependenciesOf,
  draftBlocks,
  finishBlock,
  finishBranches,
  mentionsOfBlocks,
} from "./block-draft.ts";
import {
  ANYONE,
  type ApprovalRule,
  type Catalog,
  type ForEach,
  type OnFailure,
  type Step,
  type Value,
} from "./definition.ts";
import type { FailureRule } from "./failure-shape.ts";
import { fillsOf, outputsOfForm } from "./form-shape.ts";
import { checkFunction, functionCall, guardsOf, outputsOfFunction } from "./function-step.ts";
import { isUnresolved } from "./library.ts";
import { isWritten } from "./record.ts";
import type { Mention, MentionField } from "./mention.ts";
import type { Report } from "./report.ts";
import { retryBlock } from "./retry-shape.ts";
import type { Located } from "./shape.ts";
import { checkConflicts } from "./step-conflict.ts";
import { outcomesOf } from "./step-outcome.ts";
import type { RawStep } from "./step-shape.ts";
import { type Filled, type KnownNames, readFilled, readInputs } from "./step-value.ts";
import { checkTools } from "./tool-check.ts";
import { stepToolsOf, toolActionsOf } from "./tool-shape.ts";
import { hasWork } from "./work-fields.ts";

/** A step that has been read, but whose references are not resolved yet. */
export interface StepDraft {
  readonly raw: RawStep;
  readonly path: TreePath;
  /** Null when the id is missing or invalid. */
  readonly id: string | null;
  readonly inputs: Step["inputs"];
  readonly outputs: Step["outputs"];
  readonly forEach: ForEach | null;
  readonly with: Step["with"];
  readonly filled: { readonly field: MentionField; readonly at: Filled["at"] };
  readonly work: Step["work"];
  readonly action: Step["action"];
  readonly effects: Step["effects"];
  readonly unresolvedLibraryStep: string | null;
  /** Names of inputs and outputs with an invalid declaration. Using one is not reported a second time. */
  readonly brokenNames: ReadonlySet<string>;
  /** Whether the step has a `for_each` whose list is invalid. */
  readonly isForEachBroken: boolean;
  /** Path of the condition. */
  readonly conditionPath: TreePath;
  readonly mentions: readonly Mention[];
  /** The name as a template. Null when the name has no references. */
  readonly title: StepTemplate | null;
  /** The block of the step, or the blocks of its branches. Empty when it has none. */
  readonly blocks: readonly BlockDraft[];
}

export function draftStep(written: Located<RawStep>, names: KnownNames, catalog: Catalog, report: Report): StepDraft {
  const { read: raw, path } = written;
  const isOpen = isUnresolved(raw.library_step, catalog);
  checkConflicts(written, isOpen, report);
  checkTools(written, catalog, report);
  const filled = readFilled(raw, path, names, report);
  const inputs = readInputs(raw.inputs ?? {}, path, names, report);
  const entry = checkFunction(written, inputs, catalog, report);
  const conditionPath = [...path, isWritten(written.raw, "condition") ? "condition" : "when"];
  const title = titleOf(raw, path, report);
  const blocks = draftBlocks(written, names, catalog, report);
  return {
    raw,
    path,
    id: raw.id ?? null,
    inputs,
    outputs: outputsOf(raw) ?? (entry === null ? null : outputsOfFunction(entry)),
    forEach: forEachOf(raw),
    with: filled.values,
    filled,
    work: raw.function === undefined ? filled.work : functionCall(raw.function, entry),
    ...guardsOf(raw, entry),
    unresolvedLibraryStep: isOpen ? (raw.library_step ?? null) : null,
    brokenNames: brokenNamesOf(written, inputs),
    isForEachBroken: raw.for_each === undefined && isWritten(written.raw, "for_each"),
    conditionPath,
    mentions: [...mentionsOf(written, inputs, filled, conditionPath, title), ...mentionsOfBlocks(written, blocks)],
    title,
    blocks,
  };
}

/** Returns the declared outputs. For a gate with a form, these are the form fields. */
function outputsOf(raw: RawStep): Step["outputs"] {
  if (raw.outputs !== undefined || raw.form === undefined || hasWork(raw)) return raw.outputs ?? null;
  return outputsOfForm(raw.form);
}

/** Returns the name as a template. In versions stored earlier a name may contain text that only looks like a reference. */
function titleOf({ name = "" }: RawStep, path: TreePath, report: Report): StepTemplate | null {
  if (!name.includes("${")) return null;
  const parsed = parseStepTemplate(name);
  if (parsed.ok) return pathsOf(parsed.value).length === 0 ? null : parsed.value;
  const { message, position: offset, hint } = parsed.failure;
  report.strict("bad_template", [...path, "name"], `"name" cannot be read: ${message}.`, { offset, hint });
  return null;
}

const POLICY_ATTEMPTS: Readonly<Record<OnFailure, number>> = {
  halt: 1,
  skip: 1,
  retry_once: 2,
  retry: 4,
  retry_once_then_escalate: 2,
};

const HALT: FailureRule = { word: "halt", retry: null, retryIf: null };

/** Creates the step as one object literal, because combining so many fields from parts takes ten times as long. */
export function finishStep(draft: StepDraft, dependenciesOf: DependenciesOf): Step {
  const { raw } = draft;
  const dependencies = dependenciesOf(draft);
  const { word: onFailure, retry, retryIf } = raw.on_failure ?? HALT;
  const isGate = raw.approval === "required" || raw.hitl === true;
  const step: Step = {
    id: raw.id ?? "",
    name: raw.name ?? null,
    title: draft.title,
    description: raw.description ?? null,
    phase: raw.phase ?? null,
    command: raw.command === undefined || raw.command.text.trim() === "" ? null : raw.command,
    role: raw.role ?? null,
    agent: raw.agent ?? null,
    dependencies,
    stdin: raw.stdin ?? null,
    condition: raw.condition ?? null,
    inputs: draft.inputs,
    outputs: draft.outputs,
    successCriteria: (raw.success_criteria ?? []).map((criterion) => criterion.read),
    timeoutMs: raw.timeout ?? null,
    onFailure,
    isOnFailureWritten: raw.on_failure !== undefined,
    retry: raw.retry === undefined ? retry : retryBlock(raw.retry, POLICY_ATTEMPTS[onFailure]),
    retryIf,
    parallelFailurePolicy: raw.parallel_failure_policy ?? "wait_all",
    approval: isGate ? approvalRuleOf(raw) : null,
    workflowRef: raw.workflow_ref ?? null,
    with: draft.with,
    work: draft.work,
    block:
      raw.steps === undefined ? null : finishBlock(draft.blocks[0], dependenciesOf, concurrencyOf(raw.concurrency)),
    choose: raw.choose === undefined ? null : finishBranches(raw.choose, draft.blocks, dependenciesOf),
    unresolvedLibraryStep: draft.unresolvedLibraryStep,
    queueTimeoutMs: raw.queue_timeout ?? LIMITS.queueTimeoutMsDefault,
    forEach: draft.forEach,
    repeat: repeatOf(raw),
    capabilities: raw.capabilities ?? [],
    tools: (raw.tools ?? []).map(({ read }) => read.name),
    stepTools: stepToolsOf((raw.tools ?? []).map(({ read }) => read)),
    toolActions: toolActionsOf((raw.tools ?? []).map(({ read }) => read)),
    turn: raw.turn ?? null,
    model: raw.models?.[0] ?? raw.model ?? null,
    models: raw.models ?? [],
    provider: raw.provider ?? null,
    action: draft.action,
    effects: draft.effects,
    contextSources: raw.context_sources ?? [],
    estimatedCostMicros: raw.estimated_cost ?? null,
  };
  const isPlain = raw.join === undefined && (raw.depends_on ?? []).every(({ read }) => read.on === "success");
  const whole = isPlain ? step : { ...step, ...outcomesOf(draft) };
  return isGate || !isRuleWritten(raw) ? whole : { ...whole, askRule: approvalRuleOf(raw) };
}

function isRuleWritten(raw: RawStep): boolean {
  const {
    approvers,
    otherwise,
    expires,
    separate_approver: separate,
    quorum,
    four_eyes: fourEyes,
    confirm,
    show,
  } = raw;
  const fields = [approvers, otherwise, expires, separate, quorum, fourEyes, confirm, show];
  return fields.some((field) => field !== undefined);
}

const FOUR_EYES_QUORUM = 2;

function approvalRuleOf(raw: RawStep): ApprovalRule {
  const isFourEyes = raw.four_eyes === true;
  const fills = fillsOf(raw.form ?? {});
  return {
    approvers: raw.approvers ?? ANYONE.approvers,
    otherwise: raw.otherwise ?? null,
    expiresMs: raw.expires ?? ANYONE.expiresMs,
    isSeparate: isFourEyes || (raw.separate_approver ?? false),
    quorum: Math.max(raw.quorum ?? 1, isFourEyes ? FOUR_EYES_QUORUM : 1),
    show: (raw.show ?? []).map(({ item }) => item),
    form: raw.form ?? null,
    ...(fills.length === 0 ? {} : { fills }),
    confirm: raw.confirm ?? null,
  };
}

const ELEMENT_NAME = "item";

function forEachOf(raw: RawStep): ForEach | null {
  if (raw.for_each === undefined) return null;
  return {
    list: raw.for_each,
    as: raw.as ?? ELEMENT_NAME,
    maxItems: raw.max_items ?? LIMITS.forEachItemsDefault,
    maxParallel: raw.max_parallel ?? null,
    tolerate: raw.tolerate ?? { count: 0 },
  };
}

function repeatOf({ repeat }: RawStep): Step["repeat"] {
  if (repeat === undefined || repeat.until === null) return null;
  return { ...repeat, until: repeat.until };
}

function mentionsOf(
  { read: raw, raw: written, path }: Located<RawStep>,
  inputs: Step["inputs"],
  filled: Filled,
  conditionPath: TreePath,
  title: StepTemplate | null,
): readonly Mention[] {
  const mentions: Mention[] = [];
  const add = (field: MentionField, paths: readonly Path[], at: TreePath = [...path, field], about = at): void => {
    for (const found of paths) mentions.push({ path: found, field, about, at });
  };
  add("name", pathsOf(title ?? undefined));
  for (const { texts } of raw.show ?? []) {
    for (const { template, at } of texts) add("show", pathsOf(template), at);
  }
  for (const { field, key, template } of fillsOf(raw.form ?? {})) {
    add("form", pathsOf(template), [...path, "form", field, key]);
  }
  add("stdin", pathsOf(raw.stdin));
  add("command", pathsOf(raw.command));
  add("condition", raw.condition?.paths ?? [], conditionPath);
  const addValue = (field: MentionField, value: Value, at: TreePath, about: TreePath): void => {
    for (const found of pathsOfValue(value, at)) add(field, [found.path], found.at, about);
  };
  if (raw.for_each !== undefined) addValue("for_each", raw.for_each, [...path, "for_each"], [...path, "for_each"]);
  for (const [name, { from }] of Object.entries(inputs)) {
    if (from !== null) addValue("inputs", from, sourcePath(written, path, name, from), [...path, "inputs", name]);
  }
  for (const [name, value] of Object.entries(filled.values)) {
    addValue(filled.field, value, filled.at(name), filled.at(name));
  }
  add("on_failure", raw.on_failure?.retryIf?.paths ?? [], [...path, "on_failure", "retry", "if"]);
  add("until", raw.repeat?.until?.paths ?? [], [...path, "repeat", "until"]);
  for (const criterion of raw.success_criteria ?? []) add("success_criteria", criterion.read.paths, criterion.path);
  return mentions;
}

function brokenNamesOf({ raw: written, read }: Located<RawStep>, inputs: Step["inputs"]): ReadonlySet<string> {
  const names = (["inputs", "outputs", "form"] as const).flatMap((key) => {
    const map = isJsonObject(written) ? getOwn(written, key) : undefined;
    const readable: object = key === "inputs" ? inputs : (read[key] ?? {});
    return isJsonObject(map) ? Object.keys(map).filter((name) => !Object.hasOwn(readable, name)) : [];
  });
  return new Set(names);
}

/** Returns the path of an input's source: the whole entry, or one of its keys. */
function sourcePath(written: Json, path: TreePath, name: string, from: Value): TreePath {
  const inputs = isJsonObject(written) ? getOwn(written, "inputs") : undefined;
  const entry = isJsonObject(inputs) ? getOwn(inputs, name) : undefined;
  const isDeclared = from.kind === "reference" && isJsonObject(entry);
  return isDeclared ? [...path, "inputs", name, "from"] : [...path, "inputs", name];
}

function pathsOf(template: StepTemplate | undefined): readonly Path[] {
  return template === undefined ? [] : pathsOfTemplate(template);
}
