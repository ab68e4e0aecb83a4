import { z } from "zod";
import type { JsonObject } from "../core/base/index.ts";
import type { CreditPlan } from "../core/governance/index.ts";
import type { Entry } from "../store/index.ts";
import { readBody, spec } from "./field.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

const CREDITS_MAX = 1_000_000_000;
const credits = z.number().min(0).max(CREDITS_MAX);

export const creditPlanSpec = spec({
  credits_per_usd: credits.nullish().describe("Credits per US dollar of an attempt's cost"),
  credits_per_token: z
    .strictObject({
      input: credits.default(0),
      output: credits.default(0),
      thinking: credits.default(0),
      cached: credits.default(0),
    })
    .nullish()
    .describe(
      "Credits per token of each class, in place of credits per US dollar. Classes that are not named are free",
    ),
  enabled: z
    .boolean()
    .default(true)
    .describe("Whether the plan is used. When several plans are enabled, the first by name is used"),
});

export function creditPlanProblems(written: JsonObject): readonly SpecProblem[] {
  const has = (key: string): boolean => Object.hasOwn(written, key) && written[key] !== null;
  const isByCost = has("credits_per_usd");
  if (isByCost !== has("credits_per_token")) return [];
  const hint = `Write one of "credits_per_usd" and "credits_per_token".`;
  return isByCost
    ? [
        specProblem("conflicting_fields", ["credits_per_token"], "A plan charges by cost or by token, not by both.", {
          isAtKey: true,
          hint,
        }),
      ]
    : [specProblem("missing_field", ["credits_per_usd"], "A plan must name what is charged.", { hint })];
}

export function creditPlanOf({ id, body }: Entry): CreditPlan {
  const { credits_per_usd: perUsd, credits_per_token: perToken, enabled } = readBody(creditPlanSpec, body);
  return { id, perUsd: perUsd ?? null, perToken: perToken ?? null, isEnabled: enabled };
}
