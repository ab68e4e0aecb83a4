import type { Adapter } from "../../../src/adapter/index.ts";
import { createVirtualClock, type VirtualClock } from "../../../src/clock/index.ts";
import { digestText } from "../../../src/core/base/index.ts";
import { isTerminal, type RunEvent } from "../../../src/core/event/index.ts";
import { DurableDriver, type DurableDriverOptions } from "../../../src/driver/index.ts";
import { createAllowAllJudge } from "../../../src/governance/index.ts";
import { createMemoryStore, StoreUnavailable } from "../../../src/store/index.ts";

const ORG = "default";

/** Drivers that share a store and a clock of their own: every order of things can be had, and none takes time. */
export class Machine {
  readonly clock: VirtualClock = createVirtualClock(1_000_000);
  readonly store = createMemoryStore({ now: () => this.clock.now() });
  readonly drivers: readonly DurableDriver[];
  readonly troubles: string[] = [];

  constructor(adapter: Adapter, replicas = 1, options: Partial<DurableDriverOptions> = {}) {
    const { store, clock } = this;
    this.drivers = Array.from(
      { length: replicas },
      () =>
        new DurableDriver({
          store,
          clock,
          adapters: [adapter],
          judge: createAllowAllJudge(new Set([adapter.provider]), adapter.provider),
          monotonic: () => clock.now(),
          isUnavailable: (error) => error instanceof StoreUnavailable,
          supersedesAll: false,
          onTrouble: (what, error) => this.troubles.push(`${what}: ${String(error)}`),
          ...options,
        }),
    );
  }

  driver(index: number): DurableDriver {
    const driver = this.drivers[index % this.drivers.length];
    if (driver === undefined) throw new Error("a machine needs a driver");
    return driver;
  }

  /** Lets virtual time pass until a promise settles. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return this.clock.settle(promise);
  }

  async pass(ms: number): Promise<void> {
    await this.wait(new Promise<void>((resolve) => this.clock.after(ms, resolve)));
  }

  /** The run's id, with everything sent that is sent at once. */
  async start(source: string): Promise<string> {
    await this.wait(Promise.all(this.drivers.map((driver) => driver.start())));
    const definitionHash = digestText(source);
    await this.store.putDefinition(ORG, definitionHash, { source, catalog: null });
    const about = { orgId: ORG, workflow: "w", version: 1, definitionHash, trigger: "test", startedBy: null };
    const outcome = await this.wait(this.driver(0).launch({ ...about, args: {} }));
    if (outcome.kind !== "started") throw new Error(`the launch was ${outcome.kind}`);
    return outcome.run.runId;
  }

  /** Submits to the replicas in turn, all at once: which is first is for them to find out. */
  async submitTogether(runId: string, input: readonly Parameters<DurableDriver["submit"]>[2][]): Promise<void> {
    await this.wait(Promise.all(input.map((one, index) => this.driver(index).submit(ORG, runId, one))));
  }

  /** Lets time pass until the run has ended. */
  async end(runId: string): Promise<void> {
    for (let looks = 0; looks < 10_000; looks += 1) {
      const run = await this.store.getRun(ORG, runId);
      if (run !== undefined && isTerminal(run.status)) return;
      await this.pass(10);
    }
    throw new Error(`${runId} does not end`);
  }

  async log(runId: string): Promise<readonly RunEvent[]> {
    const [loaded] = await this.store.loadRuns([runId]);
    return loaded?.events ?? [];
  }

  async openApproval(): Promise<string> {
    const { data } = await this.store.listApprovals(ORG, "pending", { limit: 1, cursor: null });
    const [approval] = data;
    if (approval === undefined) throw new Error("no person is asked");
    return approval.id;
  }
}

/** An adapter that answers what a test sets, when a test releases it, and ignores aborts. */
export function deafAdapter(execute: Adapter["execute"]): Adapter {
  return {
    specificationVersion: "v1",
    provider: "deaf",
    initialize: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
    checkHealth: () => Promise.resolve({ status: "healthy" }),
    capabilities: () => ({ streaming: false, structuredOutput: false, tools: false, deferred: false }),
    cancel: () => new Promise<void>(() => undefined),
    execute,
  };
}
