import { timingSafeEqual } from "node:crypto";
import { type Permission, PERMISSIONS } from "../contract/index.ts";
import type { LaunchCaller } from "../launch/index.ts";
import type { KeyRecord, KeyStore } from "../store/index.ts";
import { Refused } from "./problem.ts";
import { hashSecret, isSecret } from "./secret.ts";

/** The caller, as its key or token describes it. */
export interface Principal {
  readonly orgId: string;
  /** Of the key; `oidc:` and the subject for the bearer of a token. */
  readonly keyId: string;
  readonly label: string;
  readonly agentId: string | null;
  readonly permissions: ReadonlySet<string>;
  readonly expiresAt: number | null;
}

/** The principal as the starter of a run. */
export function callerOf({ keyId, label, agentId }: Principal): LaunchCaller {
  return { startedBy: keyId, by: label, agentId };
}

const CACHE_MS = 2_000;
const CACHE_KEYS_MAX = 10_000;

/** Looks keys up by the hash of the secret. A key that was taken back elsewhere works for two seconds more at most. */
export class KeyRing {
  readonly #store: Pick<KeyStore, "findKey">;
  readonly #now: () => number;
  readonly #cached = new Map<string, { readonly key: KeyRecord; readonly until: number }>();

  constructor(store: Pick<KeyStore, "findKey">, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** The holder of a secret; throws `unauthenticated` with the same text whatever is wrong with it. */
  async authenticate(secret: string): Promise<Principal> {
    const key = isSecret(secret) ? await this.#find(hashSecret(secret)) : undefined;
    const now = this.#now();
    if (key === undefined || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) {
      throw unauthenticated("The key is unknown, expired or revoked.");
    }
    return {
      orgId: key.orgId,
      keyId: key.id,
      label: key.label,
      agentId: key.agentId,
      permissions: new Set(key.permissions),
      expiresAt: key.expiresAt,
    };
  }

  /** Forgets what is cached, so that a key revoked here stops at once. */
  forget(): void {
    this.#cached.clear();
  }

  async #find(hash: string): Promise<KeyRecord | undefined> {
    const now = this.#now();
    const cached = this.#cached.get(hash);
    if (cached !== undefined && cached.until > now) return cached.key;
    this.#cached.delete(hash);
    const key = await this.#store.findKey(hash);
    if (key === undefined || !isSameHash(key.hash, hash)) return undefined;
    if (this.#cached.size >= CACHE_KEYS_MAX) this.#cached.clear();
    this.#cached.set(hash, { key, until: now + CACHE_MS });
    return key;
  }
}

const TOKENS = "oidc";

/** What the bearer of a token has in place of the id of a key; no key has such an id. Null: the bearer is not known. */
export function tokenKeyId(subject: string | null): string {
  return subject === null ? TOKENS : `${TOKENS}:${subject}`;
}

export function isTokenKeyId(keyId: string): boolean {
  return keyId === TOKENS || keyId.startsWith(`${TOKENS}:`);
}

function isSameHash(left: string, right: string): boolean {
  const [leftBytes, rightBytes] = [Buffer.from(left, "utf8"), Buffer.from(right, "utf8")];
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}

export function unauthenticated(detail: string): Refused {
  return new Refused("unauthenticated", detail, { headers: { "www-authenticate": 'Bearer realm="sluice"' } });
}

export function requirePermission(principal: Principal, permission: Permission): void {
  if (!principal.permissions.has(permission)) throw lacking(permission);
}

export function lacking(permission: Permission): Refused {
  return new Refused("forbidden", `This needs the permission ${permission}, which the key does not have.`);
}

/** What a principal may hand on: nothing beyond what it has itself. */
export function missingPermissions(principal: Principal, wanted: readonly Permission[]): readonly Permission[] {
  return PERMISSIONS.filter((permission) => wanted.includes(permission) && !principal.permissions.has(permission));
}
