import type { z } from "zod";
import { type TrendPoint, type Trends, trendsQuery, trendsSchema } from "../../contract/index.ts";
import { usdText } from "../../core/governance/index.ts";
import {
  quantileOf,
  successRateOf,
  type TrendBucket,
  trendEnd,
  type TrendGroup,
  trendStart,
} from "../../core/search/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { TrendRow } from "../../store/index.ts";
import { readMoment } from "../moment-query.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { invalidRequest } from "../shape.ts";

const DAY_MS = 86_400_000;
const SINCE_MS: Readonly<Record<TrendBucket, number>> = { hour: DAY_MS, day: 30 * DAY_MS };
/** Longest span per bucket: more points would be too many for a chart, and for one response. */
const SPAN_MS_MAX: Readonly<Record<TrendBucket, number>> = { hour: 31 * DAY_MS, day: 750 * DAY_MS };
/** Runs that have just ended are counted before the response, up to this number. */
const READ_AT_ONCE = 20;

export const trendRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/trends",
    operation: "trends",
    summary:
      "Counts ended runs by hour or day of their creation, UTC: success, duration, waiting time and cost, by workflow, version, " +
      "agent or model.",
    permission: "run:read",
    query: trendsQuery,
    replies: { 200: { description: "Points in order of time", schema: trendsSchema } },
    handle: showTrends,
  }),
];

async function showTrends(call: Call<undefined, z.output<typeof trendsQuery>>): Promise<Response> {
  const { services, principal, query } = call;
  const { bucket, by = null, group } = query;
  if (group !== undefined && by === null) {
    const message = '"group" needs "by": what it is one of.';
    throw invalidRequest([{ code: "missing_field", message, path: "by" }]);
  }
  const { since, until } = spanOf(query, services.config.now());
  await services.store.indexRuns(READ_AT_ONCE);
  const selection = { bucket, by, since, until, ...(group === undefined ? {} : { group }) };
  const rows = await services.store.trends(principal.orgId, selection);
  const reply: Trends = {
    bucket,
    by,
    since: isoFromEpochMs(since),
    until: isoFromEpochMs(until),
    data: rows.map((row) => pointOf(row, bucket, by)),
  };
  return json(reply);
}

/** Extends the span to whole buckets, so that every point counts all of its runs. */
function spanOf(query: z.output<typeof trendsQuery>, now: number): { readonly since: number; readonly until: number } {
  const { bucket } = query;
  const end = readMoment("until", query.until, now) ?? now + 1;
  const begin = readMoment("since", query.since, now) ?? end - SINCE_MS[bucket];
  if (begin > end) throw badSince('"since" lies after "until", so that there is nothing between them.');
  if (end - begin > SPAN_MS_MAX[bucket]) {
    const days = SPAN_MS_MAX[bucket] / DAY_MS;
    const hint = bucket === "hour" ? " Ask by day, or for less time." : " Ask for less time.";
    throw badSince(`By ${bucket}, trends are of at most ${days} days.${hint}`);
  }
  const last = trendStart(bucket, end);
  return { since: trendStart(bucket, begin), until: last === end ? end : trendEnd(bucket, last) };
}

function badSince(message: string): Error {
  return invalidRequest([{ code: "bad_number", message, path: "since" }]);
}

function pointOf({ bucketStart, group, figures }: TrendRow, bucket: TrendBucket, by: TrendGroup | null): TrendPoint {
  const { completed, failed, cancelled, timedOut, waitingMs, costMicros } = figures;
  const runs = completed + failed + cancelled + timedOut;
  return {
    bucketStart: isoFromEpochMs(bucketStart),
    group,
    runs,
    completed,
    failed,
    cancelled,
    timedOut,
    successRate: successRateOf(figures),
    p50Ms: quantileOf(figures, 0.5),
    p95Ms: quantileOf(figures, 0.95),
    waitingMs: runs === 0 ? 0 : Math.round(waitingMs / runs),
    costMicros,
    costUsd: usdText(costMicros),
    filter: {
      since: isoFromEpochMs(bucketStart),
      until: isoFromEpochMs(trendEnd(bucket, bucketStart)),
      ...groupFilter(by, group),
    },
  };
}

function groupFilter(by: TrendGroup | null, group: string | null): Readonly<Record<string, string>> {
  if (by === null || group === null) return {};
  if (by !== "version") return { [by]: group };
  const at = group.lastIndexOf("@");
  return { workflow: group.slice(0, at), version: group.slice(at + 1) };
}
