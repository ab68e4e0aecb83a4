import type { EndedSelection, HistoryStore } from "../history-store.ts";
import { arrayLiteral, type Sql, type SqlValue } from "../sql.ts";
import { bigint, Columns, text } from "./columns.ts";
import { pruneVerdictParts } from "./verdict-part-rows.ts";

type Ended = Pick<HistoryStore, "listEndedRuns" | "pruneVerdicts" | "pruneReports" | "pruneLaunches">;

/** Finds runs whose retention has expired, and prunes data that may be deleted before the run. */
export function sqlEnded(sql: Sql): Ended {
  return {
    listEndedRuns: async (orgId, selection, after, limit) => {
      const from = [after?.endedAt ?? null, after?.runId ?? null];
      return ENDED.all(await sql.query(LIST, [...chosen(orgId, selection), limit, ...from]));
    },
    pruneVerdicts: async (orgId, selection, limit) => {
      const gone = (await sql.query(PRUNE_VERDICTS, [...chosen(orgId, selection), limit])).length;
      if (gone < limit) await pruneVerdictParts(sql, orgId, selection.before);
      return gone;
    },
    pruneReports: async (orgId, selection, limit) =>
      (await sql.query(PRUNE_REPORTS, [...chosen(orgId, selection), limit])).length,
    pruneLaunches: async (orgId, selection, limit) =>
      (await sql.query(PRUNE_LAUNCHES, [...chosen(orgId, selection), limit])).length,
  };
}

const ENDED = new Columns({ runId: text, workflow: text, endedAt: bigint });

function chosen(orgId: string, { before, workflow, except }: EndedSelection): SqlValue[] {
  return [orgId, before, workflow, arrayLiteral(except)];
}

const IS_CHOSEN = `h.org_id = $1 and h.ended_at < $2 and ($3::text is null or r.workflow = $3)
      and r.workflow <> all($4::text[])
      and not exists (select from run_imports i where i.run_id = h.run_id and i.at >= $2)`;

/** A child run whose parent no longer exists is deleted separately. */
const LIST = {
  name: "list ended runs",
  text: `select r.run_id, r.workflow, h.ended_at from run_heads h join runs r using (run_id)
    where ${IS_CHOSEN}
      and (r.parent_run_id is null or not exists (select from runs p where p.run_id = r.parent_run_id))
      and ($6::bigint is null or (h.ended_at, h.run_id) > ($6, $7))
    order by h.ended_at, h.run_id limit $5`,
};
/** Finds verdicts by their own age first, then checks whether their run had ended by then. */
const PRUNE_VERDICTS = {
  name: "prune verdicts",
  text: `delete from verdict_blocks where (run_id, first_event_id) in (
      select v.run_id, v.first_event_id from verdict_blocks v
      join run_heads h on h.run_id = v.run_id join runs r on r.run_id = v.run_id
      where v.org_id = $1 and v.at < $2 and ${IS_CHOSEN} limit $5)
    returning 1 as gone`,
};
const PRUNE_REPORTS = {
  name: "prune attempt reports",
  text: `delete from attempt_reports where (run_id, node_id, attempt) in (
      select a.run_id, a.node_id, a.attempt from attempt_reports a
      join run_heads h on h.run_id = a.run_id join runs r on r.run_id = a.run_id
      where a.org_id = $1 and a.at < $2 and ${IS_CHOSEN} limit $5)
    returning 1 as gone`,
};
/** An approval with a row in `launch_approvals` may still start a run. */
const PRUNE_LAUNCHES = {
  name: "prune approvals of launches",
  text: `with gone as (
      delete from approvals where id in (
        select a.id from approvals a where a.run_id = '' and a.org_id = $1 and a.requested_at < $2
          and ($3::text is null or a.workflow = $3) and coalesce(a.workflow, '') <> all($4::text[])
          and a.status <> 'pending' and not exists (select from launch_approvals l where l.approval_id = a.id)
        limit $5)
      returning id
    ), comments as (delete from approval_comments c using gone where c.approval_id = gone.id),
    tickets as (delete from approval_tickets t using gone where t.approval_id = gone.id),
    postings as (delete from channel_postings p using gone where p.approval_id = gone.id)
    select id from gone`,
};
