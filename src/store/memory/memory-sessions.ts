import { type InvitationStore, mergedWords } from "../invitation-store.ts";
import {
  SESSION_USE_MS,
  SESSIONS_LISTED_MAX,
  type SessionOwner,
  type SessionRecord,
  type SessionStore,
} from "../session-store.ts";
import { compareCodeUnits } from "../../core/base/index.ts";
import { assign } from "./memory-people.ts";
import { newestFirst } from "./memory-runs.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

export function memorySessions(world: MemoryWorld): SessionStore {
  const { sessions, memberships, persons } = world.people;
  const isLive = ({ revokedAt, expiresAt, lastSeenAt }: SessionRecord, idleMs: number): boolean =>
    revokedAt === null && expiresAt > world.now() && lastSeenAt > world.now() - idleMs;
  const isOf = ({ personId, keyId, orgId }: SessionRecord, owner: SessionOwner): boolean => {
    if ("personId" in owner) return personId === owner.personId;
    if ("keyId" in owner) return keyId === owner.keyId;
    return orgId === owner.organisation || memberships.has(keyOf(owner.organisation, personId ?? ""));
  };
  return {
    putSession: async (session, lifeMs) => {
      const at = world.now();
      const put = { ...session, createdAt: at, lastSeenAt: at, expiresAt: at + lifeMs, revokedAt: null };
      sessions.set(session.id, copy(put));
      return copy(put);
    },
    findSession: async (hash, { idleMs, isUse }) => {
      const found = [...sessions.values()].find((session) => session.hash === hash);
      if (found === undefined || !isLive(found, idleMs)) return undefined;
      const isRecorded = found.lastSeenAt >= world.now() - SESSION_USE_MS;
      if (isUse && !isRecorded) sessions.set(found.id, { ...found, lastSeenAt: world.now() });
      return copy(found);
    },
    listSessions: async (of, idleMs) =>
      [...sessions.values()]
        .filter((session) => isOf(session, of) && isLive(session, idleMs))
        .sort((left, right) => right.createdAt - left.createdAt || compareCodeUnits(right.id, left.id))
        .slice(0, SESSIONS_LISTED_MAX)
        .map(copy),
    listEndedSessions: async (watched, idleMs) =>
      watched.filter(({ id, orgId }) => {
        const session = sessions.get(id);
        if (session === undefined || !isLive(session, idleMs)) return true;
        if (session.personId === null) return false;
        const person = persons.get(session.personId);
        if (person === undefined || person.isDisabled) return true;
        return orgId !== "" && !memberships.has(keyOf(orgId, person.id));
      }),
    revokeSession: async (sessionId) => {
      const session = sessions.get(sessionId);
      if (session === undefined) return false;
      sessions.set(sessionId, { ...session, revokedAt: session.revokedAt ?? world.now() });
      return true;
    },
  };
}

export function memoryInvitations(world: MemoryWorld): InvitationStore {
  const { invitations, memberships } = world.people;
  return {
    putInvitation: async (invitation, lifeMs) => {
      const at = world.now();
      const open = { acceptedBy: null, acceptedAt: null, revokedAt: null };
      const put = { ...invitation, createdAt: at, expiresAt: at + lifeMs, ...open };
      invitations.set(invitation.id, copy(put));
      return copy(put);
    },
    findInvitation: async (hash) => {
      const found = [...invitations.values()].find((invitation) => invitation.hash === hash);
      return found === undefined ? undefined : copy(found);
    },
    listInvitations: async (orgId, page) =>
      newestFirst(
        [...invitations.values()].filter((invitation) => invitation.orgId === orgId).map(copy),
        page,
        ({ createdAt, id }) => ({ at: createdAt, id }),
      ),
    revokeInvitation: async (orgId, invitationId) => {
      const found = invitations.get(invitationId);
      if (found?.orgId !== orgId || found.acceptedAt !== null) return false;
      invitations.set(invitationId, { ...found, revokedAt: found.revokedAt ?? world.now() });
      return true;
    },
    acceptInvitation: async (hash, personId) => {
      const found = [...invitations.values()].find((invitation) => invitation.hash === hash);
      if (found === undefined || found.acceptedAt !== null || found.revokedAt !== null) return false;
      if (found.expiresAt <= world.now()) return false;
      invitations.set(found.id, { ...found, acceptedBy: personId, acceptedAt: world.now() });
      const before = memberships.get(keyOf(found.orgId, personId));
      const roles = mergedWords(before?.assignedRoles, found.roles);
      assign(world, found.orgId, personId, roles, mergedWords(before?.assignedGroups, found.groups));
      return true;
    },
  };
}
