import { z } from "zod";
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, type TreePath } from "../core/base/index.ts";
import { didYouMean } from "../core/definition/index.ts";
import {
  type Assignment,
  FAILURE_POLICIES,
  type Member,
  QUEUE_POLICIES,
  SUPPORT_LEVELS,
  type Team,
  type TeamPolicies,
} from "../core/plan/index.ts";
import type { Entry } from "../store/index.ts";
import { anyJson, name, names, readBody, spec, text, whole, workflowName } from "./field.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";
import { APPROVAL_KEYS, approvalFields, approvalRuleOf, retryBlockOf, stepFieldProblems } from "./step-field.ts";

const PLACES_MAX = 1_000;

const member = spec({
  agent: name.describe("Agent"),
  role: name.nullish().describe("Role of the agent in the team"),
  lane: whole(0)
    .default(0)
    .describe(
      "Lane of the member. Lower lanes are chosen first; with a serial queue, each lane runs one node at a time",
    ),
  sort_order: whole(0).default(0).describe("Order within the lane, lower first"),
  is_active: z.boolean().default(true).describe("Whether the member receives work"),
  tool_profile: spec({
    allow_tools: names.default([]),
    requires_approval: z
      .union([z.boolean(), names], { error: "must be true, false or a list of names" })
      .default(false)
      .describe("Tools that need the approval of a person; true: all tools that are not allowed"),
  }).nullish(),
  model_profile: spec({ support_level: z.enum(SUPPORT_LEVELS).default("standard") })
    .nullish()
    .describe("Strength of the model that the member uses"),
  system_prompt_patch: text.nullish().describe("Text added after the agent's own system prompt"),
});

const failureWord = z.enum(FAILURE_POLICIES);

const POLICIES = {
  approval_policy: anyJson
    .optional()
    .describe("approvers, otherwise, expires, separate_approver, quorum, four_eyes, confirm, as in a step"),
  retry_policy: anyJson.optional().describe("attempts, backoff_ms, max_backoff_ms, retry_on, as in a step"),
  failure_policy: z
    .union([failureWord, spec({ mode: failureWord })], {
      error: `must be ${FAILURE_POLICIES.join(", ")}, or a map with mode`,
    })
    .nullish()
    .describe("Effect of a failed node on the other nodes; also as {mode: …}"),
  queue_policy: z.enum(QUEUE_POLICIES).nullish().describe("serial: each lane runs one node at a time"),
};

export const teamSpec = spec({
  members: z.array(member).min(1).max(PLACES_MAX).describe("Members of the team"),
  ...POLICIES,
  assignments: z
    .array(spec({ workflow: workflowName, ...POLICIES }))
    .max(PLACES_MAX)
    .default([])
    .describe("Policies for one workflow, in place of those of the team"),
});

const RULE_KEYS: readonly string[] = APPROVAL_KEYS;

export function teamProblems(written: JsonObject): readonly SpecProblem[] {
  const assignments = getOwn(written, "assignments");
  const several = isJsonArray(assignments) ? assignments : [];
  return [
    ...policyProblems(written, []),
    ...several.flatMap((one, index) => (isJsonObject(one) ? policyProblems(one, ["assignments", index]) : [])),
    ...twice(several),
  ];
}

function policyProblems(written: JsonObject, at: TreePath): readonly SpecProblem[] {
  const [approval, retry] = [getOwn(written, "approval_policy"), getOwn(written, "retry_policy")];
  const problems: SpecProblem[] = [];
  if (approval !== undefined && approval !== null && approval !== "required") {
    problems.push(...approvalProblems(approval, [...at, "approval_policy"]));
  }
  if (retry !== undefined && retry !== null) {
    problems.push(
      ...stepFieldProblems({ retry }).map((problem) => moved(problem, [...at, "retry_policy"], problem.at.slice(1))),
    );
  }
  return problems;
}

function approvalProblems(approval: Json, at: TreePath): readonly SpecProblem[] {
  if (!isJsonObject(approval)) {
    const message = `"approval_policy" must be "required", or a map with ${RULE_KEYS.join(", ")}.`;
    return [specProblem("wrong_type", at, message)];
  }
  const unknownKeys = Object.keys(approval).filter((key) => !RULE_KEYS.includes(key));
  return [
    ...unknownKeys.map((key) => {
      const hint = didYouMean(key, RULE_KEYS) ?? `The keys are ${RULE_KEYS.join(", ")}.`;
      const message = `"${key}" is not a key of "approval_policy".`;
      return specProblem("unknown_key", [...at, key], message, { isAtKey: true, hint });
    }),
    ...stepFieldProblems(approvalFields(approval)).map((problem) => moved(problem, at, problem.at)),
  ];
}

function moved({ code, message, isAtKey = false, hint }: SpecProblem, base: TreePath, rest: TreePath): SpecProblem {
  return specProblem(code, [...base, ...rest], message, { isAtKey, hint });
}

function twice(assignments: readonly Json[]): readonly SpecProblem[] {
  const seen = new Set<string>();
  return assignments.flatMap((one, index) => {
    const workflow = isJsonObject(one) ? getOwn(one, "workflow") : undefined;
    if (typeof workflow !== "string") return [];
    const isFirst = !seen.has(workflow);
    seen.add(workflow);
    if (isFirst) return [];
    return [specProblem("duplicate_id", ["assignments", index, "workflow"], `"${workflow}" is assigned twice.`)];
  });
}

/** Returns the body to store: the mode in one form, whichever way it was written. */
export function teamBodyOf(written: JsonObject): JsonObject {
  const assignments = getOwn(written, "assignments");
  return {
    ...withMode(written),
    ...(isJsonArray(assignments)
      ? { assignments: assignments.map((one) => (isJsonObject(one) ? withMode(one) : one)) }
      : {}),
  };
}

function withMode(written: JsonObject): JsonObject {
  const policy = getOwn(written, "failure_policy");
  return isJsonObject(policy) ? { ...written, failure_policy: getOwn(policy, "mode") ?? null } : written;
}

function modeOf(policy: FailurePolicy | { readonly mode: FailurePolicy }): FailurePolicy {
  return typeof policy === "string" ? policy : policy.mode;
}

type FailurePolicy = (typeof FAILURE_POLICIES)[number];
type TeamBody = z.output<typeof teamSpec>;

export function teamOf({ id, body }: Entry): Team {
  const written = readBody(teamSpec, body);
  return {
    name: id,
    members: written.members.map(memberOf),
    ...policiesOf(written),
    assignments: written.assignments.map((one): Assignment => ({ workflow: one.workflow, ...policiesOf(one) })),
  };
}

function memberOf(written: TeamBody["members"][number]): Member {
  const { tool_profile: tools, model_profile: model } = written;
  return {
    agent: written.agent,
    role: written.role ?? null,
    lane: written.lane,
    sortOrder: written.sort_order,
    isActive: written.is_active,
    toolProfile: { allowTools: tools?.allow_tools ?? [], requiresApproval: tools?.requires_approval ?? false },
    modelProfile: { supportLevel: model?.support_level ?? "standard" },
    systemPromptPatch: written.system_prompt_patch ?? null,
  };
}

function policiesOf(written: Omit<TeamBody["assignments"][number], "workflow">): TeamPolicies {
  const { approval_policy: approval, retry_policy: retry, failure_policy: failure, queue_policy: queue } = written;
  return {
    ...(queue === undefined ? {} : { queuePolicy: queue }),
    ...(failure === undefined ? {} : { failurePolicy: modeOf(failure) }),
    ...(approval === undefined
      ? {}
      : { approvalPolicy: approvalRuleOf(isJsonObject(approval) ? approvalFields(approval) : {}) }),
    ...(isJsonObject(retry) ? { retryPolicy: retryBlockOf(retry) } : {}),
  };
}
