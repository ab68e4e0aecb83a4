import type { Clock } from "../clock/index.ts";
import { DEFAULT_AGENT_ID } from "../core/governance/index.ts";
import type { GatewayDirectory } from "../gateway/index.ts";
import { agentOf, bindingOf, budgetOf, DEFAULT_AGENT, deploymentOf, modelOf, policyOf } from "../registry/index.ts";
import type { Entry, EntryKind, GovernanceStore, RegistryStore } from "../store/index.ts";
import { Governor } from "./governor.ts";
import type { Registered } from "./registered.ts";
import { RegisteredCache } from "./registered-cache.ts";

export interface GovernanceOptions {
  readonly store: RegistryStore & GovernanceStore;
  readonly directory: GatewayDirectory;
  readonly clock: Clock;
  readonly isAlone: boolean;
  readonly startRate: { readonly count: number; readonly perSeconds: number } | null;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface OpenedGovernance {
  readonly governor: Governor;
  readonly registered: RegisteredCache;
  start(): void;
  stop(): void;
}

/** The judge of a server, over what its organisations have registered. */
export function openGovernance(options: GovernanceOptions): OpenedGovernance {
  const { store, directory, clock, isAlone, startRate, onTrouble } = options;
  const registered = new RegisteredCache({
    load: (orgId) => loadRegistered(store, orgId),
    versions: () => store.configVersions(),
    clock,
    onTrouble,
  });
  const governor = new Governor({ store, directory, registered, clock, isAlone, startRate, onTrouble });
  return {
    governor,
    registered,
    start() {
      registered.start();
      governor.start();
    },
    stop() {
      registered.stop();
      governor.stop();
    },
  };
}

const PAGE = 100;

async function loadRegistered(store: RegistryStore, orgId: string): Promise<Registered> {
  const all = async <T>(kind: EntryKind, read: (entry: Entry) => T): Promise<readonly T[]> => {
    const found: T[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await store.listEntries(orgId, kind, { limit: PAGE, cursor });
      for (const entry of page.data) found.push(read(entry));
      cursor = page.nextCursor;
      if (cursor === null) return found;
    }
  };
  const agents = await all("agent", agentOf);
  const models = await all("model", modelOf);
  return {
    agents: new Map([[DEFAULT_AGENT_ID, DEFAULT_AGENT], ...agents.map((agent) => [agent.id, agent] as const)]),
    policies: (await all("policy", policyOf)).filter(({ isEnabled }) => isEnabled),
    budgets: await all("budget", budgetOf),
    models: new Map(models.map((model) => [model.id, model])),
    deployments: await all("deployment", deploymentOf),
    bindings: await all("binding", bindingOf),
    platform: await store.getPlatform(orgId),
  };
}
