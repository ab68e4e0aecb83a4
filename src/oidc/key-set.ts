import { fail, succeed, type Outcome } from "../core/base/index.ts";
import type { VerificationKey } from "./verification-key.ts";

export type ReadKeys = () => Promise<Outcome<readonly VerificationKey[], string>>;

export interface KeySetOptions {
  readonly read: ReadKeys;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A key the issuer withdraws is used no longer than this, as long as the issuer can be asked. */
const FRESH_MS = 600_000;
/** While it cannot be reached, the keys it had are used for so long. */
const KEPT_MS = 3_600_000;
/** A token with an unknown key costs the issuer a request at most this often. */
const AGAIN_MS = 30_000;
/** How soon an issuer that could not be reached is asked again. */
export const KEY_SET_RETRY_MS = 5_000;

/** The keys of an issuer, requested when they are needed, once for all that wait. */
export class KeySet {
  readonly #options: KeySetOptions;
  #keys: readonly VerificationKey[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  /** Why the last question had no answer; null when it had one. */
  #trouble: string | null = null;
  #reading: Promise<void> | null = null;

  constructor(options: KeySetOptions) {
    this.#options = options;
  }

  /** What the issuer signs with. */
  async current(): Promise<Outcome<readonly VerificationKey[], string>> {
    const age = this.#since(this.#readAt);
    if (age >= FRESH_MS) {
      const isTroubled = this.#trouble !== null;
      const reading = this.#readAfter(isTroubled ? KEY_SET_RETRY_MS : 0);
      // No token waits again and again for an issuer that is away, as long as there are keys.
      if (!isTroubled || age >= KEPT_MS) await reading;
    }
    if (this.#since(this.#readAt) < KEPT_MS) return succeed(this.#keys);
    return fail(this.#trouble ?? "The issuer has not been asked yet.");
  }

  /** The same for a token that none of the keys fits: the issuer may have new ones since. */
  async renewed(): Promise<Outcome<readonly VerificationKey[], string>> {
    await this.#readAfter(AGAIN_MS);
    return this.#trouble === null ? succeed(this.#keys) : fail(this.#trouble);
  }

  /** Requests the keys, unless that was done less than so long ago. Callers meanwhile wait for the same answer. */
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

  /** A clock that was set back must not make old keys young. */
  #since(moment: number): number {
    return Math.abs(this.#options.now() - moment);
  }
}
