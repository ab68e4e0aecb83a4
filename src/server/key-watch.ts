import type { KeyStore, SessionStore, WatchedSession } from "../store/index.ts";
import { isKeyId } from "./auth.ts";
import type { ApiConfig } from "./config.ts";
import { SESSION_IDLE_MS } from "./session-cache.ts";
import type { StreamOwner } from "./stream-registry.ts";

export interface KeyWatchOptions {
  readonly store: Pick<KeyStore, "listEndedKeys"> & Pick<SessionStore, "listEndedSessions">;
  readonly config: Pick<ApiConfig, "keyCheckMs" | "now" | "onTrouble">;
  /** Returns the owners of the open streams. */
  readonly owners: () => readonly StreamOwner[];
  readonly onKeyEnded: (keyId: string) => void;
  /** Receives the current time when at least one owner's key or token has expired. */
  readonly onExpired: (now: number) => void;
  readonly onSessionEnded: (session: WatchedSession) => void;
}

/**
 * Checks whether the keys and sessions of open streams are still valid: one query for all keys and one for all
 * sessions, several times a second. A key revoked on any replica thereby loses its streams here within a second.
 * Tokens expire by their own time.
 */
export class KeyWatch {
  readonly #options: KeyWatchOptions;
  #timer: NodeJS.Timeout | null = null;
  #isChecking = false;
  /** True while the database is unavailable, so that this is reported once and not several times a second. */
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

  /** Concurrent calls are skipped. */
  async look(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const { store, config, owners, onKeyEnded, onExpired, onSessionEnded } = this.#options;
    try {
      const open = owners();
      const now = config.now();
      if (open.some((owner) => isExpired(owner, now))) onExpired(now);
      const keyIds = [...new Set(open.map(({ keyId }) => keyId))].filter(isKeyId);
      if (keyIds.length > 0) for (const keyId of await store.listEndedKeys(keyIds)) onKeyEnded(keyId);
      const sessions = sessionsOf(open);
      if (sessions.length > 0) (await store.listEndedSessions(sessions, SESSION_IDLE_MS)).forEach(onSessionEnded);
      this.#isAway = false;
    } catch (error) {
      if (!this.#isAway) config.onTrouble("the keys of open streams could not be looked at", error);
      this.#isAway = true;
    } finally {
      this.#isChecking = false;
    }
  }
}

export function isExpired({ expiresAt }: Pick<StreamOwner, "expiresAt">, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Returns each session once for every organisation it watches. */
function sessionsOf(owners: readonly StreamOwner[]): readonly WatchedSession[] {
  const found = new Map<string, WatchedSession>();
  for (const { sessionId, orgId } of owners) {
    if (sessionId !== null) found.set(JSON.stringify([sessionId, orgId]), { id: sessionId, orgId });
  }
  return [...found.values()];
}
