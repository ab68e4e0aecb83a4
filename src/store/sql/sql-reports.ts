import type { JsonObject } from "../../core/base/index.ts";
import type { Sql } from "../sql.ts";
import type { AttemptReport, ReportStore, ThreadPart } from "../registry-store.ts";
import type { RunCommit } from "../store.ts";
import { lookUp } from "./look-up.ts";

const INSERT = {
  name: "insert attempt reports",
  text: `insert into attempt_reports (run_id, node_id, attempt, org_id, agent_id, session_id, messages, logs, at)
    select * from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
      $9::bigint[]) on conflict do nothing`,
};

export async function writeReports(sql: Sql, written: readonly RunCommit[]): Promise<void> {
  const rows = written.flatMap(({ runId, orgId, reports }) => reports.map((report) => ({ runId, orgId, ...report })));
  if (rows.length === 0) return;
  await sql.query(INSERT, [
    rows.map(({ runId }) => runId),
    rows.map(({ nodeId }) => nodeId),
    rows.map(({ attempt }) => attempt),
    rows.map(({ orgId }) => orgId),
    rows.map(({ agentId }) => agentId),
    rows.map(({ sessionId }) => sessionId),
    rows.map(({ messages }) => JSON.stringify(messages)),
    rows.map(({ logs }) => logs),
    rows.map(({ at }) => at),
  ]);
}

export function sqlReports(sql: Sql): ReportStore {
  return {
    reportsOf: async (orgId, runId, nodeId) =>
      (await lookUp<ReportRow>(sql, OF_NODE, [orgId, runId, nodeId])).map(reportOf),
    readThread: async (orgId, agentId, sessionId, limit) =>
      (await lookUp<ReportRow>(sql, THREAD, [orgId, agentId, sessionId, limit])).map(partOf).reverse(),
  };
}

interface ReportRow {
  readonly run_id: string;
  readonly node_id: string;
  readonly attempt: number;
  readonly agent_id: string | null;
  readonly session_id: string | null;
  readonly messages: string;
  readonly logs: string;
  readonly at: number;
}

function partOf(row: ReportRow): ThreadPart {
  return { runId: row.run_id, ...reportOf(row) };
}

function reportOf(row: ReportRow): AttemptReport {
  return {
    nodeId: row.node_id,
    attempt: row.attempt,
    agentId: row.agent_id,
    sessionId: row.session_id,
    messages: JSON.parse(row.messages) as JsonObject[],
    logs: row.logs,
    at: row.at,
  };
}

const COLUMNS = "run_id, node_id, attempt, agent_id, session_id, messages, logs, at";
const OF_NODE = {
  name: "reports of a node",
  text: `select ${COLUMNS} from attempt_reports where org_id = $1 and run_id = $2 and node_id = $3 order by attempt`,
};
const THREAD = {
  name: "read thread",
  text: `select ${COLUMNS} from attempt_reports where org_id = $1 and agent_id = $2 and session_id = $3
    order by at desc, run_id desc, node_id desc, attempt desc limit $4`,
};
