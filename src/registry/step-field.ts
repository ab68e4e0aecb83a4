import { getOwn, type Json, type JsonObject, required } from "../core/base/index.ts";
import {
  type ApprovalRule,
  EMPTY_CATALOG,
  readDefinition,
  type RetryBlock,
  type Step,
} from "../core/definition/index.ts";
import { partsOf, type SpecCode, specProblem, type SpecProblem } from "./spec-problem.ts";

/**
 * Approval chains and retry blocks mean the same here as in a step. The reader of steps reads both, so that it
 * accepts, refuses and reports the same here.
 */

/** A form belongs to a gate of a workflow, and `show` names steps, so neither is allowed here. */
export const APPROVAL_KEYS = [
  "approvers",
  "otherwise",
  "expires",
  "separate_approver",
  "quorum",
  "four_eyes",
  "confirm",
] as const;
const PREFIX = "steps[0].";

/** Returns the approval fields among the written ones. */
export function approvalFields(written: JsonObject): JsonObject {
  const found = APPROVAL_KEYS.flatMap((key): [string, Json][] => {
    const value = getOwn(written, key);
    return value === undefined || value === null ? [] : [[key, value]];
  });
  return Object.fromEntries(found);
}

export function stepFieldProblems(fields: JsonObject): readonly SpecProblem[] {
  if (Object.keys(fields).length === 0) return [];
  return readStep(fields).problems.map(({ code, path, message, hint }) => {
    const at = partsOf(path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path, fields);
    return specProblem(code as SpecCode, at, message, { isAtKey: code === "unknown_key", hint });
  });
}

export function approvalRuleOf(fields: JsonObject): ApprovalRule {
  return required(stepOf(fields).approval, "a step with an approval has a rule");
}

export function retryBlockOf(retry: JsonObject): RetryBlock {
  return required(stepOf({ retry }).retry, "a step with a retry block has one");
}

function stepOf(fields: JsonObject): Step {
  const { definition } = readStep(fields);
  const step = definition?.format === "lobsterx" ? definition.steps[0] : undefined;
  return required(step, "fields that were kept were read before");
}

function readStep(fields: JsonObject): ReturnType<typeof readDefinition> {
  const step = { id: "rule", approval: "required", ...fields };
  return readDefinition(JSON.stringify({ name: "rule", steps: [step] }), EMPTY_CATALOG);
}
