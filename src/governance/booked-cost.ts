import type { Report } from "../core/engine/index.ts";
import { costMicros } from "../prices/index.ts";
import { billing, billingPriceOf, isPricedProvider, type PriceSources, registeredPrice } from "./price-of.ts";

/** An admitted call, and the report of its adapter. */
export interface SpentCall {
  readonly provider: string | null;
  /** The requested model; the report may name the model that answered. */
  readonly model: string | null;
  readonly startedAt: number;
  /** Cost of a call according to the author of the node. */
  readonly estimatedCostMicros: number | null;
  readonly report: Report;
}

/** The cost to record. Absent fields stay as they were reported. */
export interface BookedCost {
  readonly costMicros: number;
  readonly priceId?: string;
  readonly warning?: string;
}

/** Price id for a reported cost that names no price. */
const REPORTED = "reported";
const ESTIMATED = "estimated_cost";

/**
 * Returns the cost to book. A cost that the adapter was charged is booked as paid. A cost that the adapter computed
 * from a price list is replaced by the registered price, which the reservation used as well. A report without a cost is
 * priced here. When no price is known, it is booked at the estimate of the step, or at zero, with a warning.
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
