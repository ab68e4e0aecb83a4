import { compareCodeUnits } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { Entry, RegistryStore } from "../registry-store.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

export function memoryRegistry(world: MemoryWorld): RegistryStore {
  return {
    getEntry: async (orgId, kind, id) => {
      const entry = world.entries.get(keyOf(orgId, kind, id));
      return entry === undefined ? undefined : copy(entry);
    },
    listEntries: async (orgId, kind, page) => {
      const after = decodeCursor(page.cursor)?.id ?? null;
      const entries = [...world.entries]
        .filter(
          ([key, { id }]) => key === keyOf(orgId, kind, id) && (after === null || compareCodeUnits(id, after) > 0),
        )
        .map(([, entry]) => copy(entry))
        .sort((left, right) => compareCodeUnits(left.id, right.id));
      return listed(entries, page.limit, ({ id }) => ({ at: 0, id }));
    },
    putEntry: async (orgId, kind, id, body, at) => {
      const key = keyOf(orgId, kind, id);
      const before = world.entries.get(key);
      const isSame = before !== undefined && JSON.stringify(before.body) === JSON.stringify(body);
      const entry: Entry = isSame
        ? before
        : {
            id,
            revision: (before?.revision ?? 0) + 1,
            body: copy(body),
            createdAt: before?.createdAt ?? at,
            updatedAt: at,
          };
      world.entries.set(key, entry);
      return copy(entry);
    },
    deleteEntry: async (orgId, kind, id) => world.entries.delete(keyOf(orgId, kind, id)),
  };
}
