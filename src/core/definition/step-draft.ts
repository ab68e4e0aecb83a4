import { getOwn, isJsonObject, LIMITS, type Json, type JsonObject, type TreePath } from "../base/index.ts";
import type { Path } from "../expression/index.ts";
import {
  parseStepTemplate,
  parseWithValue,
  pathsOfTemplate,
  type StepTemplate,
  type WithValue,
} from "../template/index.ts";
import { ANYONE, type ApprovalRule, type Catalog, type ForEach, type OnFailure, type Step } from "./definition.ts";
import { outputsOfForm } from "./form-shape.ts";
import { isUnresolved } from "./library.ts";
import { isWritten } from "./record.ts";
import type { Report } from "./report.ts";
import { retryBlock } from "./retry-shape.ts";
import type { Located } from "./shape.ts";
import { checkConflicts } from "./step-conflict.ts";
import type { RawStep } from "./step-shape.ts";
import { reportFlaw } from "./text-shape.ts";

export type MentionField =
  | "stdin"
  | "command"
  | "condition"
  | "inputs"
  | "with"
  | "for_each"
  | "success_criteria"
  | "show"
  | "name";

/** A reference somewhere in a step. */
export interface Mention {
  readonly path: Path;
  readonly field: MentionField;
  /** The field of the step it belongs to. */
  readonly about: TreePath;
  /** The text it stands in. */
  readonly at: TreePath;
}

/** A step of which everything is known but what its references mean. */
export interface StepDraft {
  readonly raw: RawStep;
  readonly path: TreePath;
  /** Null when it is missing or wrong. */
  readonly id: string | null;
  readonly inputs: Step["inputs"];
  readonly outputs: Step["outputs"];
  readonly forEach: ForEach | null;
  readonly with: Step["with"];
  readonly unresolvedLibraryStep: string | null;
  /** Names of inputs and outputs that were written and are wrong: using one is not a second mistake. */
  readonly brokenNames: ReadonlySet<string>;
  /** It has elements, but from where cannot be read. */
  readonly isForEachBroken: boolean;
  /** Where its condition is written. */
  readonly conditionPath: TreePath;
  readonly mentions: readonly Mention[];
  /** The name with its references; null: it has none. */
  readonly title: StepTemplate | null;
}

export function draftStep(written: Located<RawStep>, catalog: Catalog, report: Report): StepDraft {
  const { read: raw, path } = written;
  const isOpen = isUnresolved(raw.library_step, catalog);
  checkConflicts(written, isOpen, report);
  const filled = filledOf(raw);
  const withValues = readWith(filled, path, report);
  const conditionPath = [...path, isWritten(written.raw, "condition") ? "condition" : "when"];
  const title = titleOf(raw, path, report);
  return {
    raw,
    path,
    id: raw.id ?? null,
    inputs: raw.inputs ?? {},
    outputs: outputsOf(raw),
    forEach: forEachOf(raw),
    with: withValues,
    unresolvedLibraryStep: isOpen ? (raw.library_step ?? null) : null,
    brokenNames: brokenNamesOf(written),
    isForEachBroken: raw.for_each === undefined && isWritten(written.raw, "for_each"),
    conditionPath,
    mentions: mentionsOf(written, withValues, filled.field, conditionPath, title),
    title,
  };
}

/** What is entered at a gate is what it returns. */
function outputsOf(raw: RawStep): Step["outputs"] {
  const hasCommand = raw.command !== undefined && raw.command.text.trim() !== "";
  const hasWork = hasCommand || raw.workflow_ref !== undefined || raw.wait !== undefined || raw.emit !== undefined;
  if (raw.outputs !== undefined || raw.form === undefined || hasWork) return raw.outputs ?? null;
  return outputsOfForm(raw.form);
}

/** A name may hold references like a command. Versions stored earlier may hold something else that looks like one. */
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

/** One literal: putting so many fields together from parts takes ten times as long. */
export function finishStep(draft: StepDraft, dependencies: readonly string[]): Step {
  const { raw } = draft;
  const onFailure = raw.on_failure ?? "halt";
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
    retry: raw.retry === undefined ? null : retryBlock(raw.retry, POLICY_ATTEMPTS[onFailure]),
    parallelFailurePolicy: raw.parallel_failure_policy ?? "wait_all",
    approval: isGate ? approvalRuleOf(raw) : null,
    workflowRef: raw.workflow_ref ?? null,
    with: draft.with,
    wait: raw.wait?.work ?? null,
    emit: raw.emit?.work ?? null,
    unresolvedLibraryStep: draft.unresolvedLibraryStep,
    queueTimeoutMs: raw.queue_timeout ?? LIMITS.queueTimeoutMsDefault,
    forEach: draft.forEach,
    capabilities: raw.capabilities ?? [],
    tools: raw.tools ?? [],
    model: raw.model ?? null,
    provider: raw.provider ?? null,
    action: raw.action ?? "execute",
    effects: raw.effects ?? "at_least_once",
    contextSources: raw.context_sources ?? [],
    estimatedCostMicros: raw.estimated_cost ?? null,
  };
  return isGate || !isRuleWritten(raw) ? step : { ...step, askRule: approvalRuleOf(raw) };
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
  return {
    approvers: raw.approvers ?? ANYONE.approvers,
    otherwise: raw.otherwise ?? null,
    expiresMs: raw.expires ?? ANYONE.expiresMs,
    isSeparate: isFourEyes || (raw.separate_approver ?? false),
    quorum: Math.max(raw.quorum ?? 1, isFourEyes ? FOUR_EYES_QUORUM : 1),
    show: (raw.show ?? []).map(({ item }) => item),
    form: raw.form ?? null,
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

/** Values that are filled in when the step's turn has come, and the field they are written in. */
interface Filled {
  readonly field: "with" | "wait" | "emit";
  readonly values: JsonObject;
}

function filledOf({ wait, emit, with: args = {} }: RawStep): Filled {
  if (wait !== undefined) return { field: "wait", values: wait.values };
  return emit === undefined ? { field: "with", values: args } : { field: "emit", values: emit.values };
}

function readWith({ field, values: raw }: Filled, path: TreePath, report: Report): Readonly<Record<string, WithValue>> {
  const values: [string, WithValue][] = [];
  for (const [name, value] of Object.entries(raw)) {
    const parsed = parseWithValue(value);
    if (parsed.ok) values.push([name, parsed.value]);
    else reportFlaw("bad_template", parsed.failure, [...path, field, name, ...parsed.failure.path], report);
  }
  return Object.fromEntries(values);
}

function mentionsOf(
  { read: raw, raw: written, path }: Located<RawStep>,
  withValues: Readonly<Record<string, WithValue>>,
  field: Filled["field"],
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
  add("stdin", pathsOf(raw.stdin));
  add("command", pathsOf(raw.command));
  add("condition", raw.condition?.paths ?? [], conditionPath);
  add("for_each", raw.for_each === undefined ? [] : [raw.for_each]);
  for (const [name, input] of Object.entries(raw.inputs ?? {})) {
    if (input.from !== null) add("inputs", [input.from], sourcePath(written, path, name), [...path, "inputs", name]);
  }
  for (const [name, value] of Object.entries(withValues)) {
    const about = [...path, field, name];
    addValue(value, about, (paths, at) => add("with", paths, at, about));
  }
  for (const criterion of raw.success_criteria ?? []) add("success_criteria", criterion.read.paths, criterion.path);
  return mentions;
}

function brokenNamesOf({ raw: written, read }: Located<RawStep>): ReadonlySet<string> {
  const names = (["inputs", "outputs", "form"] as const).flatMap((key) => {
    const map = isJsonObject(written) ? getOwn(written, key) : undefined;
    const readable = read[key] ?? {};
    return isJsonObject(map) ? Object.keys(map).filter((name) => !Object.hasOwn(readable, name)) : [];
  });
  return new Set(names);
}

/** Where the source of an input stands: it is the whole entry, or one of its keys. */
function sourcePath(written: Json, path: TreePath, name: string): TreePath {
  const inputs = isJsonObject(written) ? getOwn(written, "inputs") : undefined;
  const entry = isJsonObject(inputs) ? getOwn(inputs, name) : undefined;
  return isJsonObject(entry) ? [...path, "inputs", name, "from"] : [...path, "inputs", name];
}

function pathsOf(template: StepTemplate | undefined): readonly Path[] {
  return template === undefined ? [] : pathsOfTemplate(template);
}

function addValue(value: WithValue, at: TreePath, add: (paths: readonly Path[], at: TreePath) => void): void {
  switch (value.kind) {
    case "value":
      return;
    case "text":
      return add(pathsOf(value.template), at);
    case "list":
      return value.items.forEach((item, index) => addValue(item, [...at, index], add));
    case "object":
      for (const [key, member] of Object.entries(value.members)) addValue(member, [...at, key], add);
  }
}
