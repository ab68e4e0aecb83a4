import { LIMITS } from "../../core/base/index.ts";

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

interface Organisation {
  counted: Counted | null;
  counting: Promise<Counted> | null;
  /** Starts that were admitted and have neither been committed nor failed. */
  underWay: number;
}

/** Intervals between counts. A count reads an index entry per open run: it is repeated rarely far below the limit, more often near it. */
const RECOUNT_MS = 5_000;
const RECOUNT_FEW_MS = 60_000;
/** Before a start is refused, the runs are counted again, unless that was done within so long per open run. */
const RECOUNT_MS_PER_RUN = RECOUNT_MS / LIMITS.openRunsMax;

/** Approximate number of open runs per organisation, precise enough for a limit. Other replicas also start and end runs. */
export class OpenRuns {
  readonly #options: OpenRunsOptions;
  readonly #organisations = new Map<string, Organisation>();

  constructor(options: OpenRunsOptions) {
    this.#options = options;
  }

  /** Counts one more run that is about to start; throws when there are too many. The caller calls the result after the start. */
  async admit(orgId: string): Promise<() => void> {
    const max = this.#options.max(orgId);
    if (max === null) return () => undefined;
    const organisation = this.#organisationOf(orgId);
    let counted = await this.#current(orgId, organisation, max);
    if (
      isFull(counted, max) &&
      this.#options.now() - counted.at >= Math.min(RECOUNT_MS, counted.open * RECOUNT_MS_PER_RUN)
    )
      counted = await this.#count(orgId, organisation);
    if (isFull(counted, max)) throw new TooManyOpenRuns(max);
    counted.started += 1;
    organisation.underWay += 1;
    return () => void (organisation.underWay -= 1);
  }

  #organisationOf(orgId: string): Organisation {
    const known = this.#organisations.get(orgId);
    if (known !== undefined) return known;
    const organisation = { counted: null, counting: null, underWay: 0 };
    this.#organisations.set(orgId, organisation);
    return organisation;
  }

  async #current(orgId: string, organisation: Organisation, max: number): Promise<Counted> {
    const { counted } = organisation;
    if (counted === null) return this.#count(orgId, organisation);
    const isMany = (counted.open + counted.started) * 2 >= max;
    const isRecent = this.#options.now() - counted.at < (isMany ? RECOUNT_MS : RECOUNT_FEW_MS);
    return isRecent ? counted : this.#count(orgId, organisation);
  }

  /** Starts under way may be missing in the count, and are added to it. */
  #count(orgId: string, organisation: Organisation): Promise<Counted> {
    organisation.counting ??= this.#countAnew(orgId, organisation).finally(() => (organisation.counting = null));
    return organisation.counting;
  }

  async #countAnew(orgId: string, organisation: Organisation): Promise<Counted> {
    const at = this.#options.now();
    const { underWay, counted: before } = organisation;
    const startedBefore = before?.started ?? 0;
    const open = await this.#options.count(orgId);
    const started = underWay + (before?.started ?? 0) - startedBefore;
    organisation.counted = { at, open, started };
    return organisation.counted;
  }
}

function isFull({ open, started }: Counted, max: number): boolean {
  return open + started >= max;
}
