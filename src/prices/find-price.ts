import { createRequire } from "node:module";
import type * as PriceList from "@pydantic/genai-prices";
import type { ConditionalPrice, MatchLogic, ModelInfo, ModelPrice } from "@pydantic/genai-prices";
import { getOwn } from "../core/base/index.ts";
import type { OwnPrices, Price, Rate } from "./price.ts";

export interface PriceQuery {
  /** Time of the call in epoch milliseconds, since prices change. Without it the newest known price applies. */
  readonly atMs?: number;
  /** Prices configured by the operator, which override the bundled list. */
  readonly own?: OwnPrices;
}

/**
 * Returns the price of a model, by its exact id or an alias in the list. A model that only resembles a known one has
 * no price: a wrong bill is worse than none.
 */
export function findPrice(vendor: string, modelId: string, query: PriceQuery = {}): Price | undefined {
  return ownPrice(vendor, modelId, query.own) ?? bundledPrice(vendor, modelId, query.atMs);
}

function ownPrice(vendor: string, modelId: string, own: OwnPrices | undefined): Price | undefined {
  const key = `${vendor}:${modelId}`;
  const figures = own === undefined ? undefined : getOwn(own, key);
  if (figures === undefined) return undefined;
  const cached = figures.cached_usd_per_mtok;
  return {
    priceId: `own/${key}`,
    input: flat(figures.input_usd_per_mtok),
    output: flat(figures.output_usd_per_mtok),
    ...(cached === undefined ? {} : { cacheRead: flat(cached) }),
  };
}

function flat(base: number): Rate {
  return { base, tiers: [] };
}

let list: typeof PriceList | null = null;

/** Loaded lazily, because the list needs as much memory as a small server; synchronously, because it is used while deciding. */
function priceList(): typeof PriceList {
  list ??= createRequire(import.meta.url)("@pydantic/genai-prices") as typeof PriceList;
  return list;
}

function bundledPrice(vendor: string, modelId: string, atMs: number | undefined): Price | undefined {
  const provider = priceList().findProvider({ providerId: vendor });
  // The package also finds vendors whose name only contains the requested one.
  if (provider?.id !== vendor) return undefined;
  const model =
    provider.models.find(({ id }) => id === modelId) ??
    provider.models.find(({ match }) => aliasesOf(match).includes(modelId));
  if (model === undefined) return undefined;
  const { prices, since } = pricesAt(model, atMs);
  const [input, output] = [rateOf(prices, "input_mtok"), rateOf(prices, "output_mtok")];
  if (input === undefined || output === undefined) return undefined;
  const [cacheRead, cacheWrite] = [rateOf(prices, "cache_read_mtok"), rateOf(prices, "cache_write_mtok")];
  return {
    priceId: `genai-prices/${vendor}/${model.id}${since === undefined ? "" : `@${since}`}`,
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

/** Returns the ids the list gives literally. Its prefixes, fragments and patterns are guesses about future models. */
function aliasesOf(match: MatchLogic): readonly string[] {
  if ("equals" in match) return [match.equals];
  return "or" in match ? match.or.flatMap(aliasesOf) : [];
}

interface DatedPrices {
  readonly prices: ModelPrice;
  readonly since?: string;
}

/** Returns the last entry whose condition holds. When rates depend on the hour, the most expensive entry applies. */
function pricesAt({ prices }: ModelInfo, atMs: number | undefined): DatedPrices {
  if (!Array.isArray(prices)) return { prices };
  const inForce = prices.filter((entry) => isInForce(entry, atMs));
  const entry = inForce.findLast(({ constraint }) => constraint?.type === "start_date") ?? mostExpensive(inForce);
  if (entry === undefined) return { prices: prices[0]?.prices ?? {} };
  const since = entry.constraint?.type === "start_date" ? entry.constraint.start_date : undefined;
  return { prices: entry.prices, ...(since === undefined ? {} : { since }) };
}

function isInForce({ constraint }: ConditionalPrice, atMs: number | undefined): boolean {
  if (constraint?.type !== "start_date") return true;
  return atMs === undefined || atMs >= Date.parse(`${constraint.start_date}T00:00:00Z`);
}

function mostExpensive(entries: readonly ConditionalPrice[]): ConditionalPrice | undefined {
  return entries.toSorted((left, right) => outputRate(right) - outputRate(left))[0];
}

function outputRate({ prices }: ConditionalPrice): number {
  return rateOf(prices, "output_mtok")?.base ?? 0;
}

function rateOf(prices: ModelPrice, key: string): Rate | undefined {
  const value = getOwn(prices, key);
  if (value === undefined) return undefined;
  if (typeof value === "number") return flat(value);
  const tiers = value.tiers.map(({ start, price }) => ({ above: start, rate: price }));
  return { base: value.base, tiers: tiers.sort((left, right) => left.above - right.above) };
}
