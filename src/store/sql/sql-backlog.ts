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
  };
}

/** The index of blocks holds nothing else. */
const IS_LISTED = "not exists (select from runs r where r.run_id = h.run_id and r.block is not null)";

const COUNT_OPEN = {
  name: "count open runs",
  text: `select count(*)::int as open from run_heads h
    where org_id = $1 and status in ('queued', 'running', 'recovered') and ${IS_LISTED}`,
};

interface BacklogRow {
  readonly runs: number;
  readonly waiting: string | null;
  readonly attempts: number;
  readonly approvals: number;
  readonly deliveries: number;
  readonly lag_ms: number;
}

/** Each count is of a small table or of an index that holds only what is open. */
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
