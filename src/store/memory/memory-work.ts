import { compareCodeUnits } from "../../core/base/index.ts";
import { attemptKey } from "../../core/event/index.ts";
import type { OpenAttempt } from "../store.ts";
import type { AttemptWork, WorkKey, WorkStore } from "../work-store.ts";
import { copy, keyOf, type MemoryRun, type MemoryWorld } from "./memory-world.ts";

/** The worker that holds an attempt, and until when; by run and attempt. */
export interface MemoryHold {
  readonly workerId: string;
  readonly until: number;
}

export interface MemoryWorker {
  readonly orgId: string;
  readonly workerId: string;
  readonly functions: readonly string[];
  readonly expiresAt: number;
}

export function memoryWork(world: MemoryWorld): WorkStore {
  return {
    claimWork: async (orgId, functions, takers, ttlMs) => {
      const open = [...workOf(world)].filter(
        ({ run, work, key }) => run.orgId === orgId && functions.includes(work.function) && isOpen(world, key, work),
      );
      const oldest = open.sort((left, right) => left.order - right.order).slice(0, takers.length);
      return oldest.map(({ key, work }, place) => {
        const workerId = takers[place] ?? "";
        world.work.holds.set(holdKey(key), { workerId, until: world.now() + ttlMs });
        return { ...key, workerId, request: copy(work.request) };
      });
    },
    renewWork: async (orgId, workerId, held, ttlMs) => {
      const still = held.filter((key) => isHeldBy(world, orgId, workerId, key));
      for (const key of still) world.work.holds.set(holdKey(key), { workerId, until: world.now() + ttlMs });
      return still.map(({ runId, nodeId, attempt }) => ({ runId, nodeId, attempt }));
    },
    releaseWork: async (orgId, workerId, kept) => {
      const keptKeys = new Set(kept.map(holdKey));
      const given = [...workOf(world)].filter(
        ({ key }) => isHeldBy(world, orgId, workerId, key) && !keptKeys.has(holdKey(key)),
      );
      for (const { key } of given) world.work.holds.delete(holdKey(key));
      return given.length;
    },
    returnWork: async (orgId, work) => {
      for (const { workerId, ...key } of work)
        if (isHeldBy(world, orgId, workerId, key)) world.work.holds.delete(holdKey(key));
    },
    lostWork: async (limit) =>
      [...workOf(world)]
        .filter(({ key, work }) => work.isOnce && (world.work.holds.get(holdKey(key))?.until ?? Infinity) < world.now())
        .map(({ key }) => key)
        .slice(0, limit),
    putWorker: async (orgId, { workerId, functions }, ttlMs) => {
      const expiresAt = world.now() + ttlMs;
      world.work.workers.set(keyOf(orgId, workerId), { orgId, workerId, functions: [...functions], expiresAt });
    },
    removeWorker: async (orgId, workerId) => {
      world.work.workers.delete(keyOf(orgId, workerId));
    },
    listWorkers: async (orgId) =>
      [...world.work.workers.values()]
        .filter((worker) => worker.orgId === orgId && worker.expiresAt > world.now())
        .sort((left, right) => compareCodeUnits(left.workerId, right.workerId))
        .map(({ workerId, functions }) => ({ workerId, functions: [...functions] })),
    listOffered: async (orgIds) => {
      const present = [...world.work.workers.values()].filter(
        ({ orgId, expiresAt }) => orgIds.includes(orgId) && expiresAt > world.now(),
      );
      const found = new Map(
        present.flatMap(({ orgId, functions }) => functions.map((name) => [keyOf(orgId, name), { orgId, name }])),
      );
      return [...found.values()].sort(
        (left, right) => compareCodeUnits(left.orgId, right.orgId) || compareCodeUnits(left.name, right.name),
      );
    },
  };
}

interface OpenWork {
  readonly run: MemoryRun;
  readonly key: WorkKey;
  readonly work: AttemptWork;
  /** Order of arrival. */
  readonly order: number;
}

function* workOf(world: MemoryWorld): Generator<OpenWork> {
  for (const [runId, run] of world.runs) {
    for (const open of run.openAttempts.values()) {
      if (open.work === undefined) continue;
      const { nodeId, attempt, work } = open;
      const key = { runId, nodeId, attempt };
      yield { run, key, work, order: world.work.offers.get(holdKey(key)) ?? 0 };
    }
  }
}

function isOpen(world: MemoryWorld, key: WorkKey, { isOnce }: AttemptWork): boolean {
  const hold = world.work.holds.get(holdKey(key));
  return hold === undefined || (!isOnce && hold.until < world.now());
}

function isHeldBy(world: MemoryWorld, orgId: string, workerId: string, key: WorkKey): boolean {
  const run = world.runs.get(key.runId);
  const isThere = run?.orgId === orgId && run.openAttempts.has(attemptKey(key));
  return isThere && world.work.holds.get(holdKey(key))?.workerId === workerId;
}

function holdKey({ runId, nodeId, attempt }: WorkKey): string {
  return keyOf(runId, nodeId, attempt);
}

/** Updates the work of workers when attempts are opened and closed. */
export function noteWork(
  world: MemoryWorld,
  runId: string,
  opened: readonly OpenAttempt[],
  closed: readonly Omit<WorkKey, "runId">[],
): void {
  for (const key of closed) {
    world.work.holds.delete(holdKey({ runId, ...key }));
    world.work.offers.delete(holdKey({ runId, ...key }));
  }
  for (const { nodeId, attempt, work } of opened) {
    if (work !== undefined) world.work.offers.set(holdKey({ runId, nodeId, attempt }), (world.work.offered += 1));
  }
}
