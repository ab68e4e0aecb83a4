import type { RunStatus } from "../../core/event/index.ts";
import type { LiveHead, LiveStore } from "../live-store.ts";
import type { Sql } from "../sql.ts";

export function sqlLive(sql: Sql): LiveStore {
  return {
    listLiveRuns: async ({ orgIds, createdSince, runIds, limit }) =>
      (await sql.query<LiveRow>(LIST_LIVE, [orgIds, createdSince, runIds, limit])).map(headOf),
    listOpenLaunches: async (orgIds) =>
      (await sql.query<{ org_id: string; approval_id: string }>(OPEN_LAUNCHES, [orgIds])).map(
        ({ org_id: orgId, approval_id: approvalId }) => ({ orgId, approvalId }),
      ),
  };
}

interface LiveRow {
  readonly run_id: string;
  readonly org_id: string;
  readonly workflow: string;
  readonly row_version: number;
  readonly status: RunStatus;
  readonly epoch: number;
  readonly last_event_id: number;
  readonly cost_micros: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly pending: string | null;
}

/** Each way to be wanted is found by an index of its own; only then are rows read. */
const LIST_LIVE = {
  name: "list live runs",
  text: `with wanted as (
      select run_id from run_heads where org_id = any($1::text[]) and status in ('queued', 'running', 'recovered')
      union select run_id from runs where org_id = any($1::text[]) and created_at >= $2
      union select unnest($3::text[])
    )
    select h.run_id, r.org_id, r.workflow, h.row_version, h.status, h.epoch, h.last_event_id, h.cost_micros,
      h.started_at, h.ended_at,
      (select json_agg(a.id order by a.id)::text from approvals a where a.run_id = h.run_id and a.status = 'pending')
        as pending
    from wanted w join run_heads h using (run_id) join runs r using (run_id)
    where r.org_id = any($1::text[]) order by r.created_at desc, r.run_id desc limit $4`,
};

const OPEN_LAUNCHES = {
  name: "open launches",
  text: `select l.org_id, l.approval_id from launch_approvals l join approvals a on a.id = l.approval_id
    where l.org_id = any($1::text[]) and a.status = 'pending' order by l.approval_id`,
};

function headOf(row: LiveRow): LiveHead {
  return {
    runId: row.run_id,
    orgId: row.org_id,
    workflow: row.workflow,
    rowVersion: row.row_version,
    status: row.status,
    epoch: row.epoch,
    lastEventId: row.last_event_id,
    costMicros: row.cost_micros,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    pendingApprovals: JSON.parse(row.pending ?? "[]") as string[],
  };
}
