import { compareCodeUnits } from "../../core/base/index.ts";
import { attemptKey, isTerminal } from "../../core/event/index.ts";
import { queueTimer } from "../commit-check.ts";
import { type DueTimer, type Orphan, type Recoverable, RECOVERABLE_MS, type ReplicaStore } from "../replica-store.ts";
import { attemptsOf, copy, type MemoryRun, type MemoryWorld } from "./memory-world.ts";

export function memoryReplicas(world: MemoryWorld): ReplicaStore {
  const isAlive = (replicaId: string): boolean => (world.replicas.get(replicaId) ?? 0) > world.now();
  return {
    renewReplica: async (replicaId, ttlMs) => {
      const isHeld = isAlive(replicaId);
      if (isHeld) world.replicas.set(replicaId, world.now() + ttlMs);
      return isHeld;
    },
    registerReplica: async (replicaId, ttlMs, supersedesAll) => {
      if (supersedesAll) world.replicas.clear();
      world.replicas.set(replicaId, world.now() + ttlMs);
    },
    retireReplica: async (replicaId) => {
      world.replicas.delete(replicaId);
    },
    takeOver: async (replicaId, limit) => (isAlive(replicaId) ? takeOver(world, replicaId, limit, isAlive) : []),
    dueTimers: async (limit) => {
      const now = world.now();
      return [...allTimers(world)]
        .filter(({ dueAt }) => dueAt <= now)
        .sort((left, right) => left.dueAt - right.dueAt || compareCodeUnits(left.runId, right.runId))
        .slice(0, limit)
        .map(copy);
    },
    nextDueAt: async () => {
      let next: number | null = null;
      for (const { dueAt } of allTimers(world)) if (next === null || dueAt < next) next = dueAt;
      return next;
    },
    now: async () => world.now(),
    listStalled: async (limit) =>
      [...byRunId(world)]
        .filter(([runId, run]) => isStalled(world, runId, run))
        .map(([runId]) => runId)
        .slice(0, limit),
    listRecoverable: async (limit, after) =>
      byRunId(world)
        .flatMap(([runId, { orgId, pinned, head }]) => {
          const { status, epoch, endedAt } = head;
          const hasFailed = status === "failed" || status === "timed_out";
          const isRecent = endedAt !== null && endedAt > world.now() - RECOVERABLE_MS;
          if (!hasFailed || !isRecent || epoch >= (pinned.recoveryMax ?? 0)) return [];
          return [{ orgId, runId, epoch, endedAt }];
        })
        .sort(inOrderOfEnd)
        .filter((run) => after === null || inOrderOfEnd(run, after) > 0)
        .slice(0, limit),
  };
}

function inOrderOfEnd(left: Recoverable, right: Recoverable): number {
  return left.endedAt - right.endedAt || compareCodeUnits(left.runId, right.runId);
}

function byRunId(world: MemoryWorld): [string, MemoryRun][] {
  return [...world.runs].sort(([left], [right]) => compareCodeUnits(left, right));
}

function takeOver(
  world: MemoryWorld,
  replicaId: string,
  limit: number,
  isAlive: (replicaId: string) => boolean,
): readonly Orphan[] {
  const orphans: Orphan[] = [];
  for (const [runId, run] of byRunId(world)) {
    for (const attempt of attemptsOf(run)) {
      if (orphans.length >= limit) return orphans;
      if (isAlive(attempt.replicaId)) continue;
      run.openAttempts.set(attemptKey(attempt), { ...attempt, replicaId });
      orphans.push({ runId, nodeId: attempt.nodeId, attempt: attempt.attempt });
    }
  }
  return orphans;
}

function* allTimers(world: MemoryWorld): Generator<DueTimer> {
  for (const [runId, run] of world.runs) {
    for (const { timer, dueAt } of run.timers.values()) yield { runId, timer, dueAt };
    for (const wait of run.waits.values()) yield { runId, timer: queueTimer(wait), dueAt: wait.dueAt };
    for (const { nodeId, attempt, deadlineAt } of run.openAttempts.values()) {
      if (deadlineAt !== null) yield { runId, timer: { kind: "attempt", nodeId, attempt }, dueAt: deadlineAt };
    }
  }
}

function isStalled(world: MemoryWorld, runId: string, run: MemoryRun): boolean {
  if (world.places.get(runId)?.slot === null) return false;
  const { openAttempts, timers, waits, waiters } = run;
  if (run.head.paused !== null) return false;
  if (isTerminal(run.head.status) || openAttempts.size + timers.size + waits.size + waiters.size > 0) return false;
  for (const approval of world.approvals.values()) {
    if (approval.runId === runId && approval.status === "pending") return false;
  }
  for (const child of world.runs.values()) {
    if (child.pinned.parentRunId === runId && !isTerminal(child.head.status)) return false;
  }
  return true;
}
