import { isTerminal } from "../../core/event/index.ts";
import { type Backlog, type BacklogStore, NO_WAITING_RUNS, type StorageBytes } from "../backlog-store.ts";
import { waitingIn } from "./memory-runs.ts";
import type { MemoryRun, MemoryWorld } from "./memory-world.ts";

export function memoryBacklog(world: MemoryWorld): BacklogStore {
  return {
    readBacklog: async () => {
      const runs = [...world.runs.values()];
      const attempts = runs.flatMap(({ openAttempts }) => [...openAttempts.values()]);
      const timers = runs.flatMap((run) => [...run.timers.values()].map(({ dueAt }) => dueAt));
      const deadlines = attempts.flatMap(({ deadlineAt }) => (deadlineAt === null ? [] : [deadlineAt]));
      const waits = runs.flatMap((run) => [...run.waits.values()].map(({ dueAt }) => dueAt));
      const dueAt = [...timers, ...deadlines, ...waits].reduce((first, each) => Math.min(first, each), Infinity);
      const now = world.now();
      return {
        openRuns: runs.filter(isOpenAndListed).length,
        waitingRuns: waitingRuns(world),
        openAttempts: attempts.length,
        pendingApprovals: [...world.approvals.values()].filter(({ status }) => status === "pending").length,
        pendingDeliveries: [...world.webhooks.deliveries.values()].filter(({ nextAt }) => nextAt !== null).length,
        lagMs: Math.max(0, now - Math.min(dueAt, now)),
      };
    },
    countOpenRuns: async (orgId) =>
      [...world.runs.values()].filter((run) => run.orgId === orgId && isOpenAndListed(run)).length,
    readStorage: async (orgId) => storageOf(world, orgId),
  };
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

function storageOf(world: MemoryWorld, orgId: string): StorageBytes {
  const own = [...world.runs.values()].filter((run) => run.orgId === orgId);
  const verdicts = world.verdicts.filter((verdict) => verdict.orgId === orgId);
  return {
    files: sum([...world.files.files.values()].filter((file) => file.orgId === orgId).map(({ size }) => size)),
    values: sum(
      [...world.blobs].filter(([key]) => key.startsWith(`[${JSON.stringify(orgId)},`)).map(([, text]) => text.length),
    ),
    logs: sum(
      [...own.flatMap(({ bodies }) => bodies), ...verdicts.map(({ body }) => JSON.stringify(body))].map(
        (text) => text.length,
      ),
    ),
  };
}

function isOpenAndListed({ head, pinned }: MemoryRun): boolean {
  return !isTerminal(head.status) && pinned.block === null;
}

function waitingRuns(world: MemoryWorld): Backlog["waitingRuns"] {
  const counts = { ...NO_WAITING_RUNS };
  for (const [runId, waitingFor] of waitingIn(world)) {
    if (world.runs.get(runId)?.pinned.block === null) counts[waitingFor] += 1;
  }
  return counts;
}
