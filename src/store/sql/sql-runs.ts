import type { Json } from "../../core/base/index.ts";
import type { Timer } from "../../core/engine/index.ts";
import type { WaitingFor } from "../../core/event/index.ts";
import { queueTimer } from "../commit-check.ts";
import { hashesIn, readBodies, unpackEvents, type StoredEvent } from "../event-pack.ts";
import type { Sql, SqlRow } from "../sql.ts";
import type { LoadedRun, OpenAttempt, RunStore } from "../store.ts";
import { getApproval } from "./approval-rows.ts";
import { readBlobs } from "./blob-rows.ts";
import { findKey } from "./idempotency-rows.ts";
import { INT_MAX, lookUp } from "./look-up.ts";
import { listRuns } from "./list-runs.ts";
import { RUN, RUN_COLUMNS, RUN_HEAD } from "./run-columns.ts";
import { commitToSql } from "./sql-commit.ts";
import { waitingOf } from "./waiting-for.ts";

export function sqlRuns(sql: Sql): RunStore {
  return {
    commit: (batch) => commitToSql(sql, batch),
    loadRuns: (runIds) => loadRuns(sql, runIds),
    getRun: async (orgId, runId) => RUN.first(await lookUp(sql, GET_RUN, [orgId, runId])),
    readWaiting: (runIds) => readWaiting(sql, runIds),
    listRuns: (orgId, filter, page) => listRuns(sql, orgId, filter, page),
    readEvents: (orgId, runId, afterEventId, limit) => readEvents(sql, orgId, runId, afterEventId, limit),
    headsOf: async (runIds) => RUN_HEAD.all(await sql.query(HEADS, [runIds])),
    findIdempotent: (scope) => findKey(sql, scope),
    getBlob: async (orgId, hash) => {
      const [row] = await lookUp<{ body: string }>(sql, GET_BLOB, [orgId, hash]);
      return row === undefined ? undefined : (JSON.parse(row.body) as Json);
    },
    getApproval: (orgId, approvalId) => getApproval(sql, orgId, approvalId),
  };
}

const GET_RUN = {
  name: "get run",
  text: `select ${RUN_COLUMNS} from runs r join run_heads h using (run_id) where r.org_id = $1 and r.run_id = $2`,
};

const GET_BLOB = { name: "get blob", text: "select body from blobs where org_id = $1 and hash = $2" };

const HEADS = { name: "heads", text: `select ${RUN_HEAD.list("h")} from run_heads h where h.run_id = any($1::text[])` };

/** One statement, so that head, log and attempts are from the same commit. Blobs never change after they were written. */
const LOAD = {
  name: "load runs",
  text: `select ${RUN_COLUMNS},
      (select string_agg(b.body, ',' order by b.first_event_id) from event_blocks b where b.run_id = h.run_id) as log,
      (select json_agg(json_build_array(a.node_id, a.attempt, a.replica_id, a.deadline_at, a.agent_id, a.reserved::json, a.parallel_of) order by a.node_id, a.attempt)::text
        from open_attempts a where a.run_id = h.run_id) as attempts,
      (select string_agg(t.key, ',' order by t.key) from timers t where t.run_id = h.run_id) as timers,
      (select json_agg(json_build_array(w.node_id, w.since) order by w.node_id)::text
        from waiting_nodes w where w.run_id = h.run_id) as waits
    from runs r join run_heads h using (run_id) where r.run_id = any($1::text[])`,
};

interface LoadedRow extends SqlRow {
  readonly run_id: string;
  readonly org_id: string;
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
        run: RUN.read(row),
        events: unpackEvents(events, blobs.get(row.org_id) ?? new Map()),
        openAttempts: attemptsOf(row.attempts),
        timers: timersOf(row),
      },
    ];
  });
}

/** Parses the log. Each body is an array; joined by commas they are the elements of one array. */
function eventsOf(log: string | null): StoredEvent[] {
  return log === null ? [] : (JSON.parse(`[${log}]`) as StoredEvent[][]).flat();
}

/** The key of a timer is the timer as JSON. */
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
    string | null,
  ][];
  return rows.map(([nodeId, attempt, replicaId, deadlineAt, agentId, reserved, parallelOf]) => ({
    nodeId,
    attempt,
    replicaId,
    deadlineAt,
    agentId,
    reserved,
    ...(parallelOf === null ? {} : { parallelOf }),
  }));
}

const READ_WAITING = {
  name: "read waiting",
  text: `select w.run_id, w.waiting_for from (${waitingOf("select unnest($1::text[])")}) w where w.waiting_for is not null`,
};

async function readWaiting(sql: Sql, runIds: readonly string[]): Promise<ReadonlyMap<string, WaitingFor>> {
  if (runIds.length === 0) return new Map();
  const rows = await sql.query<{ run_id: string; waiting_for: WaitingFor }>(READ_WAITING, [runIds]);
  return new Map(rows.map(({ run_id, waiting_for }) => [run_id, waiting_for]));
}

/** Event ids have no gaps, so the blocks with the wanted events are found by number alone. */
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
