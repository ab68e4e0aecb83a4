import { compareCodeUnits } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { EventStore, KeptEventRecord, NewEvent, NewWaiter, EventToDeliver, Waiter } from "../event-store.ts";
import type { RunCommit } from "../store.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

export type MarkedEvent = KeptEventRecord & { markedAt: number | null };
export type MarkedWaiter = Waiter & { markedAt: number | null };

export interface MemoryEvents {
  /** By organisation and id. */
  readonly events: Map<string, MarkedEvent>;
  /** By organisation, type and digest, then by run and node. */
  readonly waiters: Map<string, Map<string, MarkedWaiter>>;
}

export function memoryEvents(world: MemoryWorld): EventStore {
  const { events, waiters } = world.waiting;
  const isKept = (event: KeptEventRecord): boolean => event.expiresAt > world.now();
  const received = (event: KeptEventRecord): EventToDeliver => {
    return { ...event, configVersion: world.config.get(event.orgId)?.version ?? 0 };
  };
  return {
    putEvents: async (orgId, given) =>
      given.map((event) => {
        const isNew = putEvent(world, orgId, event);
        const kept = events.get(keyOf(orgId, event.id));
        if (kept === undefined) throw new Error("an event just put is kept");
        return { event: received(plain(kept)), isNew };
      }),
    getEvents: async (orgId, ids) =>
      ids.flatMap((id) => {
        const found = events.get(keyOf(orgId, id));
        return found === undefined ? [] : [received(plain(found))];
      }),
    listEvents: async (orgId, { type }, page) => {
      const last = decodeCursor(page.cursor);
      const fitting = [...events.values()]
        .filter((event) => event.orgId === orgId && isKept(event) && (type === undefined || event.type === type))
        .sort((left, right) => inOrder(right, left))
        .filter((event) => last === null || inOrder(event, { receivedAt: last.at, id: last.id }) < 0);
      return listed(fitting.slice(0, page.limit + 1).map(plain), page.limit, positionOf);
    },
    waitersOf: async ({ orgId, type, keyDigest, receivedAt }, after, limit) =>
      [...(waiters.get(keyOf(orgId, type, keyDigest))?.values() ?? [])]
        .filter(({ since }) => since <= receivedAt)
        .filter((waiter) => after === null || byNode(waiter, after) > 0)
        .sort(byNode)
        .slice(0, limit)
        .map(plain),
    eventsFor: async ({ orgId, type, keyDigest, since }, after, limit) =>
      [...events.values()]
        .filter((event) => event.orgId === orgId && event.type === type && event.keyDigest === keyDigest)
        .filter((event) => event.receivedAt >= since && isKept(event))
        .filter((event) => after === null || inOrder(event, after) > 0)
        .sort(inOrder)
        .slice(0, limit)
        .map(plain),
    unmarkEvents: async (given) => {
      for (const { orgId, id } of given) {
        const event = events.get(keyOf(orgId, id));
        if (event !== undefined) event.markedAt = null;
      }
    },
    unmarkWaiters: async (given) => {
      for (const { runId, nodeId, blockedBy } of given) {
        const waiter = world.runs.get(runId)?.waiters.get(nodeId);
        if (waiter?.blockedBy === blockedBy) waiter.markedAt = null;
      }
    },
    claimMarkedEvents: async (ageMs, limit) => claim(world, events.values(), ageMs, limit).map(received),
    claimMarkedWaiters: async (ageMs, limit) => {
      const all = [...waiters.values()].flatMap((some) => [...some.values()]);
      return claim(world, all, ageMs, limit);
    },
    deleteExpiredEvents: async (limit) => {
      const gone = [...events].filter(([, event]) => event.markedAt === null && !isKept(event)).slice(0, limit);
      for (const [key] of gone) events.delete(key);
      return gone.length;
    },
  };
}

function positionOf({ receivedAt, id }: KeptEventRecord): { readonly at: number; readonly id: string } {
  return { at: receivedAt, id };
}

/** Writes the changes of a commit to events and waiters. */
export function writeEvents(world: MemoryWorld, commit: RunCommit): void {
  const { runId, orgId } = commit;
  for (const nodeId of commit.waitersEnded) removeWaiter(world, runId, nodeId);
  for (const waiter of commit.waiters) {
    removeWaiter(world, runId, waiter.nodeId);
    addWaiter(world, { ...copy(waiter), runId, orgId });
  }
  for (const event of commit.emitted) putEvent(world, orgId, event);
}

function addWaiter(world: MemoryWorld, given: NewWaiter & { runId: string; orgId: string }): void {
  const waiter: MarkedWaiter = { ...given, markedAt: world.now() };
  const key = keyOf(given.orgId, given.type, given.keyDigest);
  const group = world.waiting.waiters.get(key) ?? new Map<string, MarkedWaiter>();
  world.waiting.waiters.set(key, group);
  group.set(keyOf(given.runId, given.nodeId), waiter);
  world.runs.get(given.runId)?.waiters.set(given.nodeId, waiter);
}

export function removeWaiter(world: MemoryWorld, runId: string, nodeId: string): void {
  const run = world.runs.get(runId);
  const waiter = run?.waiters.get(nodeId);
  if (waiter === undefined) return;
  run?.waiters.delete(nodeId);
  const key = keyOf(waiter.orgId, waiter.type, waiter.keyDigest);
  const group = world.waiting.waiters.get(key);
  group?.delete(keyOf(runId, nodeId));
  if (group?.size === 0) world.waiting.waiters.delete(key);
}

/** Returns false when the id exists already. */
function putEvent(world: MemoryWorld, orgId: string, { keepMs, ...event }: NewEvent): boolean {
  const { events } = world.waiting;
  const at = world.now();
  const taken = events.get(keyOf(orgId, event.id));
  if (taken !== undefined && (taken.expiresAt > at || taken.markedAt !== null)) return false;
  const kept = { ...copy(event), orgId, receivedAt: at, expiresAt: at + keepMs, markedAt: at };
  events.set(keyOf(orgId, event.id), kept);
  return true;
}

function claim<T extends { markedAt: number | null }>(
  world: MemoryWorld,
  rows: Iterable<T>,
  ageMs: number,
  limit: number,
): readonly Omit<T, "markedAt">[] {
  const before = world.now() - ageMs;
  const marked = [...rows].filter(({ markedAt }) => markedAt !== null && markedAt <= before);
  const picked = marked.sort((left, right) => (left.markedAt ?? 0) - (right.markedAt ?? 0)).slice(0, limit);
  for (const row of picked) row.markedAt = world.now();
  return picked.map(plain);
}

function plain<T extends { markedAt: number | null }>({ markedAt: _mark, ...rest }: T): Omit<T, "markedAt"> {
  return copy(rest);
}

type Moment = Pick<KeptEventRecord, "receivedAt" | "id">;

function inOrder(left: Moment, right: Moment): number {
  return left.receivedAt - right.receivedAt || compareCodeUnits(left.id, right.id);
}

type Node = Pick<Waiter, "runId" | "nodeId">;

function byNode(left: Node, right: Node): number {
  return compareCodeUnits(left.runId, right.runId) || compareCodeUnits(left.nodeId, right.nodeId);
}
