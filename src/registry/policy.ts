import { z } from "zod";
import { getOwn, type Json, type JsonObject, jsonToText, required } from "../core/base/index.ts";
import { deadEndHint, deadEndMessage, didYouMean } from "../core/definition/index.ts";
import {
  ANY,
  findUndecidable,
  followPath,
  parseExpression,
  type ParsedExpression,
  type Path,
} from "../core/expression/index.ts";
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
import { scopeProblems } from "./scope.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";
import { approvalFields, approvalRuleOf, stepFieldProblems } from "./step-field.ts";

export const policySpec = spec({
  category: z.enum(POLICY_CATEGORIES).describe("What it is about; run_creation is asked before a run exists"),
  scope: z.enum(POLICY_SCOPES).default("global").describe("What it applies to"),
  scope_id: name.nullish().describe("Which one of the scope; every one otherwise"),
  condition: z
    .union([z.string(), z.boolean()], { error: "must be an expression" })
    .describe("An expression over agent, gateway, run, node, role, budget and context"),
  action: z.enum(POLICY_ACTIONS).describe("What happens while the condition holds"),
  enforcement: z.enum(ENFORCEMENTS).default("hard").describe("Only a hard one blocks or holds; the others report"),
  enabled: z.boolean().default(true).describe("Asked at all"),
  reason: text.nullish().describe("What people read"),
  approvers: anyJson.optional().describe("Who is asked, one after the other, as in a step"),
  otherwise: anyJson.optional().describe("What happens without an answer from the chain, as in a step"),
  expires: anyJson.optional().describe("How long an approval waits, as in a step"),
  separate_approver: anyJson.optional().describe("The person who started the run may not approve, as in a step"),
  quorum: anyJson.optional().describe("How many different people have to approve, as in a step"),
  four_eyes: anyJson.optional().describe("Two people have to approve, and neither has started the run, as in a step"),
  confirm: anyJson.optional().describe("sign_in: a link in a message is not enough to answer, as in a step"),
  instructions: text.nullish().describe("Part of every prompt it applies to"),
  forbids: z
    .strictObject({
      tools: names.optional(),
      models: names.optional(),
      data_classes: names.optional(),
      spend_usd: usd.optional(),
    })
    .nullish()
    .describe("What a step it applies to may not ask for; * for all of a kind"),
});

export function policyProblems(written: JsonObject): readonly SpecProblem[] {
  return [
    ...scopeProblems(written, false),
    ...conditionProblems(getOwn(written, "condition"), getOwn(written, "category")),
    ...stepFieldProblems(approvalFields(written)),
  ];
}

/** What is wrong with a condition, for a policy that is being saved, or was before this was checked. */
export function conditionProblems(condition: Json | undefined, category: Json | undefined): readonly SpecProblem[] {
  if (typeof condition !== "string") return [];
  const parsed = parseExpression(condition);
  if (!parsed.ok) {
    const { message, position, hint, code = "bad_expression" } = parsed.failure;
    const unreadable = `"condition" cannot be read at character ${position + 1}: ${message}.`;
    return [specProblem(code, ["condition"], unreadable, { hint: sentence(hint) })];
  }
  const facts = policyFacts(POLICY_CATEGORIES.find((known) => known === category) ?? "guardrail");
  const unknown = parsed.value.paths.flatMap((path) => factProblems(path, facts));
  return unknown.length > 0 ? unknown : typeProblems(parsed.value, facts);
}

/** A fact that does not exist would be missing for ever, and the policy silent. */
function factProblems(
  { segments, text, position }: Path,
  facts: ReturnType<typeof policyFacts>,
): readonly SpecProblem[] {
  const followed = followPath(facts, segments);
  if (followed.ok) return [];
  const { deadEnd } = followed;
  const head = String(segments[0]);
  const seen = [...facts.fields.keys()];
  if (deadEnd.index > 0) {
    const message = `"condition" at character ${position + 1}: ${deadEndMessage(text, segments, deadEnd, { name: "the policy", length: 0 })}`;
    return [specProblem("unknown_fact", ["condition"], message, { hint: deadEndHint(deadEnd) })];
  }
  const isTooEarly = policyFacts("guardrail").fields.has(head);
  const message = `"condition" speaks of "${text}" at character ${position + 1}, which a policy ${isTooEarly ? "of the category run_creation " : ""}does not see.`;
  const hint = isTooEarly
    ? "It is asked before there is a run, and sees only run."
    : (didYouMean(head, seen) ?? `Policies see ${seen.join(", ")}.`);
  return [specProblem("unknown_fact", ["condition"], message, { hint })];
}

function typeProblems({ root }: ParsedExpression, facts: ReturnType<typeof policyFacts>): readonly SpecProblem[] {
  const mismatch = findUndecidable(root, ({ segments }) => {
    const followed = followPath(facts, segments);
    return followed.ok ? followed.known : ANY;
  });
  if (mismatch === undefined) return [];
  const { code, position, hint } = mismatch;
  const message = `"condition" can never be decided at character ${position + 1}: ${mismatch.message}.`;
  return [specProblem(code, ["condition"], message, { hint })];
}

function sentence(hint: string | undefined): string | undefined {
  return hint === undefined
    ? undefined
    : `${hint.charAt(0).toUpperCase()}${hint.slice(1)}${hint.endsWith("?") ? "" : "."}`;
}

/** As it is kept: a bare `true` is an expression like any other. */
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
    condition: expressionOf(String(written.condition)),
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

function expressionOf(condition: string): ParsedExpression {
  const parsed = parseExpression(condition);
  return required(parsed.ok ? parsed.value : undefined, "the condition of a kept policy was read before");
}
