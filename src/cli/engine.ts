import { join } from "node:path";
import { AuditTrail } from "../audit/index.ts";
import { modelsOf, secretsOf, turnsOf } from "../bridge/index.ts";
import { DurableDriver } from "../driver/index.ts";
import { Files, runFiles } from "../files/index.ts";
import { openGateways } from "../gateway/index.ts";
import { openGovernance } from "../governance/index.ts";
import { openHistory } from "../history/index.ts";
import { openChildPreparer, RunLauncher } from "../launch/index.ts";
import { EventStarter } from "../outside/trigger/index.ts";
import { PeerAgent } from "../outbound/index.ts";
import { createScriptAdapter } from "../script/index.ts";
import { DispatchSecrets, openSources, Secrets } from "../secrets/index.ts";
import { createTriggers } from "../server/index.ts";
import { OrganisationMoving, StoreUnavailable } from "../store/index.ts";
import { openWork } from "../work/index.ts";
import { readFormerKeys } from "./audit-key.ts";
import { openArchivePlaces, openFileStorage } from "./file-storage.ts";
import type { HostParts } from "./host.ts";
import type { Io } from "./io.ts";
import { openSecretKeys, readSecretSources } from "./secret-keys.ts";

export type Engine = Awaited<ReturnType<typeof openEngine>>;

/** Opens all parts of the engine without starting them. */
export async function openEngine(
  io: Io,
  { config, storage, bridge, outbound, startRate, limits, archivesAnywhere, log, cell }: HostParts,
  onTrouble: (what: string, error: unknown) => void,
) {
  const { env, clock } = io;
  const { store, isEmbedded } = storage;
  const objects = openFileStorage(io, config);
  const { adapters, redactor, defaultProvider, answersAny, moderation } = bridge;
  const providers = adapters.map(({ provider }) => provider);
  const about = { models: modelsOf(adapters), turns: turnsOf(adapters), secrets: secretsOf(adapters) };
  const local = { providers, defaultProvider, answersAny, ...about };
  const { secretKey, formerKeys } = await openSecretKeys(env, store, log);
  const files = new Files({ store, objects, secretKey, formerKeys, now: () => clock.now() });
  const graceMs = config.gatewayGrace === undefined ? {} : { graceMs: config.gatewayGrace * 1_000 };
  const keys = { secretKey, formerKeys };
  const gateways = await openGateways({ store, clock, ...keys, local, outbound, ...graceMs, onTrouble });
  const agent = new PeerAgent(outbound);
  const { directory, tickets, box, isKeyed } = gateways;
  const sources = openSources({ ...readSecretSources(env), agent });
  const secrets = new Secrets({ store, box, isKeyed, sources, now: () => clock.now() });
  const handed = new DispatchSecrets({
    secrets,
    referencesOf: (orgId, gatewayId, provider) => directory.find(orgId, gatewayId)?.secrets[provider] ?? [],
  });
  const work = openWork({ store, clock, onTrouble });
  const { workers } = work;
  const judged = { store, directory, clock, isAlone: isEmbedded, workers, startRate, limits, onTrouble };
  const governance = openGovernance(judged);
  const { governor } = governance;
  const audit = openAudit(io, config, store);
  const places = openArchivePlaces(io, config, objects, archivesAnywhere);
  const forgetMemories = (): Promise<void> => governor.memories.refreshAll(governance.registered);
  const history = openHistory({ store, files, audit, places, forgetMemories, now: () => clock.now() });
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  // Runs script steps. It is part of the engine and not a provider that steps may name.
  const scripts = createScriptAdapter({ clock });
  const runtime: DurableDriver = new DurableDriver({
    store,
    adapters: [...adapters, scripts],
    redactor,
    moderation,
    box,
    judge: governor,
    remote: { directory, tickets, agent, publicUrl: () => gateways.publicUrl },
    files: (orgId, runId, signal) => runFiles({ files, store, orgId, runId, patience: { signal, pause } }),
    functions: work.queue,
    secrets: (place, request) => handed.forDispatch(place, request),
    onEvent: (event) => starter.start(event),
    children: () => openChildPreparer({ store, runtime: () => runtime, governor, now: () => clock.now() }),
    clock,
    monotonic: () => performance.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable && !(error instanceof OrganisationMoving),
    ...cell?.driver,
    supersedesAll: isEmbedded,
    maxOpenRuns: (orgId) => limits(orgId).openRuns,
    onTrouble,
  });
  const launcher = new RunLauncher({ store, runtime, governance });
  const triggers = createTriggers({ store, runtime, launcher });
  const starter = new EventStarter({ store, starter: triggers });
  const parts = { store, secrets, gateways, governance, audit, agent, runtime, launcher };
  return { ...parts, outbound, files, history, objects, scripts, work };
}

function openAudit({ env, clock }: Io, config: HostParts["config"], store: HostParts["storage"]["store"]): AuditTrail {
  const seed = env["SLUICE_AUDIT_SEED"] ?? "";
  return new AuditTrail({
    store,
    now: () => clock.now(),
    checkpointFile: join(config.data, "audit", "checkpoints.ndjson"),
    formerKeys: readFormerKeys(env),
    ...(seed === "" ? {} : { seed }),
  });
}
