import type { Listed, Page } from "./store.ts";

export interface KeyStore {
  putKey(key: KeyRecord): Promise<void>;
  findKey(hash: string): Promise<KeyRecord | undefined>;
  getKey(orgId: string, keyId: string): Promise<KeyRecord | undefined>;
  listKeys(orgId: string, page: Page): Promise<Listed<KeyRecord>>;
  /** Of these keys, those that may no longer be used: revoked, expired by the database's clock, or gone. */
  listEndedKeys(keyIds: readonly string[]): Promise<readonly string[]>;
  /** False when there is no such key. */
  revokeKey(orgId: string, keyId: string, at: number): Promise<boolean>;
}

export interface KeyRecord {
  readonly id: string;
  readonly orgId: string;
  /** SHA-256 of the secret, hex; the secret itself is shown once and kept nowhere. */
  readonly hash: string;
  readonly label: string;
  /** Whether its label was given by a caller who may decide who answers: then `key:` and the label can mean it. */
  readonly isNamed: boolean;
  readonly permissions: readonly string[];
  readonly agentId: string | null;
  /** The key or token it was made with, as audit names them; null: the operator of the server made it. */
  readonly createdBy: string | null;
  /** The person who made it, directly or through keys, or for whom it was made; null: not known. */
  readonly personId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}
