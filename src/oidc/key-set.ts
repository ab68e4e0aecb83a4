import { fail, succeed, type Outcome } from "../core/base/index.ts";
import type { VerificationKey } from "./verification-key.ts";

export type ReadKeys = () => Promise<Outcome<readonly VerificationKey[], string>>;

export interface KeySetOptions {
  readonly read: ReadKeys;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A key that the issuer withdraws is used at most this much longer, provided the issuer can be reached. */
const FRESH_MS = 600_000;
/** While the issuer cannot be reached, its last keys are used for this long. */
const KEPT_MS = 3_600_000;
/** Minimum interval between requests caused by tokens with an unknown key. */
const AGAIN_MS = 30_000;
/** Delay before an issuer that could not be reached is queried again. */
export const KEY_SET_RETRY_MS = 5_000;

/** The keys of an issuer, requested on demand, with one request for all waiting callers. */
export class KeySet {
  readonly #options: KeySetOptions;
  #keys: readonly VerificationKey[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  /** Why the last request failed; null when it succeeded. */
  #trouble: string | null = null;
  #reading: Promise<void> | null = null;

  constructor(options: KeySetOptions) {
    this.#options = options;
  }

  /** Returns the current keys of the issuer. */
  async current(): Promise<Outcome<readonly VerificationKey[], string>> {
    const age = this.#since(this.#readAt);
    if (age >= FRESH_MS) {
      const isTroubled = this.#trouble !== null;
      const reading = this.#readAfter(isTroubled ? KEY_SET_RETRY_MS : 0);
      // While there are usable keys, no token waits for an issuer that cannot be reached.
      if (!isTroubled || age >= KEPT_MS) await reading;
    }
    if (this.#since(this.#readAt) < KEPT_MS) return succeed(this.#keys);
    return fail(this.#trouble ?? "The issuer has not been asked yet.");
  }

  /** Returns newly requested keys, for a token that matches no known key: the issuer may have added keys. */
  async renewed(): Promise<Outcome<readonly VerificationKey[], string>> {
    await this.#readAfter(AGAIN_MS);
    return this.#trouble === null ? succeed(this.#keys) : fail(this.#trouble);
  }

  /** Requests the keys, unless the last request was less than `waitMs` ago. Concurrent callers share one request. */
  async #readAfter(waitMs: number): Promise<void> {
    if (this.#reading === null && this.#since(this.#triedAt) >= waitMs) {
      this.#triedAt = this.#options.now();
      this.#reading = this.#read().finally(() => {
        this.#reading = null;
      });
    }
    await this.#reading;
  }

  async #read(): Promise<void> {
    const outcome = await this.#options.read().catch((error: unknown) => fail(String(error)));
    if (outcome.ok) {
      this.#keys = outcome.value;
      this.#readAt = this.#options.now();
      this.#trouble = null;
      return;
    }
    this.#trouble = outcome.failure;
    this.#options.onTrouble("the keys of the token issuer could not be read", new Error(outcome.failure));
  }

  /** Absolute value, so that old keys do not appear fresh after the clock was set back. */
  #since(moment: number): number {
    return Math.abs(this.#options.now() - moment);
  }
}
