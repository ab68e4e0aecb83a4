import type { UsageRow, UsageSelection } from "../governance-store.ts";
import { NOW_MS, type Sql, type SqlValue } from "../sql.ts";
import { bigint, Columns, int, optional, text } from "./columns.ts";
import { lookUpWithFreshPlan } from "./fresh-plan.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Usage written later than this after it occurred records its hour, so that the hour is summed again. */
export const LATE_MS = 5 * 60_000;
/** An hour is summed only when all usage that was written in time is visible. */
const SETTLED_MS = LATE_MS + 10 * 60_000;
/** Time for which usage records certainly exist. */
const RECORDED_MS = 80 * DAY_MS;
/** Time range summed in one round. */
const ROUND_MS = 7 * DAY_MS;

const SUMS = `sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
  sum(thinking_tokens)::bigint as thinking_tokens, sum(cached_tokens)::bigint as cached_tokens,
  sum(cost_micros)::bigint as cost_micros`;
const GROUPED = "workflow, agent_id, model, gateway_id";
const SPENT = "count, input_tokens, output_tokens, thinking_tokens, cached_tokens, cost_micros";

/** Finds every organisation with usage without reading all usage. */
const ORGANISATIONS = `orgs(org_id) as (
    (select org_id from usage_records order by org_id limit 1)
    union all
    select (select u.org_id from usage_records u where u.org_id > o.org_id order by u.org_id limit 1)
      from orgs o where o.org_id is not null)`;

/** Creates the row that `HOLD` locks, so that only one replica sums at a time. */
const BEGIN = {
  name: "begin rolling usage",
  text: "insert into usage_rolling (one, rolled_until) values (true, 0) on conflict do nothing",
};
const HOLD = {
  name: "hold rolling usage",
  text: `select rolled_until, ${NOW_MS} as now from usage_rolling for update`,
};
const NEXT = {
  name: "next usage to roll",
  text: `with recursive ${ORGANISATIONS}
    select min(n.at) as at from orgs o cross join lateral (
      select at from usage_records u where u.org_id = o.org_id and u.at >= $1 order by u.at limit 1) n
    where o.org_id is not null`,
};
const ROLLED = { name: "usage is rolled", text: "update usage_rolling set rolled_until = $1" };

const ADD_HOURS = {
  name: "add usage by hour",
  text: `with recursive ${ORGANISATIONS}
    insert into usage_sums (org_id, span, start, ${GROUPED}, ${SPENT})
    select o.org_id, 'hour', u.at / ${HOUR_MS} * ${HOUR_MS}, ${GROUPED}, count(*)::int, ${SUMS}
    from orgs o join usage_records u on u.org_id = o.org_id and u.at >= $1 and u.at < $2
    where o.org_id is not null
    group by o.org_id, u.at / ${HOUR_MS}, ${GROUPED}`,
};
const ADD_DAYS = {
  name: "add usage by day",
  text: `insert into usage_sums (org_id, span, start, ${GROUPED}, ${SPENT})
    select org_id, 'day', start / ${DAY_MS} * ${DAY_MS}, ${GROUPED}, sum(count)::int, ${SUMS}
    from usage_sums where span = 'hour' and start >= $1 and start < $2
    group by org_id, start / ${DAY_MS}, ${GROUPED}`,
};

/** Takes only hours that were summed already. Other hours are still counted record by record. */
const TAKE_LATE = {
  name: "take late usage",
  text: "delete from late_usage where start < $1 returning org_id, start",
};
const FORGET = {
  name: "forget usage sums",
  text: "delete from usage_sums where org_id = $1 and span = $2 and start = $3",
};
const ADD_HOUR_AGAIN = {
  name: "add usage of an hour",
  text: `insert into usage_sums (org_id, span, start, ${GROUPED}, ${SPENT})
    select $1, 'hour', $2, ${GROUPED}, count(*)::int, ${SUMS} from usage_records u
    where u.org_id = $1 and u.at >= $2 and u.at < $2::bigint + ${HOUR_MS} group by ${GROUPED}`,
};
const ADD_DAY_AGAIN = {
  name: "add usage of a day",
  text: `insert into usage_sums (org_id, span, start, ${GROUPED}, ${SPENT})
    select $1, 'day', $2, ${GROUPED}, sum(count)::int, ${SUMS} from usage_sums
    where org_id = $1 and span = 'hour' and start >= $2 and start < $2::bigint + ${DAY_MS} group by ${GROUPED}`,
};

export async function rollUsage(sql: Sql): Promise<boolean> {
  return sql.transaction(async (within) => {
    await within.query(BEGIN);
    const [state] = await within.query<{ rolled_until: number; now: number }>(HOLD);
    if (state === undefined) return false;
    const { rolled_until: before, now } = state;
    await addLate(within, before, now);
    const settled = hourOf(now - SETTLED_MS);
    if (settled <= before) return false;
    const [next] = await within.query<{ at: number | null }>(NEXT, [before]);
    const from = Math.max(before, next?.at === null || next === undefined ? settled : hourOf(next.at));
    const until = Math.min(settled, from + ROUND_MS);
    if (from < until) await within.query(ADD_HOURS, [from, until]);
    if (dayOf(before) < dayOf(until)) await within.query(ADD_DAYS, [dayOf(before), dayOf(until)]);
    await within.query(ROLLED, [until]);
    return until < settled;
  });
}

/** Sums late hours again, if their records still exist. Usage that is even later exists only as records, and is deleted with them. */
async function addLate(sql: Sql, rolledUntil: number, now: number): Promise<void> {
  const late = await sql.query<{ org_id: string; start: number }>(TAKE_LATE, [rolledUntil]);
  const days = new Map<string, readonly [string, number]>();
  for (const { org_id: orgId, start } of late) {
    if (start < now - RECORDED_MS) continue;
    await sql.query(FORGET, [orgId, "hour", start]);
    await sql.query(ADD_HOUR_AGAIN, [orgId, start]);
    days.set(`${orgId} ${dayOf(start)}`, [orgId, dayOf(start)]);
  }
  for (const [orgId, day] of days.values()) {
    if (day + DAY_MS > dayOf(rolledUntil)) continue;
    await sql.query(FORGET, [orgId, "day", day]);
    await sql.query(ADD_DAY_AGAIN, [orgId, day]);
  }
}

function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

const USAGE = new Columns(
  {
    bucketStart: bigint,
    group: optional(text),
    count: int,
    inputTokens: bigint,
    outputTokens: bigint,
    thinkingTokens: bigint,
    cachedTokens: bigint,
    costMicros: bigint,
  },
  { group: "grouped" },
);

const BUCKETS: Readonly<Record<UsageSelection["bucket"], string>> = {
  hour: "date_trunc('hour', t)",
  day: "date_trunc('day', t)",
  // Weeks begin on Sunday here, on Monday in `date_trunc`.
  week: "date_trunc('week', t + interval '1 day') - interval '1 day'",
  month: "date_trunc('month', t)",
};
const GROUPS = { agent: "agent_id", model: "model", workflow: "workflow", gateway: "gateway_id" } as const;

const UNTIL = { name: "rolled until", text: "select rolled_until from usage_rolling" };

/** Adds sums of whole days and hours, and single records at the ends and for hours not summed yet. */
export async function usageOf(sql: Sql, orgId: string, selection: UsageSelection): Promise<readonly UsageRow[]> {
  const { bucket, by } = selection;
  const [rolling] = await sql.query<{ rolled_until: number }>(UNTIL);
  const params: SqlValue[] = [orgId];
  const parts = partsOf(selection, rolling?.rolled_until ?? 0).map(({ span, from, to }) => {
    const range = `>= $${params.push(from)} and at < $${params.push(to)}`;
    if (span === "record") {
      return `select at, ${GROUPED}, 1 as count, input_tokens, output_tokens, thinking_tokens, cached_tokens, cost_micros
        from usage_records where org_id = $1 and at ${range}`;
    }
    return `select start as at, ${GROUPED}, ${SPENT} from usage_sums
      where org_id = $1 and span = '${span}' and start ${range.replace("at <", "start <")}`;
  });
  if (parts.length === 0) return [];
  const group = by === null ? "null::text" : GROUPS[by];
  const statement = {
    name: "",
    text: `select (extract(epoch from ${BUCKETS[bucket]}) * 1000)::bigint as bucket_start, ${group} as grouped,
        sum(count)::int as count, ${SUMS}
      from (select *, to_timestamp(at / 1000.0) at time zone 'UTC' as t from (${parts.join(" union all ")}) p) u
      group by 1, 2 order by 1, 2 nulls first`,
  };
  return USAGE.all(await lookUpWithFreshPlan(sql, statement, params));
}

interface Part {
  readonly span: "record" | "hour" | "day";
  readonly from: number;
  readonly to: number;
}

function partsOf({ bucket, since, until }: UsageSelection, rolledUntil: number): readonly Part[] {
  const parts: Part[] = [];
  const add = (span: Part["span"], from: number, to: number): number => {
    if (from < to) parts.push({ span, from, to });
    return Math.max(from, to);
  };
  const rolled = Math.min(hourOf(until), rolledUntil);
  const firstHour = Math.min(Math.ceil(since / HOUR_MS) * HOUR_MS, until);
  let at = add("record", since, firstHour);
  if (bucket !== "hour") {
    at = add("hour", at, Math.min(Math.ceil(at / DAY_MS) * DAY_MS, rolled));
    at = add("day", at, at % DAY_MS === 0 ? dayOf(rolled) : at);
  }
  at = add("hour", at, rolled);
  add("record", at, until);
  return parts;
}
