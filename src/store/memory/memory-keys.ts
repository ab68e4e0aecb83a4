import type { KeyStore } from "../key-store.ts";
import { newestFirst } from "./memory-runs.ts";
import { copy, type MemoryWorld } from "./memory-world.ts";

export function memoryKeys(world: MemoryWorld): KeyStore {
  return {
    putKey: async (key) => {
      world.keys.set(key.id, copy(key));
    },
    findKey: async (hash) => {
      for (const key of world.keys.values()) if (key.hash === hash) return copy(key);
      return undefined;
    },
    getKey: async (orgId, keyId) => {
      const key = world.keys.get(keyId);
      return key?.orgId === orgId ? copy(key) : undefined;
    },
    listKeys: async (orgId, page) =>
      newestFirst(
        [...world.keys.values()].filter((key) => key.orgId === orgId).map(copy),
        page,
        ({ createdAt, id }) => ({ at: createdAt, id }),
      ),
    listEndedKeys: async (keyIds) =>
      keyIds.filter((id) => {
        const key = world.keys.get(id);
        if (key === undefined || key.revokedAt !== null) return true;
        return key.expiresAt !== null && key.expiresAt <= world.now();
      }),
    revokeKey: async (orgId, keyId, at) => {
      const key = world.keys.get(keyId);
      if (key?.orgId !== orgId) return false;
      world.keys.set(keyId, { ...key, revokedAt: key.revokedAt ?? at });
      return true;
    },
  };
}
