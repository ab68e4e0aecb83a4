import type { ModelPrice } from "./registered.ts";

/** Facts about the cost of a call before it is made. */
export interface Estimated {
  /** The author's `estimated_cost`. */
  readonly estimatedCostMicros: number | null;
  readonly price: ModelPrice | null;
  /** False for providers that do not bill by token. Without a price they cost nothing. */
  readonly isPriced: boolean;
  readonly promptCharacters: number;
  /** Tokens that the call reads when it continues a turn. Absent when it begins one. */
  readonly contextTokens?: number;
  /** The ceiling of the author or the agent. Null when only the model's own applies. */
  readonly maxOutputTokens: number | null;
}

/** Maximum tokens of an answer when neither the author nor the price list limits them. */
export const OUTPUT_TOKENS_DEFAULT = 4_096;

const TOKENS_PER_MTOK = 1_000_000;

/** Returns the amount to reserve. Null when the call costs money and its price is unknown. */
export function estimateMicros(call: Estimated): number | null {
  if (call.estimatedCostMicros !== null) return call.estimatedCostMicros;
  if (call.price === null) return call.isPriced ? null : 0;
  return costOf(call.price, inputTokens(call), tokenCeiling(call));
}

/** Returns the amount to reserve before a turn: that of its first round, or the author's estimate of the whole turn if larger. */
export function firstRoundMicros(call: Estimated): number | null {
  const round = estimateMicros({ ...call, estimatedCostMicros: null });
  const { estimatedCostMicros: whole } = call;
  return round === null || whole === null ? (whole ?? round) : Math.max(round, whole);
}

/** Returns the amount to reserve before a further round of a turn, whether its process continues or starts again. */
export function nextRoundMicros(call: Estimated): number | null {
  return estimateMicros(call.price === null ? call : { ...call, estimatedCostMicros: null });
}

/** The context of a turn contains its prompt. An adapter that reports no tokens leaves only the prompt to count. */
function inputTokens({ promptCharacters, contextTokens = 0 }: Estimated): number {
  return Math.max(promptTokens(promptCharacters), contextTokens);
}

/** Estimates four characters per token, plus 30 % because languages and tokenisers differ. */
export function promptTokens(characters: number): number {
  return Math.ceil((whole(characters) * 13) / 40);
}

/**
 * Returns the maximum tokens of the answer so that the call costs no more than was reserved. Null when nothing limits it.
 * At least 1: a reservation below the price of the prompt is the author's choice, and an answer is never empty.
 */
export function maxOutputTokensFor(call: Estimated, reservedMicros: number | null): number | null {
  const { price } = call;
  if (price === null || reservedMicros === null) return call.maxOutputTokens;
  const ceiling = tokenCeiling(call);
  if (!(price.outputMicrosPerMtok > 0)) return ceiling;
  const prompt = inputTokens(call);
  const left = reservedMicros * TOKENS_PER_MTOK - prompt * price.inputMicrosPerMtok;
  const affordable = Math.max(1, Math.min(ceiling, Math.floor(left / price.outputMicrosPerMtok)));
  // Rounding in the division may give one token more than fits.
  return affordable > 1 && costOf(price, prompt, affordable) > reservedMicros ? affordable - 1 : affordable;
}

function tokenCeiling({ price, maxOutputTokens }: Estimated): number {
  const ofModel = price?.maxOutputTokens ?? null;
  if (maxOutputTokens === null) return ofModel ?? OUTPUT_TOKENS_DEFAULT;
  return ofModel === null ? maxOutputTokens : Math.min(maxOutputTokens, ofModel);
}

function costOf(price: ModelPrice, inputTokens: number, outputTokens: number): number {
  const exact = inputTokens * price.inputMicrosPerMtok + whole(outputTokens) * price.outputMicrosPerMtok;
  return Math.ceil(exact / TOKENS_PER_MTOK);
}

function whole(count: number): number {
  return Number.isFinite(count) && count > 0 ? Math.ceil(count) : 0;
}
