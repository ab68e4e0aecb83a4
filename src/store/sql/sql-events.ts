import type { Json, JsonObject } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { EventStore, KeptEventRecord, NewEvent, EventToDeliver } from "../event-store.ts";
import { arrayLiteral, isNotLeaving, NOW_MS, type Sql, type SqlRow } from "../sql.ts";
import { bigint, Columns, int, optional, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlEvents(sql: Sql): EventStore {
  return {
    putEvents: async (orgId, events) => {
      if (events.length === 0) return [];
      const added = (await sql.query(PUT, [orgId, ...NEW.batch(events.map(newRow))])).map(receivedOf);
      const isNew = new Set(added.map(({ id }) => id));
      const others = events.filter(({ id }) => !isNew.has(id)).map(({ id }) => id);
      // Events that existed already are read here; nearly always there are none.
      const before = others.length === 0 ? [] : await sql.query(GET_ALL, [orgId, arrayLiteral(others)]);
      const kept = new Map([...added, ...before.map(receivedOf)].map((event) => [event.id, event]));
      return events.flatMap(({ id }) => {
        const event = kept.get(id);
        return event === undefined ? [] : [{ event, isNew: isNew.has(id) }];
      });
    },
    getEvents: async (orgId, ids) => (await sql.query(GET_ALL, [orgId, arrayLiteral(ids)])).map(receivedOf),
    listEvents: async (orgId, { type = null }, page) => {
      const { at = null, id = null } = decodeCursor(page.cursor) ?? {};
      const rows = await lookUp(sql, LIST, [orgId, type, at, id, page.limit + 1]);
      return listed(rows.map(eventOf), page.limit, ({ receivedAt, id: last }) => ({ at: receivedAt, id: last }));
    },
    waitersOf: async ({ orgId, type, keyDigest, receivedAt }, after, limit) => {
      const { runId = "", nodeId = "" } = after ?? {};
      return WAITER.all(await sql.query(WAITERS_OF, [orgId, type, keyDigest, receivedAt, runId, nodeId, limit]));
    },
    eventsFor: async ({ orgId, type, keyDigest, since }, after, limit) => {
      const { receivedAt = since, id = "" } = after ?? {};
      const params = [orgId, type, keyDigest, Math.max(since, receivedAt), id, limit];
      return (await sql.query(EVENTS_FOR, params)).map(eventOf);
    },
    unmarkEvents: async (events) => {
      if (events.length > 0) await sql.query(UNMARK_EVENTS, EVENT_KEY.batch(events));
    },
    unmarkWaiters: async (waiters) => {
      if (waiters.length > 0) await sql.query(UNMARK_WAITERS, WAITER_KEY.batch(waiters));
    },
    claimMarkedEvents: async (ageMs, limit) => (await sql.query(CLAIM_EVENTS, [ageMs, limit])).map(receivedOf),
    claimMarkedWaiters: async (ageMs, limit) => WAITER.all(await sql.query(CLAIM_WAITERS, [ageMs, limit])),
    deleteExpiredEvents: async (limit) => (await sql.query(DELETE_EXPIRED, [limit])).length,
  };
}

export interface EventContent {
  readonly key: JsonObject;
  readonly data: Json;
}

/** Columns of a new event, also as part of a commit. */
export const NEW_EVENT = {
  id: text,
  type: text,
  keyDigest: text,
  body: parsed<EventContent>("json"),
  keepMs: bigint,
  hops: int,
  sentBy: optional(text),
};
const NEW = new Columns(NEW_EVENT);

export function newRow({ id, type, key, keyDigest, data, keepMs, hops, sentBy }: NewEvent) {
  return { id, type, keyDigest, body: { key, data }, keepMs, hops, sentBy };
}

/** Columns of a new waiter, besides its run. */
export const NEW_WAITER = { nodeId: text, epoch: int, blockedBy: int, type: text, keyDigest: text, since: bigint };

const EVENT = new Columns({
  orgId: text,
  id: text,
  type: text,
  keyDigest: text,
  body: parsed<EventContent>(),
  hops: int,
  sentBy: optional(text),
  receivedAt: bigint,
  expiresAt: bigint,
});
const EVENT_KEY = new Columns({ orgId: text, id: text });
const WAITER = new Columns({ orgId: text, runId: text, ...NEW_WAITER });
const WAITER_KEY = new Columns({ runId: text, nodeId: text, blockedBy: int });

function eventOf(row: SqlRow): KeptEventRecord {
  const { body, ...event } = EVENT.read(row);
  return { ...event, ...body };
}

const CONFIG_VERSION = new Columns({ configVersion: int });

function receivedOf(row: SqlRow): EventToDeliver {
  return { ...eventOf(row), ...CONFIG_VERSION.read(row) };
}

/** Columns of an event to deliver, from the table or its alias. */
function received(events: string): string {
  return `${EVENT.list(events)}, coalesce((
      select c.version from organisation_config c where c.org_id = ${events}.org_id), 0) as ${CONFIG_VERSION.list()}`;
}

/** An expired event is replaced by a new one with its id. */
export const ON_TAKEN_ID = `on conflict (org_id, id) do update set type = excluded.type, key_digest = excluded.key_digest,
      body = excluded.body, hops = excluded.hops, sent_by = excluded.sent_by, received_at = excluded.received_at,
      expires_at = excluded.expires_at, marked_at = excluded.marked_at
    where received_events.expires_at <= ${NOW_MS} and received_events.marked_at is null`;

const PUT = {
  name: "put events",
  text: `insert into received_events (org_id, id, type, key_digest, body, hops, sent_by, received_at, expires_at, marked_at)
    select $1, i.id, i.type, i.key_digest, i.body, i.hops, i.sent_by, n.at, n.at + i.keep_ms, n.at
    from ${NEW.unnest(2)} cross join (select ${NOW_MS} as at) n
    ${ON_TAKEN_ID} returning ${received("received_events")}`,
};
const GET_ALL = {
  name: "get events",
  text: `select ${received("e")} from received_events e where org_id = $1 and id = any($2::text[])`,
};
const LIST = {
  name: "list events",
  text: `select ${EVENT.list()} from received_events
    where org_id = $1 and ($2::text is null or type = $2) and expires_at > ${NOW_MS}
      and ($3::bigint is null or (received_at, id) < ($3, $4::text))
    order by received_at desc, id desc limit $5`,
};
const WAITERS_OF = {
  name: "waiters of event",
  text: `select ${WAITER.list()} from event_waiters
    where org_id = $1 and type = $2 and key_digest = $3 and since <= $4 and (run_id, node_id) > ($5, $6)
    order by run_id, node_id limit $7`,
};
const EVENTS_FOR = {
  name: "events for waiter",
  text: `select ${EVENT.list()} from received_events
    where org_id = $1 and type = $2 and key_digest = $3 and (received_at, id) > ($4, $5) and expires_at > ${NOW_MS}
    order by received_at, id limit $6`,
};
const UNMARK_EVENTS = {
  name: "unmark events",
  skipsMovingOrganisation: true,
  text: `update received_events e set marked_at = null from ${EVENT_KEY.unnest()}
    where e.org_id = i.org_id and e.id = i.id`,
};
const UNMARK_WAITERS = {
  name: "unmark waiters",
  skipsMovingOrganisation: true,
  text: `update event_waiters w set marked_at = null from ${WAITER_KEY.unnest()}
    where w.run_id = i.run_id and w.node_id = i.node_id and w.blocked_by = i.blocked_by`,
};
const CLAIM_EVENTS = {
  name: "claim marked events",
  skipsMovingOrganisation: true,
  text: `with picked as (
      select org_id, id from received_events where marked_at <= ${NOW_MS} - $1::bigint and ${isNotLeaving("org_id")}
      order by marked_at limit $2 for update skip locked
    )
    update received_events e set marked_at = ${NOW_MS} from picked p where e.org_id = p.org_id and e.id = p.id
    returning ${received("e")}`,
};
const CLAIM_WAITERS = {
  name: "claim marked waiters",
  skipsMovingOrganisation: true,
  text: `with picked as (
      select run_id, node_id from event_waiters where marked_at <= ${NOW_MS} - $1::bigint and ${isNotLeaving("org_id")}
      order by marked_at limit $2 for update skip locked
    )
    update event_waiters w set marked_at = ${NOW_MS} from picked p where w.run_id = p.run_id and w.node_id = p.node_id
    returning ${WAITER.list("w")}`,
};
const DELETE_EXPIRED = {
  name: "delete expired events",
  skipsMovingOrganisation: true,
  text: `with picked as (
      select org_id, id from received_events where marked_at is null and expires_at <= ${NOW_MS}
      order by expires_at limit $1 for update skip locked
    )
    delete from received_events e using picked p where e.org_id = p.org_id and e.id = p.id returning 1 as gone`,
};
