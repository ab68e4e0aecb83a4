/** A rate in dollars per million tokens, which is also micro-dollars per token; more of it can cost another rate. */
export interface Rate {
  readonly base: number;
  /** A call with more input tokens than `above` is charged at `rate` as a whole; ascending by `above`. */
  readonly tiers: readonly { readonly above: number; readonly rate: number }[];
}

/** What one model costs. Rates the vendor does not name apart are those of ordinary input. */
export interface Price {
  /** Where the figures come from and since when they hold, for checking a bill. */
  readonly priceId: string;
  readonly input: Rate;
  readonly output: Rate;
  readonly cacheRead?: Rate;
  readonly cacheWrite?: Rate;
}

/** The operator's own figures for one model. */
interface OwnPrice {
  readonly input_usd_per_mtok: number;
  readonly output_usd_per_mtok: number;
  readonly cached_usd_per_mtok?: number | undefined;
}

/** Own figures by `vendor:model`. */
export type OwnPrices = Readonly<Record<string, OwnPrice>>;
