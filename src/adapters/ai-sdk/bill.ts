import type { AdapterHooks } from "../../adapter/index.ts";
import type { OwnPrices } from "../../prices/index.ts";

/** Tokens of one call. Cached tokens are part of the input, thinking tokens are part of the output. */
export interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
}

const CHARACTERS_PER_TOKEN = 4;
/** No model reads or writes this many tokens in one call. A larger number means that the metering is broken. */
export const TOKENS_PER_CALL_MAX = 100_000_000;
const COST_MICROS_MAX = 1_000_000_000_000;
const MICROS_PER_USD = 1_000_000;

/** The token counts that a provider reports, before they are checked. */
export interface ReportedTokens {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly thinkingTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly cacheWriteTokens: number | undefined;
}

/** Checks reported token counts. Null when the input or output count is missing or absurd. */
export function checkedTokens(reported: ReportedTokens): Tokens | null {
  if (!isCount(reported.inputTokens) || !isCount(reported.outputTokens)) return null;
  const { inputTokens, outputTokens } = reported;
  const cachedTokens = Math.min(countOf(reported.cachedTokens), inputTokens);
  return {
    inputTokens,
    outputTokens,
    thinkingTokens: Math.min(countOf(reported.thinkingTokens), outputTokens),
    cachedTokens,
    cacheWriteTokens: Math.min(countOf(reported.cacheWriteTokens), inputTokens - cachedTokens),
  };
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= TOKENS_PER_CALL_MAX;
}

function countOf(value: number | undefined): number {
  return isCount(value) ? value : 0;
}

/** Estimates the minimum usage of a call whose usage was not fully reported. */
export function estimated(promptCharacters: number, streamedCharacters: number): Tokens {
  return {
    inputTokens: Math.ceil(promptCharacters / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil(streamedCharacters / CHARACTERS_PER_TOKEN),
    thinkingTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
  };
}

/** Returns the larger value of each count from two measurements of the same call. */
export function larger(left: Tokens, right: Tokens): Tokens {
  return {
    inputTokens: Math.max(left.inputTokens, right.inputTokens),
    outputTokens: Math.max(left.outputTokens, right.outputTokens),
    thinkingTokens: Math.max(left.thinkingTokens, right.thinkingTokens),
    cachedTokens: Math.max(left.cachedTokens, right.cachedTokens),
    cacheWriteTokens: Math.max(left.cacheWriteTokens, right.cacheWriteTokens),
  };
}

export interface BillOptions {
  readonly vendor: string;
  readonly modelId: string;
  readonly atMs: number;
  readonly own: OwnPrices;
  readonly onLog: AdapterHooks["onLog"];
}

export interface BillTotals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly cachedTokens: number;
  readonly costUsd?: number;
  readonly priceId?: string;
}

/** Adds up the calls of one attempt. Each call is priced separately, because rates depend on the length of a call. */
export class Bill {
  readonly #calls: Tokens[] = [];
  readonly #options: BillOptions;

  constructor(options: BillOptions) {
    this.#options = options;
  }

  add(tokens: Tokens): void {
    this.#calls.push(tokens);
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  totals(): Promise<BillTotals> {
    return this.priced(this.#calls);
  }

  /** Returns the totals, without a cost when no price is known. The server then prices the usage, or warns that it cannot. */
  async priced(calls: readonly Tokens[]): Promise<BillTotals> {
    const sum = (pick: (tokens: Tokens) => number): number => calls.reduce((total, call) => total + pick(call), 0);
    return {
      inputTokens: sum((call) => call.inputTokens),
      outputTokens: sum((call) => call.outputTokens),
      thinkingTokens: sum((call) => call.thinkingTokens),
      cachedTokens: sum((call) => call.cachedTokens),
      ...(await this.#cost(calls)),
    };
  }

  async #cost(calls: readonly Tokens[]): Promise<Pick<BillTotals, "costUsd" | "priceId">> {
    if (calls.length === 0) return {};
    const { vendor, modelId, atMs, own, onLog } = this.#options;
    // Loaded here because the bundled price list is large and a process that calls no model does not need it.
    const { costMicros, findPrice } = await import("../../prices/index.ts");
    const price = findPrice(vendor, modelId, { atMs, own });
    if (price === undefined) {
      onLog({ level: "debug", message: `This adapter has no price for ${vendor}:${modelId}.` });
      return {};
    }
    onLog({ level: "debug", message: `Priced by ${price.priceId}.` });
    const micros = calls.reduce((total, call) => total + costMicros(price, call), 0);
    return { costUsd: Math.min(micros, COST_MICROS_MAX) / MICROS_PER_USD, priceId: price.priceId };
  }
}
