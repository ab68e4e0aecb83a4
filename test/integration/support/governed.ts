import type { Adapter } from "../../../src/adapter/index.ts";
import type { Clock } from "../../../src/clock/index.ts";
import { digestText, type Json } from "../../../src/core/base/index.ts";
import { type ChildPreparer, DurableDriver, type Launch } from "../../../src/driver/index.ts";
import { openGateways } from "../../../src/gateway/index.ts";
import { type Judge, openGovernance, type OpenedGovernance } from "../../../src/governance/index.ts";
import { entryKindOf, readSpec, type RegisteredKind } from "../../../src/registry/index.ts";
import { type Store, StoreUnavailable } from "../../../src/store/index.ts";

export const ORG = "default";

export interface ReplicaParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly adapter: Adapter;
  /** True where no other process shares the database. */
  readonly isAlone: boolean;
  readonly troubles: string[];
  /** Default: random. */
  readonly jitter?: () => number;
  /** Who starts child runs; default: none. */
  readonly children?: () => ChildPreparer;
  /** How long it waits for attempts when it is stopped; default: as a driver does. */
  readonly drainMs?: number;
  /** The judge in place of the governor, for one that misbehaves. */
  readonly disguise?: (judge: Judge) => Judge;
}

/** A server without its HTTP side: a driver, and the governor that judges for it. */
export interface Replica {
  readonly driver: DurableDriver;
  readonly governance: OpenedGovernance;
  stop(): Promise<void>;
}

export async function openReplica({
  store,
  clock,
  adapter,
  isAlone,
  troubles,
  jitter,
  children,
  drainMs,
  disguise,
}: ReplicaParts): Promise<Replica> {
  const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
  const { provider } = adapter;
  const local = { providers: [provider], defaultProvider: provider, answersAny: true };
  const { directory } = await openGateways({ store, clock, secretKey: null, local, onTrouble });
  const governance = openGovernance({ store, directory, clock, isAlone, startRate: null, onTrouble });
  const driver = new DurableDriver({
    store,
    clock,
    adapters: [adapter],
    judge: disguise === undefined ? governance.governor : disguise(governance.governor),
    monotonic: () => clock.now(),
    ...(jitter === undefined ? {} : { jitter }),
    ...(children === undefined ? {} : { children }),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: isAlone,
    ...(drainMs === undefined ? {} : { drainMs }),
    onTrouble,
  });
  governance.start();
  await driver.start();
  return {
    driver,
    governance,
    async stop() {
      governance.stop();
      await driver.stop();
    },
  };
}

/** A manifest, by kind and name. */
export type Manifest = readonly [kind: RegisteredKind, name: string, spec: Json];

export async function register(store: Store, manifests: readonly Manifest[], at: number): Promise<void> {
  for (const [kind, name, spec] of manifests) {
    const reading = readSpec(kind, name, spec);
    if (!reading.ok) throw new Error(`${kind} ${name}: ${JSON.stringify(reading.problems)}`);
    await store.putEntry(ORG, entryKindOf(kind), name, reading.body, at);
  }
}

/** The run's id, once it is committed. */
export async function launch(
  driver: DurableDriver,
  store: Store,
  source: string,
  more: Partial<Launch> = {},
): Promise<string> {
  await saveDefinition(store, source);
  return launchSaved(driver, source, more);
}

export async function saveDefinition(store: Store, source: string): Promise<void> {
  await store.ensureOrganisation(ORG);
  await store.putDefinition(ORG, digestText(source), { source, catalog: null });
}

/** The same of a source that is saved already. */
export async function launchSaved(driver: DurableDriver, source: string, more: Partial<Launch> = {}): Promise<string> {
  const outcome = await driver.launch({
    orgId: ORG,
    workflow: "w",
    version: 1,
    definitionHash: digestText(source),
    args: {},
    trigger: "test",
    startedBy: null,
    ...more,
  });
  if (outcome.kind !== "started") throw new Error(`the launch was ${outcome.kind}`);
  return outcome.run.runId;
}

/** So many steps that all may start at once. */
export function fanOut(width: number, more: object = {}, head: object = {}): string {
  const steps = Array.from({ length: width }, (_, index) => ({ id: `n${index}`, command: "go", ...more }));
  return JSON.stringify({ name: "w", max_parallel: 1_000, ...head, steps });
}
