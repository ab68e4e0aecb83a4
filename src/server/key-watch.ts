import type { KeyStore } from "../store/index.ts";
import { isTokenKeyId } from "./auth.ts";
import type { ApiConfig } from "./config.ts";
import type { StreamOwner } from "./stream-registry.ts";

export interface KeyWatchOptions {
  readonly store: Pick<KeyStore, "listEndedKeys">;
  readonly config: Pick<ApiConfig, "keyCheckMs" | "now" | "onTrouble">;
  /** Whose streams are open. */
  readonly owners: () => readonly StreamOwner[];
  readonly onEnded: (keyId: string) => void;
}

/**
 * Looks whether the keys of open streams may still be used: one query for all of them, several times a second, so that a
 * key revoked by any replica ends its streams here within a second. Tokens end by their own clock.
 */
export class KeyWatch {
  readonly #options: KeyWatchOptions;
  #timer: NodeJS.Timeout | null = null;
  #isLooking = false;
  /** A database that is away is reported once, not several times a second. */
  #isAway = false;

  constructor(options: KeyWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.look(), this.#options.config.keyCheckMs).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Never two at a time. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { store, config, owners, onEnded } = this.#options;
    try {
      const open = owners();
      const now = config.now();
      for (const { keyId, expiresAt } of open) if (expiresAt !== null && expiresAt <= now) onEnded(keyId);
      const keyIds = [...new Set(open.map(({ keyId }) => keyId))].filter((keyId) => !isTokenKeyId(keyId));
      if (keyIds.length > 0) for (const keyId of await store.listEndedKeys(keyIds)) onEnded(keyId);
      this.#isAway = false;
    } catch (error) {
      if (!this.#isAway) config.onTrouble("the keys of open streams could not be looked at", error);
      this.#isAway = true;
    } finally {
      this.#isLooking = false;
    }
  }
}
