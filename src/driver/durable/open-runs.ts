/** Thrown when an organisation has reached its limit of open runs. Starts are accepted again when some of them have ended. */
export class TooManyOpenRuns extends Error {
  override readonly name = "TooManyOpenRuns";
  readonly max: number;
  readonly retryAfterMs = RECOUNT_MS;
  constructor(max: number) {
    super(`the organisation has ${max} open runs, and may not have more`);
    this.max = max;
  }
}

export interface OpenRunsOptions {
  readonly count: (orgId: string) => Promise<number>;
  /** Limit of open runs of an organisation; null means unlimited. */
  readonly max: (orgId: string) => number | null;
  readonly now: () => number;
}

interface Counted {
  readonly at: number;
  readonly open: number;
  /** Runs started by this process since the count. */
  started: number;
}

/** Intervals between counts. A count reads an index entry per open run: it is repeated rarely far below the limit, more often near it. */
const RECOUNT_MS = 5_000;
const RECOUNT_FEW_MS = 60_000;

/** Approximate number of open runs per organisation, precise enough for a limit. Other replicas also start and end runs. */
export class OpenRuns {
  readonly #options: OpenRunsOptions;
  readonly #counted = new Map<string, Counted>();

  constructor(options: OpenRunsOptions) {
    this.#options = options;
  }

  /** Counts one more run that is about to start; throws when there are too many. */
  async admit(orgId: string): Promise<void> {
    const max = this.#options.max(orgId);
    if (max === null) return;
    const counted = await this.#current(orgId, max);
    if (counted.open + counted.started >= max) throw new TooManyOpenRuns(max);
    counted.started += 1;
  }

  async #current(orgId: string, max: number): Promise<Counted> {
    const { count, now } = this.#options;
    const before = this.#counted.get(orgId);
    const isMany = before !== undefined && (before.open + before.started) * 2 >= max;
    if (before !== undefined && now() - before.at < (isMany ? RECOUNT_MS : RECOUNT_FEW_MS)) return before;
    const counted = { at: now(), open: await count(orgId), started: 0 };
    this.#counted.set(orgId, counted);
    return counted;
  }
}
