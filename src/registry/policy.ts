import { z } from "zod";
import { getOwn, type JsonObject, jsonToText, required } from "../core/base/index.ts";
import { parseExpression, type ParsedExpression } from "../core/expression/index.ts";
import {
  ENFORCEMENTS,
  type Policy,
  POLICY_ACTIONS,
  POLICY_CATEGORIES,
  POLICY_SCOPES,
} from "../core/governance/index.ts";
import type { Entry } from "../store/index.ts";
import { anyJson, microsOf, name, names, readBody, spec, text, usd } from "./field.ts";
import { scopeProblems } from "./scope.ts";
import { didYouMean, specProblem, type SpecProblem } from "./spec-problem.ts";
import { approvalFields, approvalRuleOf, stepFieldProblems } from "./step-field.ts";

export const policySpec = spec({
  category: z.enum(POLICY_CATEGORIES).describe("What it is about; run_creation is asked before a run exists"),
  scope: z.enum(POLICY_SCOPES).default("global").describe("What it applies to"),
  scope_id: name.nullish().describe("Which one of the scope; every one otherwise"),
  condition: z
    .union([z.string(), z.boolean()], { error: "must be an expression" })
    .describe("An expression over agent, gateway, run, node, role, budget and context"),
  action: z.enum(POLICY_ACTIONS).describe("What happens while the condition holds"),
  enforcement: z.enum(ENFORCEMENTS).default("hard").describe("Only a hard one blocks or holds; the others tell"),
  enabled: z.boolean().default(true).describe("Asked at all"),
  reason: text.nullish().describe("What people are told"),
  approvers: anyJson.optional().describe("Who is asked, one after the other, as in a step"),
  otherwise: anyJson.optional().describe("What happens when nobody in the chain answers, as in a step"),
  expires: anyJson.optional().describe("How long an approval waits, as in a step"),
  separate_approver: anyJson.optional().describe("Whoever started the run may not approve, as in a step"),
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

/** What a condition may speak about; anything else would be missing for ever, and the policy silent. */
const SUBJECTS = ["agent", "gateway", "run", "node", "role", "budget", "context"];

export function policyProblems(written: JsonObject): readonly SpecProblem[] {
  return [
    ...scopeProblems(written, false),
    ...conditionProblems(getOwn(written, "condition")),
    ...stepFieldProblems(approvalFields(written)),
  ];
}

function conditionProblems(condition: unknown): readonly SpecProblem[] {
  if (typeof condition !== "string") return [];
  const parsed = parseExpression(condition);
  if (!parsed.ok) {
    const { message, position, hint } = parsed.failure;
    const said = `"condition" cannot be read at character ${position + 1}: ${message}.`;
    return [specProblem("bad_expression", ["condition"], said, { hint: sentence(hint) })];
  }
  return parsed.value.paths.flatMap(({ segments, text: path, position }) => {
    const head = String(segments[0]);
    if (SUBJECTS.includes(head)) return [];
    const said = `"condition" speaks of "${path}" at character ${position + 1}, which a policy does not see.`;
    const hint = didYouMean(head, SUBJECTS) ?? `Policies see ${SUBJECTS.join(", ")}.`;
    return [specProblem("bad_expression", ["condition"], said, { hint })];
  });
}

function sentence(hint: string | undefined): string | undefined {
  return hint === undefined ? undefined : `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`;
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
