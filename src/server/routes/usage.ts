import type { z } from "zod";
import { type Spent, type Usage, usageQuery, usageSchema } from "../../contract/index.ts";
import { NO_TOKENS } from "../../core/engine/index.ts";
import { usdText } from "../../core/governance/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { UsageRow } from "../../store/index.ts";
import { readMoment } from "../moment-query.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { invalidRequest } from "../shape.ts";

/** The time for which usage is kept. */
const SINCE_MS = 90 * 86_400_000;

export const usageRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/usage",
    operation: "usage",
    summary: "Counts tokens and cost by hour, day, week or month, UTC, and by agent, model, workflow or gateway.",
    permission: "governance:read",
    query: usageQuery,
    replies: { 200: { description: "Rows in order of time, and their totals", schema: usageSchema } },
    handle: showUsage,
  }),
];

async function showUsage(call: Call<undefined, z.output<typeof usageQuery>>): Promise<Response> {
  const { services, principal, query } = call;
  const { bucket, by = null } = query;
  const now = services.config.now();
  // The end is exclusive, so one millisecond is added to include usage of this moment.
  const until = readMoment("until", query.until, now) ?? now + 1;
  const since = readMoment("since", query.since, now) ?? until - SINCE_MS;
  if (since > until) {
    const message = '"since" lies after "until", so that there is nothing between them.';
    throw invalidRequest([{ code: "bad_number", message, path: "since" }]);
  }
  const rows = await services.store.usage(principal.orgId, { bucket, by, since, until });
  const reply: Usage = {
    bucket,
    by,
    since: isoFromEpochMs(since),
    until: isoFromEpochMs(until),
    data: rows.map(({ bucketStart, group, ...row }) => ({
      bucketStart: isoFromEpochMs(bucketStart),
      group,
      ...withUsd(row),
    })),
    totals: withUsd(rows.reduce(sum, NOTHING)),
  };
  return json(reply);
}

type Spending = Omit<UsageRow, "bucketStart" | "group">;

const NOTHING: Spending = { count: 0, ...NO_TOKENS, costMicros: 0 };

function sum(before: Spending, row: Spending): Spending {
  return {
    count: before.count + row.count,
    inputTokens: before.inputTokens + row.inputTokens,
    outputTokens: before.outputTokens + row.outputTokens,
    thinkingTokens: before.thinkingTokens + row.thinkingTokens,
    cachedTokens: before.cachedTokens + row.cachedTokens,
    costMicros: before.costMicros + row.costMicros,
  };
}

function withUsd(spending: Spending): Spent {
  return { ...spending, costUsd: usdText(spending.costMicros) };
}
