import { memoryAgentMemory } from "./memory/memory-agent-memory.ts";
import { memoryAlerts } from "./memory/memory-alerts.ts";
import { memoryApprovalInbox } from "./memory/memory-approval-inbox.ts";
import { memoryAudit } from "./memory/memory-audit.ts";
import { memoryBacklog } from "./memory/memory-backlog.ts";
import { memorySearch } from "./memory/memory-search.ts";
import { memoryFiles } from "./memory/memory-files.ts";
import { memoryChannels } from "./memory/memory-channels.ts";
import { memoryErasure } from "./memory/memory-erasure.ts";
import { memoryEvents } from "./memory/memory-events.ts";
import { memoryGateways } from "./memory/memory-gateways.ts";
import { memoryGovernance } from "./memory/memory-governance.ts";
import { memoryHistory } from "./memory/memory-history.ts";
import { memoryKeys } from "./memory/memory-keys.ts";
import { memoryLaunchApprovals } from "./memory/memory-launch-approvals.ts";
import { memoryLive } from "./memory/memory-live.ts";
import { memoryMemberships, memoryOrganisations, memoryPersons } from "./memory/memory-people.ts";
import { memoryRegistry } from "./memory/memory-registry.ts";
import { memoryReplicas } from "./memory/memory-replicas.ts";
import { memoryReports } from "./memory/memory-reports.ts";
import { memoryRuns } from "./memory/memory-runs.ts";
import { memorySecrets } from "./memory/memory-secrets.ts";
import { memorySchedules } from "./memory/memory-schedules.ts";
import { memoryTriggers } from "./memory/memory-triggers.ts";
import { memoryInvitations, memorySessions } from "./memory/memory-sessions.ts";
import { memoryViews } from "./memory/memory-views.ts";
import { memoryPauses } from "./memory/memory-pauses.ts";
import { memoryPlaces } from "./memory/memory-places.ts";
import { memoryWaiting } from "./memory/memory-waiting.ts";
import { memoryWork } from "./memory/memory-work.ts";
import { memoryWorkflows } from "./memory/memory-workflows.ts";
import { memoryHooks, memoryWebhooks } from "./memory/memory-webhooks.ts";
import { createMemoryWorld } from "./memory/memory-world.ts";
import type { Store } from "./store.ts";

export interface MemoryStoreOptions {
  /** Clock that the store uses as database time; default: the process's clock. */
  readonly now?: () => number;
}

/** The store contract in memory, for tests and for runs that need not survive the process. */
export function createMemoryStore({ now = Date.now }: MemoryStoreOptions = {}): Store {
  const world = createMemoryWorld(now);
  return {
    ...memoryRuns(world),
    ...memoryApprovalInbox(world),
    ...memoryWorkflows(world),
    ...memoryKeys(world),
    ...memoryPersons(world),
    ...memoryOrganisations(world),
    ...memoryMemberships(world),
    ...memoryInvitations(world),
    ...memorySessions(world),
    ...memoryReplicas(world),
    ...memoryWaiting(world),
    ...memoryPlaces(world),
    ...memoryPauses(world),
    ...memoryBacklog(world),
    ...memoryEvents(world),
    ...memoryLive(world),
    ...memoryRegistry(world),
    ...memoryGateways(world),
    ...memoryReports(world),
    ...memoryAudit(world),
    ...memoryGovernance(world),
    ...memoryAgentMemory(world),
    ...memoryLaunchApprovals(world),
    ...memoryWebhooks(world),
    ...memoryChannels(world),
    ...memoryHooks(world),
    ...memoryAlerts(world),
    ...memorySchedules(world),
    ...memorySecrets(world),
    ...memoryFiles(world),
    ...memorySearch(world),
    ...memoryViews(world),
    ...memoryHistory(world),
    ...memoryErasure(world),
    ...memoryTriggers(world),
    ...memoryWork(world),
    makePartitions: async () => undefined,
    dropPartitions: async () => [],
    migrate: async () => undefined,
    ping: async () => undefined,
    close: async () => undefined,
  };
}
