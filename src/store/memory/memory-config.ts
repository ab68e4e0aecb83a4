import type { RegistryStore } from "../registry-store.ts";
import { memoryAudit } from "./memory-audit.ts";
import { copy, type MemoryConfig, type MemoryWorld } from "./memory-world.ts";

const FRESH: MemoryConfig = { version: 0, platform: { isOpen: true, reason: null } };

export function memoryConfig(
  world: MemoryWorld,
): Pick<RegistryStore, "configVersions" | "getPlatform" | "putPlatform"> {
  return {
    configVersions: async () => new Map([...world.config].map(([orgId, { version }]) => [orgId, version])),
    getPlatform: async (orgId) => copy((world.config.get(orgId) ?? FRESH).platform),
    putPlatform: async (orgId, platform, audit = []) => {
      raiseConfig(world, orgId);
      world.config.set(orgId, { ...(world.config.get(orgId) ?? FRESH), platform: copy(platform) });
      await memoryAudit(world).appendAudit(orgId, audit);
    },
  };
}

export function raiseConfig(world: MemoryWorld, orgId: string): void {
  const before = world.config.get(orgId) ?? FRESH;
  world.config.set(orgId, { ...before, version: before.version + 1 });
}
