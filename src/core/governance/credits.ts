import type { CreditPlan } from "./registered.ts";

const MILLION = 1_000_000;

export interface ChargeableUsage {
  readonly costMicros: number;
  readonly tokens: Readonly<Record<"inputTokens" | "outputTokens" | "thinkingTokens" | "cachedTokens", number>>;
}

/** Returns the credits charged for an attempt, to a millionth of a credit. Null when no enabled plan charges credits. */
export function creditsFor(plans: readonly CreditPlan[], { costMicros, tokens }: ChargeableUsage): number | null {
  const plan = plans.find(({ isEnabled }) => isEnabled);
  if (plan === undefined) return null;
  const { perUsd, perToken } = plan;
  if (perToken === null) return Math.round(costMicros * (perUsd ?? 0)) / MILLION;
  const { inputTokens, outputTokens, thinkingTokens, cachedTokens } = tokens;
  const charged =
    inputTokens * perToken.input +
    outputTokens * perToken.output +
    thinkingTokens * perToken.thinking +
    cachedTokens * perToken.cached;
  return Math.round(charged * MILLION) / MILLION;
}
