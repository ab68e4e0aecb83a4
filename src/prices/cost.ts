import type { Price, Rate } from "./price.ts";

/** Tokens of one call. Cached and written tokens are part of the input, thinking tokens part of the output. */
export interface PricedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
}

/** Number of decimal digits of a rate. Rates are whole numbers of 10⁻¹² micro-dollars, so that sums of products need no rounding. */
const DIGITS = 12;
const UNIT = 10n ** BigInt(DIGITS);

/**
 * Returns the cost of one call in whole micro-dollars: computed exactly, then rounded once, half up. Thinking tokens
 * are charged as the output they are part of.
 */
export function costMicros(price: Price, usage: PricedUsage): number {
  const input = whole(usage.inputTokens);
  const cached = least(whole(usage.cachedTokens ?? 0), input);
  const written = least(whole(usage.cacheWriteTokens ?? 0), input - cached);
  const at = (rate: Rate): bigint => toUnits(rateAt(rate, input));
  const total =
    (input - cached - written) * at(price.input) +
    cached * at(price.cacheRead ?? price.input) +
    written * at(price.cacheWrite ?? price.input) +
    whole(usage.outputTokens) * at(price.output);
  return Number((total + UNIT / 2n) / UNIT);
}

function whole(tokens: number): bigint {
  return Number.isFinite(tokens) && tokens > 0 ? BigInt(Math.trunc(tokens)) : 0n;
}

function least(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function rateAt(rate: Rate, inputTokens: bigint): number {
  let found = rate.base;
  for (const tier of rate.tiers) {
    if (inputTokens > BigInt(tier.above)) found = tier.rate;
  }
  return found;
}

/** Converts the shortest decimal form of the number, digit by digit, because price lists are written in decimals. */
function toUnits(rate: number): bigint {
  const [mantissa = "0", exponent = "0"] = String(rate).split("e");
  const [integer = "0", fraction = ""] = mantissa.split(".");
  const shift = DIGITS - fraction.length + Number(exponent);
  const digits = BigInt(integer + fraction);
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
}
