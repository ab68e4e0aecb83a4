/** A rate in dollars per million tokens, which equals micro-dollars per token. Large calls can have another rate. */
export interface Rate {
  readonly base: number;
  /** A call with more input tokens than `above` is charged entirely at `rate`; ascending by `above`. */
  readonly tiers: readonly { readonly above: number; readonly rate: number }[];
}

/** The price of one model. Rates that the vendor does not list separately equal the rate of ordinary input. */
export interface Price {
  /** The source of the figures and the date from which they apply, for checking a bill. */
  readonly priceId: string;
  readonly input: Rate;
  readonly output: Rate;
  readonly cacheRead?: Rate;
  readonly cacheWrite?: Rate;
}

/** Prices set by the operator for one model. */
interface OwnPrice {
  readonly input_usd_per_mtok: number;
  readonly output_usd_per_mtok: number;
  readonly cached_usd_per_mtok?: number | undefined;
}

/** Prices of the operator by `vendor:model`. */
export type OwnPrices = Readonly<Record<string, OwnPrice>>;
