import type { AlertStore } from "../alert-store.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import { addDeliveries, deliveryColumns } from "./delivery-rows.ts";

export function sqlAlerts(sql: Sql): AlertStore {
  return {
    takeLease: async (name, holder, ttlMs) => (await sql.query(TAKE_LEASE, [name, holder, ttlMs])).length > 0,
    dropLease: async (name, holder) => {
      await sql.query(DROP_LEASE, [name, holder]);
    },
    fireAlert: async (orgId, key, { at, deliveries, audit }) => {
      const entries = audit === null ? null : JSON.stringify([audit]);
      return (await sql.query(FIRE, [orgId, key, at, entries, ...deliveryColumns(deliveries)])).length > 0;
    },
    countEnded: async (orgId, since) => {
      const [row] = await sql.query<{ ended: number; failed: number }>(COUNT_ENDED, [orgId, since]);
      return { all: row?.ended ?? 0, failed: row?.failed ?? 0 };
    },
    listOverdueApprovals: async (orgId, before, prefix, limit) => {
      const rows = await sql.query<{ id: string; run_id: string; requested_at: number }>(OVERDUE, [
        orgId,
        before,
        prefix,
        limit,
      ]);
      return rows.map((row) => ({ approvalId: row.id, runId: row.run_id, requestedAt: row.requested_at }));
    },
  };
}

const TAKE_LEASE = {
  name: "take alert lease",
  text: `insert into alert_leases as l (name, holder, expires_at) values ($1, $2, ${NOW_MS} + $3)
    on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where l.holder = excluded.holder or l.expires_at <= ${NOW_MS}
    returning name`,
};
const DROP_LEASE = { name: "drop alert lease", text: "delete from alert_leases where name = $1 and holder = $2" };

/** One statement, so that an alert is recorded once, and together with its deliveries. */
const FIRE = {
  name: "fire alert",
  text: `with recorded as (
      insert into told_once (org_id, key, at) values ($1, $2, $3) on conflict do nothing returning key
    ), noted as (
      insert into audit_pending (id, org_id, at, body) select $1 || '/' || key, $1, $3, $4 from recorded
      where $4::text is not null
    ), added as (${addDeliveries(5, "exists (select from recorded)")})
    select key from recorded`,
};
const COUNT_ENDED = {
  name: "count ended runs",
  text: `select count(*)::int as ended, (count(*) filter (where h.status in ('failed', 'timed_out')))::int as failed
    from run_heads h where h.org_id = $1 and h.ended_at >= $2
      and not exists (select from runs r where r.run_id = h.run_id and r.block is not null)`,
};
const OVERDUE = {
  name: "overdue approvals",
  text: `select id, run_id, requested_at from approvals a
    where org_id = $1 and status = 'pending' and requested_at <= $2
      and not exists (select from told_once t where t.org_id = $1 and t.key = $3 || a.id)
    order by requested_at, id limit $4`,
};
