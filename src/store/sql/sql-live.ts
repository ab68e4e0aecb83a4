import { required } from "../../core/base/index.ts";
import type { LiveStore } from "../live-store.ts";
import type { Sql } from "../sql.ts";
import { bigint, Columns, optional, parsed, text } from "./columns.ts";
import { RUN_HEAD } from "./run-columns.ts";

export function sqlLive(sql: Sql): LiveStore {
  return {
    listLiveRuns: async ({ orgIds, createdSince, runIds, known, limit }) => {
      const named = [orgIds, runIds, [...known.keys()], [...known.values()]];
      const rows = await (createdSince === null
        ? sql.query(LIST_NAMED, named)
        : sql.query(LIST_LIVE, [...named, createdSince, limit]));
      return LIVE.all(rows).map((run) => ({ ...run, pendingApprovals: run.pendingApprovals ?? [] }));
    },
    listNotedApprovals: async (orgIds, since) => NOTED.all(await sql.query(LIST_NOTED, [orgIds, since])),
    listOpenLaunches: async (orgIds) => LAUNCH.all(await sql.query(OPEN_LAUNCHES, [orgIds])),
    reportCommits: async () => {
      await sql.query(REPORT_COMMITS);
    },
    countCommitReports: async () => {
      const [row] = await sql.query<{ count: number }>(COUNT_REPORTS);
      return required(row, "a sequence has one row").count;
    },
  };
}

const RUN = new Columns({ orgId: text, workflow: text, parentRunId: optional(text) });
const LIVE = new Columns({
  ...RUN_HEAD.fields,
  ...RUN.fields,
  pendingApprovals: optional(parsed<readonly string[]>()),
});

/**
 * Reads the wanted runs whose version the caller does not know yet. `not in`, because it is always hashed: a join compares
 * each run with each known one when the planner expects few of them.
 */
const UNKNOWN = `select ${RUN_HEAD.list("h")}, ${RUN.list("r")},
    (select json_agg(a.id order by a.id)::text from approvals a where a.run_id = h.run_id and a.status = 'pending')
      as pending_approvals
  from wanted w join run_heads h using (run_id) join runs r using (run_id)
  where r.org_id = any($1::text[])
    and (h.run_id, h.row_version) not in (select k.id, k.version from unnest($3::text[], $4::int[]) as k(id, version))
  order by r.created_at desc, r.run_id desc`;

const LIST_NAMED = {
  name: "list named runs",
  text: `with wanted(run_id) as (select distinct unnest($2::text[])) ${UNKNOWN}`,
};

/**
 * Each condition finds ids and times by an index of its own, and those of blocks are in neither. Rows are read only
 * afterwards, and only those of the newest.
 */
const LIST_LIVE = {
  name: "list live runs",
  text: `with newest as (
      select run_id from (
        select run_id, listed_at from run_heads
          where org_id = any($1::text[]) and status in ('queued', 'running', 'recovered') and listed_at is not null
        union
        select run_id, created_at from runs where org_id = any($1::text[]) and block is null and created_at >= $5) o
      order by listed_at desc, run_id desc limit $6),
    wanted as (select run_id from newest union select unnest($2::text[]))
    ${UNKNOWN}`,
};

const NOTED = new Columns({ orgId: text, id: text, notedAt: bigint });
const LIST_NOTED = {
  name: "list noted approvals",
  text: `select ${NOTED.list()} from approvals where org_id = any($1::text[]) and noted_at >= $2 order by noted_at, id`,
};

const REPORT_COMMITS = { name: "report commits", text: "select nextval('commit_reports')" };
const COUNT_REPORTS = { name: "count commit reports", text: "select last_value as count from commit_reports" };

const LAUNCH = new Columns({ orgId: text, approvalId: text });
const OPEN_LAUNCHES = {
  name: "open launches",
  text: `select ${LAUNCH.list("l")} from launch_approvals l join approvals a on a.id = l.approval_id
    where l.org_id = any($1::text[]) and a.status = 'pending' order by l.approval_id`,
};
