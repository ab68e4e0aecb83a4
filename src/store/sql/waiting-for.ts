import type { WaitingFor } from "../../core/event/index.ts";

/** What runs wait for, child runs included, as `familyWaiting` has it in memory. */
const OPEN = "('queued', 'running', 'recovered')";

/** Of the rows of a family. */
const TOGETHER = `case when bool_or(waiting_for = 'person') then 'person' when bool_or(waiting_for is null) then null
  when bool_or(waiting_for = 'gate') then 'gate' when bool_or(waiting_for = 'timer') then 'timer'
  when bool_or(waiting_for = 'event') then 'event' end`;

/** `roots` selects the ids of runs; the answer has `run_id` and what it waits for. */
export function waitingOf(roots: string): string {
  return `with recursive family(root, run_id, waiting_for) as (
      select h.run_id, h.run_id, h.waiting_for from run_heads h where h.run_id in (${roots}) and h.status in ${OPEN}
      union all
      select f.root, h.run_id, h.waiting_for from family f join runs c on c.parent_run_id = f.run_id
        join run_heads h on h.run_id = c.run_id where h.status in ${OPEN})
    select root as run_id, ${TOGETHER} as waiting_for from family group by root`;
}

/** Runs that wait for a person by themselves, as `among` restricts them, and every open run above them. */
function askedAmong(among: string): string {
  return `with recursive asked(run_id) as (
      select h.run_id from run_heads h where h.waiting_for = 'person'${among}
      union
      select h.run_id from asked a join runs c on c.run_id = a.run_id
        join run_heads h on h.run_id = c.parent_run_id where h.status in ${OPEN})
    select run_id from asked`;
}

/** The ids of the runs of an organisation that wait for something. What waits with children is found by asking them. */
export function idsWaiting(wanted: WaitingFor, org: string): string {
  if (wanted === "person") return askedAmong(` and h.org_id = ${org}`);
  const parents = `select p.run_id from run_heads p where p.org_id = ${org} and p.waiting_for = 'child'`;
  return `select h.run_id from run_heads h where h.org_id = ${org} and h.waiting_for = '${wanted}'
    union all select w.run_id from (${waitingOf(parents)}) w where w.waiting_for = '${wanted}'`;
}

/** How many runs of the installation wait for what. */
export const COUNT_WAITING = `select waiting_for, sum(count)::int as count from (
    select waiting_for, count(*) as count from run_heads where waiting_for in ('gate', 'timer', 'event') group by waiting_for
    union all select 'person', count(*) from (${askedAmong("")}) a
    union all select w.waiting_for, count(*)
      from (${waitingOf("select p.run_id from run_heads p where p.waiting_for = 'child'")}) w
      where w.waiting_for <> 'person' group by w.waiting_for) each group by waiting_for having sum(count) > 0`;
