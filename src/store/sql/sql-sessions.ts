import {
  SESSION_KEPT_MS,
  SESSION_USE_MS,
  SESSIONS_LISTED_MAX,
  type SessionOwner,
  type SessionRecord,
  type SessionStore,
  type WatchedSession,
} from "../session-store.ts";
import { NOW_MS, type Sql, type Statement } from "../sql.ts";
import { bigint, Columns, optional, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlSessions(sql: Sql): SessionStore {
  return {
    putSession: async (session, lifeMs) => {
      await sql.query(PRUNE, [SESSION_KEPT_MS]);
      return SESSION.read((await sql.query(PUT, [...NEW.values(session), lifeMs]))[0] ?? {});
    },
    findSession: async (hash, { idleMs, isUse }) =>
      SESSION.first(await lookUp(sql, isUse ? USE : FIND, [hash, idleMs, ...(isUse ? [SESSION_USE_MS] : [])])),
    listSessions: (of, idleMs) => list(sql, of, idleMs),
    listEndedSessions: (watched, idleMs) => listEnded(sql, watched, idleMs),
    revokeSession: async (sessionId) => (await lookUp(sql, REVOKE, [sessionId])).length > 0,
  };
}

const NEW = new Columns({
  id: text,
  hash: text,
  personId: optional(text),
  keyId: optional(text),
  orgId: optional(text),
  userAgent: text,
  ip: text,
});
const SESSION = new Columns({
  ...NEW.fields,
  createdAt: bigint,
  lastSeenAt: bigint,
  expiresAt: bigint,
  revokedAt: optional(bigint),
});

/** `$2` is the time for which a session may be unused. */
const IS_LIVE = `revoked_at is null and expires_at > ${NOW_MS} and last_seen_at > ${NOW_MS} - $2::bigint`;

/** Deletes few sessions at a time, so that no sign-in waits for it. */
const PRUNE = {
  name: "prune sessions",
  text: `delete from sessions where id in (
    select id from sessions where expires_at < ${NOW_MS} - $1::bigint order by expires_at limit 20)`,
};
const PUT = {
  name: "put session",
  text: `insert into sessions (${NEW.list()}, created_at, last_seen_at, expires_at)
    select ${NEW.places}, at, at, at + $${NEW.count + 1}::bigint from (select ${NOW_MS} as at) as now returning ${SESSION.list()}`,
};
const FIND = { name: "find session", text: `select ${SESSION.list()} from sessions where hash = $1 and ${IS_LIVE}` };
const USE = {
  name: "use session",
  text: `with live as (select ${SESSION.list()} from sessions where hash = $1 and ${IS_LIVE}),
    used as (update sessions s set last_seen_at = ${NOW_MS} from live
      where s.id = live.id and live.last_seen_at < ${NOW_MS} - $3::bigint)
    select ${SESSION.list()} from live`,
};
const listed = (name: string, where: string): Statement => ({
  name: `list sessions of ${name}`,
  text: `select ${SESSION.list()} from sessions where ${where} and ${IS_LIVE}
    order by created_at desc, id desc limit ${SESSIONS_LISTED_MAX}`,
});
const OF_PERSON = listed("a person", "person_id = $1");
const OF_KEY = listed("a key", "key_id = $1");
const OF_ORGANISATION = listed(
  "an organisation",
  "(org_id = $1 or person_id in (select person_id from memberships where org_id = $1))",
);
const LIST_ENDED = {
  name: "list ended sessions",
  text: `select asked.id, asked.org_id from unnest($1::text[], $3::text[]) as asked (id, org_id)
    left join sessions s on s.id = asked.id and ${IS_LIVE}
    left join persons p on p.id = s.person_id
    left join memberships m on m.person_id = s.person_id and m.org_id = asked.org_id
    where s.id is null or (s.person_id is not null and (p.id is null or p.is_disabled
      or (m.person_id is null and asked.org_id <> '')))`,
};
const REVOKE = {
  name: "revoke session",
  text: `update sessions set revoked_at = coalesce(revoked_at, ${NOW_MS}) where id = $1 returning id`,
};

async function list(sql: Sql, of: SessionOwner, idleMs: number): Promise<readonly SessionRecord[]> {
  if ("personId" in of) return SESSION.all(await lookUp(sql, OF_PERSON, [of.personId, idleMs]));
  if ("keyId" in of) return SESSION.all(await lookUp(sql, OF_KEY, [of.keyId, idleMs]));
  return SESSION.all(await lookUp(sql, OF_ORGANISATION, [of.organisation, idleMs]));
}

async function listEnded(
  sql: Sql,
  watched: readonly WatchedSession[],
  idleMs: number,
): Promise<readonly WatchedSession[]> {
  const rows = await sql.query<{ id: string; org_id: string }>(LIST_ENDED, [
    watched.map(({ id }) => id),
    idleMs,
    watched.map(({ orgId }) => orgId),
  ]);
  return rows.map(({ id, org_id: orgId }) => ({ id, orgId }));
}
