import type { ModelPrice } from "./registered.ts";

/** What is known of a call before it is made. */
export interface Estimated {
  /** What the author wrote as `estimated_cost`. */
  readonly estimatedCostMicros: number | null;
  readonly price: ModelPrice | null;
  /** False for providers that bill nothing by token: without a price they cost nothing. */
  readonly isPriced: boolean;
  readonly promptCharacters: number;
  /** The author's or the agent's ceiling; null: the model's own. */
  readonly maxOutputTokens: number | null;
}

/** How long an answer may be when neither the author nor the price list says. */
export const OUTPUT_TOKENS_DEFAULT = 4_096;

const TOKENS_PER_MTOK = 1_000_000;

/** What to reserve; null when the call costs something and the price is unknown. */
export function estimateMicros(call: Estimated): number | null {
  if (call.estimatedCostMicros !== null) return call.estimatedCostMicros;
  if (call.price === null) return call.isPriced ? null : 0;
  return costOf(call.price, promptTokens(call.promptCharacters), tokenCeiling(call));
}

/** What to reserve before a turn: its first round, or what the author expects of all of it where that is more. */
export function firstRoundMicros(call: Estimated): number | null {
  const round = estimateMicros({ ...call, estimatedCostMicros: null });
  const { estimatedCostMicros: whole } = call;
  return round === null || whole === null ? (whole ?? round) : Math.max(round, whole);
}

/** What to reserve before the next round of a turn, which reads so many tokens. */
export function nextRoundMicros(call: Omit<Estimated, "promptCharacters">, contextTokens: number): number | null {
  if (call.price === null) return estimateMicros({ ...call, promptCharacters: 0 });
  const answer = tokenCeiling({ ...call, promptCharacters: 0 });
  return costOf(call.price, contextTokens, answer);
}

/** Four characters to a token, and 30 % on top, because languages and tokenisers differ. */
export function promptTokens(characters: number): number {
  return Math.ceil((whole(characters) * 13) / 40);
}

/**
 * How many tokens the answer may have so that the call costs no more than was reserved; null when nothing limits it.
 * At least 1: a reservation below the price of the prompt is the author's own choice, and no call has an empty answer.
 */
export function maxOutputTokensFor(call: Estimated, reservedMicros: number | null): number | null {
  const { price } = call;
  if (price === null || reservedMicros === null) return call.maxOutputTokens;
  const ceiling = tokenCeiling(call);
  if (!(price.outputMicrosPerMtok > 0)) return ceiling;
  const prompt = promptTokens(call.promptCharacters);
  const left = reservedMicros * TOKENS_PER_MTOK - prompt * price.inputMicrosPerMtok;
  const affordable = Math.max(1, Math.min(ceiling, Math.floor(left / price.outputMicrosPerMtok)));
  // A division may round up past the last token that fits.
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
