import { EXACT_COUNT_MAX, SLICES } from "../../core/governance/index.ts";
import { NOW_MS } from "../sql.ts";
import { LATE_MS } from "./usage-sums.ts";

/**
 * The dispatches in an agent's row and the added ones, each with its count; without counts, one per moment. Empty when
 * none is added.
 */
const HITS = `unnest(
  case when excluded.rate_count is not null then c.hits || excluded.hits end,
  coalesce(c.hit_counts, array_fill(1, array[cardinality(c.hits)]))
    || coalesce(excluded.hit_counts, array_fill(1, array[cardinality(excluded.hits)]))
) with ordinality as e(h, n, place)`;

/**
 * Oldest and newest hit: arrays of hits are sorted, so these are their ends. Written as subqueries, so that a long
 * array is unpacked once and not again for every compared hit.
 */
const OLDEST_ADDED = "(select excluded.hits[1])";
const NEWEST = "(select greatest(c.hits[cardinality(c.hits)], excluded.hits[cardinality(excluded.hits)]))";

/**
 * The hits to keep: those of two windows. Where there may be many, the hits of a slice are merged at the time of its
 * last. `inside` is the number of them in one window with the added hits, each by its own time.
 */
const KEPT_HITS = `(
  select max(h) as h, sum(coalesce(n, 1))::int as n,
    sum(coalesce(n, 1)) filter (where h > ${OLDEST_ADDED} - excluded.window_ms) as inside
  from ${HITS} where h > ${NEWEST} - 2 * excluded.window_ms
  group by case when excluded.rate_count > ${EXACT_COUNT_MAX}
    then h / ((excluded.window_ms + ${SLICES - 1}) / ${SLICES}) else -place end
  order by 1)`;

/** The new hits, or null to reject them. Late hits count with earlier ones; those so late that earlier ones may be deleted are rejected. */
const HITS_AFTER = `(
  select
    case when excluded.rate_count is null then c.hits
      when sum(inside) <= excluded.rate_count and ${OLDEST_ADDED} > ${NEWEST} - excluded.window_ms then array_agg(h) end,
    case when excluded.rate_count is null then c.hit_counts when max(n) > 1 then array_agg(n) end
  from ${KEPT_HITS} kept)`;

const SLOT_CHANGES = `
  open = case when excluded.max_open is null or c.open + excluded.open <= excluded.max_open
    then c.open + excluded.open end,
  max_open = coalesce(excluded.max_open, c.max_open)`;

/**
 * Counters change on the locked row, so this is safe beside other replicas: a value above its limit becomes null, which
 * the column rejects, and nothing of the batch is written. Only changes that take something have a limit to check. Runs
 * of one batch may have different ceilings for the same counter: together they are checked against the lowest, and if
 * that fails they are written one by one.
 */
export const GOVERNANCE_CTES = {
  slots: (rows: string) => [
    `slots as (
      insert into agent_counters as c (org_id, agent_id, open, max_open, hits)
      select g.org_id, g.agent_id, case when g.max_open is null or g.delta <= g.max_open then g.delta end, g.max_open, '{}'
      from (
        select i.org_id, i.agent_id, sum(i.delta) as delta, max(i.max_open) as max_open
        from ${rows} join won using (run_id)
        group by i.org_id, i.agent_id
      ) g order by g.org_id, g.agent_id
      on conflict (org_id, agent_id) do update set ${SLOT_CHANGES}
    )`,
  ],
  rated_slots: (rows: string) => [
    `rated_slots as (
      insert into agent_counters as c (org_id, agent_id, open, max_open, hits, hit_counts, rate_count, window_ms)
      select g.org_id, g.agent_id, case when g.max_open is null or g.delta <= g.max_open then g.delta end, g.max_open,
        case when g.hits is null then '{}' else (
          select case when sum(n) <= g.rate_count and min(h) > max(h) - g.window_ms then array_agg(h order by h) end
          from unnest(g.hits, g.hit_counts) as e(h, n)) end,
        case when g.hits is not null then (
          select case when max(n) > 1 then array_agg(n order by h) end from unnest(g.hits, g.hit_counts) as e(h, n)) end,
        g.rate_count, g.window_ms
      from (
        select i.org_id, i.agent_id, sum(i.delta) as delta, max(i.max_open) as max_open,
          string_to_array(string_agg(i.hits, ','), ',')::bigint[] as hits,
          string_to_array(string_agg(i.hit_counts, ','), ',')::int[] as hit_counts,
          max(i.rate_count) as rate_count, max(i.window_ms) as window_ms
        from ${rows} join won using (run_id)
        group by i.org_id, i.agent_id
      ) g order by g.org_id, g.agent_id
      on conflict (org_id, agent_id) do update set ${SLOT_CHANGES},
        (hits, hit_counts) = ${HITS_AFTER},
        rate_count = coalesce(excluded.rate_count, c.rate_count),
        window_ms = coalesce(excluded.window_ms, c.window_ms)
    )`,
  ],
  ledger: (rows: string) => [
    `ledger as (
      insert into envelope_counters as c (org_id, envelope_id, period_start, spent, reserved, ceiling)
      select i.org_id, i.envelope_id, i.period_start, sum(i.spent),
        case when min(i.ceiling) is null or sum(i.spent) + sum(i.reserved) <= min(i.ceiling) then sum(i.reserved) end,
        min(i.ceiling)
      from ${rows} join won using (run_id)
      group by i.org_id, i.envelope_id, i.period_start order by i.org_id, i.envelope_id, i.period_start
      on conflict (org_id, envelope_id, period_start) do update set
        spent = c.spent + excluded.spent,
        reserved = case when excluded.ceiling is null
            or c.spent + excluded.spent + c.reserved + excluded.reserved <= excluded.ceiling
          then c.reserved + excluded.reserved end,
        ceiling = coalesce(excluded.ceiling, c.ceiling)
    )`,
  ],
  usage: (rows: string) => [
    `usage_written as (
      insert into usage_records (org_id, run_id, node_id, attempt, workflow, agent_id, model, gateway_id, input_tokens,
        output_tokens, thinking_tokens, cached_tokens, cost_micros, price_id, at)
      select i.org_id, i.run_id, i.node_id, i.attempt, i.workflow, i.agent_id, i.model, i.gateway_id, i.input_tokens,
        i.output_tokens, i.thinking_tokens, i.cached_tokens, i.cost_micros, i.price_id, i.at
      from ${rows} join won using (run_id) returning org_id, at
    )`,
    `late_usage_named as (
      insert into late_usage (org_id, start)
      select distinct org_id, at / 3600000 * 3600000 from usage_written where at < ${NOW_MS} - ${LATE_MS}
      order by 1, 2 on conflict do nothing
    )`,
  ],
  verdicts: (rows: string) => [
    `verdicts as (
      insert into verdict_blocks (run_id, first_event_id, org_id, at, body)
      select i.run_id, i.first_event_id, i.org_id, i.at, i.body from ${rows} join won using (run_id)
    )`,
  ],
  audit: (rows: string) => [
    `audited as (
      insert into audit_pending (id, org_id, at, body)
      select i.id, i.org_id, i.at, i.body from ${rows} join won using (run_id)
    )`,
  ],
  memories: (rows: string) => [
    `remembered as (
      insert into agent_memories (org_id, agent_id, profile, at, id, workflow, run_id, node_id, attempt, text)
      select i.org_id, i.agent_id, i.profile, i.at, i.id, i.workflow, i.run_id, i.node_id, i.attempt, i.text
      from ${rows} join won using (run_id)
    )`,
  ],
} as const;
