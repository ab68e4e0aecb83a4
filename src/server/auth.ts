import { timingSafeEqual } from "node:crypto";
import { type Permission, PERMISSIONS } from "../contract/index.ts";
import type { LaunchCaller } from "../launch/index.ts";
import type { KeyRecord, KeyStore } from "../store/index.ts";
import type { PersonNames, PersonCache } from "./person-cache.ts";
import { Refused } from "./problem.ts";
import { hashSecret, isSecret } from "./secret.ts";

/** The caller of a request, identified by a key, token or session. */
export interface Principal {
  /** Empty for a person without a chosen organisation; only personal routes accept that. */
  readonly orgId: string;
  /** The id of the caller: of its key, or of its person in a session; `oidc:` and the subject for the bearer of a token. */
  readonly keyId: string;
  readonly label: string;
  readonly agentId: string | null;
  readonly permissions: ReadonlySet<string>;
  readonly expiresAt: number | null;
  /** The person behind a session, a token, or a key made by or for a person. */
  readonly personId: string | null;
  /** Groups of the person in this organisation, by claims or assignment. */
  readonly groups: readonly string[];
  /** Null for keys and tokens. */
  readonly sessionId: string | null;
  /** Names of the person as a member of the organisation; null when the caller is not a member or has no person. */
  readonly person: PersonNames | null;
  /** The members for whom this person is the deputy now. */
  readonly deputyFor: readonly PersonNames[];
}

/** The fields of a principal without a person. */
export const NO_PERSON = { personId: null, groups: [], sessionId: null, person: null, deputyFor: [] } as const;

/** Returns the principal as the starter of a run. */
export function callerOf({ keyId, label, agentId }: Principal): LaunchCaller {
  return { startedBy: keyId, by: label, agentId };
}

const CACHE_MS = 2_000;
const CACHE_KEYS_MAX = 10_000;

/** Looks keys up by the hash of the secret. A key revoked on another replica works for at most two more seconds. */
export class KeyCache {
  readonly #store: Pick<KeyStore, "findKey" | "getKey">;
  readonly #people: PersonCache;
  readonly #now: () => number;
  readonly #cached = new Map<string, { readonly key: KeyRecord; readonly until: number }>();

  constructor(store: Pick<KeyStore, "findKey" | "getKey">, people: PersonCache, now: () => number) {
    this.#store = store;
    this.#people = people;
    this.#now = now;
  }

  /** Returns the holder of a secret. Every invalid secret throws `unauthenticated` with the same text. */
  async authenticate(secret: string): Promise<Principal> {
    return this.#principal(isSecret(secret) ? await this.#find(hashSecret(secret)) : undefined);
  }

  /** Returns the holder of the key of a session. */
  async authenticateId(orgId: string, keyId: string): Promise<Principal> {
    const lookUp = (): Promise<KeyRecord | undefined> => this.#store.getKey(orgId, keyId);
    return this.#principal(await this.#cachedOr(JSON.stringify([orgId, keyId]), lookUp));
  }

  /** Clears the cache, so that a key revoked here stops working at once. */
  forget(): void {
    this.#cached.clear();
  }

  async #principal(key: KeyRecord | undefined): Promise<Principal> {
    if (key === undefined || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= this.#now())) {
      throw unauthenticated("The key is unknown, expired or revoked.");
    }
    const { orgId, id: keyId, label, agentId, permissions, expiresAt, personId } = key;
    const holder = { orgId, keyId, label, agentId, permissions: new Set(permissions), expiresAt };
    const member = personId === null ? null : await this.#people.memberOf(orgId, personId);
    // The key of an agent acts for the agent, not for the person who made it.
    if (member === null || agentId !== null) return { ...holder, ...NO_PERSON, personId };
    const { names, deputyFor } = member;
    return { ...holder, personId, groups: names.groups, sessionId: null, person: names, deputyFor };
  }

  #find(hash: string): Promise<KeyRecord | undefined> {
    return this.#cachedOr(hash, async () => {
      const key = await this.#store.findKey(hash);
      return key === undefined || !isSameHash(key.hash, hash) ? undefined : key;
    });
  }

  async #cachedOr(name: string, look: () => Promise<KeyRecord | undefined>): Promise<KeyRecord | undefined> {
    const now = this.#now();
    const cached = this.#cached.get(name);
    if (cached !== undefined && cached.until > now) return cached.key;
    this.#cached.delete(name);
    const key = await look();
    if (key === undefined) return undefined;
    if (this.#cached.size >= CACHE_KEYS_MAX) this.#cached.clear();
    this.#cached.set(name, { key, until: now + CACHE_MS });
    return key;
  }
}

const TOKENS = "oidc";
const PERSONS = "per_";

/** Returns the id that replaces a key id for the bearer of a token; no key has such an id. `subject` is null for an unknown bearer. */
export function tokenKeyId(subject: string | null): string {
  return subject === null ? TOKENS : `${TOKENS}:${subject}`;
}

export function isTokenKeyId(keyId: string): boolean {
  return keyId === TOKENS || keyId.startsWith(`${TOKENS}:`);
}

/** Returns the subject in the id of the bearer of a token; null for any other id. */
export function subjectOfTokenKeyId(keyId: string): string | null {
  return keyId.startsWith(`${TOKENS}:`) ? keyId.slice(TOKENS.length + 1) : null;
}

export function isPersonId(id: string): boolean {
  return id.startsWith(PERSONS);
}

/** True for the id of an API key, as opposed to a token or a person's session. */
export function isKeyId(id: string): boolean {
  return !isTokenKeyId(id) && !isPersonId(id);
}

/**
 * Returns the person of a session or a token, who may do everything that is theirs; null otherwise. A key answers as
 * the person who made it, but it may be in other hands, so it cannot manage that person's sessions, deputy or
 * memberships.
 */
export function signedInPersonOf({ keyId, personId }: Principal): string | null {
  return isPersonId(keyId) || isTokenKeyId(keyId) ? personId : null;
}

export function requireSignedInPerson(principal: Principal): string {
  const personId = signedInPersonOf(principal);
  if (personId !== null) return personId;
  throw new Refused("no_person", "Only a person who is signed in can do this, and no key.");
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

/** Returns the wanted permissions the principal lacks. A principal can pass on only permissions it has itself. */
export function missingPermissions(principal: Principal, wanted: readonly Permission[]): readonly Permission[] {
  return PERMISSIONS.filter((permission) => wanted.includes(permission) && !principal.permissions.has(permission));
}
