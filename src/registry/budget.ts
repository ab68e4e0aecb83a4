import { z } from "zod";
import { type JsonObject } from "../core/base/index.ts";
import { type Budget, BUDGET_SCOPES, PERIODS } from "../core/governance/index.ts";
import type { Entry } from "../store/index.ts";
import { microsOf, name, readBody, spec, usd } from "./field.ts";
import { scopeProblems } from "./scope.ts";
import type { SpecProblem } from "./spec-problem.ts";

const SHARE_MAX = 10;
const ALERTS_MAX = 20;

export const budgetSpec = spec({
  scope: z.enum(BUDGET_SCOPES).describe("Kind of spending that is counted"),
  scope_id: name.nullish().describe("Name of the gateway, agent, workflow or team. Not with scope global"),
  period: z.enum(PERIODS).describe("Period of the budget, from midnight, Sunday or the first of the month, UTC"),
  amount_usd: usd.describe("Amount in US dollars per period"),
  enabled: z.boolean().default(true).describe("Whether the budget is applied"),
  alert_at: z
    .array(z.number().gt(0).max(SHARE_MAX))
    .max(ALERTS_MAX)
    .default([0.8, 1])
    .describe("Shares of the amount at which an alert is sent, once per period"),
  on_exhausted: z
    .enum(["block", "pause"])
    .default("block")
    .describe("block: a dispatch that exceeds the budget fails; pause: it waits until the amount suffices"),
});

export function budgetProblems(written: JsonObject): readonly SpecProblem[] {
  return scopeProblems(written, true);
}

export function budgetOf({ id, body }: Entry): Budget {
  const written = readBody(budgetSpec, body);
  return {
    id,
    scope: written.scope,
    scopeId: written.scope_id ?? null,
    period: written.period,
    amountMicros: microsOf(written.amount_usd),
    isEnabled: written.enabled,
    alertAt: [...new Set(written.alert_at)].sort((left, right) => left - right),
    onExhausted: written.on_exhausted,
  };
}
