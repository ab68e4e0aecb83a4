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
  scope: z.enum(BUDGET_SCOPES).describe("Whose spending is counted"),
  scope_id: name.nullish().describe("Whose money it is; not with scope global"),
  period: z.enum(PERIODS).describe("From midnight, Sunday or the first of the month, UTC"),
  amount_usd: usd.describe("US dollars in a period"),
  enabled: z.boolean().default(true).describe("Counted at all"),
  alert_at: z
    .array(z.number().gt(0).max(SHARE_MAX))
    .max(ALERTS_MAX)
    .default([0.8, 1])
    .describe("Shares of the amount at which an alert fires once per period"),
  on_exhausted: z
    .enum(["block", "pause"])
    .default("block")
    .describe("Whether what does not fit fails, or waits for money"),
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
