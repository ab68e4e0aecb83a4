import { compareCodeUnits } from "../../core/base/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { LiveStore } from "../live-store.ts";
import type { MemoryRun, MemoryWorld } from "./memory-world.ts";

export function memoryLive(world: MemoryWorld): LiveStore {
  return {
    listLiveRuns: async ({ orgIds, createdSince, runIds, known, limit }) => {
      const named = new Set(runIds);
      const pending = new Map<string, string[]>();
      for (const { id, runId, status } of world.approvals.values()) {
        if (status === "pending") pending.set(runId, [...(pending.get(runId) ?? []), id].sort(compareCodeUnits));
      }
      const runs = [...world.runs.values()]
        .filter(({ orgId }) => orgIds.includes(orgId))
        .sort(
          (left, right) =>
            right.pinned.createdAt - left.pinned.createdAt || compareCodeUnits(right.head.runId, left.head.runId),
        );
      const isNew = ({ head, pinned }: MemoryRun): boolean =>
        createdSince !== null &&
        pinned.block === null &&
        (!isTerminal(head.status) || pinned.createdAt >= createdSince);
      const newest = new Set(runs.filter(isNew).slice(0, limit));
      return runs
        .filter((run) => newest.has(run) || named.has(run.head.runId))
        .filter(({ head }) => known.get(head.runId) !== head.rowVersion)
        .map(({ orgId, head, pinned }) => ({
          ...head,
          orgId,
          workflow: pinned.workflow,
          parentRunId: pinned.parentRunId,
          pendingApprovals: pending.get(head.runId) ?? [],
        }));
    },
    listNotedApprovals: async (orgIds, since) =>
      [...world.noted.values()]
        .filter(({ orgId, notedAt }) => orgIds.includes(orgId) && notedAt >= since)
        .sort((left, right) => left.notedAt - right.notedAt || compareCodeUnits(left.id, right.id)),
    listOpenLaunches: async (orgIds) =>
      [...world.launches.values()]
        .flatMap((id) => world.approvals.get(id) ?? [])
        .filter(({ orgId, status }) => orgIds.includes(orgId) && status === "pending")
        .map(({ orgId, id: approvalId }) => ({ orgId, approvalId }))
        .sort((left, right) => compareCodeUnits(left.approvalId, right.approvalId)),
    reportCommits: async () => {
      world.commitReports += 1;
    },
    countCommitReports: async () => world.commitReports,
  };
}
