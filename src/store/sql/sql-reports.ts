import type { JsonObject } from "../../core/base/index.ts";
import type { Sql } from "../sql.ts";
import type { ReportStore } from "../registry-store.ts";
import type { RunCommit } from "../store.ts";
import { bigint, Columns, int, optional, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

export const REPORT = new Columns({
  nodeId: text,
  attempt: int,
  agentId: optional(text),
  sessionId: optional(text),
  messages: parsed<readonly JsonObject[]>(),
  logs: text,
  at: bigint,
});
const PART = new Columns({ runId: text, ...REPORT.fields });
const NEW_REPORT = new Columns({ orgId: text, ...PART.fields });

const INSERT = {
  name: "insert attempt reports",
  text: `insert into attempt_reports (${NEW_REPORT.list()}) select * from ${NEW_REPORT.unnest()} on conflict do nothing`,
};

export async function writeReports(sql: Sql, written: readonly RunCommit[]): Promise<void> {
  const rows = written.flatMap(({ runId, orgId, reports }) => reports.map((report) => ({ runId, orgId, ...report })));
  if (rows.length > 0) await sql.query(INSERT, NEW_REPORT.batch(rows));
}

export function sqlReports(sql: Sql): ReportStore {
  return {
    reportsOf: async (orgId, runId, nodeId) => REPORT.all(await lookUp(sql, OF_NODE, [orgId, runId, nodeId])),
    readThread: async (orgId, agentId, sessionId, limit) =>
      PART.all(await lookUp(sql, THREAD, [orgId, agentId, sessionId, limit])).toReversed(),
  };
}

const OF_NODE = {
  name: "reports of a node",
  text: `select ${REPORT.list()} from attempt_reports
    where org_id = $1 and run_id = $2 and node_id = $3 order by attempt`,
};
const THREAD = {
  name: "read thread",
  text: `select ${PART.list()} from attempt_reports where org_id = $1 and agent_id = $2 and session_id = $3
    order by at desc, run_id desc, node_id desc, attempt desc limit $4`,
};
