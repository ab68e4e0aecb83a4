import { LIMITS, type JsonObject, type TreePath } from "../base/index.ts";
import type { Path } from "../expression/index.ts";
import { parseWithValue, type StepTemplate, type WithValue } from "../template/index.ts";
import type { ApprovalRule, Catalog, ForEach, OnFailure, Step } from "./definition.ts";
import { isUnresolved } from "./library.ts";
import { isWritten } from "./record.ts";
import type { Report } from "./report.ts";
import { retryBlock } from "./retry-shape.ts";
import type { Located } from "./shape.ts";
import { checkConflicts } from "./step-conflict.ts";
import type { RawStep } from "./step-shape.ts";
import { reportFlaw } from "./text-shape.ts";

export type MentionField = "stdin" | "command" | "condition" | "inputs" | "with" | "for_each" | "success_criteria";

/** A reference somewhere in a step. */
export interface Mention {
  readonly path: Path;
  readonly field: MentionField;
  readonly at: TreePath;
}

/** A step of which everything is known but what its references mean. */
export interface StepDraft {
  readonly step: Omit<Step, "dependencies">;
  readonly path: TreePath;
  /** Null when it is missing or wrong. */
  readonly id: string | null;
  readonly dependsOn: readonly Located<string>[];
  /** Where its condition is written. */
  readonly conditionPath: TreePath;
  readonly criteriaPaths: readonly TreePath[];
  readonly mentions: readonly Mention[];
}

export function draftStep(written: Located<RawStep>, catalog: Catalog, report: Report): StepDraft {
  const { read: raw, path } = written;
  const isOpen = isUnresolved(raw.library_step, catalog);
  checkConflicts(written, isOpen, report);
  const withValues = readWith(raw.with, path, report);
  const forEach = forEachOf(raw);
  const conditionPath = [...path, isWritten(written.raw, "condition") ? "condition" : "when"];
  const step = { ...identityOf(raw), ...policyOf(raw), ...hintsOf(raw) };
  return {
    path,
    id: raw.id ?? null,
    dependsOn: raw.depends_on ?? [],
    conditionPath,
    criteriaPaths: (raw.success_criteria ?? []).map((criterion) => criterion.path),
    mentions: mentionsOf(raw, withValues, path, conditionPath),
    step: {
      ...step,
      forEach,
      with: withValues,
      unresolvedLibraryStep: isOpen ? (raw.library_step ?? null) : null,
    },
  };
}

function identityOf(raw: RawStep) {
  const hasCommand = raw.command !== undefined && raw.command.text.trim() !== "";
  return {
    id: raw.id ?? "",
    name: raw.name ?? null,
    description: raw.description ?? null,
    phase: raw.phase ?? null,
    command: hasCommand ? (raw.command ?? null) : null,
    role: raw.role ?? null,
    agent: raw.agent ?? null,
    stdin: raw.stdin ?? null,
    condition: raw.condition ?? null,
    inputs: raw.inputs ?? {},
    outputs: raw.outputs ?? null,
    successCriteria: (raw.success_criteria ?? []).map((criterion) => criterion.read),
    workflowRef: raw.workflow_ref ?? null,
  };
}

const POLICY_ATTEMPTS: Readonly<Record<OnFailure, number>> = {
  halt: 1,
  skip: 1,
  retry_once: 2,
  retry: 4,
  retry_once_then_escalate: 2,
};

function policyOf(raw: RawStep) {
  const onFailure = raw.on_failure ?? "halt";
  const rule = approvalRuleOf(raw);
  const isGate = raw.approval === "required" || raw.hitl === true;
  const isRuleWritten = APPROVAL_FIELDS.some((field) => isGivenField(raw, field));
  return {
    timeoutMs: raw.timeout ?? null,
    onFailure,
    retry: raw.retry === undefined ? null : retryBlock(raw.retry, POLICY_ATTEMPTS[onFailure]),
    parallelFailurePolicy: raw.parallel_failure_policy ?? "wait_all",
    approval: isGate ? rule : null,
    ...(isRuleWritten && !isGate ? { askRule: rule } : {}),
    queueTimeoutMs: raw.queue_timeout ?? LIMITS.queueTimeoutMsDefault,
    effects: raw.effects ?? "at_least_once",
  };
}

const APPROVAL_FIELDS = ["approvers", "otherwise", "expires", "separate_approver"] as const;

function isGivenField(raw: RawStep, field: (typeof APPROVAL_FIELDS)[number]): boolean {
  return raw[field] !== undefined;
}

function approvalRuleOf(raw: RawStep): ApprovalRule {
  return {
    approvers: raw.approvers ?? [],
    otherwise: raw.otherwise ?? null,
    expiresMs: raw.expires ?? LIMITS.approvalExpiresMsDefault,
    isSeparate: raw.separate_approver ?? false,
  };
}

function hintsOf(raw: RawStep) {
  return {
    capabilities: raw.capabilities ?? [],
    tools: raw.tools ?? [],
    model: raw.model ?? null,
    provider: raw.provider ?? null,
    action: raw.action ?? "execute",
    contextSources: raw.context_sources ?? [],
    estimatedCostMicros: raw.estimated_cost ?? null,
  };
}

export const ELEMENT_NAME = "item";

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

function readWith(raw: JsonObject | undefined, path: TreePath, report: Report): Readonly<Record<string, WithValue>> {
  const values: [string, WithValue][] = [];
  for (const [name, value] of Object.entries(raw ?? {})) {
    const parsed = parseWithValue(value);
    if (parsed.ok) values.push([name, parsed.value]);
    else reportFlaw("bad_template", parsed.failure, [...path, "with", name, ...parsed.failure.path], report);
  }
  return Object.fromEntries(values);
}

function mentionsOf(
  raw: RawStep,
  withValues: Readonly<Record<string, WithValue>>,
  path: TreePath,
  conditionPath: TreePath,
): readonly Mention[] {
  const mentions: Mention[] = [];
  const add = (field: MentionField, paths: readonly Path[], at: TreePath = [...path, field]): void => {
    for (const found of paths) mentions.push({ path: found, field, at });
  };
  add("stdin", pathsOf(raw.stdin));
  add("command", pathsOf(raw.command));
  add("condition", raw.condition?.paths ?? [], conditionPath);
  add("for_each", raw.for_each === undefined ? [] : [raw.for_each]);
  for (const [name, input] of Object.entries(raw.inputs ?? {})) {
    if (input.from !== null) add("inputs", [input.from], [...path, "inputs", name]);
  }
  for (const [name, value] of Object.entries(withValues)) add("with", pathsInValue(value), [...path, "with", name]);
  for (const criterion of raw.success_criteria ?? []) add("success_criteria", criterion.read.paths, criterion.path);
  return mentions;
}

function pathsOf(template: StepTemplate | undefined): readonly Path[] {
  return (template?.parts ?? []).filter((part) => typeof part !== "string");
}

function pathsInValue(value: WithValue): readonly Path[] {
  switch (value.kind) {
    case "value":
      return [];
    case "text":
      return pathsOf(value.template);
    case "list":
      return value.items.flatMap(pathsInValue);
    case "object":
      return Object.values(value.members).flatMap(pathsInValue);
  }
}
