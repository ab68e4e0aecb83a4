import { timingSafeEqual } from "node:crypto";
import { type Permission, PERMISSIONS } from "../contract/index.ts";
import type { LaunchCaller } from "../launch/index.ts";
import type { KeyRecord, KeyStore } from "../store/index.ts";
import type { PersonNames, PersonRing } from "./person-ring.ts";
import { Refused } from "./problem.ts";
import { hashSecret, isSecret } from "./secret.ts";

/** The caller, as its key, token or session describes it. */
export interface Principal {
  /** Empty for a person who has chosen no organisation, which only personal routes accept. */
  readonly orgId: string;
  /** The id it acts under: of the key, or of the person in a session; `oidc:` and the subject for the bearer of a token. */
  readonly keyId: string;
  readonly label: string;
  readonly agentId: string | null;
  readonly permissions: ReadonlySet<string>;
  readonly expiresAt: number | null;
  /** The person behind a session, a token, or a key made by or for a person. */
  readonly personId: string | null;
  /** Of the person in this organisation, by claims or assignment. */
  readonly groups: readonly string[];
  /** Null for keys and tokens. */
  readonly sessionId: string | null;
  /** As a member of the organisation; null: the person is none, or there is no person. */
  readonly person: PersonNames | null;
  /** The members for whom this person is the deputy now. */
  readonly deputyFor: readonly PersonNames[];
}

/** What of a principal only a person has. */
export const NO_PERSON = { personId: null, groups: [], sessionId: null, person: null, deputyFor: [] } as const;

/** The principal as the starter of a run. */
export function callerOf({ keyId, label, agentId }: Principal): LaunchCaller {
  return { startedBy: keyId, by: label, agentId };
}

const CACHE_MS = 2_000;
const CACHE_KEYS_MAX = 10_000;

/** Looks keys up by the hash of the secret. A key that was taken back elsewhere works for two seconds more at most. */
export class KeyRing {
  readonly #store: Pick<KeyStore, "findKey" | "getKey">;
  readonly #people: PersonRing;
  readonly #now: () => number;
  readonly #cached = new Map<string, { readonly key: KeyRecord; readonly until: number }>();

  constructor(store: Pick<KeyStore, "findKey" | "getKey">, people: PersonRing, now: () => number) {
    this.#store = store;
    this.#people = people;
    this.#now = now;
  }

  /** The holder of a secret; throws `unauthenticated` with the same text whatever is wrong with it. */
  async authenticate(secret: string): Promise<Principal> {
    return this.#principal(isSecret(secret) ? await this.#find(hashSecret(secret)) : undefined);
  }

  /** The key of a session. */
  async authenticateId(orgId: string, keyId: string): Promise<Principal> {
    const lookUp = (): Promise<KeyRecord | undefined> => this.#store.getKey(orgId, keyId);
    return this.#principal(await this.#cachedOr(JSON.stringify([orgId, keyId]), lookUp));
  }

  /** Forgets what is cached, so that a key revoked here stops at once. */
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
    // The key of an agent acts for the agent, not for the person who has made it.
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

/** What the bearer of a token has in place of the id of a key; no key has such an id. Null: the bearer is not known. */
export function tokenKeyId(subject: string | null): string {
  return subject === null ? TOKENS : `${TOKENS}:${subject}`;
}

export function isTokenKeyId(keyId: string): boolean {
  return keyId === TOKENS || keyId.startsWith(`${TOKENS}:`);
}

/** The subject of a token, from what stands in place of the id of its key; null: it is none. */
export function subjectOfTokenKeyId(keyId: string): string | null {
  return keyId.startsWith(`${TOKENS}:`) ? keyId.slice(TOKENS.length + 1) : null;
}

export function isPersonId(id: string): boolean {
  return id.startsWith(PERSONS);
}

/**
 * The person of a session or a token, who may do everything that is theirs. A key was handed on with some permissions: it
 * answers as the person who made it, but does not manage that person's sessions, deputy or memberships. Null: no such person.
 */
export function personInPerson({ keyId, personId }: Principal): string | null {
  return isPersonId(keyId) || isTokenKeyId(keyId) ? personId : null;
}

export function requireInPerson(principal: Principal): string {
  const personId = personInPerson(principal);
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

/** What a principal may hand on: nothing beyond what it has itself. */
export function missingPermissions(principal: Principal, wanted: readonly Permission[]): readonly Permission[] {
  return PERMISSIONS.filter((permission) => wanted.includes(permission) && !principal.permissions.has(permission));
}
