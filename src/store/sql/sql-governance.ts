import type { Hits } from "../../core/governance/index.ts";
import {
  type AgentCounter,
  type Counters,
  type EnvelopeCounter,
  type GovernanceStore,
  RUN_COUNTER,
  type WindowPlace,
} from "../governance-store.ts";
import type { Sql } from "../sql.ts";
import { bigint, Columns, text } from "./columns.ts";
import { GOVERNANCE_CTES } from "./governance-ctes.ts";
import { windowOf } from "./governance-parts.ts";
import { recount, unexplainedSpending } from "./recount.ts";
import { isLimitPassed } from "./sql-state.ts";
import { usageOf } from "./usage-sums.ts";
import { listVerdicts, verdictsOf } from "./verdict-rows.ts";

export function sqlGovernance(sql: Sql): GovernanceStore {
  return {
    readCounters: async (orgId, since) => (await countersOf(sql, [orgId], since)).get(orgId) ?? NO_COUNTERS,
    readCountersOf: (orgIds, since) => countersOf(sql, orgIds, since),
    takePlaces: (orgId, places) => takePlaces(sql, orgId, places),
    verdictsOf: (orgId, runId) => verdictsOf(sql, orgId, runId),
    listVerdicts: (orgId, since, page) => listVerdicts(sql, orgId, since, page),
    usage: (orgId, query) => usageOf(sql, orgId, query),
    markOnce: async (orgId, key, entry) => {
      const body = JSON.stringify([entry]);
      return (await sql.query(RECORD_ONCE, [orgId, key, entry.at, body])).length > 0;
    },
    recount: () => recount(sql),
    unexplainedSpending: (since) => unexplainedSpending(sql, since),
    pruneUsage: async (before, limit) => (await sql.query(PRUNE_USAGE, [before, limit])).length,
  };
}

async function takePlaces(sql: Sql, orgId: string, places: readonly WindowPlace[]): Promise<boolean> {
  const rows = places.map(({ counter, rate, at }) => ({ counter, ...windowOf([{ at, count: 1 }], rate) }));
  const columns = [
    rows.map(({ counter }) => counter),
    rows.map(({ hits }) => hits),
    rows.map(({ hitCounts }) => hitCounts),
    rows.map(({ rateCount }) => rateCount),
    rows.map(({ windowMs }) => windowMs),
  ];
  try {
    await sql.query(TAKE_PLACES, [orgId, ...columns]);
    return true;
  } catch (error) {
    if (isLimitPassed(error)) return false;
    throw error;
  }
}

const NO_COUNTERS: Counters = { agents: [], envelopes: [] };

async function countersOf(sql: Sql, orgIds: readonly string[], since: number): Promise<ReadonlyMap<string, Counters>> {
  const found = new Map(
    orgIds.map((orgId) => [orgId, { agents: [] as AgentCounter[], envelopes: [] as EnvelopeCounter[] }]),
  );
  for (const { org_id, agent_id, open, max_open, hits, hit_counts } of await sql.query<AgentRow>(AGENTS, [orgIds])) {
    found.get(org_id)?.agents.push({
      agentId: agent_id,
      open,
      ...(max_open === null ? {} : { maxOpen: max_open }),
      hits: hits === "" ? [] : hitsOf(hits.split(","), hit_counts?.split(",") ?? []),
    });
  }
  for (const { orgId, ...envelope } of ENVELOPE.all(await sql.query(ENVELOPES, [orgIds, since]))) {
    found.get(orgId)?.envelopes.push(envelope);
  }
  return found;
}

interface AgentRow {
  readonly org_id: string;
  readonly agent_id: string;
  readonly open: number;
  readonly max_open: number | null;
  readonly hits: string;
  readonly hit_counts: string | null;
}

/** Joins hits of the same moment, which may be stored separately. */
function hitsOf(moments: readonly string[], counts: readonly string[]): readonly Hits[] {
  const hits: { readonly at: number; count: number }[] = [];
  moments.forEach((moment, index) => {
    const at = Number(moment);
    const count = Number(counts[index] ?? 1);
    const last = hits.at(-1);
    if (last?.at === at) last.count += count;
    else hits.push({ at, count });
  });
  return hits;
}

/** Takes places with the same counting as a commit, but outside a commit. */
const TAKE_PLACES = {
  name: "take places",
  text: `with won as (select '' as run_id), ${GOVERNANCE_CTES.rated_slots(`(
      select '' as run_id, $1::text as org_id, p.agent_id, 0 as delta, null::int as max_open, p.hits, p.hit_counts,
        p.rate_count, p.window_ms
      from unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::bigint[])
        as p(agent_id, hits, hit_counts, rate_count, window_ms)) i`).join(", ")}
    select 1 as taken`,
};
const ENVELOPE = new Columns({ orgId: text, envelopeId: text, periodStart: bigint, spent: bigint, reserved: bigint });
const AGENTS = {
  name: "agent counters",
  text: `select org_id, agent_id, open, case when agent_id like '${RUN_COUNTER}%' then max_open end as max_open,
      array_to_string(hits, ',') as hits, array_to_string(hit_counts, ',') as hit_counts
    from agent_counters where org_id = any($1::text[]) and (open <> 0 or agent_id not like '${RUN_COUNTER}%')`,
};
const ENVELOPES = {
  name: "envelope counters",
  text: `select ${ENVELOPE.list()} from envelope_counters
    where org_id = any($1::text[]) and period_start >= $2`,
};
/**
 * Deletes the oldest usage of each organisation, found by its index. Rows locked by another replica are skipped.
 * Records have no key, so all records of the same moments are deleted, which are equally old.
 */
const PRUNE_USAGE = {
  name: "prune usage",
  skipsMovingOrganisation: true,
  text: `with old as (
      select o.org_id, u.at from organisations o cross join lateral (
        select at from usage_records where org_id = o.org_id and at < $1 order by at limit $2 for update skip locked) u
      limit $2
    )
    delete from usage_records
    where org_id = any(array(select distinct org_id from old)) and at = any(array(select distinct at from old))
    returning 1 as gone`,
};

const RECORD_ONCE = {
  name: "record once",
  text: `with recorded as (
      insert into told_once (org_id, key, at) values ($1, $2, $3) on conflict do nothing returning key
    ), noted as (
      insert into audit_pending (id, org_id, at, body) select $1 || '/' || key, $1, $3, $4 from recorded
    )
    select key from recorded`,
};
