import type { ModelPrice } from "../core/governance/index.ts";
import { findPrice, type OwnPrices, type Price, type Rate } from "../prices/index.ts";

/** Providers that bill nothing by token. */
const UNPRICED: ReadonlySet<string | null> = new Set([null, "scripted", "http", "process", "mcp", "function"]);

export function isPricedProvider(provider: string | null): boolean {
  return !UNPRICED.has(provider);
}

const MICROS_PER_USD = 1_000_000;

/** Where prices come from, the first that knows the model wins; the bundled list comes last. */
export interface PriceSources {
  /** What is registered as `Model`. */
  readonly models: ReadonlyMap<string, ModelPrice>;
  /** From the configuration of the adapter. */
  readonly ofAdapter?: OwnPrices | undefined;
}

export interface PriceQuestion {
  readonly provider: string | null;
  readonly model: string | null;
  /** Prices change; epoch milliseconds of the call. */
  readonly at: number;
}

/** What to reserve by; a call must not cost more, whatever tier it falls into. */
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

/** What to book by: the same price, with its tiers. */
export function billingPriceOf(sources: PriceSources, question: PriceQuestion): Price | null {
  const registered = registeredPrice(sources, question);
  return registered === null ? unregisteredPrice(sources, question) : billing(registered);
}

/** An operator's own price wins over everything, under each way to write the model. */
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

/** Providers that call the models of one vendor under another name. */
const VENDORS: ReadonlyMap<string | null, string> = new Map([["claude-agent", "anthropic"]]);

/** `openai:gpt-5`, `anthropic/claude-…`, or a bare id of the provider's own. */
function vendorAndId(provider: string | null, model: string): readonly [string, string] {
  const [, vendor, id] = /^([a-z][a-z0-9_-]*)[:/](.+)$/.exec(model) ?? [];
  return vendor === undefined || id === undefined ? [VENDORS.get(provider) ?? provider ?? "", model] : [vendor, id];
}
