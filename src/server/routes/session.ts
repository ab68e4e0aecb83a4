import type { z } from "zod";
import {
  type BrowserSession,
  browserSessionSchema,
  listOf,
  type Session,
  sessionSchema,
  sessionsQuery,
} from "../../contract/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { SessionOwner, SessionRecord } from "../../store/index.ts";
import { answersAs } from "../answers-as.ts";
import { lacking, signedInPersonOf, type Principal } from "../auth.ts";
import { csrfTokenOf, sessionSecretOf } from "../credentials.ts";
import { requireMayChange } from "../member-answer.ts";
import { labelOf } from "../person-cache.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route, type Services } from "../route.ts";
import { endSession } from "../session-opening.ts";
import { SESSION_IDLE_MS } from "../session-cache.ts";
import { organisationsOf } from "./organisations.ts";

export const sessionRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/session",
    operation: "session.get",
    summary: "Shows the caller: the holder of the key or token, or the person of the session.",
    permission: null,
    isPersonal: true,
    replies: { 200: { description: "The caller", schema: sessionSchema } },
    handle: async (call) => json(await sessionOf(call)),
  }),
  defineRoute({
    method: "GET",
    path: "/sessions",
    operation: "sessions.list",
    summary:
      "Lists the sessions of browsers that have not ended, newest first: the caller's own, or all of the organisation.",
    permission: null,
    isPersonal: true,
    query: sessionsQuery,
    replies: { 200: { description: "At most 200 sessions", schema: listOf(browserSessionSchema) } },
    handle: listSessions,
  }),
  defineRoute({
    method: "DELETE",
    path: "/sessions/{sessionId}",
    operation: "sessions.revoke",
    summary:
      "Ends a session: at once in this process, within two seconds in others; its streams end within one second. With keys:manage " +
      "also sessions of other members and keys of the organisation that have no permission the caller lacks.",
    permission: null,
    isPersonal: true,
    replies: { 204: { description: "The session has ended", schema: null } },
    handle: revoke,
  }),
];

async function sessionOf({ services, principal, request }: Call<undefined, undefined>): Promise<Session> {
  const { personId, person, groups, sessionId, orgId, expiresAt } = principal;
  const secret = sessionId === null ? null : sessionSecretOf(request, services.config.publicUrl);
  const email =
    person === null && personId !== null ? (await services.store.getPerson(personId))?.email : person?.email;
  return {
    organisation: orgId === "" ? null : orgId,
    keyId: principal.keyId,
    label: principal.label,
    permissions: [...principal.permissions],
    agent: principal.agentId,
    expiresAt: expiresAt === null ? null : isoFromEpochMs(expiresAt),
    connect: services.config.consoleConnect,
    approvers: services.config.approvers,
    person: personId === null ? null : { id: personId, email: email ?? null, groups },
    organisations: await organisationsOf(services, principal),
    answersAs: [...(await answersAs(services.store, principal))],
    sessionId,
    csrfToken: secret === null ? null : csrfTokenOf(secret),
  };
}

async function listSessions(call: Call<undefined, z.output<typeof sessionsQuery>>): Promise<Response> {
  const { services, principal, query } = call;
  const isWide = query.scope === "organisation";
  if (isWide && !principal.permissions.has("keys:manage")) throw lacking("keys:manage");
  const of = isWide ? { organisation: principal.orgId } : ownerOf(principal);
  const found = await services.store.listSessions(of, SESSION_IDLE_MS);
  return json({ data: await Promise.all(found.map((session) => sessionOnWire(services, principal, session))) });
}

/** A session of a key belongs to the key, not to the person who made the key. */
function ownerOf(principal: Principal): SessionOwner {
  const personId = signedInPersonOf(principal);
  return personId === null ? { keyId: principal.keyId } : { personId };
}

async function revoke({ services, principal, params }: Call<undefined, undefined>): Promise<Response> {
  const { sessionId = "" } = params;
  const own = await services.store.listSessions(ownerOf(principal), SESSION_IDLE_MS);
  const session = own.find(({ id }) => id === sessionId) ?? (await foreignSession(services, principal, sessionId));
  if (session === undefined) throw new Refused("unknown_session", `There is no session "${sessionId}" of yours.`);
  await endSession(services, session, principal.keyId);
  return new Response(null, { status: 204 });
}

/** Finds a session of another member or key of the organisation that the caller may end. */
async function foreignSession(
  { store }: Services,
  principal: Principal,
  sessionId: string,
): Promise<SessionRecord | undefined> {
  if (!principal.permissions.has("keys:manage")) return undefined;
  const all = await store.listSessions({ organisation: principal.orgId }, SESSION_IDLE_MS);
  const session = all.find(({ id }) => id === sessionId);
  if (session === undefined) return undefined;
  const member = session.personId === null ? undefined : await store.getMember(principal.orgId, session.personId);
  if (member !== undefined) requireMayChange(principal, member);
  const key = session.keyId === null ? undefined : await store.getKey(principal.orgId, session.keyId);
  const beyond = key?.permissions.filter((permission) => !principal.permissions.has(permission)) ?? [];
  if (beyond.length > 0) {
    throw new Refused(
      "forbidden",
      `The session may do what you may not (${beyond.join(", ")}), so that you cannot end it.`,
    );
  }
  return session;
}

async function sessionOnWire(
  { store }: Services,
  principal: Principal,
  session: SessionRecord,
): Promise<BrowserSession> {
  const { id, personId, keyId, orgId, userAgent, ip, createdAt, lastSeenAt, expiresAt } = session;
  const person = personId === null ? undefined : await store.getPerson(personId);
  const key = keyId === null || orgId === null ? undefined : await store.getKey(orgId, keyId);
  return {
    id,
    isCurrent: id === principal.sessionId,
    person: personId,
    key: keyId,
    label: person === undefined ? (key?.label ?? keyId ?? "") : labelOf(person),
    userAgent,
    ip,
    createdAt: isoFromEpochMs(createdAt),
    lastSeenAt: isoFromEpochMs(lastSeenAt),
    expiresAt: isoFromEpochMs(expiresAt),
  };
}
