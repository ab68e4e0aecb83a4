import { compareCodeUnits, type Json } from "../../core/base/index.ts";
import type { WaitingFor } from "../../core/event/index.ts";
import { decodeCursor, listed, type Position } from "../cursor.ts";
import { familyWaiting } from "../family-waiting.ts";
import { hashesIn, readBodies, unpackEvents } from "../event-pack.ts";
import type { Listed, LoadedRun, Page, RunRecord, RunStore } from "../store.ts";
import type { Timer } from "../../core/engine/index.ts";
import { queueTimer } from "../commit-check.ts";
import { commitToMemory, liveIdempotency } from "./memory-commit.ts";
import { fitsFilter } from "./memory-search.ts";
import { attemptsOf, copy, keyOf, type MemoryRun, type MemoryWorld } from "./memory-world.ts";

export function memoryRuns(world: MemoryWorld): RunStore {
  const runOf = (orgId: string, runId: string): MemoryRun | undefined => {
    const run = world.runs.get(runId);
    return run?.orgId === orgId ? run : undefined;
  };
  return {
    commit: async (batch) => commitToMemory(world, batch),
    loadRuns: async (runIds) =>
      [...new Set(runIds)].flatMap((runId) => {
        const run = world.runs.get(runId);
        return run === undefined ? [] : [loadedRun(world, run)];
      }),
    getRun: async (orgId, runId) => {
      const run = runOf(orgId, runId);
      return run === undefined ? undefined : recordOf(run);
    },
    readWaiting: async (runIds) => {
      const waiting = waitingIn(world);
      return new Map([...waiting].filter(([runId]) => runIds.includes(runId)));
    },
    listRuns: async (orgId, filter, page) => {
      const waiting = filter.waitingFor === undefined ? null : waitingIn(world);
      const runs = [...world.runs.values()].filter(
        (run) =>
          run.orgId === orgId &&
          fitsFilter(world, run, filter) &&
          (waiting === null || waiting.get(run.head.runId) === filter.waitingFor),
      );
      return newestFirst(runs.map(recordOf), page, (run) => ({ at: run.createdAt, id: run.runId }));
    },
    readEvents: async (orgId, runId, afterEventId, limit) =>
      readBodies(runOf(orgId, runId)?.bodies ?? []).slice(afterEventId, afterEventId + limit),
    headsOf: async (runIds) =>
      [...new Set(runIds)].flatMap((runId) => {
        const run = world.runs.get(runId);
        return run === undefined ? [] : [{ ...run.head }];
      }),
    findIdempotent: async (scope) => {
      const found = liveIdempotency(world, scope);
      return found === undefined ? undefined : { runId: found.runId, bodyHash: found.bodyHash };
    },
    getBlob: async (orgId, hash) => {
      const text = world.blobs.get(keyOf(orgId, hash));
      return text === undefined ? undefined : (JSON.parse(text) as Json);
    },
    getApproval: async (orgId, approvalId) => {
      const approval = world.approvals.get(approvalId);
      return approval?.orgId === orgId ? copy(approval) : undefined;
    },
  };
}

function recordOf(run: MemoryRun): RunRecord {
  return { ...copy(run.pinned), ...run.head, orgId: run.orgId };
}

function loadedRun(world: MemoryWorld, run: MemoryRun): LoadedRun {
  const events = readBodies(run.bodies);
  const blobs = new Map<string, string>();
  for (const hash of hashesIn(events)) blobs.set(hash, world.blobs.get(keyOf(run.orgId, hash)) ?? "null");
  return {
    run: recordOf(run),
    events: unpackEvents(events, blobs),
    openAttempts: attemptsOf(run).map(({ work: _offered, ...attempt }) => copy(attempt)),
    timers: timersOf(run),
  };
}

function timersOf({ timers, waits }: MemoryRun): Timer[] {
  return [...inOrder(timers).map(({ timer }) => copy(timer)), ...inOrder(waits).map(queueTimer)];
}

function inOrder<T>(map: ReadonlyMap<string, T>): T[] {
  return [...map].sort(([left], [right]) => compareCodeUnits(left, right)).map(([, value]) => value);
}

/** Returns what runs wait for, including their child runs. */
export function waitingIn({ runs }: MemoryWorld): ReadonlyMap<string, WaitingFor> {
  return familyWaiting([...runs.values()].map(({ head, pinned }) => ({ ...head, parentRunId: pinned.parentRunId })));
}

/** Returns one page of a list, newest first; rows of the same instant by id. */
export function newestFirst<T>(rows: readonly T[], page: Page, position: (row: T) => Position): Listed<T> {
  const after = decodeCursor(page.cursor);
  const found = rows
    .map((row) => ({ row, at: position(row) }))
    .filter(({ at }) => after === null || order(at, after) > 0)
    .sort((left, right) => order(left.at, right.at))
    .map(({ row }) => row);
  return listed(found, page.limit, position);
}

function order(left: Position, right: Position): number {
  return right.at - left.at || compareCodeUnits(right.id, left.id);
}
