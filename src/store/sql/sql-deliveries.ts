import { decodeCursor, listed } from "../cursor.ts";
import { isNotLeaving, NOW_MS, type Sql, type SqlRow } from "../sql.ts";
import type { Listed, Page } from "../store.ts";
import type { DeliveryRecord, DeliveryState, DeliveryStore } from "../webhook-store.ts";
import { bigint, Columns, int, oneOf, optional, text } from "./columns.ts";
import { addDeliveries, DELIVERY_NAMES, deliveryColumns } from "./delivery-rows.ts";
import { lookUp } from "./look-up.ts";

export function sqlDeliveries(sql: Sql): DeliveryStore {
  return {
    addDeliveries: async (deliveries) => {
      if (deliveries.length > 0) await sql.query(ADD, [...deliveryColumns(deliveries)]);
    },
    claimDeliveries: async (limit, leaseMs, busy) => {
      const [orgs, ids] = [busy.map(({ orgId }) => orgId), busy.map(({ targetId }) => targetId)];
      const rows = await sql.query<Numbered>(CLAIM, [limit, leaseMs, orgs, ids]);
      return CLAIMED.all(rows.toSorted((left, right) => left.seq - right.seq));
    },
    claimGroup: async ({ id, orgId, targetId, recipient, groupKey }, limit, leaseMs) => {
      if (groupKey === null) return [];
      const rows = await sql.query<Numbered>(CLAIM_GROUP, [id, orgId, targetId, recipient, groupKey, limit, leaseMs]);
      return CLAIMED.all(rows.toSorted((left, right) => left.seq - right.seq));
    },
    settleDelivery: async (id, claim, { state, retryMs, status, error }) =>
      (await sql.query(SETTLE, [id, claim, state, retryMs, status, error])).length > 0,
    releaseDelivery: async (id, claim) => {
      await sql.query(RELEASE, [id, claim]);
    },
    postponeDelivery: async (id, claim, delayMs, reason) => {
      await sql.query(POSTPONE, [id, claim, delayMs, reason]);
    },
    listDeliveries: (orgId, targetId, page) => list(sql, orgId, targetId, page),
    redeliver: async (orgId, targetId, id) => DELIVERY.first(await lookUp(sql, REDELIVER, [orgId, targetId, id])),
    pruneDeliveries: async (before, limit) => (await sql.query(PRUNE, [before, limit])).length,
  };
}

const ADD = { name: "add webhook deliveries", text: addDeliveries(1) };

/** A row with its number in the order of writing. */
type Numbered = SqlRow & { readonly seq: number };

const MESSAGE = {
  id: text,
  orgId: text,
  targetId: text,
  type: text,
  body: text,
  recipient: optional(text),
  groupKey: optional(text),
  runId: optional(text),
  attempts: int,
};
const CLAIMED = new Columns({ ...MESSAGE, claim: int }, { ...DELIVERY_NAMES, claim: "claims" });
const DELIVERY = new Columns(
  {
    ...MESSAGE,
    state: oneOf<DeliveryState>(),
    nextAt: optional(bigint),
    lastStatus: optional(int),
    lastError: optional(text),
    createdAt: bigint,
    settledAt: optional(bigint),
  },
  DELIVERY_NAMES,
);

const CLAIM = {
  name: "claim webhook deliveries",
  skipsMovingOrganisation: true,
  text: `with due as (
      select id from webhook_deliveries d where next_at <= ${NOW_MS} and ${isNotLeaving("d.org_id")}
        and not exists (select from unnest($3::text[], $4::text[]) as b (org_id, webhook_id)
          where b.org_id = d.org_id and b.webhook_id = d.webhook_id)
      order by next_at, seq limit $1 for update skip locked
    )
    update webhook_deliveries d set claims = d.claims + 1, next_at = ${NOW_MS} + $2, held_until = ${NOW_MS} + $2
    from due where d.id = due.id
    returning ${CLAIMED.list("d")}, d.seq`,
};
const CLAIM_GROUP = {
  name: "claim group of webhook deliveries",
  text: `with waiting as (
      select id from webhook_deliveries d where org_id = $2 and webhook_id = $3 and next_at is not null
        and id <> $1 and recipient is not distinct from $4 and group_key = $5 and held_until <= ${NOW_MS}
      order by seq limit $6 for update skip locked
    )
    update webhook_deliveries d set claims = d.claims + 1, next_at = ${NOW_MS} + $7, held_until = ${NOW_MS} + $7
    from waiting where d.id = waiting.id
    returning ${CLAIMED.list("d")}, d.seq`,
};

const SETTLE = {
  name: "settle webhook delivery",
  text: `update webhook_deliveries set state = $3, attempts = attempts + 1, next_at = ${NOW_MS} + $4::bigint, held_until = 0,
      settled_at = case when $4::bigint is null then ${NOW_MS} end, last_status = $5, last_error = $6
    where id = $1 and claims = $2 and next_at is not null returning id`,
};
const RELEASE = {
  name: "release webhook delivery",
  text: `update webhook_deliveries set next_at = ${NOW_MS}, held_until = 0
    where id = $1 and claims = $2 and next_at is not null`,
};
const POSTPONE = {
  name: "postpone webhook delivery",
  text: `update webhook_deliveries set next_at = ${NOW_MS} + $3::bigint, held_until = 0, last_error = $4
    where id = $1 and claims = $2 and next_at is not null`,
};

const LIST = {
  name: "list webhook deliveries",
  text: `select ${DELIVERY.list()}, seq from webhook_deliveries
    where org_id = $1 and webhook_id = $2 and ($3::bigint is null or seq < $3) order by seq desc limit $4`,
};

async function list(sql: Sql, orgId: string, targetId: string, page: Page): Promise<Listed<DeliveryRecord>> {
  const after = decodeCursor(page.cursor)?.at ?? null;
  const rows = await lookUp<Numbered>(sql, LIST, [orgId, targetId, after, page.limit + 1]);
  const { data, nextCursor } = listed(rows, page.limit, ({ seq }) => ({ at: seq, id: "" }));
  return { data: DELIVERY.all(data), nextCursor };
}

/** Sends a delivery again. An active claim can then no longer settle it. */
const REDELIVER = {
  name: "redeliver webhook delivery",
  text: `update webhook_deliveries
    set state = 'pending', attempts = 0, claims = claims + 1, next_at = ${NOW_MS}, held_until = 0,
      settled_at = null
    where org_id = $1 and webhook_id = $2 and id = $3 returning ${DELIVERY.list()}`,
};
const PRUNE = {
  name: "prune webhook deliveries",
  skipsMovingOrganisation: true,
  text: `delete from webhook_deliveries where id in (
      select id from webhook_deliveries where created_at < $1 and next_at is null order by created_at limit $2)
    returning id`,
};
