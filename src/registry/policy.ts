import { z } from "zod";
import { getOwn, type Json, type JsonObject, jsonToText } from "../core/base/index.ts";
import { didYouMean } from "../core/definition/index.ts";
import type { Path } from "../core/expression/index.ts";
import {
  ENFORCEMENTS,
  type Policy,
  policyFacts,
  POLICY_ACTIONS,
  POLICY_CATEGORIES,
  POLICY_SCOPES,
} from "../core/governance/index.ts";
import type { Entry } from "../store/index.ts";
import { anyJson, microsOf, name, names, readBody, spec, text, usd } from "./field.ts";
import { factExpressionProblems, keptExpression } from "./condition.ts";
import { scopeProblems } from "./scope.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";
import { approvalFields, approvalRuleOf, stepFieldProblems } from "./step-field.ts";

export const policySpec = spec({
  category: z
    .enum(POLICY_CATEGORIES)
    .describe("Subject of the policy. run_creation: evaluated before a run exists; tool: before each tool call"),
  scope: z.enum(POLICY_SCOPES).default("global").describe("Kind of object the policy applies to"),
  scope_id: name.nullish().describe("Name of the object the policy applies to. Default: all of the scope"),
  condition: z
    .union([z.string(), z.boolean()], { error: "must be an expression" })
    .describe("Expression over agent, gateway, run, node, role, adapter, and budget and context, or tool"),
  action: z.enum(POLICY_ACTIONS).describe("Effect while the condition is true"),
  enforcement: z.enum(ENFORCEMENTS).default("hard").describe("Only hard policies block or hold; others report"),
  enabled: z.boolean().default(true).describe("Whether the policy is evaluated"),
  reason: text.nullish().describe("Reason shown to people"),
  approvers: anyJson.optional().describe("Chain of approvers, as in a step"),
  otherwise: anyJson.optional().describe("Action when no approver of the chain answers, as in a step"),
  expires: anyJson.optional().describe("Time after which an approval expires, as in a step"),
  separate_approver: anyJson
    .optional()
    .describe("Whether the person who started the run may not approve, as in a step"),
  quorum: anyJson.optional().describe("Number of different people who have to approve, as in a step"),
  four_eyes: anyJson
    .optional()
    .describe("Whether two people have to approve, neither of whom started the run, as in a step"),
  confirm: anyJson
    .optional()
    .describe("sign_in: the person has to sign in; a link in a message is not enough. As in a step"),
  instructions: text.nullish().describe("Text added to every prompt the policy applies to"),
  forbids: z
    .strictObject({
      tools: names.optional(),
      models: names.optional(),
      data_classes: names.optional(),
      spend_usd: usd.optional(),
    })
    .nullish()
    .describe("Tools, classes of data and spending that a step may not request; * stands for all of a kind"),
});

export function policyProblems(written: JsonObject): readonly SpecProblem[] {
  return [
    ...scopeProblems(written, false),
    ...conditionProblems(getOwn(written, "condition"), getOwn(written, "category")),
    ...promptProblems(written),
    ...stepFieldProblems(approvalFields(written)),
  ];
}

/** A tool call has no prompt, so text cannot be added to it or checked in it. */
function promptProblems(written: JsonObject): readonly SpecProblem[] {
  if (getOwn(written, "category") !== "tool") return [];
  return ["instructions", "forbids"]
    .filter((key) => (getOwn(written, key) ?? null) !== null)
    .map((key) =>
      specProblem("conflicting_fields", [key], `"${key}" means nothing in a policy of the category tool.`, {
        isAtKey: true,
        hint: "Put it into a policy of another category.",
      }),
    );
}

/** Returns the problems of a condition, for a policy that is being saved or was saved before this check existed. */
export function conditionProblems(condition: Json | undefined, category: Json | undefined): readonly SpecProblem[] {
  if (typeof condition !== "string") return [];
  const known = POLICY_CATEGORIES.find((one) => one === category) ?? "guardrail";
  const facts = policyFacts(known);
  return factExpressionProblems({
    field: "condition",
    text: condition,
    facts,
    reader: "the policy",
    unseen: (path) => unseenFact(path, known, [...facts.fields.keys()]),
  });
}

/** The message names the policy category that would see the fact. */
function unseenFact({ segments, text, position }: Path, category: Policy["category"], seen: readonly string[]) {
  const head = String(segments[0]);
  const speaks = `"condition" speaks of "${text}" at character ${position + 1}`;
  if (policyFacts("tool").fields.has(head) || policyFacts("guardrail").fields.has(head)) {
    const hint = HINTS[category] ?? (head === "tool" ? "Only policies of the category tool see it." : seesText(seen));
    return { message: `${speaks}, which a policy of the category ${category} does not see.`, hint };
  }
  return { message: `${speaks}, which a policy does not see.`, hint: didYouMean(head, seen) ?? seesText(seen) };
}

const HINTS: Readonly<Partial<Record<Policy["category"], string>>> = {
  run_creation: "It is asked before there is a run, and sees only run.",
};

function seesText(seen: readonly string[]): string {
  return `Policies see ${seen.join(", ")}.`;
}

/** Returns the body to store: a bare `true` becomes an expression. */
export function policyBodyOf(written: JsonObject): JsonObject {
  return { ...written, condition: jsonToText(written["condition"]) };
}

export function policyOf({ id, body, revision }: Entry): Policy {
  const written = readBody(policySpec, body);
  const rule = approvalFields(body);
  return {
    name: id,
    category: written.category,
    scope: written.scope,
    scopeId: written.scope_id ?? null,
    condition: keptExpression(String(written.condition)),
    action: written.action,
    enforcement: written.enforcement,
    isEnabled: written.enabled,
    reason: written.reason ?? null,
    approvers: Object.keys(rule).length === 0 ? null : approvalRuleOf(rule),
    instructions: written.instructions ?? null,
    forbids: forbidsOf(written.forbids),
    version: revision,
  };
}

function forbidsOf(written: z.output<typeof policySpec>["forbids"]): Policy["forbids"] {
  if (written === undefined || written === null) return null;
  const { tools, models, data_classes: dataClasses, spend_usd: spend } = written;
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(models === undefined ? {} : { models }),
    ...(dataClasses === undefined ? {} : { dataClasses }),
    ...(spend === undefined ? {} : { spendMicros: microsOf(spend) }),
  };
}
