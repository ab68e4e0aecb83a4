import type { Listed, Page } from "./store.ts";

export interface KeyStore {
  putKey(key: KeyRecord): Promise<void>;
  findKey(hash: string): Promise<KeyRecord | undefined>;
  getKey(orgId: string, keyId: string): Promise<KeyRecord | undefined>;
  listKeys(orgId: string, page: Page): Promise<Listed<KeyRecord>>;
  /** Returns those of these keys that may no longer be used: revoked, expired by the database's clock, or deleted. */
  listEndedKeys(keyIds: readonly string[]): Promise<readonly string[]>;
  /** Returns false when the key does not exist. */
  revokeKey(orgId: string, keyId: string, at: number): Promise<boolean>;
}

export interface KeyRecord {
  readonly id: string;
  readonly orgId: string;
  /** SHA-256 of the secret, hex; the secret itself is shown once and kept nowhere. */
  readonly hash: string;
  readonly label: string;
  /** True when the label was set by a caller who may decide who answers. Only then does `key:` with the label name this key. */
  readonly isNamed: boolean;
  readonly permissions: readonly string[];
  readonly agentId: string | null;
  /** The key or token that made this one, as the audit names it; null when the operator of the server made it. */
  readonly createdBy: string | null;
  /** The person who made the key, directly or through keys, or for whom it was made; null when not known. */
  readonly personId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}
