import { compareCodeUnits } from "../../core/base/index.ts";
import { type AgentMemoryStore, MEMORY_ENTRIES_MAX, memoryEntryId, type MemoryRecord } from "../agent-memory-store.ts";
import { appendedAuditId } from "../audit-id.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { RunCommit } from "../store.ts";
import { copy, keep, keyOf, type MemoryWorld } from "./memory-world.ts";

export function writeMemories(world: MemoryWorld, { orgId, memories }: RunCommit): void {
  for (const entry of memories) world.memories.push({ ...copy(entry), orgId });
}

export function memoryAgentMemory(world: MemoryWorld): AgentMemoryStore {
  const newestFirst = (fits: (entry: Kept) => boolean): readonly Kept[] => world.memories.filter(fits).sort(byAge);
  return {
    readMemories: async (orgId, memories) => {
      const inOrder = [...memories].sort(
        (left, right) => compareCodeUnits(left.agentId, right.agentId) || compareCodeUnits(left.profile, right.profile),
      );
      return inOrder.flatMap(({ agentId, profile }) =>
        newestFirst((one) => one.orgId === orgId && one.agentId === agentId && one.profile === profile)
          .slice(0, MEMORY_ENTRIES_MAX)
          .reverse()
          .map(shown),
      );
    },
    listMemory: async (orgId, agentId, page) => {
      const after = decodeCursor(page.cursor);
      const isFurther = ({ at, ...entry }: Kept): boolean =>
        after === null || at < after.at || (at === after.at && compareCodeUnits(memoryEntryId(entry), after.id) < 0);
      const rows = newestFirst((one) => one.orgId === orgId && one.agentId === agentId && isFurther(one));
      return listed(rows.map(shown), page.limit, (entry) => ({ at: entry.at, id: memoryEntryId(entry) }));
    },
    forgetMemory: async (orgId, agentId, entry) => {
      const gone = remove(world, (one) => one.orgId === orgId && one.agentId === agentId, Infinity);
      if (gone > 0) {
        world.audit.pending.set(appendedAuditId(), { orgId, at: entry.at, body: JSON.stringify([entry]) });
      }
      return gone;
    },
    pruneMemories: async (limit) => {
      const counts = new Map<string, number>();
      const isOver = ({ orgId, agentId, profile }: Kept): boolean => {
        const key = keyOf(orgId, agentId, profile);
        const age = (counts.get(key) ?? 0) + 1;
        counts.set(key, age);
        return age > MEMORY_ENTRIES_MAX || !world.entries.has(keyOf(orgId, "agent", agentId));
      };
      const over = new Set(newestFirst(() => true).filter(isOver));
      return remove(world, (one) => over.has(one), limit);
    },
  };
}

type Kept = MemoryWorld["memories"][number];

function byAge(left: Kept, right: Kept): number {
  return right.at - left.at || compareCodeUnits(memoryEntryId(right), memoryEntryId(left));
}

function shown({ orgId: _org, ...entry }: Kept): MemoryRecord {
  return { ...entry };
}

function remove({ memories }: MemoryWorld, fits: (entry: Kept) => boolean, limit: number): number {
  const gone = new Set(memories.filter(fits).slice(0, limit));
  keep(memories, (entry) => !gone.has(entry));
  return gone.size;
}
