import type { Sql } from "../sql.ts";

/** A log with more events stays in pieces: a reader that continues needs only the last piece. */
const EVENTS_MAX = 1_000;

/**
 * Joins the pieces of the log of an ended run into one: together they compress to less than half the size, and need one row and
 * one index entry. Every statement that changes a log locks the head of its run, and runs with a locked head are skipped here.
 */
const JOIN_LOGS = {
  name: "join logs",
  skipsMovingOrganisation: true,
  text: `with held as materialized (
      select h.run_id from run_heads h
      where h.run_id = any($1::text[]) and h.ended_at is not null and h.last_event_id <= ${EVENTS_MAX}
        and (select count(*) from event_blocks b where b.run_id = h.run_id) > 1
      order by h.run_id for update of h skip locked
    ), pieces as (
      delete from event_blocks b using held where b.run_id = held.run_id
      returning b.run_id, b.first_event_id, b.last_event_id, b.body, b.org_id
    )
    insert into event_blocks (run_id, first_event_id, last_event_id, body, org_id)
    select run_id, min(first_event_id), max(last_event_id),
      '[' || string_agg(rtrim(substr(body, 2, length(body) - 2)), ',' order by first_event_id) || ']', org_id
    from pieces group by run_id, org_id`,
};

export async function joinLogs(sql: Sql, runIds: readonly string[]): Promise<void> {
  if (runIds.length > 0) await sql.query(JOIN_LOGS, [runIds]);
}
