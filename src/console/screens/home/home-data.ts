import type { Run, Usage } from "../../../client/index.ts";
import { isTerminal } from "../../../core/event/index.ts";
import { useApprovalCounts } from "../../live/use-approval-counts.ts";
import { usePendingApprovals } from "../../live/use-pending-approvals.ts";
import { api } from "../../live/api.ts";
import { everyPage } from "../../live/every-page.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { useRunList } from "../../live/use-run-list.ts";
import { type Envelope, envelopesOf, periodStart } from "./envelopes.ts";
import { type Need, needsOf } from "./needs.ts";

export interface HomeData {
  readonly recent: readonly Run[] | undefined;
  readonly inFlight: readonly Run[];
  readonly needs: readonly Need[];
  /** Number of all items that need a person, including those too many to be listed. */
  readonly needCount: number;
  /** Number of approvals that the signed-in person may answer. */
  readonly mine: number;
  readonly envelopes: readonly Envelope[];
  readonly spentToday: number | undefined;
  /** Success rate of the newest runs that have ended. Null when none has. */
  readonly successRate: number | null;
  readonly ended: number;
  readonly problem: Error | null;
  readonly refresh: () => Promise<void>;
}

const DAY_MS = 86_400_000;
const SLOW_MS = 30_000;

export function useHomeData(): HomeData {
  const mayRuns = useMay("run:read");
  const mayGovern = useMay("governance:read");
  const runs = useRunList(mayRuns ? {} : null);
  const open = useRunList(mayRuns ? { status: "running" } : null);
  const approvals = usePendingApprovals();
  const counts = useApprovalCounts().data;
  const gateways = useQuery(mayGovern ? "home/gateways" : null, () => api.listGateways(), {
    tags: ["gateways"],
    everyMs: SLOW_MS,
  });
  const platform = useQuery(mayGovern ? "home/platform" : null, () => api.getPlatform(), { everyMs: SLOW_MS });
  const money = useQuery(mayGovern ? "home/money" : null, loadMoney, { tags: ["budgets"], everyMs: SLOW_MS });
  const recent = runs.data?.runs;
  const now = Date.now();
  const ended = (recent ?? []).filter(({ status }) => isTerminal(status));
  const failed = ended.filter(
    ({ status, completedAt }) =>
      (status === "failed" || status === "timed_out") && Date.parse(completedAt ?? "") > now - DAY_MS,
  );
  const envelopes = money.data === undefined ? [] : envelopesOf(money.data.budgets, money.data.usage, now);
  const byId = new Map([...(open.data?.runs ?? []), ...(recent ?? [])].map((run) => [run.id, run]));
  const asked = approvals.data?.data ?? [];
  const needs = needsOf({
    platform: platform.data,
    approvals: asked,
    envelopes,
    gateways: gateways.data?.data ?? [],
    failed,
  });
  return {
    recent,
    inFlight: [...byId.values()].filter(({ status }) => !isTerminal(status)),
    needs,
    needCount: needs.reduce((sum, { count }) => sum + count, 0) + Math.max(0, (counts?.waiting ?? 0) - asked.length),
    mine: counts?.mine ?? 0,
    envelopes,
    spentToday: money.data === undefined ? undefined : todayOf(money.data.usage.workflow, now),
    successRate: ended.length === 0 ? null : ended.filter(({ status }) => status === "completed").length / ended.length,
    ended: ended.length,
    problem: runs.problem,
    refresh: runs.refresh,
  };
}

async function loadMoney() {
  const now = Date.now();
  const since = new Date(Math.min(periodStart("monthly", now), periodStart("weekly", now))).toISOString();
  const by = (group: "agent" | "workflow" | "gateway") => api.getUsage({ bucket: "day", by: group, since });
  const [budgets, agent, workflow, gateway] = await Promise.all([
    everyPage((page) => api.listRegistered("budgets", page)),
    by("agent"),
    by("workflow"),
    by("gateway"),
  ]);
  return { budgets, usage: { agent, workflow, gateway } };
}

function todayOf({ data }: Usage, now: number): number {
  const start = periodStart("daily", now);
  return data
    .filter(({ bucketStart }) => Date.parse(bucketStart) >= start)
    .reduce((sum, { costMicros }) => sum + costMicros, 0);
}
