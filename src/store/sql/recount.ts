import { RUN_COUNTER } from "../governance-store.ts";
import type { Sql } from "../sql.ts";

/**
 * Corrects counters from the rows of open attempts. Both are read in one statement, and every commit changes both or
 * neither, so a difference is never a commit in progress. Only differing counters are locked and counted again. The
 * count is a separate statement after the lock, because a statement sees only what was committed before it began.
 */
export async function recount(sql: Sql): Promise<readonly string[]> {
  const fixes: (string | null)[] = [];
  for (const row of await sql.query<AgentKey>(AGENT_DRIFT)) {
    fixes.push(await sql.transaction((within) => fixAgent(within, row)));
  }
  for (const row of await sql.query<EnvelopeKey>(ENVELOPE_DRIFT)) {
    fixes.push(await sql.transaction((within) => fixEnvelope(within, row)));
  }
  await sql.query(PRUNE_RUNS);
  return fixes.filter((line) => line !== null);
}

interface AgentKey {
  readonly org_id: string;
  readonly agent_id: string;
}

interface EnvelopeKey {
  readonly org_id: string;
  readonly envelope_id: string;
  readonly period_start: number;
}

interface Counted {
  readonly count: number;
}

/** The counters of an attempt: the slots of its agent, and those of the run whose `max_parallel` it shares. */
const SLOTS = `(
    select org_id, agent_id from open_attempts where agent_id is not null
    union all
    select org_id, '${RUN_COUNTER}' || parallel_of from open_attempts where parallel_of is not null
  ) s`;
const AGENT_DRIFT = {
  name: "agents that count wrong",
  text: `with counted as (
      select org_id, agent_id, count(*) as open from ${SLOTS} group by org_id, agent_id
    )
    select org_id, agent_id from agent_counters c full join counted k using (org_id, agent_id)
    where coalesce(c.open, 0) <> coalesce(k.open, 0) order by org_id, agent_id`,
};
const LOCK_AGENT = {
  name: "lock an agent's counter",
  text: `insert into agent_counters as c (org_id, agent_id, open, hits) values ($1, $2, 0, '{}')
    on conflict (org_id, agent_id) do update set open = c.open returning open as count`,
};
const COUNT_AGENT = {
  name: "count an agent's attempts",
  text: `select count(*)::int as count from ${SLOTS} where org_id = $1 and agent_id = $2`,
};
const SET_AGENT = {
  name: "set an agent's counter",
  text: "update agent_counters set open = $3 where org_id = $1 and agent_id = $2",
};

/** The condition is checked again on the locked row, so a counter used by a commit meanwhile is kept. */
const PRUNE_RUNS = {
  name: "prune counters of runs",
  text: `delete from agent_counters where agent_id like '${RUN_COUNTER}%' and open = 0`,
};

async function fixAgent(sql: Sql, { org_id: orgId, agent_id: agentId }: AgentKey): Promise<string | null> {
  const [was] = await sql.query<Counted>(LOCK_AGENT, [orgId, agentId]);
  const [now] = await sql.query<Counted>(COUNT_AGENT, [orgId, agentId]);
  if (was === undefined || now === undefined || was.count === now.count) return null;
  await sql.query(SET_AGENT, [orgId, agentId, now.count]);
  return `agent ${agentId} of ${orgId}: ${was.count} open, counted again ${now.count}`;
}

const RESERVED = `open_attempts a cross join lateral jsonb_array_elements(a.reserved::jsonb) as r(e)`;
const ENVELOPE_DRIFT = {
  name: "envelopes that count wrong",
  text: `with counted as (
      select a.org_id, r.e->>'envelopeId' as envelope_id, (r.e->>'periodStart')::bigint as period_start,
        sum((r.e->>'micros')::bigint) as reserved
      from ${RESERVED} where a.reserved <> '[]' group by 1, 2, 3
    )
    select org_id, envelope_id, period_start
    from envelope_counters c full join counted k using (org_id, envelope_id, period_start)
    where coalesce(c.reserved, 0) <> coalesce(k.reserved, 0) order by org_id, envelope_id, period_start`,
};
const LOCK_ENVELOPE = {
  name: "lock an envelope's counter",
  text: `insert into envelope_counters as c (org_id, envelope_id, period_start, spent, reserved)
    values ($1, $2, $3, 0, 0)
    on conflict (org_id, envelope_id, period_start) do update set reserved = c.reserved returning reserved as count`,
};
const COUNT_ENVELOPE = {
  name: "count an envelope's reservations",
  text: `select coalesce(sum((r.e->>'micros')::bigint), 0)::bigint as count from ${RESERVED}
    where a.org_id = $1 and a.reserved <> '[]' and r.e->>'envelopeId' = $2 and (r.e->>'periodStart')::bigint = $3`,
};
const SET_ENVELOPE = {
  name: "set an envelope's reservations",
  text: "update envelope_counters set reserved = $4 where org_id = $1 and envelope_id = $2 and period_start = $3",
};

async function fixEnvelope(sql: Sql, key: EnvelopeKey): Promise<string | null> {
  const place = [key.org_id, key.envelope_id, key.period_start];
  const [was] = await sql.query<Counted>(LOCK_ENVELOPE, place);
  const [now] = await sql.query<Counted>(COUNT_ENVELOPE, place);
  if (was === undefined || now === undefined || was.count === now.count) return null;
  await sql.query(SET_ENVELOPE, [...place, now.count]);
  return `envelope ${key.envelope_id} of ${key.org_id}: ${was.count} micro-dollars reserved, counted again ${now.count}`;
}

const UNEXPLAINED = {
  name: "unexplained spending",
  text: `with periods as (
      select distinct org_id, period_start from envelope_counters where period_start >= $1 and spent > 0
    ), used as (
      select p.org_id, p.period_start, (
        select coalesce(sum(u.cost_micros), 0)::bigint from usage_records u
        where u.org_id = p.org_id and u.at >= p.period_start) as cost
      from periods p
    )
    select c.org_id, c.envelope_id, c.spent, u.cost from envelope_counters c join used u using (org_id, period_start)
    where c.spent > u.cost order by c.org_id, c.envelope_id, c.period_start`,
};

/** Returns unexplained spending. Every cost is recorded as usage when spent, never before the period in which its attempt was admitted. */
export async function unexplainedSpending(sql: Sql, since: number): Promise<readonly string[]> {
  const rows = await sql.query<{ org_id: string; envelope_id: string; spent: number; cost: number }>(UNEXPLAINED, [
    since,
  ]);
  return rows.map(
    (row) =>
      `envelope ${row.envelope_id} of ${row.org_id}: ${row.spent} micro-dollars spent, usage explains ${row.cost}`,
  );
}
