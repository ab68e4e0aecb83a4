import { auditEntry } from "../core/audit/index.ts";
import type { SessionRecord } from "../store/index.ts";
import { sessionSecretOf } from "./credentials.ts";
import type { Services } from "./route.ts";
import { hashSecret, newId, newToken } from "./secret.ts";
import { sessionCookie } from "./session-cookie.ts";
import { SESSION_LIFE_MS } from "./session-cache.ts";

/** The owner of a new session: a person, or a key with its organisation. */
export type SessionSubject = { readonly personId: string } | { readonly keyId: string; readonly orgId: string };

const SHOWN_LENGTH_MAX = 300;
const SECONDS = SESSION_LIFE_MS / 1_000;

/** Opens a session and ends the previous one of the browser, so that a cookie from before the sign-in is useless after it. */
export async function openSession(
  services: Services,
  request: Request,
  address: string,
  subject: SessionSubject,
): Promise<{ readonly cookie: string; readonly session: SessionRecord }> {
  await endSessionOf(services, request);
  const secret = newToken();
  const isPerson = "personId" in subject;
  const session = await services.store.putSession(
    {
      id: newId("ses"),
      hash: hashSecret(secret),
      personId: isPerson ? subject.personId : null,
      keyId: isPerson ? null : subject.keyId,
      orgId: isPerson ? null : subject.orgId,
      userAgent: shown(request.headers.get("user-agent") ?? ""),
      ip: shown(address),
    },
    SESSION_LIFE_MS,
  );
  await noteSession(services, session, "session.started");
  return { cookie: sessionCookie(request, services.config, secret, SECONDS), session };
}

/** Ends the session of the browser, if it has one. */
export async function endSessionOf(services: Services, request: Request): Promise<void> {
  const secret = sessionSecretOf(request, services.config.publicUrl);
  const session = secret === null ? undefined : await services.sessions.find(secret, false);
  if (session !== undefined) await endSession(services, session, session.personId ?? session.keyId ?? "");
}

/** Takes effect at once here, within two seconds on other replicas; the streams of the session end within one second. */
export async function endSession(services: Services, session: SessionRecord, actor: string): Promise<void> {
  await services.store.revokeSession(session.id);
  services.sessions.forget();
  services.streams.expireSession({ id: session.id });
  await noteSession(services, session, "session.ended", actor);
}

/** Records the session in the audit of its key's organisation, or of all organisations of its person. */
async function noteSession(
  { store, config }: Services,
  { id, personId, keyId, orgId, userAgent, ip }: SessionRecord,
  type: "session.started" | "session.ended",
  actor = personId ?? keyId ?? "",
): Promise<void> {
  const entry = auditEntry({ at: config.now(), type, actor, resource: `session/${id}`, detail: { userAgent, ip } });
  const memberships = personId === null ? [] : await store.listMemberships(personId);
  const organisations = orgId === null ? memberships.map((membership) => membership.orgId) : [orgId];
  for (const organisation of organisations) await store.appendAudit(organisation, [entry]);
}

/** Cleans a text from the browser, which is shown to people and stored. */
function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Surrogate}\p{Bidi_Control}]/gu, " ").slice(0, SHOWN_LENGTH_MAX);
}
