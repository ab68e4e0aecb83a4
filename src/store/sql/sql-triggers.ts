import { required } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import type { TriggerDeliveryState, TriggerStore } from "../trigger-store.ts";
import { bigint, Columns, oneOf, optional, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export function sqlTriggers(sql: Sql): TriggerStore {
  return {
    deliveryStanding: async ({ orgId, triggerId, deliveryId }, windowMs) => {
      const known = DELIVERY.first(await lookUp(sql, GET, [orgId, triggerId, deliveryId])) ?? null;
      const [row] = await lookUp<{ recent: number }>(sql, COUNT, [orgId, triggerId, windowMs]);
      return { known, recent: row?.recent ?? 0 };
    },
    recordDelivery: async ({ orgId, triggerId, deliveryId }, { state, runId, code, reason }) => {
      const key = [orgId, triggerId, deliveryId];
      const [written] = await sql.query(RECORD, [...key, state, runId, code, reason]);
      const row = written ?? (await sql.query(GET, key))[0];
      return DELIVERY.read(required(row, "a delivery just written is answered"));
    },
    listTriggerDeliveries: async (orgId, triggerId, page) => {
      const before = decodeCursor(page.cursor)?.at ?? null;
      const rows = NUMBERED.all(await lookUp(sql, LIST, [orgId, triggerId, before, page.limit + 1]));
      const { data, nextCursor } = listed(rows, page.limit, ({ seq }) => ({ at: seq, id: "" }));
      return { data: data.map(({ seq: _seq, ...delivery }) => delivery), nextCursor };
    },
    pruneTriggerDeliveries: async (orgId, triggerId, keep, keepMs) => {
      await sql.query(PRUNE, [orgId, triggerId, keep, keepMs]);
    },
  };
}

const FIELDS = {
  orgId: text,
  triggerId: text,
  deliveryId: text,
  state: oneOf<TriggerDeliveryState>(),
  runId: optional(text),
  code: optional(text),
  reason: optional(text),
  receivedAt: bigint,
};
const DELIVERY = new Columns(FIELDS);
const NUMBERED = new Columns({ ...FIELDS, seq: bigint });

const GET = {
  name: "get trigger delivery",
  text: `select ${DELIVERY.list()} from trigger_deliveries
    where org_id = $1 and trigger_id = $2 and delivery_id = $3`,
};
const COUNT = {
  name: "count trigger deliveries",
  text: `select count(*) as recent from trigger_deliveries
    where org_id = $1 and trigger_id = $2 and received_at > ${NOW_MS} - $3::bigint`,
};
const RECORD = {
  name: "record trigger delivery",
  text: `insert into trigger_deliveries (${DELIVERY.list()}) values ($1, $2, $3, $4, $5, $6, $7, ${NOW_MS})
    on conflict (org_id, trigger_id, delivery_id) do update
      set state = excluded.state, run_id = excluded.run_id, code = excluded.code, reason = excluded.reason,
        received_at = excluded.received_at
      where trigger_deliveries.state <> 'started'
    returning ${DELIVERY.list()}`,
};
const LIST = {
  name: "list trigger deliveries",
  text: `select ${NUMBERED.list()} from trigger_deliveries
    where org_id = $1 and trigger_id = $2 and ($3::bigint is null or seq < $3) order by seq desc limit $4`,
};
const PRUNE = {
  name: "prune trigger deliveries",
  text: `delete from trigger_deliveries where org_id = $1 and trigger_id = $2
    and received_at < ${NOW_MS} - $4::bigint
    and seq <= (select seq from trigger_deliveries where org_id = $1 and trigger_id = $2
      order by seq desc offset $3 limit 1)`,
};
