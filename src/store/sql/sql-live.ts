import type { LiveStore } from "../live-store.ts";
import type { Sql } from "../sql.ts";
import { Columns, optional, parsed, text } from "./columns.ts";
import { RUN_HEAD } from "./run-columns.ts";

export function sqlLive(sql: Sql): LiveStore {
  return {
    listLiveRuns: async ({ orgIds, createdSince, runIds, limit }) =>
      LIVE.all(await sql.query(LIST_LIVE, [orgIds, createdSince, runIds, limit])).map((run) => ({
        ...run,
        pendingApprovals: run.pendingApprovals ?? [],
      })),
    listOpenLaunches: async (orgIds) => LAUNCH.all(await sql.query(OPEN_LAUNCHES, [orgIds])),
  };
}

const RUN = new Columns({ orgId: text, workflow: text });
const LIVE = new Columns({
  ...RUN_HEAD.fields,
  ...RUN.fields,
  pendingApprovals: optional(parsed<readonly string[]>()),
});

/** Each way to be wanted is found by an index of its own; only then are rows read. */
const LIST_LIVE = {
  name: "list live runs",
  text: `with wanted as (
      select run_id from run_heads where org_id = any($1::text[]) and status in ('queued', 'running', 'recovered')
      union select run_id from runs where org_id = any($1::text[]) and created_at >= $2 and block is null
      union select unnest($3::text[])
    )
    select ${RUN_HEAD.list("h")}, ${RUN.list("r")},
      (select json_agg(a.id order by a.id)::text from approvals a where a.run_id = h.run_id and a.status = 'pending')
        as pending_approvals
    from wanted w join run_heads h using (run_id) join runs r using (run_id)
    where r.org_id = any($1::text[]) and (r.block is null or r.run_id = any($3::text[])) order by r.created_at desc, r.run_id desc limit $4`,
};

const LAUNCH = new Columns({ orgId: text, approvalId: text });
const OPEN_LAUNCHES = {
  name: "open launches",
  text: `select ${LAUNCH.list("l")} from launch_approvals l join approvals a on a.id = l.approval_id
    where l.org_id = any($1::text[]) and a.status = 'pending' order by l.approval_id`,
};
