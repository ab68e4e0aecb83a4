import { decodeCursor, listed } from "../cursor.ts";
import { compareCodeUnits } from "../../core/base/index.ts";
import {
  ADMIN_ROLE,
  groupsOf,
  losesLastAdmin,
  memberAfter,
  type MemberOutcome,
  type MemberRecord,
  type MembershipRecord,
  type MembershipStore,
  rolesOf,
} from "../membership-store.ts";
import type { OrganisationStore } from "../organisation-store.ts";
import type { PersonStore } from "../person-store.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

export function memoryPersons({ people: { persons }, now }: MemoryWorld): PersonStore {
  return {
    keepPerson: async (seen) => {
      const known = [...persons.values()].find(
        ({ issuer, subject }) => issuer === seen.issuer && subject === seen.subject,
      );
      const person =
        known === undefined
          ? { ...seen, isDisabled: false, createdAt: now() }
          : { ...known, email: seen.email, name: seen.name };
      persons.set(person.id, copy(person));
      return copy(person);
    },
    getPerson: async (personId) => {
      const person = persons.get(personId);
      return person === undefined ? undefined : copy(person);
    },
    listPersonsOfSubject: async (subject) =>
      [...persons.values()]
        .filter((person) => person.subject === subject)
        .sort((left, right) => compareCodeUnits(left.issuer, right.issuer))
        .map(copy),
    setPersonDisabled: async (personId, isDisabled) => {
      const person = persons.get(personId);
      if (person === undefined) return false;
      persons.set(personId, { ...person, isDisabled });
      return true;
    },
  };
}

export function memoryOrganisations(world: MemoryWorld): OrganisationStore {
  const { organisations } = world.people;
  return {
    ensureOrganisation: async (orgId) => {
      if (!organisations.has(orgId)) organisations.set(orgId, { orgId, name: null, createdAt: world.now() });
    },
    createOrganisation: async (orgId, name, adminId) => {
      if (organisations.has(orgId)) return false;
      organisations.set(orgId, { orgId, name, createdAt: world.now() });
      if (adminId !== null) assign(world, orgId, adminId, [ADMIN_ROLE], []);
      return true;
    },
    getOrganisation: async (orgId) => {
      const organisation = organisations.get(orgId);
      return organisation === undefined ? undefined : copy(organisation);
    },
    renameOrganisation: async (orgId, name) => {
      const organisation = organisations.get(orgId);
      if (organisation === undefined) return false;
      organisations.set(orgId, { ...organisation, name });
      return true;
    },
  };
}

export function memoryMemberships(world: MemoryWorld): MembershipStore {
  const { memberships, organisations } = world.people;
  return {
    getMember: async (orgId, personId) => membersOf(world, orgId).find((member) => member.personId === personId),
    listMembers: async (orgId, page) => {
      const after = decodeCursor(page.cursor);
      const rows = membersOf(world, orgId).filter(
        ({ joinedAt, personId }) =>
          after === null || joinedAt > after.at || (joinedAt === after.at && compareCodeUnits(personId, after.id) > 0),
      );
      return listed(rows.slice(0, page.limit + 1), page.limit, ({ joinedAt, personId }) => ({
        at: joinedAt,
        id: personId,
      }));
    },
    findMembers: async (orgId, { personIds = [], emails = [], accounts = [], groups = [], roles = [] }) => {
      const addresses = emails.map((email) => email.toLowerCase());
      return membersOf(world, orgId).filter(
        (member) =>
          personIds.includes(member.personId) ||
          (member.email !== null && addresses.includes(member.email.toLowerCase())) ||
          accounts.some(({ issuer, subject }) => issuer === member.issuer && subject === member.subject) ||
          groupsOf(member).some((group) => groups.includes(group)) ||
          rolesOf(member).some((role) => roles.includes(role)),
      );
    },
    readStanding: async (orgId, personId) => {
      const members = membersOf(world, orgId);
      const member = members.find((one) => one.personId === personId);
      const now = world.now();
      const hasActiveDeputy = ({ deputyId, deputyFrom, deputyUntil, isDisabled }: MemberRecord): boolean =>
        deputyId === personId && (deputyFrom ?? now) <= now && (deputyUntil ?? now) > now && !isDisabled;
      const deputyFor = members
        .filter((one) => one !== member && hasActiveDeputy(one))
        .sort((left, right) => compareCodeUnits(left.personId, right.personId));
      return member === undefined ? undefined : { member, deputyFor };
    },
    listMemberships: async (personId) =>
      [...memberships.values()]
        .filter((membership) => membership.personId === personId)
        .sort((left, right) => compareCodeUnits(left.orgId, right.orgId))
        .map((membership) =>
          copy({ ...membership, organisationName: organisations.get(membership.orgId)?.name ?? null }),
        ),
    claimMembership: async (orgId, personId, { roles, groups }) => {
      const known = memberships.get(keyOf(orgId, personId));
      if (known === undefined && roles.length === 0) return;
      const membership = known ?? newMembership(world, orgId, personId);
      memberships.set(keyOf(orgId, personId), copy({ ...membership, claimedRoles: roles, claimedGroups: groups }));
    },
    changeMember: async (orgId, personId, change) =>
      guarded(world, orgId, personId, (member) => memberAfter(member, change)),
    removeMember: async (orgId, personId) => {
      const outcome = guarded(world, orgId, personId, () => null);
      if (outcome === "done") forget(world, orgId, personId);
      return outcome;
    },
  };
}

/** Assigns roles and groups. A person who is no member becomes one. */
export function assign(
  world: MemoryWorld,
  orgId: string,
  personId: string,
  assignedRoles: readonly string[],
  assignedGroups: readonly string[],
): void {
  const { memberships } = world.people;
  const membership = memberships.get(keyOf(orgId, personId)) ?? newMembership(world, orgId, personId);
  memberships.set(keyOf(orgId, personId), copy({ ...membership, assignedRoles, assignedGroups }));
}

function newMembership({ now }: MemoryWorld, orgId: string, personId: string): MembershipRecord {
  return {
    orgId,
    personId,
    claimedRoles: [],
    claimedGroups: [],
    assignedRoles: [],
    assignedGroups: [],
    deputyId: null,
    deputyFrom: null,
    deputyUntil: null,
    joinedAt: now(),
  };
}

/** Oldest membership first. */
function membersOf({ people: { memberships, persons } }: MemoryWorld, orgId: string): MemberRecord[] {
  return [...memberships.values()]
    .flatMap((membership) => {
      const person = persons.get(membership.personId);
      if (membership.orgId !== orgId || person === undefined) return [];
      const { issuer, subject, email, name, isDisabled } = person;
      return [copy({ ...membership, issuer, subject, email, name, isDisabled })];
    })
    .sort((left, right) => left.joinedAt - right.joinedAt || compareCodeUnits(left.personId, right.personId));
}

function guarded(
  world: MemoryWorld,
  orgId: string,
  personId: string,
  becomes: (member: MemberRecord) => MemberRecord | null,
): MemberOutcome {
  const { memberships } = world.people;
  const members = membersOf(world, orgId);
  const member = members.find((one) => one.personId === personId);
  if (member === undefined) return "unknown";
  const next = becomes(member);
  if (losesLastAdmin(members, member, next)) return "last_admin";
  if (next === null) memberships.delete(keyOf(orgId, personId));
  else {
    const { issuer: _issuer, subject: _subject, email: _email, name: _name, isDisabled: _off, ...membership } = next;
    memberships.set(keyOf(orgId, personId), copy(membership));
  }
  return "done";
}

/** Deletes what depends on the membership of a person who is no longer a member. */
function forget(world: MemoryWorld, orgId: string, personId: string): void {
  const { memberships } = world.people;
  for (const [key, membership] of memberships) {
    if (membership.orgId !== orgId || membership.deputyId !== personId) continue;
    memberships.set(key, { ...membership, deputyId: null, deputyFrom: null, deputyUntil: null });
  }
  for (const [id, key] of world.keys) {
    if (key.orgId !== orgId || key.personId !== personId || key.agentId !== null) continue;
    world.keys.set(id, { ...key, revokedAt: key.revokedAt ?? world.now() });
  }
}
