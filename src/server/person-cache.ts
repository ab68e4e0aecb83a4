import {
  groupsOf,
  type MemberRecord,
  type MembershipStore,
  type PersonStore,
  rolesOf,
  type Standing,
} from "../store/index.ts";
import { Refused } from "./problem.ts";

/** The names of a person in lists of approvers. */
export interface PersonNames {
  readonly personId: string;
  readonly issuer: string;
  readonly subject: string;
  /** Null unless verified. */
  readonly email: string | null;
  readonly groups: readonly string[];
}

/** The names, roles and deputy duties of a member in one organisation. */
export interface MemberFacts {
  readonly names: PersonNames;
  readonly label: string;
  readonly roles: readonly string[];
  /** Members for whom this member may answer now. */
  readonly deputyFor: readonly PersonNames[];
}

const CACHE_MS = 2_000;
const CACHED_MAX = 10_000;

type Store = Pick<MembershipStore, "readStanding"> & Pick<PersonStore, "getPerson">;

/** Looks members up and caches them for two seconds. A change made on another replica takes effect here after that. */
export class PersonCache {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #cached = new Map<string, { readonly standing: Standing | undefined; readonly until: number }>();

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Null when the person is not a member. Throws `person_disabled`. */
  async memberOf(orgId: string, personId: string): Promise<MemberFacts | null> {
    const standing = await this.#find(orgId, personId);
    if (standing === undefined) return null;
    if (standing.member.isDisabled) throw disabled();
    return {
      names: namesOf(standing.member),
      label: labelOf(standing.member),
      roles: rolesOf(standing.member),
      deputyFor: standing.deputyFor.map(namesOf),
    };
  }

  /** Throws unless the person exists and may use the installation. */
  async requireActive(personId: string): Promise<{ readonly label: string; readonly email: string | null }> {
    const person = await this.#store.getPerson(personId);
    if (person === undefined || person.isDisabled) throw disabled();
    return { label: labelOf(person), email: person.email };
  }

  /** Clears the cache, so that a change made here takes effect at once. */
  forget(): void {
    this.#cached.clear();
  }

  async #find(orgId: string, personId: string): Promise<Standing | undefined> {
    const now = this.#now();
    const key = JSON.stringify([orgId, personId]);
    const cached = this.#cached.get(key);
    if (cached !== undefined && cached.until > now) return cached.standing;
    const standing = await this.#store.readStanding(orgId, personId);
    if (this.#cached.size >= CACHED_MAX) this.#cached.clear();
    this.#cached.set(key, { standing, until: now + CACHE_MS });
    return standing;
  }
}

function namesOf(member: MemberRecord): PersonNames {
  const { personId, issuer, subject, email } = member;
  return { personId, issuer, subject, email, groups: groupsOf(member) };
}

/** Returns the label of a person. Names are chosen freely, so the label is the verified email, or the name with the subject. */
export function labelOf({ email, name, subject }: Pick<MemberRecord, "email" | "name" | "subject">): string {
  if (email !== null) return email;
  return name === subject ? subject : `${name} (${subject})`;
}

function disabled(): Refused {
  return new Refused("person_disabled", "This person is disabled here; ask an admin of the organisation.");
}
