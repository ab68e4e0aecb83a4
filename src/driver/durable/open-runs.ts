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

interface Organisation {
  /** Time of the last count; -Infinity before the first. */
  countedAt: number;
  /** Open runs found by the last count, starts under way then, and starts admitted since. */
  open: number;
  /** Starts that were admitted and have neither been committed nor failed. A count may not include them. */
  underWay: number;
  counting: Promise<void> | null;
}

/** How long a count is used. It reads an index entry per open run: it is repeated rarely far below the limit, more often near it. */
const RECOUNT_MS = 5_000;
const RECOUNT_FEW_MS = 60_000;
/** A count that reached the limit is repeated after this time per open run, so that starts are accepted soon after runs have ended. */
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
    if (this.#options.now() - organisation.countedAt >= usedFor(organisation, max)) {
      await (organisation.counting ??= this.#count(orgId, organisation));
    }
    if (organisation.open >= max) throw new TooManyOpenRuns(max);
    organisation.open += 1;
    organisation.underWay += 1;
    return () => void (organisation.underWay -= 1);
  }

  #organisationOf(orgId: string): Organisation {
    const known = this.#organisations.get(orgId);
    if (known !== undefined) return known;
    const organisation = { countedAt: -Infinity, open: 0, underWay: 0, counting: null };
    this.#organisations.set(orgId, organisation);
    return organisation;
  }

  async #count(orgId: string, organisation: Organisation): Promise<void> {
    try {
      const at = this.#options.now();
      const open = await this.#options.count(orgId);
      organisation.open = open + organisation.underWay;
      organisation.countedAt = at;
    } finally {
      organisation.counting = null;
    }
  }
}

function usedFor({ open }: Organisation, max: number): number {
  if (open >= max) return Math.min(RECOUNT_MS, open * RECOUNT_MS_PER_RUN);
  return open * 2 >= max ? RECOUNT_MS : RECOUNT_FEW_MS;
}
