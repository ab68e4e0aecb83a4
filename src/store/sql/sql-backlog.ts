import { type Backlog, type BacklogStore, NO_WAITING_RUNS } from "../backlog-store.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import { COUNT_WAITING } from "./waiting-for.ts";

type Waiting = Backlog["waitingRuns"];

export function sqlBacklog(sql: Sql): BacklogStore {
  return {
    readBacklog: async () => {
      const [row] = await sql.query<BacklogRow>(READ_BACKLOG);
      return {
        openRuns: row?.runs ?? 0,
        waitingRuns: { ...NO_WAITING_RUNS, ...(JSON.parse(row?.waiting ?? "{}") as Partial<Waiting>) },
        openAttempts: row?.attempts ?? 0,
        pendingApprovals: row?.approvals ?? 0,
        pendingDeliveries: row?.deliveries ?? 0,
        lagMs: row?.lag_ms ?? 0,
      };
    },
    countOpenRuns: async (orgId) => (await sql.query<{ open: number }>(COUNT_OPEN, [orgId]))[0]?.open ?? 0,
    readStorage: async (orgId) => {
      const [row] = await sql.query<StorageRow>(READ_STORAGE, [orgId]);
      return { files: Number(row?.files ?? 0), values: Number(row?.held ?? 0), logs: Number(row?.logs ?? 0) };
    },
  };
}

/** Excludes runs of blocks. The index of blocks contains only these. */
const IS_LISTED = "not exists (select from runs r where r.run_id = h.run_id and r.block is not null)";

const COUNT_OPEN = {
  name: "count open runs",
  text: `select count(*)::int as open from run_heads h
    where org_id = $1 and status in ('queued', 'running', 'recovered') and ${IS_LISTED}`,
};

interface StorageRow {
  readonly files: string;
  readonly held: string;
  readonly logs: string;
}

/** Number of runs from which the size of a run is estimated. Reading all runs would take hours. */
const SAMPLED_RUNS = 200;

const READ_STORAGE = {
  name: "read storage",
  text: `with sampled as (
      select run_id from runs where org_id = $1 order by created_at desc, run_id desc limit ${SAMPLED_RUNS}
    ), logged as (
      select (select sum(pg_column_size(e.body)) from event_blocks e where e.run_id = s.run_id) as events,
        (select sum(pg_column_size(v.body)) from verdict_blocks v where v.run_id = s.run_id) as verdicts
      from sampled s
    )
    select (select coalesce(sum(size), 0) from files where org_id = $1)::text as files,
      (select coalesce(sum(bytes), 0) from blobs where org_id = $1)::text as held,
      (select coalesce(round(avg(coalesce(events, 0) + coalesce(verdicts, 0))
          * (select count(*) from runs where org_id = $1)), 0) from logged)::text as logs`,
};

interface BacklogRow {
  readonly runs: number;
  readonly waiting: string | null;
  readonly attempts: number;
  readonly approvals: number;
  readonly deliveries: number;
  readonly lag_ms: number;
}

/** Each count reads a small table, or an index of open rows only. */
const READ_BACKLOG = {
  name: "read backlog",
  text: `select
      (select count(*)::int from run_heads h where status in ('queued', 'running', 'recovered') and ${IS_LISTED}) as runs,
      (select json_object_agg(w.waiting_for, w.count)::text from (${COUNT_WAITING}) w) as waiting,
      (select count(*)::int from open_attempts) as attempts,
      (select count(*)::int from approvals where status = 'pending') as approvals,
      (select count(*)::int from webhook_deliveries where next_at is not null) as deliveries,
      greatest(0, ${NOW_MS} - coalesce(
        least((select min(due_at) from timers), (select min(deadline_at) from open_attempts),
          (select min(due_at) from waiting_nodes)), ${NOW_MS}))::bigint
        as lag_ms`,
};
