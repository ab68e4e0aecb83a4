import type { ModelPrice } from "../core/governance/index.ts";
import { findPrice, type OwnPrices, type Price, type Rate } from "../prices/index.ts";

/** Providers that do not charge per token. */
const UNPRICED: ReadonlySet<string | null> = new Set([null, "scripted", "http", "process", "mcp", "function"]);

export function isPricedProvider(provider: string | null): boolean {
  return !UNPRICED.has(provider);
}

const MICROS_PER_USD = 1_000_000;

/** Sources of prices. The first source that knows the model wins, and the bundled list comes last. */
export interface PriceSources {
  /** Prices registered as `Model`. */
  readonly models: ReadonlyMap<string, ModelPrice>;
  /** Prices from the configuration of the adapter. */
  readonly ofAdapter?: OwnPrices | undefined;
}

export interface PriceQuestion {
  readonly provider: string | null;
  readonly model: string | null;
  /** Time of the call, because prices change. Epoch milliseconds. */
  readonly at: number;
}

/** Returns the price for reservations. It uses the highest tier, so that a call cannot cost more than reserved. */
export function priceOf(sources: PriceSources, question: PriceQuestion): ModelPrice | null {
  const registered = registeredPrice(sources, question);
  if (registered !== null) return registered;
  const price = unregisteredPrice(sources, question);
  if (price === null) return null;
  return {
    id: price.priceId,
    inputMicrosPerMtok: highest(price.input) * MICROS_PER_USD,
    outputMicrosPerMtok: highest(price.output) * MICROS_PER_USD,
    cachedMicrosPerMtok: null,
    maxOutputTokens: null,
  };
}

/** Returns the price for booking: the same price, with its tiers. */
export function billingPriceOf(sources: PriceSources, question: PriceQuestion): Price | null {
  const registered = registeredPrice(sources, question);
  return registered === null ? unregisteredPrice(sources, question) : billing(registered);
}

/** Returns the price that an operator registered, under any spelling of the model. It overrides all other prices. */
export function registeredPrice({ models }: PriceSources, { provider, model }: PriceQuestion): ModelPrice | null {
  if (model === null) return null;
  const [vendor, id] = vendorAndId(provider, model);
  return models.get(model) ?? models.get(`${vendor}:${id}`) ?? null;
}

export function billing({ id, ...rates }: ModelPrice): Price {
  const { inputMicrosPerMtok, outputMicrosPerMtok, cachedMicrosPerMtok } = rates;
  return {
    priceId: id,
    input: flat(inputMicrosPerMtok),
    output: flat(outputMicrosPerMtok),
    ...(cachedMicrosPerMtok === null ? {} : { cacheRead: flat(cachedMicrosPerMtok) }),
  };
}

function unregisteredPrice({ ofAdapter }: PriceSources, { provider, model, at }: PriceQuestion): Price | null {
  if (model === null || !isPricedProvider(provider)) return null;
  const [vendor, id] = vendorAndId(provider, model);
  return findPrice(vendor, id, { atMs: at, ...(ofAdapter === undefined ? {} : { own: ofAdapter }) }) ?? null;
}

function flat(microsPerMtok: number): Rate {
  return { base: microsPerMtok / MICROS_PER_USD, tiers: [] };
}

function highest({ base, tiers }: Rate): number {
  return Math.max(base, ...tiers.map(({ rate }) => rate));
}

/** Providers that call models of a vendor with a different name. */
const VENDORS: ReadonlyMap<string | null, string> = new Map([["claude-agent", "anthropic"]]);

/** Splits `openai:gpt-5` or `anthropic/claude-…`. A bare id belongs to the vendor of the provider. */
function vendorAndId(provider: string | null, model: string): readonly [string, string] {
  const [, vendor, id] = /^([a-z][a-z0-9_-]*)[:/](.+)$/.exec(model) ?? [];
  return vendor === undefined || id === undefined ? [VENDORS.get(provider) ?? provider ?? "", model] : [vendor, id];
}
