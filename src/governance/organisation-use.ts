import {
  LIMIT_NAMES,
  type OrganisationLimits,
  type RateFact,
  type RateWindow,
  rateWindowOf,
} from "../core/governance/index.ts";
import type { BacklogStore } from "../store/index.ts";

/** Thrown when an organisation has used up its storage. Starts and files are accepted again after some of it is deleted. */
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
  /** How many runs a key may start; null for no limit. */
  readonly startRate: Rate | null;
  readonly limits: (orgId: string) => OrganisationLimits;
  readonly now: () => number;
}

/** A rate window for starts, and the counter of its hits. */
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
/** Prefix of start counters. They share a table with agent ids, and the slash ensures that no agent id matches. */
const STARTS = "starts/";

/** The limits of organisations, and usage that no run counts: starts and storage. */
export class OrganisationUse {
  readonly #options: OrganisationUseOptions;
  readonly #stored = new Map<string, { readonly at: number; readonly bytes: Promise<number> }>();

  constructor(options: OrganisationUseOptions) {
    this.#options = options;
  }

  limitsOf(orgId: string): OrganisationLimits {
    return this.#options.limits(orgId);
  }

  /** Returns the windows that count a start. A start without a key, such as a child run, counts in none. */
  startWindows(orgId: string, keyId: string | null): StartWindows {
    const { startRate } = this.#options;
    const { startsPerMinute: count } = this.limitsOf(orgId);
    if (keyId === null) return { ofKey: null, ofOrganisation: null };
    return {
      ofKey: startRate === null ? null : windowOf(`${STARTS}${keyId}`, startRate),
      ofOrganisation: count === null ? null : windowOf(STARTS, { count, perSeconds: MINUTE_SECONDS }),
    };
  }

  /** Stored bytes, at most a minute old. */
  storageOf(orgId: string): Promise<number> {
    const { store, now } = this.#options;
    const known = this.#stored.get(orgId);
    if (known !== undefined && now() - known.at < MEASURED_MS) return known.bytes;
    const bytes = store.readStorage(orgId).then(({ files, values, logs }) => files + values + logs);
    this.#stored.set(orgId, { at: now(), bytes });
    bytes.catch(() => this.#stored.delete(orgId));
    return bytes;
  }

  /** Throws `StorageFull` when the organisation may store no more. */
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
