import type { Timer } from "../../core/engine/index.ts";
import { required } from "../../core/base/index.ts";
import { isNotLeaving, NOW_MS, type Sql } from "../sql.ts";
import { type DueTimer, RECOVERABLE_MS, type ReplicaStore } from "../replica-store.ts";
import { bigint, Columns, int, optional, parsed, text } from "./columns.ts";

export function sqlReplicas(sql: Sql): ReplicaStore {
  return {
    renewReplica: async (replicaId, ttlMs) => (await sql.query(RENEW, [replicaId, ttlMs])).length > 0,
    registerReplica: (replicaId, ttlMs, supersedesAll) =>
      sql.transaction(async (within) => {
        if (supersedesAll) await within.query(RETIRE_ALL);
        await within.query(REGISTER, [replicaId, ttlMs]);
      }),
    retireReplica: async (replicaId) => {
      await sql.query(RETIRE, [replicaId]);
    },
    takeOver: async (replicaId, limit) => ORPHAN.all(await sql.query(TAKE_OVER, [replicaId, limit])),
    dueTimers: (limit) => dueTimers(sql, limit),
    nextDueAt: async () => {
      const [row] = await sql.query<{ due_at: number | null }>(NEXT_DUE);
      return row?.due_at ?? null;
    },
    now: async () => {
      const [row] = await sql.query<{ now: number }>(NOW);
      return required(row, "the database returns its time").now;
    },
    listStalled: async (limit) => {
      const rows = await sql.query<{ run_id: string }>(STALLED, [limit]);
      return rows.map((row) => row.run_id);
    },
    listRecoverable: async (limit, after) => {
      const { endedAt, runId } = after ?? { endedAt: 0, runId: "" };
      return RECOVERABLE.all(await sql.query(LIST_RECOVERABLE, [limit, RECOVERABLE_MS, endedAt, runId]));
    },
  };
}

const RENEW = {
  name: "renew replica",
  text: `update replicas set expires_at = ${NOW_MS} + $2 where replica_id = $1 and expires_at > ${NOW_MS}
    returning replica_id`,
};
const REGISTER = {
  name: "register replica",
  text: `insert into replicas (replica_id, expires_at) values ($1, ${NOW_MS} + $2)
    on conflict (replica_id) do update set expires_at = excluded.expires_at`,
};
const RETIRE = { name: "retire replica", text: "delete from replicas where replica_id = $1" };
const RETIRE_ALL = { name: "retire replicas", text: "delete from replicas" };

const ORPHAN = new Columns({ runId: text, nodeId: text, attempt: int });

/** A replica without a valid lease is dead, whether it retired, expired or was never registered. */
const TAKE_OVER = {
  name: "take over",
  skipsMovingOrganisation: true,
  text: `with orphans as (
      select a.run_id, a.node_id, a.attempt from open_attempts a
      where not exists (select from replicas r where r.replica_id = a.replica_id and r.expires_at > ${NOW_MS})
        and exists (select from replicas r where r.replica_id = $1 and r.expires_at > ${NOW_MS})
        and ${isNotLeaving("a.org_id")}
      order by a.run_id, a.node_id, a.attempt limit $2
      for update skip locked
    )
    update open_attempts a set replica_id = $1 from orphans o
    where a.run_id = o.run_id and a.node_id = o.node_id and a.attempt = o.attempt
    returning ${ORPHAN.list("a")}`,
};

/** The key of a timer is the timer as JSON. */
const DUE = {
  name: "due timers",
  text: `(select run_id, key, null as node_id, null as attempt, due_at from timers where due_at <= ${NOW_MS}
      order by due_at limit $1)
    union all
    (select run_id, null, node_id, attempt, deadline_at from open_attempts where deadline_at <= ${NOW_MS}
      order by deadline_at limit $1)
    union all
    (select run_id, json_build_object('kind', 'queue', 'nodeId', node_id, 'limitedSince', since)::text, null, null, due_at
      from waiting_nodes where due_at <= ${NOW_MS} order by due_at limit $1)
    order by due_at, run_id limit $1`,
};

const DUE_ROW = new Columns({
  runId: text,
  key: optional(parsed<Timer>()),
  nodeId: optional(text),
  attempt: optional(int),
  dueAt: bigint,
});

async function dueTimers(sql: Sql, limit: number): Promise<readonly DueTimer[]> {
  const rows = DUE_ROW.all(await sql.query(DUE, [limit]));
  return rows.map(({ runId, key, nodeId, attempt, dueAt }) => ({
    runId,
    timer: key ?? deadlineOf(nodeId, attempt),
    dueAt,
  }));
}

function deadlineOf(nodeId: string | null, attempt: number | null): Timer {
  return {
    kind: "attempt",
    nodeId: required(nodeId, "a deadline has a node"),
    attempt: required(attempt, "a deadline has an attempt"),
  };
}

const NEXT_DUE = {
  name: "next due",
  text: `select least((select min(due_at) from timers), (select min(deadline_at) from open_attempts),
    (select min(due_at) from waiting_nodes)) as due_at`,
};
const NOW = { name: "now", text: `select ${NOW_MS} as now` };

const STALLED = {
  name: "stalled runs",
  text: `select h.run_id from run_heads h
    where h.status in ('queued', 'running', 'recovered') and h.paused is null
      and not exists (select from open_attempts a where a.run_id = h.run_id)
      and not exists (select from timers t where t.run_id = h.run_id)
      and not exists (select from waiting_nodes w where w.run_id = h.run_id)
      and not exists (select from event_waiters e where e.run_id = h.run_id)
      and not exists (select from run_places l where l.run_id = h.run_id and l.slot is null)
      and not exists (select from approvals p where p.run_id = h.run_id and p.status = 'pending')
      and not exists (
        select from runs c join run_heads o using (run_id)
        where c.parent_run_id = h.run_id and o.status in ('queued', 'running', 'recovered'))
    order by h.run_id limit $1`,
};

const RECOVERABLE = new Columns({ orgId: text, runId: text, epoch: int, endedAt: bigint });
const LIST_RECOVERABLE = {
  name: "recoverable runs",
  text: `select r.org_id, r.run_id, h.epoch, h.ended_at from runs r join run_heads h using (run_id)
    where r.recovery_max > 0 and h.epoch < r.recovery_max and h.status in ('failed', 'timed_out')
      and h.ended_at > ${NOW_MS} - $2 and (h.ended_at, r.run_id) > ($3::bigint, $4::text)
    order by h.ended_at, r.run_id limit $1`,
};
