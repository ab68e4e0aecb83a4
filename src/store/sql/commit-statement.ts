import { NOW_MS, type SqlValue, type Statement } from "../sql.ts";
import { GOVERNANCE_CTES } from "./governance-ctes.ts";
import { PART_NAMES, PARTS, type PartName, type PartRows } from "./commit-parts.ts";
import { NEW_RUN } from "./run-columns.ts";
import { PLACE_CTES } from "./sql-places.ts";
import { ON_TAKEN_ID } from "./sql-events.ts";

/**
 * Writes a whole batch in one statement. Runs are updated only at the version that their share of the batch expects,
 * and all other rows are joined to the runs that passed: a run that another replica has advanced writes nothing, the
 * others are written. Parts without rows are left out, so that a usual batch stays short.
 */
export function commitStatement(rows: PartRows): { readonly statement: Statement; readonly params: SqlValue[] } {
  const parts = PART_NAMES.filter((part) => rows[part].length > 0);
  const params = parts.flatMap((part) => columnsOf(part, rows));
  return { statement: statementOf(parts), params };
}

function columnsOf(part: PartName, rows: PartRows): SqlValue[] {
  const columns: { batch(records: readonly object[]): string[] } = PARTS[part];
  return columns.batch(rows[part]);
}

const statements = new Map<string, Statement>();

function statementOf(parts: readonly PartName[]): Statement {
  const name = `commit ${maskOf(parts).toString(36)}`;
  let statement = statements.get(name);
  if (statement === undefined) statements.set(name, (statement = { name, text: textOf(parts) }));
  return statement;
}

/** Returns one bit for each part, for the name of the statement: a database distinguishes names by their first 63 characters only. */
function maskOf(parts: readonly PartName[]): number {
  return parts.reduce((mask, part) => mask | (1 << PART_NAMES.indexOf(part)), 0);
}

function textOf(parts: readonly PartName[]): string {
  let count = 0;
  const from = new Map<PartName, string>();
  for (const part of parts) {
    from.set(part, PARTS[part].unnest(count + 1));
    count += PARTS[part].count;
  }
  const guards = parts.filter(isGuard);
  const rest = parts.filter((part) => !isGuard(part));
  const textsOf = (some: readonly PartName[]): string[] => some.flatMap((part) => CTES[part](from.get(part) ?? ""));
  const won = `won as materialized (${guards.map((part) => `select run_id from ${part}`).join(" union all ")})`;
  return `with ${[...textsOf(guards), won, ...textsOf(rest)].join(",\n")}\nselect run_id from won`;
}

function isGuard(part: PartName): boolean {
  return part === "updated" || part === "created";
}

const CTES: Readonly<Record<PartName, (rows: string) => readonly string[]>> = {
  ...GOVERNANCE_CTES,
  ...PLACE_CTES,
  updated: (rows) => [
    // A log that would get a gap sets the not-null column to null: the batch fails, and nothing of it is written.
    `updated as (
      update run_heads h set
        row_version = h.row_version + 1, status = i.status, epoch = i.epoch,
        last_event_id = case when h.last_event_id = i.first_event_id - 1 then i.last_event_id end,
        cost_micros = i.cost_micros, started_at = i.started_at, ended_at = i.ended_at, waiting_for = i.waiting_for,
        error_code = i.error_code, error_message = i.error_message, paused = i.paused,
        settled_micros = case when i.ended_at is not null then i.cost_micros end,
        duration_ms = i.ended_at - coalesce(i.started_at, h.listed_at)
      from ${rows}
      where h.run_id = i.run_id and h.row_version = i.row_version and h.org_id = i.org_id
      returning h.run_id, h.org_id, i.first_event_id, i.last_event_id, i.body, i.is_reindexed
    )`,
    `reindexed as (insert into unindexed_runs (org_id, run_id) select org_id, run_id from updated where is_reindexed)`,
    `updated_blocks as (
      insert into event_blocks (run_id, first_event_id, last_event_id, body, org_id)
      select run_id, first_event_id, last_event_id, body, org_id from updated where body is not null
    )`,
  ],
  created: (rows) => [
    `new as materialized (select * from ${rows})`,
    `created as (
      insert into runs (run_id, org_id, ${NEW_RUN.list()})
      select run_id, org_id, ${NEW_RUN.list()}
      from new on conflict do nothing returning run_id
    )`,
    `created_heads as (
      insert into run_heads (run_id, org_id, row_version, status, epoch, last_event_id, cost_micros, started_at, ended_at,
        waiting_for, paused, error_code, error_message, workflow, listed_at, settled_micros, duration_ms)
      select run_id, org_id, 1, status, epoch, last_event_id, cost_micros, started_at, ended_at, waiting_for, paused, error_code,
        error_message, workflow, case when block is null then created_at end,
        case when ended_at is not null then cost_micros end, ended_at - coalesce(started_at, created_at)
      from new join created using (run_id)
    )`,
    `labelled as (
      insert into run_facets (org_id, facet, created_at, run_id)
      select n.org_id, 'label:' || l.key || ':' || l.value, n.created_at, n.run_id
      from new n join created using (run_id) cross join lateral json_each_text(n.labels::json) l
      where n.labels <> '{}' on conflict do nothing
    )`,
    `unindexed as (
      insert into unindexed_runs (org_id, run_id)
      select org_id, run_id from new join created using (run_id) where block is null
    )`,
    `created_blocks as (
      insert into event_blocks (run_id, first_event_id, last_event_id, body, org_id)
      select run_id, 1, last_event_id, body, org_id from new join created using (run_id) where body is not null
    )`,
  ],
  opened: (rows) => [
    `opened as (
      insert into open_attempts (run_id, node_id, attempt, org_id, replica_id, deadline_at, agent_id, reserved,
        parallel_of, function, work, is_once, offered_at)
      select i.run_id, i.node_id, i.attempt, i.org_id, i.replica_id, i.deadline_at, i.agent_id, i.reserved, i.parallel_of,
        i.function, i.work, i.is_once, case when i.function is null then null else ${NOW_MS} end
      from ${rows} join won using (run_id)
      on conflict (run_id, node_id, attempt)
      do update set replica_id = excluded.replica_id, deadline_at = excluded.deadline_at,
        agent_id = excluded.agent_id, reserved = excluded.reserved, parallel_of = excluded.parallel_of
    )`,
  ],
  closed: (rows) => [
    `closed as (
      delete from open_attempts a using ${rows} join won using (run_id)
      where a.run_id = i.run_id and a.node_id = i.node_id and a.attempt = i.attempt
    )`,
  ],
  timers_set: (rows) => [
    `timers_set as (
      insert into timers (run_id, key, org_id, due_at)
      select i.of_run_id, i.key, i.org_id, i.due_at from ${rows} join won using (run_id)
      on conflict (run_id, key) do update set due_at = excluded.due_at
    )`,
  ],
  timers_cleared: (rows) => [
    `timers_cleared as (
      delete from timers t using ${rows} join won using (run_id) where t.run_id = i.run_id and t.key = i.key
    )`,
  ],
  waits: (rows) => [
    `waits as (
      insert into waiting_nodes (run_id, node_id, org_id, queue, rank, since, due_at, replica_id)
      select i.run_id, i.node_id, i.org_id, i.queue, i.rank, i.since, i.due_at, i.replica_id
      from ${rows} join won using (run_id)
      on conflict (run_id, node_id) do update set queue = excluded.queue, rank = excluded.rank, since = excluded.since,
        due_at = excluded.due_at, replica_id = excluded.replica_id
    )`,
  ],
  waiters: (rows) => [
    `waiters as (
      insert into event_waiters (run_id, node_id, org_id, epoch, blocked_by, type, key_digest, since, marked_at)
      select i.run_id, i.node_id, i.org_id, i.epoch, i.blocked_by, i.type, i.key_digest, i.since, ${NOW_MS}
      from ${rows} join won using (run_id)
      on conflict (run_id, node_id) do update set epoch = excluded.epoch, blocked_by = excluded.blocked_by,
        type = excluded.type, key_digest = excluded.key_digest, since = excluded.since, marked_at = excluded.marked_at
    )`,
  ],
  waiters_ended: (rows) => [
    `waiters_ended as (
      delete from event_waiters w using ${rows} join won using (run_id)
      where w.run_id = i.run_id and w.node_id = i.node_id
    )`,
  ],
  emitted: (rows) => [
    `emitted as (
      insert into received_events (org_id, id, type, key_digest, body, hops, sent_by, received_at, expires_at, marked_at)
      select i.org_id, i.id, i.type, i.key_digest, i.body, i.hops, i.sent_by, n.at, n.at + i.keep_ms, n.at
      from ${rows} join won using (run_id) cross join (select ${NOW_MS} as at) n
      ${ON_TAKEN_ID}
    )`,
  ],
  waits_ended: (rows) => [
    `waits_ended as (
      delete from waiting_nodes w using ${rows} join won using (run_id)
      where w.run_id = i.run_id and w.node_id = i.node_id
    )`,
  ],
};
