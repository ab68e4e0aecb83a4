import { compareCodeUnits } from "../../core/base/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { LiveStore } from "../live-store.ts";
import type { MemoryWorld } from "./memory-world.ts";

export function memoryLive(world: MemoryWorld): LiveStore {
  return {
    listLiveRuns: async ({ orgIds, createdSince, runIds, limit }) => {
      const named = new Set(runIds);
      const pending = new Map<string, string[]>();
      for (const { id, runId, status } of world.approvals.values()) {
        if (status === "pending") pending.set(runId, [...(pending.get(runId) ?? []), id].sort(compareCodeUnits));
      }
      return [...world.runs.values()]
        .filter(
          ({ orgId, head, pinned }) =>
            orgIds.includes(orgId) &&
            (named.has(head.runId) ||
              (pinned.block === null && (!isTerminal(head.status) || pinned.createdAt >= createdSince))),
        )
        .sort(
          (left, right) =>
            right.pinned.createdAt - left.pinned.createdAt || compareCodeUnits(right.head.runId, left.head.runId),
        )
        .slice(0, limit)
        .map(({ orgId, head, pinned }) => ({
          ...head,
          orgId,
          workflow: pinned.workflow,
          pendingApprovals: pending.get(head.runId) ?? [],
        }));
    },
    listOpenLaunches: async (orgIds) =>
      [...world.launches.values()]
        .flatMap((id) => world.approvals.get(id) ?? [])
        .filter(({ orgId, status }) => orgIds.includes(orgId) && status === "pending")
        .map(({ orgId, id: approvalId }) => ({ orgId, approvalId }))
        .sort((left, right) => compareCodeUnits(left.approvalId, right.approvalId)),
  };
}
