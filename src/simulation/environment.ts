import { SCRIPTED_PROVIDER } from "../adapters/index.ts";
import type { Clock } from "../clock/index.ts";
import { compareCodeUnits } from "../core/base/index.ts";
import { DEFAULT_AGENT_ID, type Plan } from "../core/plan/index.ts";
import { type GatewayDirectory, openGateways } from "../gateway/index.ts";
import { openGovernance, type OpenedGovernance } from "../governance/index.ts";
import { type AppliedManifest, type Manifest, planApply, readSpec } from "../registry/index.ts";
import {
  createMemoryStore,
  everyEntry,
  type GovernanceStore,
  type Store,
  type WorkflowRecord,
} from "../store/index.ts";

/** The registered rules a simulation uses. They are read and never written. */
export interface SimulationEnvironment {
  readonly orgId: string;
  readonly directory: GatewayDirectory;
  readonly registered: OpenedGovernance["registered"];
  /** Reads the present usage of slots and budgets. */
  readonly counters: Pick<GovernanceStore, "readCounters" | "readCountersOf">;
}

export interface BuiltEnvironment extends SimulationEnvironment {
  /** Returns the record of a workflow; undefined when no manifest mentions it. */
  workflow(name: string): Promise<WorkflowRecord | undefined>;
  /** Agents that only the plans name, and that were assumed to be new. */
  readonly assumedAgents: readonly string[];
}

export type EnvironmentOptions =
  | { readonly ok: true; readonly environment: BuiltEnvironment }
  | { readonly ok: false; readonly applied: readonly AppliedManifest[] };

const ORG = "simulation";

/**
 * Builds an environment for one simulation: a new organisation with the entries of the manifests. With null manifests,
 * every agent and all other entries the plans name are assumed to exist, with default settings.
 */
export async function buildEnvironment(
  manifests: readonly Manifest[] | null,
  plans: readonly Plan[],
  clock: Clock,
): Promise<EnvironmentOptions> {
  const store = createMemoryStore({ now: () => clock.now() });
  const at = clock.now();
  const around = {
    store,
    orgId: ORG,
    at,
    actor: "simulation",
    // Sealing is not needed, because the data of a simulation is never stored.
    box: { seal: (text: string) => text, open: (sealed: string) => sealed },
    isKeyed: true,
    newTokens: async () => [],
    builtInGateway: () => undefined,
  };
  const { isValid, applied, changes } = await planApply(manifests ?? [], around);
  if (!isValid) return { ok: false, applied };
  await store.applyEntries(ORG, changes, at);
  const assumedAgents = manifests === null ? await assumeNamed(store, plans, at) : [];
  const providers = await providersOf(store, plans);
  const local = { providers, defaultProvider: SCRIPTED_PROVIDER, answersAny: true };
  const { directory } = await openGateways({ store, clock, secretKey: null, local, onTrouble });
  const options = { store, directory, clock, isAlone: true, startRate: null, onTrouble };
  const { registered } = openGovernance(options);
  const workflow: BuiltEnvironment["workflow"] = (name) => store.getWorkflow(ORG, name);
  return { ok: true, environment: { orgId: ORG, directory, registered, counters: store, workflow, assumedAgents } };
}

function onTrouble(what: string, error: unknown): never {
  throw new Error(what, { cause: error });
}

/** Registers the named entries. Without it, the author of a workflow would see only that agents are missing. */
async function assumeNamed(store: Store, plans: readonly Plan[], at: number): Promise<readonly string[]> {
  const agents = new Set<string>();
  const capabilities = new Set<string>();
  for (const plan of plans) {
    for (const agent of Object.values(plan.agentByRole)) if (agent !== null) agents.add(agent);
    for (const { request } of plan.nodes) {
      if (request.agent !== null) agents.add(request.agent);
      for (const capability of request.capabilities) capabilities.add(capability);
    }
  }
  agents.delete(DEFAULT_AGENT_ID);
  for (const agent of agents) await put(store, "Agent", agent, {}, at);
  if (capabilities.size > 0) await put(store, "Gateway", "local", { capabilities: [...capabilities] }, at);
  return [...agents].sort(compareCodeUnits);
}

async function put(
  store: Store,
  kind: "Agent" | "Gateway",
  name: string,
  spec: { readonly capabilities?: string[] },
  at: number,
): Promise<void> {
  const read = readSpec(kind, name, spec);
  // A name that cannot be registered stays unknown, and is refused for that reason.
  if (read.ok) await store.putEntry(ORG, kind === "Agent" ? "agent" : "gateway", name, read.body, at);
}

/** Returns every provider the plans and agents name, so that models have a price although the script answers for them. */
async function providersOf(store: Store, plans: readonly Plan[]): Promise<readonly string[]> {
  const named = plans.flatMap((plan) => plan.nodes.flatMap(({ request }) => request.provider ?? []));
  const agents = (await everyEntry(store, ORG, "agent")).flatMap(({ body }) =>
    typeof body["provider"] === "string" ? [body["provider"]] : [],
  );
  return [...new Set([SCRIPTED_PROVIDER, ...named, ...agents])];
}
