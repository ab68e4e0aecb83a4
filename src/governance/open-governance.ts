import type { Clock } from "../clock/index.ts";
import { NO_ORGANISATION_LIMITS, type OrganisationLimits } from "../core/governance/index.ts";
import { DEFAULT_AGENT_ID } from "../core/plan/index.ts";
import type { GatewayDirectory } from "../gateway/index.ts";
import {
  agentOf,
  bindingOf,
  budgetOf,
  creditPlanOf,
  DEFAULT_AGENT,
  deploymentOf,
  grantOf,
  modelOf,
  policyOf,
  toolOf,
} from "../registry/index.ts";
import {
  type AgentMemoryStore,
  type BacklogStore,
  type Entry,
  type EntryKind,
  everyEntry,
  type GovernanceStore,
  type LaunchApprovalStore,
  type PauseStore,
  type RegistryStore,
  type WaitingStore,
} from "../store/index.ts";
import { Governor } from "./governor.ts";
import { LaunchAdmission } from "./launch-admission.ts";
import { OrganisationUse } from "./organisation-use.ts";
import { Reconciler, type ReconcilerFigures } from "./reconciler.ts";
import { grantsByHolder, type Registered } from "./registered.ts";
import type { WorkerPresence } from "./worker-route.ts";
import { RegisteredCache } from "./registered-cache.ts";

export interface GovernanceOptions {
  readonly store: RegistryStore &
    PauseStore &
    GovernanceStore &
    WaitingStore &
    LaunchApprovalStore &
    AgentMemoryStore &
    Pick<BacklogStore, "readStorage">;
  readonly directory: GatewayDirectory;
  readonly clock: Clock;
  readonly isAlone: boolean;
  readonly workers?: WorkerPresence;
  /** How many runs a key may start; null for no limit. */
  readonly startRate: { readonly count: number; readonly perSeconds: number } | null;
  /** Limits of organisations; default: none. */
  readonly limits?: (orgId: string) => OrganisationLimits;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface GovernanceFigures extends ReconcilerFigures {
  /** Waiting nodes that this process holds in memory. */
  readonly waitingNodes: number;
}

export interface OpenedGovernance {
  readonly governor: Governor;
  readonly registered: RegisteredCache;
  readonly use: OrganisationUse;
  readonly launches: LaunchAdmission;
  figures(): GovernanceFigures;
  start(): void;
  stop(): void;
}

/** Opens the judge of a server, based on what its organisations have registered. */
export function openGovernance(options: GovernanceOptions): OpenedGovernance {
  const { store, directory, clock, isAlone, workers = null, startRate, onTrouble } = options;
  const limits = options.limits ?? (() => NO_ORGANISATION_LIMITS);
  const use = new OrganisationUse({ store, startRate, limits, now: () => clock.now() });
  const registered = new RegisteredCache({
    load: (orgId) => loadRegistered(store, orgId),
    versions: () => store.configVersions(),
    clock,
    onTrouble,
  });
  const governor = new Governor({ store, directory, registered, clock, isAlone, workers, use, onTrouble });
  const reconciler = new Reconciler({ store, clock, onTrouble });
  return {
    governor,
    registered,
    use,
    launches: new LaunchAdmission({ governor, registered, store, clock, use }),
    figures: () => ({ ...reconciler.figures(), waitingNodes: governor.waitingCount }),
    start() {
      registered.start();
      governor.start();
      reconciler.start();
    },
    stop() {
      registered.stop();
      governor.stop();
      reconciler.stop();
    },
  };
}

async function loadRegistered(store: RegistryStore & PauseStore, orgId: string): Promise<Registered> {
  const all = async <T>(kind: EntryKind, read: (entry: Entry) => T): Promise<readonly T[]> =>
    (await everyEntry(store, orgId, kind)).map(read);
  const agents = await all("agent", agentOf);
  const models = await all("model", modelOf);
  return {
    agents: new Map([[DEFAULT_AGENT_ID, DEFAULT_AGENT], ...agents.map((agent) => [agent.id, agent] as const)]),
    policies: (await all("policy", policyOf)).filter(({ isEnabled }) => isEnabled),
    budgets: await all("budget", budgetOf),
    models: new Map(models.map((model) => [model.id, model])),
    creditPlans: await all("credit_plan", creditPlanOf),
    deployments: await all("deployment", deploymentOf),
    bindings: await all("binding", bindingOf),
    tools: await all("tool", toolOf),
    grants: grantsByHolder(await all("grant", grantOf)),
    platform: await store.getPlatform(orgId),
    pauses: await store.pausesOf(orgId),
  };
}
