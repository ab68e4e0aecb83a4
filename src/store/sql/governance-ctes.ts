/**
 * Counters are changed on the locked row, whoever else changes them: a value that would pass its limit becomes null,
 * which the column refuses, and nothing of the batch counts. Only what takes something carries a limit to be checked.
 * Runs of one batch may be held to different ceilings of the same counter: together they keep the lowest, and what does
 * not fit together is written one by one.
 */
export const GOVERNANCE_CTES = {
  slots: (rows: string) => [
    `slots as (
      insert into agent_counters as c (org_id, agent_id, open, max_open, hits, rate_count, window_ms)
      select g.org_id, g.agent_id, case when g.max_open is null or g.delta <= g.max_open then g.delta end, g.max_open,
        case when g.hits is null then '{}' else (
          select case when count(*) <= g.rate_count and min(h) > max(h) - g.window_ms then array_agg(h order by h) end
          from unnest(g.hits) h) end,
        g.rate_count, g.window_ms
      from (
        select i.org_id, i.agent_id, sum(i.delta) as delta, max(i.max_open) as max_open,
          string_to_array(string_agg(i.hits, ','), ',')::bigint[] as hits, max(i.rate_count) as rate_count,
          max(i.window_ms) as window_ms
        from ${rows} join won using (run_id)
        group by i.org_id, i.agent_id
      ) g order by g.org_id, g.agent_id
      on conflict (org_id, agent_id) do update set
        open = case when excluded.max_open is null or c.open + excluded.open <= excluded.max_open
          then c.open + excluded.open end,
        max_open = coalesce(excluded.max_open, c.max_open),
        hits = case when excluded.rate_count is null then c.hits else (
          select case when count(*) filter (where h > o.oldest - excluded.window_ms) <= excluded.rate_count
              and o.oldest > max(h) - excluded.window_ms
            then array_agg(h order by h) filter (where h > w.newest - 2 * excluded.window_ms) end
          from unnest(c.hits || excluded.hits) h,
            (select min(n) as oldest from unnest(excluded.hits) n) o,
            (select max(n) as newest from unnest(c.hits || excluded.hits) n) w
          group by o.oldest, w.newest) end,
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
      from ${rows} join won using (run_id)
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
      select i.id, i.org_id, i.at, i.body from ${rows} join won using (run_id) on conflict do nothing
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
