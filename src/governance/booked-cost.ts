import type { Report } from "../core/engine/index.ts";
import { costMicros } from "../prices/index.ts";
import { billing, billingPriceOf, isPricedProvider, type PriceSources, registeredPrice } from "./price-of.ts";

/** A call as it was admitted, and what its adapter has reported of it. */
export interface SpentCall {
  readonly provider: string | null;
  /** As it was asked for; the report may name the one that answered. */
  readonly model: string | null;
  readonly startedAt: number;
  /** What a call costs according to the author of the node. */
  readonly estimatedCostMicros: number | null;
  readonly report: Report;
}

/** What is recorded of the cost; what is absent stays as it was reported. */
export interface BookedCost {
  readonly costMicros: number;
  readonly priceId?: string;
  readonly warning?: string;
}

/** What the reporter was charged, by a price it does not name. */
const REPORTED = "reported";
const ESTIMATED = "estimated_cost";

/**
 * A cost that was reported as such is what was paid. One that an adapter has made out of a price list gives way to the
 * price that is registered, by which it was reserved. A report without a cost is priced here, and never booked as free
 * because its price is not known.
 */
export function bookedCost(sources: PriceSources, call: SpentCall): BookedCost | null {
  const { report, provider, startedAt: at } = call;
  const { tokens } = report;
  const used = tokens.inputTokens + tokens.outputTokens;
  const models = [...new Set([report.model ?? null, call.model])];
  if (report.isCostKnown !== false) {
    const { costMicros: reported, priceId } = report;
    if (priceId === undefined || used === 0)
      return reported === 0 ? null : { costMicros: reported, priceId: priceId ?? REPORTED };
    const own = first(models, (model) => registeredPrice(sources, { provider, model, at }));
    return own === null
      ? { costMicros: reported, priceId }
      : { costMicros: costMicros(billing(own), tokens), priceId: own.id };
  }
  if (used === 0) return null;
  const price = first(models, (model) => billingPriceOf(sources, { provider, model, at }));
  if (price !== null) return { costMicros: costMicros(price, tokens), priceId: price.priceId };
  return isPricedProvider(provider) ? withoutPrice(call, used) : null;
}

function withoutPrice({ report, provider, model, estimatedCostMicros }: SpentCall, used: number): BookedCost {
  const name = report.model ?? model ?? provider ?? "the model";
  const what = `No price is known for ${name}, so ${used} tokens were booked`;
  const advice = "register a Model with its prices";
  if (estimatedCostMicros === null) return { costMicros: 0, warning: `${what} without a cost; ${advice}.` };
  return {
    costMicros: estimatedCostMicros,
    priceId: ESTIMATED,
    warning: `${what} at the estimated_cost of the step; ${advice}.`,
  };
}

function first<T>(models: readonly (string | null)[], find: (model: string | null) => T | null): T | null {
  for (const model of models) {
    const found = find(model);
    if (found !== null) return found;
  }
  return null;
}
