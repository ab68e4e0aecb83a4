import { isNotLeaving, NOW_MS, type Sql } from "../sql.ts";
import type { FeedClaim, FeedStore, Subscription } from "../webhook-store.ts";
import { bigint, Columns, int, optional, text } from "./columns.ts";
import { addDeliveries, DELIVERY_NAMES, deliveryColumns } from "./delivery-rows.ts";

export function sqlFeeds(sql: Sql): FeedStore {
  return {
    listListeningOrganisations: async () =>
      (await sql.query<{ org_id: string }>(ORGANISATIONS)).map((row) => row.org_id),
    subscribe: (orgId, version, wanted) => sql.transaction((within) => subscribe(within, orgId, version, wanted)),
    claimFeeds: (sweepMs, leaseMs, limit) => claimFeeds(sql, sweepMs, leaseMs, limit),
    endFeed: async (orgId, sweptAt) => {
      await sql.query(END_FEED, [orgId, sweptAt]);
    },
    listRunsAhead: async (runIds) => AHEAD_RUN.all(await sql.query(AHEAD, [runIds])),
    sweepRunsAhead: async (orgId, since, limit) => AHEAD_RUN.all(await sql.query(SWEEP, [orgId, since, limit])),
    feedRun: async ({ orgId, runId, version, from, to, deliveries }) => {
      const columns = deliveryColumns(deliveries);
      return (await sql.query(FEED_RUN, [orgId, runId, version, from, to, ...columns])).length > 0;
    },
    feedAudit: async ({ orgId, version, from, to, deliveries }) =>
      (await sql.query(FEED_AUDIT, [orgId, version, from, to, ...deliveryColumns(deliveries)])).length > 0,
  };
}

const ORGANISATIONS = {
  name: "organisations with webhooks or channels",
  text: `select org_id from registry where kind in ('webhook', 'channel') union select org_id from webhook_cursors order by org_id`,
};

/** Every change of the registry locks this row, so the version cannot change until the end of this transaction. */
const HOLD_VERSION = {
  name: "hold config version",
  text: "select version from organisation_config where org_id = $1 and version = $2 for update",
};
const UNSUBSCRIBE = {
  name: "unsubscribe webhooks",
  text: `with gone as (
      delete from webhook_subscriptions where org_id = $1 and webhook_id <> all ($2::text[]) returning webhook_id
    )
    update webhook_deliveries d set state = 'given_up', next_at = null, settled_at = ${NOW_MS},
      last_error = 'It was disabled or deleted.'
    from gone g where d.org_id = $1 and d.webhook_id = g.webhook_id and d.next_at is not null`,
};
const SUBSCRIBE = {
  name: "subscribe webhooks",
  text: `insert into webhook_subscriptions (org_id, webhook_id, since)
    select $1, i.* from unnest($2::text[], $3::bigint[]) as i on conflict do nothing`,
};
const SUBSCRIPTION = new Columns({ targetId: text, since: bigint }, DELIVERY_NAMES);
const SUBSCRIPTIONS = {
  name: "webhook subscriptions",
  text: `select ${SUBSCRIPTION.list()} from webhook_subscriptions where org_id = $1 order by webhook_id`,
};
/** Starts a feed a little early, because records of the same time are not necessarily in chain order. */
const BEGIN_FEED = {
  name: "begin webhook feed",
  text: `insert into webhook_cursors (org_id, audit_seq, swept_at, held_until)
    select $1, coalesce((select max(to_seq) from (
      (select to_seq from audit_segments where org_id = $1 and at < $2::bigint - 60000 order by to_seq desc limit 1)
      union all select to_seq from audit_open where org_id = $1 and newest_at < $2::bigint - 60000) earlier), 0), $2, 0
    on conflict do nothing`,
};
const END_FEEDS = { name: "end webhook feed of all", text: "delete from webhook_cursors where org_id = $1" };

async function subscribe(
  sql: Sql,
  orgId: string,
  version: number,
  wanted: readonly Subscription[],
): Promise<readonly Subscription[] | null> {
  if ((await sql.query(HOLD_VERSION, [orgId, version])).length === 0) return null;
  const ids = wanted.map(({ targetId }) => targetId);
  await sql.query(UNSUBSCRIBE, [orgId, ids]);
  if (wanted.length === 0) {
    await sql.query(END_FEEDS, [orgId]);
    return [];
  }
  await sql.query(SUBSCRIBE, [orgId, ids, wanted.map(({ since }) => since)]);
  const kept = SUBSCRIPTION.all(await sql.query(SUBSCRIPTIONS, [orgId]));
  await sql.query(BEGIN_FEED, [orgId, Math.min(...kept.map(({ since }) => since))]);
  return kept;
}

/** Claims feeds, those that have waited longest first. */
const CLAIM_FEEDS = {
  name: "claim webhook feeds",
  skipsMovingOrganisation: true,
  text: `with due as (
      select c.org_id, coalesce(h.seq, 0) as head_seq from webhook_cursors c left join audit_heads h using (org_id)
      where c.held_until <= ${NOW_MS} and ${isNotLeaving("c.org_id")} and (h.seq > c.audit_seq or c.swept_at <= ${NOW_MS} - $1)
      order by c.held_until, c.org_id limit $3 for update of c skip locked
    )
    update webhook_cursors c set held_until = ${NOW_MS} + $2 from due d where c.org_id = d.org_id
    returning c.org_id, c.audit_seq, d.head_seq, c.swept_at, ${NOW_MS} as now`,
};
const END_FEED = {
  name: "end webhook feed",
  text: `update webhook_cursors set held_until = ${NOW_MS}, swept_at = coalesce($2, swept_at) where org_id = $1`,
};

const CLAIM = new Columns({ orgId: text, auditSeq: bigint, headSeq: bigint, sweptAt: bigint, now: bigint });

async function claimFeeds(sql: Sql, sweepMs: number, leaseMs: number, limit: number): Promise<readonly FeedClaim[]> {
  const claims = CLAIM.all(await sql.query(CLAIM_FEEDS, [sweepMs, leaseMs, limit]));
  return claims.map((claim) => ({ ...claim, isSweepDue: claim.sweptAt <= claim.now - sweepMs }));
}

const AHEAD_RUN = new Columns({
  orgId: text,
  runId: text,
  workflow: text,
  traceId: text,
  block: optional(text),
  fedEventId: int,
  lastEventId: int,
});

const AHEAD_OF = `select r.org_id, r.run_id, r.workflow, r.trace_id, r.block, coalesce(f.fed_event_id, 0) as fed_event_id,
    h.last_event_id
  from runs r join run_heads h using (run_id) left join webhook_feeds f using (run_id)`;
const IS_AHEAD = `h.last_event_id > coalesce(f.fed_event_id, 0)
  and exists (select from webhook_cursors c where c.org_id = r.org_id)`;

const AHEAD = {
  name: "runs ahead of their feed",
  text: `${AHEAD_OF} where r.run_id = any($1::text[]) and ${IS_AHEAD} order by r.run_id`,
};
const SWEEP = {
  name: "sweep runs ahead of their feed",
  text: `${AHEAD_OF} where r.run_id in (
      select run_id from run_heads where org_id = $1 and status in ('queued', 'running', 'recovered')
      union select run_id from usage_records where org_id = $1 and at >= $2
    ) and ${IS_AHEAD} order by r.run_id limit $3`,
};

/** The guard comes first: it checks the position of the feed, and the config version for which the recipients were chosen. */
const FEED_RUN = {
  name: "feed run",
  text: `with moved as (
      insert into webhook_feeds as f (run_id, org_id, fed_event_id)
      select $2, $1, $5 from organisation_config where org_id = $1 and version = $3
      on conflict (run_id) do update set fed_event_id = excluded.fed_event_id where f.fed_event_id = $4
      returning run_id
    ), added as (${addDeliveries(6, "exists (select from moved)")})
    select run_id from moved`,
};
const FEED_AUDIT = {
  name: "feed audit",
  text: `with moved as (
      update webhook_cursors c set audit_seq = $4 from organisation_config g
      where c.org_id = $1 and c.audit_seq = $3 and g.org_id = c.org_id and g.version = $2 returning c.org_id
    ), added as (${addDeliveries(5, "exists (select from moved)")})
    select org_id from moved`,
};
