import type { Json, JsonObject } from "../../core/base/index.ts";
import type { RunStatus } from "../../core/event/index.ts";
import type { Timer } from "../../core/engine/index.ts";
import { queueTimer } from "../commit-check.ts";
import { decodeCursor, listed } from "../cursor.ts";
import { hashesIn, readBodies, unpackEvents, type StoredEvent } from "../event-pack.ts";
import type { Sql } from "../sql.ts";
import type { Listed, LoadedRun, OpenAttempt, Page, RunFilter, RunHead, RunRecord, RunStore } from "../store.ts";
import { getApproval, listApprovals } from "./approval-rows.ts";
import { readBlobs } from "./blob-rows.ts";
import { findKey } from "./idempotency-rows.ts";
import { INT_MAX, lookUp } from "./look-up.ts";
import { commitToSql } from "./sql-commit.ts";

export function sqlRuns(sql: Sql): RunStore {
  return {
    commit: (batch) => commitToSql(sql, batch),
    loadRuns: (runIds) => loadRuns(sql, runIds),
    getRun: async (orgId, runId) => {
      const [row] = await lookUp<RunRow>(sql, GET_RUN, [orgId, runId]);
      return row === undefined ? undefined : recordOf(row);
    },
    listRuns: (orgId, filter, page) => listRuns(sql, orgId, filter, page),
    readEvents: (orgId, runId, afterEventId, limit) => readEvents(sql, orgId, runId, afterEventId, limit),
    headsOf: async (runIds) => {
      const rows = await sql.query<HeadRow>(HEADS, [runIds]);
      return rows.map(headOf);
    },
    findIdempotent: (scope) => findKey(sql, scope),
    getBlob: async (orgId, hash) => {
      const [row] = await lookUp<{ body: string }>(sql, GET_BLOB, [orgId, hash]);
      return row === undefined ? undefined : (JSON.parse(row.body) as Json);
    },
    listApprovals: (orgId, status, page) => listApprovals(sql, orgId, status, page),
    getApproval: (orgId, approvalId) => getApproval(sql, orgId, approvalId),
  };
}

interface HeadRow {
  readonly run_id: string;
  readonly row_version: number;
  readonly status: RunStatus;
  readonly epoch: number;
  readonly last_event_id: number;
  readonly cost_micros: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

interface RunRow extends HeadRow {
  readonly org_id: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly definition_hash: string;
  readonly pinned_hash: string | null;
  readonly args: string;
  readonly trigger: string;
  readonly trace_id: string;
  readonly root_span_id: string;
  readonly parent_span_id: string | null;
  readonly parent_run_id: string | null;
  readonly parent_node: string | null;
  readonly parent_attempt: number | null;
  readonly source_run_id: string | null;
  readonly recursion_depth: number;
  readonly gateway: string | null;
  readonly model: string | null;
  readonly role_bindings: string;
  readonly team: string | null;
  readonly recovery_max: number | null;
  readonly started_by: string | null;
  readonly created_at: number;
}

const HEAD_COLUMNS =
  "h.run_id, h.row_version, h.status, h.epoch, h.last_event_id, h.cost_micros, h.started_at, h.ended_at";
const RUN_COLUMNS = `${HEAD_COLUMNS}, r.org_id, r.workflow, r.version, r.definition_hash, r.pinned_hash, r.args, r.trigger,
  r.trace_id, r.root_span_id, r.parent_span_id, r.parent_run_id, r.parent_node, r.parent_attempt, r.source_run_id,
  r.recursion_depth, r.gateway, r.model, r.role_bindings, r.team, r.recovery_max, r.started_by, r.created_at`;

const GET_RUN = {
  name: "get run",
  text: `select ${RUN_COLUMNS} from runs r join run_heads h using (run_id) where r.org_id = $1 and r.run_id = $2`,
};

const GET_BLOB = { name: "get blob", text: "select body from blobs where org_id = $1 and hash = $2" };

const HEADS = { name: "heads", text: `select ${HEAD_COLUMNS} from run_heads h where h.run_id = any($1::text[])` };

function headOf(row: HeadRow): RunHead {
  return {
    runId: row.run_id,
    rowVersion: row.row_version,
    status: row.status,
    epoch: row.epoch,
    lastEventId: row.last_event_id,
    costMicros: row.cost_micros,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

function recordOf(row: RunRow): RunRecord {
  return {
    ...headOf(row),
    orgId: row.org_id,
    workflow: row.workflow,
    version: row.version,
    definitionHash: row.definition_hash,
    pinnedHash: row.pinned_hash,
    args: JSON.parse(row.args) as JsonObject,
    trigger: row.trigger,
    traceId: row.trace_id,
    rootSpanId: row.root_span_id,
    parentSpanId: row.parent_span_id,
    parentRunId: row.parent_run_id,
    parentNode: row.parent_node,
    parentAttempt: row.parent_attempt,
    sourceRunId: row.source_run_id,
    recursionDepth: row.recursion_depth,
    gateway: row.gateway,
    model: row.model,
    roleBindings: JSON.parse(row.role_bindings) as Record<string, string>,
    team: row.team,
    recoveryMax: row.recovery_max,
    startedBy: row.started_by,
    createdAt: row.created_at,
  };
}

/** One statement, so that head, log and attempts are of one commit. Blobs never change once written. */
const LOAD = {
  name: "load runs",
  text: `select ${RUN_COLUMNS},
      (select string_agg(b.body, ',' order by b.first_event_id) from event_blocks b where b.run_id = h.run_id) as log,
      (select json_agg(json_build_array(a.node_id, a.attempt, a.replica_id, a.deadline_at, a.agent_id, a.reserved::json) order by a.node_id, a.attempt)::text
        from open_attempts a where a.run_id = h.run_id) as attempts,
      (select string_agg(t.key, ',' order by t.key) from timers t where t.run_id = h.run_id) as timers,
      (select json_agg(json_build_array(w.node_id, w.since) order by w.node_id)::text
        from waiting_nodes w where w.run_id = h.run_id) as waits
    from runs r join run_heads h using (run_id) where r.run_id = any($1::text[])`,
};

interface LoadedRow extends RunRow {
  readonly log: string | null;
  readonly attempts: string | null;
  readonly timers: string | null;
  readonly waits: string | null;
}

async function loadRuns(sql: Sql, runIds: readonly string[]): Promise<readonly LoadedRun[]> {
  if (runIds.length === 0) return [];
  const rows = await sql.query<LoadedRow>(LOAD, [runIds]);
  const loaded = new Map(rows.map((row) => [row.run_id, { row, events: eventsOf(row.log) }]));
  const wanted = [...loaded.values()].flatMap(({ row, events }) =>
    [...hashesIn(events)].map((hash) => ({ orgId: row.org_id, hash })),
  );
  const blobs = await readBlobs(sql, wanted);
  return [...new Set(runIds)].flatMap((runId) => {
    const found = loaded.get(runId);
    if (found === undefined) return [];
    const { row, events } = found;
    return [
      {
        run: recordOf(row),
        events: unpackEvents(events, blobs.get(row.org_id) ?? new Map()),
        openAttempts: attemptsOf(row.attempts),
        timers: timersOf(row),
      },
    ];
  });
}

/** Bodies are arrays; joined by commas they are the members of one. */
function eventsOf(log: string | null): StoredEvent[] {
  return log === null ? [] : (JSON.parse(`[${log}]`) as StoredEvent[][]).flat();
}

/** The key of a timer is the timer itself. */
function timersOf({ timers, waits }: LoadedRow): Timer[] {
  const waiting = JSON.parse(waits ?? "[]") as [string, number][];
  return [
    ...(JSON.parse(`[${timers ?? ""}]`) as Timer[]),
    ...waiting.map(([nodeId, since]) => queueTimer({ nodeId, since })),
  ];
}

function attemptsOf(text: string | null): OpenAttempt[] {
  const rows = JSON.parse(text ?? "[]") as [
    string,
    number,
    string,
    number | null,
    string | null,
    OpenAttempt["reserved"],
  ][];
  return rows.map(([nodeId, attempt, replicaId, deadlineAt, agentId, reserved]) => ({
    nodeId,
    attempt,
    replicaId,
    deadlineAt,
    agentId,
    reserved,
  }));
}

const LIST_RUNS = {
  name: "list runs",
  text: `select ${RUN_COLUMNS} from runs r join run_heads h using (run_id)
    where r.org_id = $1 and ($2::text is null or h.status = $2) and ($3::text is null or r.workflow = $3)
      and ($4::text is null or r.parent_run_id = $4) and ($5::bigint is null or (r.created_at, r.run_id) < ($5, $6))
    order by r.created_at desc, r.run_id desc limit $7`,
};

async function listRuns(sql: Sql, orgId: string, filter: RunFilter, page: Page): Promise<Listed<RunRecord>> {
  const after = decodeCursor(page.cursor);
  const rows = await lookUp<RunRow>(sql, LIST_RUNS, [
    orgId,
    filter.status ?? null,
    filter.workflow ?? null,
    filter.parentRunId ?? null,
    after?.at ?? null,
    after?.id ?? null,
    page.limit + 1,
  ]);
  return listed(rows.map(recordOf), page.limit, ({ createdAt, runId }) => ({ at: createdAt, id: runId }));
}

/** Ids have no gaps, so that the blocks that hold the wanted events are found by number alone. */
const READ_EVENTS = {
  name: "read events",
  text: `select b.body from event_blocks b
    where b.run_id = $2 and b.org_id = $1 and b.last_event_id > $3 and b.first_event_id <= $4
      and b.first_event_id >= coalesce(
        (select max(f.first_event_id) from event_blocks f where f.run_id = $2 and f.first_event_id <= $3 + 1), 1)
    order by b.first_event_id`,
};

async function readEvents(
  sql: Sql,
  orgId: string,
  runId: string,
  afterEventId: number,
  limit: number,
): Promise<readonly StoredEvent[]> {
  if (afterEventId >= INT_MAX) return [];
  const lastEventId = Math.min(afterEventId + limit, INT_MAX);
  const rows = await lookUp<{ body: string }>(sql, READ_EVENTS, [orgId, runId, afterEventId, lastEventId]);
  const events = readBodies(rows.map(({ body }) => body));
  return events.filter(({ eventId }) => eventId > afterEventId && eventId <= lastEventId);
}
