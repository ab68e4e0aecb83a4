export interface SessionStore {
  /** Starts a session that ends after `lifeMs` at the latest, by database time. */
  putSession(session: NewSession, lifeMs: number): Promise<SessionRecord>;
  /** Returns a session that has not ended. `isUse` marks this as use, which is recorded once a minute. */
  findSession(
    hash: string,
    rule: { readonly idleMs: number; readonly isUse: boolean },
  ): Promise<SessionRecord | undefined>;
  /** Returns sessions that have not ended, newest first; at most 200. */
  listSessions(of: SessionOwner, idleMs: number): Promise<readonly SessionRecord[]>;
  /** Returns those of these sessions that have ended, or whose person is no longer a member of the organisation they watch. */
  listEndedSessions(watched: readonly WatchedSession[], idleMs: number): Promise<readonly WatchedSession[]>;
  /** Returns false when the session does not exist. A second revocation does not change the time of the first. */
  revokeSession(sessionId: string): Promise<boolean>;
}

/** A session of a person, or of the key it was opened with. */
export interface NewSession {
  readonly id: string;
  /** SHA-256 of the cookie, hex. */
  readonly hash: string;
  readonly personId: string | null;
  readonly keyId: string | null;
  /** Organisation of the key; null for a person, who may belong to several. */
  readonly orgId: string | null;
  readonly userAgent: string;
  readonly ip: string;
}

export interface SessionRecord extends NewSession {
  readonly createdAt: number;
  readonly lastSeenAt: number;
  /** The latest time at which the session ends. */
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

/** `organisation`: the sessions of all its keys and members. */
export type SessionOwner =
  | { readonly personId: string }
  | { readonly keyId: string }
  | { readonly organisation: string };

export interface WatchedSession {
  readonly id: string;
  readonly orgId: string;
}

/** Interval at which the use of a session is recorded. */
export const SESSION_USE_MS = 60_000;
export const SESSIONS_LISTED_MAX = 200;
/** Time for which an ended session is kept. */
export const SESSION_KEPT_MS = 2_592_000_000;
