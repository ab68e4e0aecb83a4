import type { HistoryStore } from "../history-store.ts";
import { arrayLiteral, NOW_MS, type Sql } from "../sql.ts";
import { bigint, Columns, text } from "./columns.ts";
import { COMMENT } from "./comment-rows.ts";
import { lookUp } from "./look-up.ts";
import { MEMORY } from "./sql-agent-memory.ts";
import { putErasure } from "./sql-erasure.ts";
import { REPORT } from "./sql-reports.ts";

type Archives = Pick<
  HistoryStore,
  "reportsOfRun" | "memoriesOfRun" | "markImported" | "retentionMarks" | "putArchive" | "getArchive" | "listArchives"
>;

/** Reads the data of an archive that other stores do not read, and the list of archives. */
export function sqlArchives(sql: Sql): Archives {
  return {
    reportsOfRun: async (orgId, runId) => REPORT.all(await lookUp(sql, REPORTS, [orgId, runId])),
    memoriesOfRun: async (orgId, runId) => MEMORY.all(await lookUp(sql, MEMORIES, [orgId, runId])),
    markImported: (orgId, runIds, comments, erasures) =>
      sql.transaction(async (within) => {
        await within.query(MARK, [orgId, arrayLiteral(runIds)]);
        const rows = comments.map((comment) => ({ orgId, ...comment }));
        if (rows.length > 0) await within.query(PUT_COMMENTS, COMMENT.batch(rows));
        for (const erasure of erasures) await putErasure(within, orgId, erasure);
      }),
    retentionMarks: async () => {
      const rows = await sql.query<{ org_id: string; mark: string }>(MARKS);
      return new Map(rows.map(({ org_id, mark }) => [org_id, mark]));
    },
    putArchive: async (archive) => {
      await sql.query(PUT, ARCHIVE.values(archive));
    },
    getArchive: async (orgId, runId) => ARCHIVE.first(await lookUp(sql, GET, [orgId, runId])),
    listArchives: async (orgId, afterRunId, limit) => ARCHIVE.all(await sql.query(LIST, [orgId, afterRunId, limit])),
  };
}

const ARCHIVE = new Columns({
  orgId: text,
  runId: text,
  workflow: text,
  place: text,
  name: text,
  size: bigint,
  sha256: text,
  archivedAt: bigint,
});

const PUT_COMMENTS = {
  name: "put archived comments",
  text: `insert into approval_comments (${COMMENT.list()}) select ${COMMENT.list("i")} from ${COMMENT.unnest()}
    on conflict do nothing`,
};
const MARKS = {
  name: "retention marks",
  text: `select org_id, string_agg(id || ' ' || revision || ' ' || updated_at, ' ' order by id) as mark
    from registry where kind = 'retention' group by org_id`,
};
const REPORTS = {
  name: "reports of a run",
  text: `select ${REPORT.list()} from attempt_reports where org_id = $1 and run_id = $2 order by node_id, attempt`,
};
const MEMORIES = {
  name: "memories of a run",
  text: `select ${MEMORY.list()} from agent_memories where org_id = $1 and run_id = $2 order by at, id`,
};
const MARK = {
  name: "mark imported runs",
  text: `insert into run_imports (org_id, run_id, at) select $1, unnest($2::text[]), ${NOW_MS}
    on conflict (run_id) do update set at = excluded.at`,
};
const PUT = {
  name: "put run archive",
  text: `insert into run_archives (${ARCHIVE.list()}) values (${ARCHIVE.places})
    on conflict (org_id, run_id) do update set ${ARCHIVE.updatesExcept("orgId", "runId")}`,
};
const GET = {
  name: "get run archive",
  text: `select ${ARCHIVE.list()} from run_archives where org_id = $1 and run_id = $2`,
};
const LIST = {
  name: "list run archives",
  text: `select ${ARCHIVE.list()} from run_archives where org_id = $1 and run_id > $2 order by run_id limit $3`,
};
