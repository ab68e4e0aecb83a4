import { memoryAudit } from "./memory/memory-audit.ts";
import { memoryGateways } from "./memory/memory-gateways.ts";
import { memoryGovernance } from "./memory/memory-governance.ts";
import { memoryKeys } from "./memory/memory-keys.ts";
import { memoryRegistry } from "./memory/memory-registry.ts";
import { memoryReplicas } from "./memory/memory-replicas.ts";
import { memoryReports } from "./memory/memory-reports.ts";
import { memoryRuns } from "./memory/memory-runs.ts";
import { memoryWorkflows } from "./memory/memory-workflows.ts";
import { createMemoryWorld } from "./memory/memory-world.ts";
import type { Store } from "./store.ts";

export interface MemoryStoreOptions {
  /** What the store takes for database time; the process's clock unless told. */
  readonly now?: () => number;
}

/** The store contract in memory: for tests, and for runs that need not outlive the process. */
export function createMemoryStore({ now = Date.now }: MemoryStoreOptions = {}): Store {
  const world = createMemoryWorld(now);
  return {
    ...memoryRuns(world),
    ...memoryWorkflows(world),
    ...memoryKeys(world),
    ...memoryReplicas(world),
    ...memoryRegistry(world),
    ...memoryGateways(world),
    ...memoryReports(world),
    ...memoryAudit(world),
    ...memoryGovernance(world),
    migrate: async () => undefined,
    ping: async () => undefined,
    close: async () => undefined,
  };
}
