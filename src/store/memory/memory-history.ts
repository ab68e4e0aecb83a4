import { isTerminal } from "../../core/event/index.ts";
import { appendedAuditId } from "../audit-id.ts";
import type { ErasureStore } from "../erasure-store.ts";
import { hashesIn, readBodies } from "../event-pack.ts";
import {
  type DeletedFamily,
  type Deletion,
  type FamilyMember,
  type HistoryStore,
  isSameFamily,
} from "../history-store.ts";
import { NO_RUN } from "../launch-approval-store.ts";
import { memoryArchives, memoryEnded } from "./memory-archives.ts";
import { removeWaiter } from "./memory-events.ts";
import { keep, keyOf, type MemoryWorld } from "./memory-world.ts";

export function memoryHistory(world: MemoryWorld): Omit<HistoryStore, keyof ErasureStore> {
  return {
    deleteFamily: async (orgId, runId, note, as) => {
      const found = closedFamily(world, orgId, runId, as);
      if (found.kind !== "deleted") return found;
      removeRuns(world, orgId, new Set(found.runIds));
      const body = JSON.stringify([note(found)]);
      world.audit.pending.set(appendedAuditId(), { orgId, at: world.now(), body });
      return found;
    },
    deleteFamilies: async (orgId, families, note) => {
      const found = families.map(({ runId, as }) => closedFamily(world, orgId, runId, as));
      const gone = found.filter((one) => one.kind === "deleted");
      removeRuns(world, orgId, new Set(gone.flatMap(({ runIds }) => runIds)));
      const body = JSON.stringify(gone.map(note));
      if (gone.length > 0) world.audit.pending.set(appendedAuditId(), { orgId, at: world.now(), body });
      return gone.length;
    },
    familyOf: async (orgId, runId) => (world.runs.get(runId)?.orgId === orgId ? membersOf(world, runId) : []),
    pruneLaunches: async (orgId, { before, workflow, except }, limit) => {
      const usable = new Set(world.launches.values());
      const gone = [...world.approvals.values()]
        .filter((one) => one.orgId === orgId && one.runId === NO_RUN && one.status !== "pending")
        .filter((one) => one.requestedAt < before && !usable.has(one.id))
        .filter((one) => (workflow === null || one.workflow === workflow) && !except.includes(one.workflow ?? ""))
        .slice(0, limit);
      for (const { id } of gone) removeApproval(world, orgId, id);
      return gone.length;
    },
    ...memoryEnded(world),
    ...memoryArchives(world),
  };
}

function membersOf(world: MemoryWorld, runId: string): readonly FamilyMember[] {
  return familyOf(world, runId).flatMap((id) => {
    const head = world.runs.get(id)?.head;
    return head === undefined ? [] : [{ runId: id, rowVersion: head.rowVersion, isOpen: !isTerminal(head.status) }];
  });
}

function closedFamily(world: MemoryWorld, orgId: string, runId: string, as?: readonly FamilyMember[]): Deletion {
  const run = world.runs.get(runId);
  if (run?.orgId !== orgId) return { kind: "unknown" };
  const rootRunId = rootOf(world, runId);
  if (rootRunId !== runId) return { kind: "child", rootRunId };
  const members = membersOf(world, runId);
  const runIds = members.map((member) => member.runId);
  const [open] = members
    .filter(({ isOpen }) => isOpen)
    .map((member) => member.runId)
    .toSorted();
  if (open !== undefined) return { kind: "open", runId: open };
  if (as !== undefined && !isSameFamily(as, members)) return { kind: "changed" };
  const own = new Set(runIds);
  const users = [...world.runs].filter(
    ([, { pinned, head }]) => own.has(pinned.sourceRunId ?? "") && !isTerminal(head.status),
  );
  const [by] = users.map(([id]) => id).toSorted();
  if (by !== undefined) return { kind: "in_use", by };
  const family: DeletedFamily = { runId, workflow: run.pinned.workflow, runIds };
  return { kind: "deleted", ...family };
}

function rootOf(world: MemoryWorld, runId: string): string {
  const parent = world.runs.get(runId)?.pinned.parentRunId ?? null;
  return parent === null || !world.runs.has(parent) ? runId : rootOf(world, parent);
}

/** Returns the family breadth first, in the order in which the database finds it. */
function familyOf(world: MemoryWorld, runId: string): readonly string[] {
  let found: readonly string[] = [];
  for (let level = [runId]; level.length > 0;) {
    found = [...found, ...level.toSorted()];
    const parents = new Set(level);
    level = [...world.runs].filter(([, { pinned }]) => parents.has(pinned.parentRunId ?? "")).map(([id]) => id);
  }
  return found;
}

function removeRuns(world: MemoryWorld, orgId: string, runIds: ReadonlySet<string>): void {
  const isOwn = ({ runId }: { readonly runId: string | null }): boolean => runId !== null && runIds.has(runId);
  for (const [id, approval] of world.approvals) if (isOwn(approval)) removeApproval(world, orgId, id);
  for (const runId of runIds) {
    const waiting = Array.from(world.runs.get(runId)?.waiters.keys() ?? []);
    for (const nodeId of waiting) removeWaiter(world, runId, nodeId);
    world.places.delete(runId);
    world.history.imports.delete(runId);
    world.history.erasures.delete(runId);
    world.webhooks.feeds.delete(runId);
  }
  removeUnusedBlobs(world, orgId, runIds);
  for (const runId of runIds) world.runs.delete(runId);
  removeFrom(world.idempotency, isOwn);
  removeFrom(world.reports, isOwn);
  removeFrom(world.webhooks.deliveries, isOwn);
  removeFrom(world.files.references, isOwn);
  keep(world.verdicts, (verdict) => !isOwn(verdict));
  keep(world.memories, (memory) => !isOwn(memory));
}

function removeApproval(world: MemoryWorld, orgId: string, id: string): void {
  world.approvals.delete(id);
  world.noted.delete(id);
  world.comments.delete(keyOf(orgId, id));
  removeFrom(world.channels.tickets, ({ approvalId }) => approvalId === id);
  keep(world.channels.postings, ({ approvalId }) => approvalId !== id);
}

/** Removes values that these runs refer to and no other run of the organisation does. */
export function removeUnusedBlobs(world: MemoryWorld, orgId: string, runIds: ReadonlySet<string>): void {
  const hashesOf = (isWanted: (runId: string) => boolean): ReadonlySet<string> =>
    new Set(
      [...world.runs].flatMap(([runId, run]) =>
        run.orgId === orgId && isWanted(runId) ? [...hashesIn(readBodies(run.bodies))] : [],
      ),
    );
  const used = hashesOf((runId) => !runIds.has(runId));
  for (const hash of hashesOf((runId) => runIds.has(runId))) {
    if (!used.has(hash)) world.blobs.delete(keyOf(orgId, hash));
  }
}

export function removeFrom<T>(map: Map<string, T>, isGone: (value: T) => boolean): void {
  for (const [key, value] of map) if (isGone(value)) map.delete(key);
}
