import type { ModelPrice } from "../core/governance/index.ts";
import { findPrice, type Rate } from "../prices/index.ts";

/** Providers that bill nothing by token. */
const UNPRICED: ReadonlySet<string | null> = new Set([null, "scripted", "http", "process", "mcp"]);

export function isPricedProvider(provider: string | null): boolean {
  return !UNPRICED.has(provider);
}

const MICROS_PER_USD = 1_000_000;

/** An operator's own price wins; else the bundled list, by exact id. */
export function priceOf(
  models: ReadonlyMap<string, ModelPrice>,
  provider: string | null,
  model: string | null,
  at: number,
): ModelPrice | null {
  if (model === null) return null;
  const [vendor, id] = vendorAndId(provider, model);
  const own = models.get(model) ?? models.get(`${vendor}:${id}`) ?? null;
  if (own !== null || !isPricedProvider(provider)) return own;
  const found = findPrice(vendor, id, { atMs: at });
  if (found === undefined) return null;
  return {
    id: found.priceId,
    inputMicrosPerMtok: dearest(found.input) * MICROS_PER_USD,
    outputMicrosPerMtok: dearest(found.output) * MICROS_PER_USD,
    cachedMicrosPerMtok: null,
    maxOutputTokens: null,
  };
}

/** A reservation must hold whatever tier the call falls into. */
function dearest({ base, tiers }: Rate): number {
  return Math.max(base, ...tiers.map(({ rate }) => rate));
}

/** `openai:gpt-5`, `anthropic/claude-…`, or a bare id of the provider's own. */
function vendorAndId(provider: string | null, model: string): readonly [string, string] {
  const [, vendor, id] = /^([a-z][a-z0-9_-]*)[:/](.+)$/.exec(model) ?? [];
  return vendor === undefined || id === undefined ? [provider ?? "", model] : [vendor, id];
}
