import type { PeopleStore, Store } from "../store/index.ts";
import { Remembered } from "./remembered.ts";

/** Persons, memberships, invitations and sessions of all cells: `PeopleStore` without keys and organisations. */
export type SharedPeople = Omit<
  PeopleStore,
  keyof Pick<Store, "putKey" | "findKey" | "getKey" | "listKeys" | "listEndedKeys" | "revokeKey"> | OrganisationKeys
>;
type OrganisationKeys = "ensureOrganisation" | "createOrganisation" | "getOrganisation" | "renameOrganisation";

const FRESH_MS = 1_000;

/** Returns people from the directory, with a cache that is also used while the directory is unavailable. */
export function sharedPeople(directory: Store, now: () => number): SharedPeople {
  const about = { freshMs: FRESH_MS, now };
  const sessions = new Remembered({
    look: ([hash, rule]: Parameters<Store["findSession"]>) => directory.findSession(hash, rule),
    // An answer to a check records no use, so it does not answer a request that is one.
    nameOf: ([hash, { isUse }]) => `${isUse ? "use" : "check"} ${hash}`,
    isKept: isFound,
    ...about,
  });
  const standings = new Remembered({
    look: ([orgId, personId]: readonly [string, string]) => directory.readStanding(orgId, personId),
    nameOf: (key) => JSON.stringify(key),
    isKept: isFound,
    ...about,
  });
  const persons = new Remembered({
    look: (personId: string) => directory.getPerson(personId),
    nameOf: (personId) => personId,
    isKept: isFound,
    ...about,
  });
  const memberships = new Remembered({
    look: (personId: string) => directory.listMemberships(personId),
    nameOf: (personId) => personId,
    isKept: () => true,
    ...about,
  });
  const changing = <A extends readonly unknown[], T>(change: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      const result = await change(...args);
      for (const kept of [sessions, standings, persons, memberships]) kept.clear();
      return result;
    };
  };
  return {
    keepPerson: changing((seen) => directory.keepPerson(seen)),
    getPerson: (personId) => persons.get(personId),
    listPersonsOfSubject: (subject) => directory.listPersonsOfSubject(subject),
    setPersonDisabled: changing((personId, isDisabled) => directory.setPersonDisabled(personId, isDisabled)),
    getMember: (orgId, personId) => directory.getMember(orgId, personId),
    listMembers: (orgId, page) => directory.listMembers(orgId, page),
    findMembers: (orgId, named) => directory.findMembers(orgId, named),
    readStanding: (orgId, personId) => standings.get([orgId, personId]),
    listMemberships: (personId) => memberships.get(personId),
    claimMembership: changing((orgId, personId, claimed) => directory.claimMembership(orgId, personId, claimed)),
    changeMember: changing((orgId, personId, change) => directory.changeMember(orgId, personId, change)),
    removeMember: changing((orgId, personId) => directory.removeMember(orgId, personId)),
    putInvitation: (invitation, lifeMs) => directory.putInvitation(invitation, lifeMs),
    findInvitation: (hash) => directory.findInvitation(hash),
    listInvitations: (orgId, page) => directory.listInvitations(orgId, page),
    revokeInvitation: (orgId, invitationId) => directory.revokeInvitation(orgId, invitationId),
    acceptInvitation: changing((hash, personId) => directory.acceptInvitation(hash, personId)),
    putSession: (session, lifeMs) => directory.putSession(session, lifeMs),
    findSession: (hash, rule) => sessions.get([hash, rule]),
    listSessions: (of, idleMs) => directory.listSessions(of, idleMs),
    listEndedSessions: (watched, idleMs) => directory.listEndedSessions(watched, idleMs),
    revokeSession: changing((sessionId) => directory.revokeSession(sessionId)),
  };
}

function isFound(found: unknown): boolean {
  return found !== undefined;
}
