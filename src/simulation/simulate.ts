import { createScriptedAdapter, type Ledger, SCRIPTED_PROVIDER, type Script } from "../adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../clock/index.ts";
import type { Adapter } from "../adapter/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { RunPaths } from "../core/cases/index.ts";
import type { RunState } from "../core/engine/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import { type Judgement, NO_ORGANISATION_LIMITS } from "../core/governance/index.ts";
import type { Plan } from "../core/plan/index.ts";
import { DurableDriver, type KnownPlans } from "../driver/index.ts";
import { createAllowAllJudge, Governor, type Judge, type LaunchSubject, OrganisationUse } from "../governance/index.ts";
import { storeUnsavedWorkflow, openChildPreparer, type UnsavedWorkflow } from "../launch/index.ts";
import { createScriptAdapter } from "../script/index.ts";
import { createMemoryStore, type Store, type StoredVerdict } from "../store/index.ts";
import { answerAll, type AnswerQuestion, type ApproveMode } from "./answer.ts";
import type { SimulationEnvironment } from "./environment.ts";
import type { OutsideEvent } from "./outside-event.ts";
import { QuietPeriodSkipper } from "./quiet-period-skipper.ts";
import { type FamilyRun, FamilyWatcher } from "./family-watcher.ts";

/** The plan and inputs of a simulation. */
export interface SimulationInput extends UnsavedWorkflow {
  readonly plan: Plan;
  readonly version: number | null;
  /** The args, checked against the declared ones. */
  readonly args: JsonObject;
  readonly script: Script;
}

export interface SimulationOptions {
  readonly approve: ApproveMode | AnswerQuestion;
  /** Events from outside; absent for none. */
  readonly events?: readonly OutsideEvent[];
  /** Plans shared by simulations of the same workflow; absent when none are shared. */
  readonly knownPlans?: KnownPlans;
  /** Records every call of an adapter before it is answered. */
  readonly ledger?: Ledger;
  /** The simulated start, in epoch milliseconds. */
  readonly at: number;
  /** Checked regularly; false ends the simulation with `SimulationTooLong`. */
  readonly mayContinue: () => boolean;
}

/** The result of a simulation. */
export interface Simulated {
  readonly launch: Judgement | null;
  /** Null when the launch was refused. */
  readonly state: RunState | null;
  readonly log: readonly RunEvent[];
  /** The run and the runs it started, blocks included. */
  readonly family: readonly SimulatedRun[];
  /** True when the run stopped because it needs something that a simulation does not have. */
  readonly isWaiting: boolean;
}

/** A run of the family at the end of the simulation. */
export interface SimulatedRun extends FamilyRun {
  /** Null when the run was not kept. */
  readonly state: RunState | null;
  readonly verdicts: readonly StoredVerdict[];
}

/** Thrown when a simulation takes longer than its limit. */
export class SimulationTooLong extends Error {
  override readonly name = "SimulationTooLong";
}

const EVENTS_MAX = 100_000;

/** Simulates a run with the real gates and the real driver, in simulated time, on a store that is discarded afterwards. */
export async function simulateGoverned(
  input: SimulationInput,
  environment: SimulationEnvironment,
  subject: Omit<LaunchSubject, "workflow" | "args" | "keyId">,
  options: SimulationOptions,
): Promise<Simulated> {
  const clock = createVirtualClock(options.at);
  const store = createMemoryStore({ now: () => clock.now() });
  const troubles: unknown[] = [];
  const { orgId, directory, registered, counters } = environment;
  const governor = new Governor({
    store: {
      ...store,
      readCounters: (org, since) => counters.readCounters(org, since),
      readCountersOf: (orgs, since) => counters.readCountersOf(orgs, since),
    },
    directory,
    registered,
    clock: clock.background,
    isAlone: true,
    use: new OrganisationUse({ store, startRate: null, limits: () => NO_ORGANISATION_LIMITS, now: () => clock.now() }),
    onTrouble: (_what, error) => troubles.push(error),
  });
  const { plan, args } = input;
  const launch = await governor.launches.judge(orgId, { ...subject, workflow: plan.name, args, keyId: "simulation" });
  if (launch.disposition !== "allow") return { launch, state: null, log: [], family: [], isWaiting: false };
  try {
    const paths = new RunPaths();
    const adapters = adaptersFor(environment, scriptedAdapterFor(input, clock, paths, options), clock);
    const run = { clock, store, orgId, adapters, paths, troubles };
    const scene = { ...run, judge: governor, governor, gateway: subject.gateway };
    return { ...(await runSimulation(input, scene, options)), launch };
  } finally {
    governor.stop();
  }
}

/** Simulates a run with all gates open. */
export async function simulateOpen(input: SimulationInput, options: SimulationOptions): Promise<Simulated> {
  const clock = createVirtualClock(options.at);
  const store = createMemoryStore({ now: () => clock.now() });
  const paths = new RunPaths();
  const adapters = [scriptedAdapterFor(input, clock, paths, options), scriptAdapterFor(clock)];
  const judge = createAllowAllJudge(new Set([SCRIPTED_PROVIDER]), SCRIPTED_PROVIDER);
  const run = { clock, store, orgId: "simulation", adapters, paths, troubles: [] };
  return runSimulation(input, { ...run, judge, governor: null, gateway: null }, options);
}

interface Scene {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly orgId: string;
  readonly adapters: readonly Adapter[];
  readonly paths: RunPaths;
  readonly judge: Judge;
  /** Null when child runs start without gates. */
  readonly governor: Governor | null;
  readonly gateway: string | null;
  /** Errors of background work. */
  readonly troubles: unknown[];
}

async function runSimulation(
  input: SimulationInput,
  scene: Scene,
  { approve, mayContinue, events = [], knownPlans = new Map() }: SimulationOptions,
): Promise<Simulated> {
  const { clock, store, orgId, adapters, judge, governor, troubles } = scene;
  const driver: DurableDriver = new DurableDriver({
    store: { ...store, takeOver: () => Promise.resolve([]), releaseWaiting: () => Promise.resolve(0) },
    clock: clock.background,
    adapters,
    judge,
    children: () => openChildPreparer({ store, runtime: () => driver, governor, now: () => clock.now() }),
    jitter: () => 0.5,
    // A constant, so that the lease of the only replica never ends, however far time jumps.
    monotonic: () => 0,
    isUnavailable: () => false,
    supersedesAll: true,
    knownPlans,
    onTrouble: (_what, error) => troubles.push(error),
  });
  try {
    const answer = typeof approve === "string" ? answerAll(approve) : approve;
    const watcher = new FamilyWatcher(driver, orgId, clock, scene.paths, answer);
    const runId = await watcher.start({
      ...input,
      workflow: input.plan.name,
      ...(await storeUnsavedWorkflow(store, orgId, input)),
      gateway: scene.gateway,
    });
    watcher.send(runId, events);
    const skipper = new QuietPeriodSkipper(clock, driver);
    const isOver = (): boolean => troubles.length > 0 || watcher.isOver || watcher.log.length > EVENTS_MAX;
    await clock.run(
      () => isOver() || !mayContinue(),
      async () => {
        await untilIdle(driver);
        await watcher.look();
        skipper.pass();
      },
    );
    if (troubles.length > 0) throw new Error("the simulation broke", { cause: troubles[0] });
    if (!watcher.isOver) throw new SimulationTooLong("the simulation takes too long");
    const family: SimulatedRun[] = [];
    for (const run of watcher.family) {
      const view = await driver.stateOf(orgId, run.runId);
      family.push({ ...run, state: view?.state ?? null, verdicts: await store.verdictsOf(orgId, run.runId) });
    }
    const state = family.find((run) => run.runId === runId)?.state ?? null;
    return { launch: null, state, log: watcher.log, family, isWaiting: !watcher.hasEnded };
  } finally {
    await settle(clock, driver.stop());
    await Promise.all(adapters.map((adapter) => adapter.shutdown()));
  }
}

/** Creates an adapter for every provider a gateway may choose; one script answers for all of them. */
function adaptersFor(
  { orgId, directory }: SimulationEnvironment,
  adapter: Adapter,
  clock: VirtualClock,
): readonly Adapter[] {
  const providers = new Set([SCRIPTED_PROVIDER]);
  for (const { providers: served, defaultProvider } of directory.of(orgId)) {
    for (const provider of served) providers.add(provider);
    if (defaultProvider !== null) providers.add(defaultProvider);
  }
  return [...[...providers].map((provider) => ({ ...adapter, provider })), scriptAdapterFor(clock)];
}

function scriptedAdapterFor(
  { script }: SimulationInput,
  clock: VirtualClock,
  paths: RunPaths,
  { ledger }: SimulationOptions,
): Adapter {
  const pathOf = (runId: string): string => paths.of(runId);
  return createScriptedAdapter({ script, clock, pathOf, ...(ledger === undefined ? {} : { ledger }) });
}

/** The clock does not advance while a script step runs, so it takes none of the run's time. */
function scriptAdapterFor(clock: VirtualClock): Adapter {
  return createScriptAdapter({ clock, isSynchronous: true });
}

const IDLE_TURNS = 3;

/** Waits until the driver is idle. Its work takes turns of the event loop, while the simulated time does not advance. */
async function untilIdle(driver: DurableDriver): Promise<void> {
  for (let idle = 0, before = -1; idle < IDLE_TURNS;) {
    await new Promise((resolve) => setImmediate(resolve));
    const { commits, queuedInputs } = driver.figures();
    idle = queuedInputs === 0 && commits === before ? idle + 1 : 0;
    before = commits;
  }
}

/** Advances time until the driver has closed, because closing may wait for timers. */
async function settle(clock: VirtualClock, leaving: Promise<void>): Promise<void> {
  let hasLeft = false;
  const left = leaving.finally(() => {
    hasLeft = true;
  });
  await clock.run(() => hasLeft);
  await left;
}
