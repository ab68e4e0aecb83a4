import {
  LIMIT_NAMES,
  type OrganisationLimits,
  type RateFact,
  type RateWindow,
  rateWindowOf,
} from "../core/governance/index.ts";
import type { BacklogStore } from "../store/index.ts";

/** An organisation keeps as much as it may; starts and files are taken again when some of it is gone. */
export class StorageFull extends Error {
  override readonly name = "StorageFull";
  readonly retryAfterMs = MEASURED_MS;
  constructor(used: number, max: number) {
    super(`the organisation keeps ${used} bytes, and may keep ${max} (${LIMIT_NAMES.storageBytes})`);
  }
}

type Rate = Pick<RateFact, "count" | "perSeconds">;

export interface OrganisationUseOptions {
  readonly store: Pick<BacklogStore, "readStorage">;
  /** Runs a key may start; null: as many as it likes. */
  readonly startRate: Rate | null;
  readonly limits: (orgId: string) => OrganisationLimits;
  readonly now: () => number;
}

/** A window of starts, and the counter of its hits. */
export interface StartWindow {
  readonly counter: string;
  readonly rate: Rate;
  readonly window: RateWindow;
}

export interface StartWindows {
  readonly ofKey: StartWindow | null;
  readonly ofOrganisation: StartWindow | null;
}

const MEASURED_MS = 60_000;
const MINUTE_SECONDS = 60;
/** Counters stand where the ids of agents stand, and can be none: they hold a slash. */
const STARTS = "starts/";

/** What organisations may take, and how much of it they have taken as far as no run counts it. */
export class OrganisationUse {
  readonly #options: OrganisationUseOptions;
  readonly #stored = new Map<string, { readonly at: number; readonly bytes: Promise<number> }>();

  constructor(options: OrganisationUseOptions) {
    this.#options = options;
  }

  limitsOf(orgId: string): OrganisationLimits {
    return this.#options.limits(orgId);
  }

  /** The windows a start counts in; one without a key, such as a child run, counts in none. */
  startWindows(orgId: string, keyId: string | null): StartWindows {
    const { startRate } = this.#options;
    const { startsPerMinute: count } = this.limitsOf(orgId);
    if (keyId === null) return { ofKey: null, ofOrganisation: null };
    return {
      ofKey: startRate === null ? null : windowOf(`${STARTS}${keyId}`, startRate),
      ofOrganisation: count === null ? null : windowOf(STARTS, { count, perSeconds: MINUTE_SECONDS }),
    };
  }

  /** In bytes, as of a minute ago. */
  storageOf(orgId: string): Promise<number> {
    const { store, now } = this.#options;
    const known = this.#stored.get(orgId);
    if (known !== undefined && now() - known.at < MEASURED_MS) return known.bytes;
    const bytes = store.readStorage(orgId).then(({ files, values, logs }) => files + values + logs);
    this.#stored.set(orgId, { at: now(), bytes });
    bytes.catch(() => this.#stored.delete(orgId));
    return bytes;
  }

  /** Throws `StorageFull` when nothing more may be kept. */
  async requireStorage(orgId: string, added = 0): Promise<void> {
    const { storageBytes: max } = this.limitsOf(orgId);
    if (max === null) return;
    const used = await this.storageOf(orgId);
    if (used + added >= max) throw new StorageFull(used, max);
  }
}

function windowOf(counter: string, rate: Rate): StartWindow {
  return { counter, rate, window: rateWindowOf(rate) };
}
