import type { WaitingFor } from "../../core/event/index.ts";

/** SQL for the wait reasons of runs, including their child runs. Same rules as `familyWaiting`. */
const OPEN = "('queued', 'running', 'recovered')";

/** Combines the rows of a family. */
const COMBINED_WAITS = `case when bool_or(waiting_for = 'person') then 'person' when bool_or(waiting_for is null) then null
  when bool_or(waiting_for = 'gate') then 'gate' when bool_or(waiting_for = 'timer') then 'timer'
  when bool_or(waiting_for = 'event') then 'event' end`;

/** `roots` selects run ids. The result has `run_id` and what that run waits for. */
export function waitingOf(roots: string): string {
  return `with recursive family(root, run_id, waiting_for) as (
      select h.run_id, h.run_id, h.waiting_for from run_heads h where h.run_id in (${roots}) and h.status in ${OPEN}
      union all
      select f.root, h.run_id, h.waiting_for from family f join runs c on c.parent_run_id = f.run_id
        join run_heads h on h.run_id = c.run_id where h.status in ${OPEN})
    select root as run_id, ${COMBINED_WAITS} as waiting_for from family group by root`;
}

/** Selects runs that wait for a person themselves, restricted by `among`, and every open run above them. */
function runsWaitingForPerson(among: string): string {
  return `with recursive asked(run_id) as (
      select h.run_id from run_heads h where h.waiting_for = 'person'${among}
      union
      select h.run_id from asked a join runs c on c.run_id = a.run_id
        join run_heads h on h.run_id = c.parent_run_id where h.status in ${OPEN})
    select run_id from asked`;
}

/** Selects ids of runs with a wait reason in an organisation. For runs that wait with child runs, it is derived from those. */
export function idsWaiting(wanted: WaitingFor, org: string): string {
  if (wanted === "person") return runsWaitingForPerson(` and h.org_id = ${org}`);
  const parents = `select p.run_id from run_heads p where p.org_id = ${org} and p.waiting_for = 'child'`;
  return `select h.run_id from run_heads h where h.org_id = ${org} and h.waiting_for = '${wanted}'
    union all select w.run_id from (${waitingOf(parents)}) w where w.waiting_for = '${wanted}'`;
}

/** Number of listed runs of the installation for each wait reason. A waiting run of a block counts through the run that contains it. */
export const COUNT_WAITING = `select each.waiting_for, count(*)::int as count from (
    select run_id, waiting_for from run_heads where waiting_for in ('gate', 'timer', 'event')
    union all select a.run_id, 'person' from (${runsWaitingForPerson("")}) a
    union all select w.run_id, w.waiting_for
      from (${waitingOf("select p.run_id from run_heads p where p.waiting_for = 'child'")}) w
      where w.waiting_for <> 'person') each
  join runs r using (run_id) where r.block is null group by each.waiting_for`;
