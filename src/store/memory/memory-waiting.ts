import { compareCodeUnits } from "../../core/base/index.ts";
import {
  type NodeWait,
  lowerPriorityShare,
  type WaitingNode,
  type WaitingQueue,
  type WaitingStore,
} from "../waiting-store.ts";
import { keyOf, type MemoryWorld } from "./memory-world.ts";

type Row = NodeWait & { readonly orgId: string; readonly runId: string };

export function memoryWaiting(world: MemoryWorld): WaitingStore {
  const change = ({ runId, nodeId }: Row, replicaId: string | null): void => {
    const waits = world.runs.get(runId)?.waits;
    const wait = waits?.get(nodeId);
    if (waits !== undefined && wait !== undefined) waits.set(nodeId, { ...wait, replicaId });
  };
  return {
    backlogQueues: async (limit) => {
      const found = new Map<string, WaitingQueue>();
      for (const { orgId, queue, replicaId } of rowsOf(world)) {
        if (replicaId === null) found.set(keyOf(orgId, queue), { orgId, queue });
      }
      return [...found.values()]
        .sort((left, right) => compareCodeUnits(left.orgId, right.orgId) || compareCodeUnits(left.queue, right.queue))
        .slice(0, limit);
    },
    claimWaiting: async ({ orgId, queue }, replicaId, limit) => {
      const waiting = rowsOf(world)
        .filter((row) => row.orgId === orgId && row.queue === queue && row.replicaId === null)
        .sort(inOrder);
      const shared = lowerPriorityShare(limit);
      const later = [2, 4].flatMap((rank) => waiting.filter((row) => row.rank >= rank).slice(0, shared));
      const picked = [...new Set([...waiting.slice(0, limit), ...later])].sort(inOrder);
      for (const row of picked) change(row, replicaId);
      return picked.map(({ runId, nodeId, rank, since }): WaitingNode => ({ runId, nodeId, rank, since }));
    },
    releaseWaiting: async (limit) => {
      const isGone = ({ replicaId }: Row): boolean =>
        replicaId !== null && (world.replicas.get(replicaId) ?? 0) <= world.now();
      const orphans = rowsOf(world).filter(isGone).slice(0, limit);
      for (const row of orphans) change(row, null);
      return orphans.length;
    },
  };
}

function rowsOf(world: MemoryWorld): readonly Row[] {
  return [...world.runs].flatMap(([runId, { orgId, waits }]) =>
    [...waits.values()].map((wait) => ({ ...wait, orgId, runId })),
  );
}

function inOrder(left: Row, right: Row): number {
  return (
    left.rank - right.rank ||
    left.since - right.since ||
    compareCodeUnits(left.runId, right.runId) ||
    compareCodeUnits(left.nodeId, right.nodeId)
  );
}
