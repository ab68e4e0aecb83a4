import type { MembershipStore, SessionRecord, SessionStore } from "../store/index.ts";
import { type KeyCache, NO_PERSON, type Principal, unauthenticated } from "./auth.ts";
import { memberPrincipal } from "./member-principal.ts";
import type { PersonCache } from "./person-cache.ts";
import { Refused } from "./problem.ts";
import { hashSecret } from "./secret.ts";

/** A session ends after this time without use, and after `SESSION_LIFE_MS` in any case. */
export const SESSION_IDLE_MS = 43_200_000;
export const SESSION_LIFE_MS = 604_800_000;

/** The organisation a request concerns. */
export interface OrganisationChoice {
  /** The organisation named by the request; null when it names none. */
  readonly named: string | null;
  /** The route concerns the person and needs no organisation. */
  readonly isPersonal: boolean;
  /** False for a periodic check, which does not count as a use of the session. */
  readonly isUse: boolean;
}

const CACHE_MS = 2_000;
const CACHED_MAX = 10_000;

type Store = Pick<SessionStore, "findSession"> & Pick<MembershipStore, "listMemberships">;

interface Cached {
  readonly session: SessionRecord;
  readonly until: number;
  /** True when the lookup was recorded as a use. Otherwise the entry answers only periodic checks. */
  readonly isUse: boolean;
}

/** Identifies the caller of a session cookie. A session revoked on another replica works for at most two more seconds. */
export class SessionCache {
  readonly #store: Store;
  readonly #keys: KeyCache;
  readonly #people: PersonCache;
  readonly #now: () => number;
  readonly #cached = new Map<string, Cached>();

  constructor(store: Store, keys: KeyCache, people: PersonCache, now: () => number) {
    this.#store = store;
    this.#keys = keys;
    this.#people = people;
    this.#now = now;
  }

  async authenticate(secret: string, choice: OrganisationChoice): Promise<Principal> {
    const session = await this.find(secret, choice.isUse);
    if (session === undefined) throw unauthenticated("The session has ended; sign in again.");
    const { id: sessionId, personId, keyId, orgId } = session;
    if (personId !== null) return { ...(await this.#person(personId, choice)), sessionId };
    requireOwn(orgId ?? "", choice);
    const principal = await this.#keys.authenticateId(orgId ?? "", keyId ?? "");
    return { ...principal, sessionId };
  }

  /** Returns the session of a secret, unless the session has ended. */
  async find(secret: string, isUse: boolean): Promise<SessionRecord | undefined> {
    const hash = hashSecret(secret);
    const now = this.#now();
    const cached = this.#cached.get(hash);
    if (cached !== undefined && cached.until > now && (cached.isUse || !isUse)) return cached.session;
    this.#cached.delete(hash);
    const session = await this.#store.findSession(hash, { idleMs: SESSION_IDLE_MS, isUse });
    if (session === undefined) return undefined;
    if (this.#cached.size >= CACHED_MAX) this.#cached.clear();
    this.#cached.set(hash, { session, until: now + CACHE_MS, isUse });
    return session;
  }

  /** Clears the cache, so that a session ended here ends at once. */
  forget(): void {
    this.#cached.clear();
  }

  async #person(personId: string, choice: OrganisationChoice): Promise<Principal> {
    const orgId = choice.named ?? (await this.#onlyOrganisation(personId, choice));
    if (orgId === null) {
      const { label } = await this.#people.requireActive(personId);
      const nothing = { permissions: new Set<string>(), expiresAt: null, agentId: null };
      return { orgId: "", keyId: personId, label, ...nothing, ...NO_PERSON, personId };
    }
    const member = await this.#people.memberOf(orgId, personId);
    if (member === null) throw unknownOrganisation(orgId);
    return memberPrincipal(orgId, member);
  }

  /** Returns the organisation of a person with a single one, who need not name it. Null for a personal route without a single one. */
  async #onlyOrganisation(personId: string, { isPersonal }: OrganisationChoice): Promise<string | null> {
    const memberships = await this.#store.listMemberships(personId);
    const [only, ...others] = memberships.map(({ orgId }) => orgId);
    if (only !== undefined && others.length === 0) return only;
    if (isPersonal) return null;
    if (only === undefined) {
      throw new Refused("no_membership", "You are a member of no organisation; ask an admin of one for an invitation.");
    }
    const named = [only, ...others].slice(0, 10).join(", ");
    throw new Refused("organisation_required", `Name one of your organisations in X-Sluice-Organisation: ${named}.`);
  }
}

/** Refuses another organisation than that of the key or token, which belong to one only. */
export function requireOwn(orgId: string, { named }: OrganisationChoice): void {
  if (named !== null && named !== orgId) throw unknownOrganisation(named);
}

/** The same refusal for a missing organisation and for callers who are not members, so that callers cannot find out which exist. */
export function unknownOrganisation(named: string): Refused {
  return new Refused("unknown_organisation", `You are a member of no organisation "${named.slice(0, 64)}".`);
}
