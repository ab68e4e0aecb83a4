import { createScriptedAdapter, readScript } from "../../../src/adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../../../src/clock/index.ts";
import { isTerminal, type RunEvent } from "../../../src/core/event/index.ts";
import { createMemoryStore, type Store } from "../../../src/store/index.ts";
import { launch, type Manifest, openReplica, ORG, register, type Replica } from "./governed.ts";

/** Governed replicas on one store and a clock of their own: nothing takes time, and everything goes the same way. */
export class GovernedMachine {
  readonly clock: VirtualClock = createVirtualClock(Date.UTC(2026, 10, 15, 12));
  readonly store: Store = createMemoryStore({ now: () => this.clock.now() });
  readonly replicas: Replica[] = [];
  readonly troubles: string[] = [];
  readonly #script: string;

  private constructor(script: string) {
    this.#script = script;
  }

  static async open(
    manifests: readonly Manifest[],
    script = "default: echo\n",
    replicas = 1,
  ): Promise<GovernedMachine> {
    const machine = new GovernedMachine(script);
    await register(machine.store, manifests, machine.clock.now());
    for (let index = 0; index < replicas; index += 1) await machine.addReplica(replicas === 1);
    return machine;
  }

  async addReplica(isAlone = false): Promise<Replica> {
    const { script } = readScript(this.#script);
    const { store, clock, troubles } = this;
    const adapter = createScriptedAdapter({ script, clock });
    const replica = await this.wait(openReplica({ store, clock, adapter, isAlone, troubles }));
    this.replicas.push(replica);
    return replica;
  }

  replica(index = 0): Replica {
    const replica = this.replicas[index];
    if (replica === undefined) throw new Error(`there is no replica ${index}`);
    return replica;
  }

  launch(source: string, index = 0): Promise<string> {
    return this.wait(launch(this.replica(index).driver, this.store, source));
  }

  register(manifests: readonly Manifest[]): Promise<void> {
    return register(this.store, manifests, this.clock.now());
  }

  submit(runId: string, input: Parameters<Replica["driver"]["submit"]>[2], index = 0) {
    return this.wait(this.replica(index).driver.submit(ORG, runId, input));
  }

  /** Lets virtual time pass until a promise settles. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return this.clock.settle(promise);
  }

  pass(ms: number): Promise<void> {
    return this.wait(new Promise<void>((resolve) => void this.clock.after(ms, resolve)));
  }

  /** Lets time pass until the run has ended; its status. */
  async end(runId: string, patienceMs = 3_600_000): Promise<string> {
    const until = this.clock.now() + patienceMs;
    while (this.clock.now() < until) {
      const run = await this.store.getRun(ORG, runId);
      if (run !== undefined && isTerminal(run.status)) return run.status;
      await this.pass(10);
    }
    throw new Error(`${runId} does not end`);
  }

  async log(runId: string): Promise<readonly RunEvent[]> {
    const [loaded] = await this.store.loadRuns([runId]);
    return loaded?.events ?? [];
  }

  /** When each node of the run first began, by its id. */
  async starts(runId: string): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (const event of await this.log(runId)) {
      const isFirst = event.type === "node.started" && !found.has(event.payload.nodeId);
      if (event.type === "node.started" && isFirst) found.set(event.payload.nodeId, event.at);
    }
    return found;
  }
}
