import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScriptedAdapter, EMPTY_SCRIPT } from "../../adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../../clock/index.ts";
import { digestText, required } from "../../core/base/index.ts";
import { keyDigest } from "../../core/engine/index.ts";
import { createAllowAllJudge } from "../../governance/index.ts";
import { createMemoryStore, type NewEvent, type Store } from "../../store/index.ts";
import { DurableDriver } from "./durable-driver.ts";

const ORG = "default";
const SOURCE = `name: w
args: { order: '', also: '' }
steps:
  - { id: paid, wait: { event: order.paid, match: { order: "\${order}" } } }
  - { id: sent, wait: { event: order.paid, match: { order: "\${also}" } }, depends_on: [paid] }
  - { id: tell, emit: { type: order.done, key: { order: "\${order}" } }, depends_on: [sent] }
`;

/** One process over the shared store; `kill` ends it between a commit and what follows from it. */
class Replica {
  readonly driver: DurableDriver;
  #isDead = false;

  constructor(store: Store, clock: VirtualClock) {
    const cut = <A extends unknown[], T>(call: (...args: A) => Promise<T>) => {
      return (...args: A): Promise<T> => (this.#isDead ? new Promise<T>(() => undefined) : call(...args));
    };
    this.driver = new DurableDriver({
      store: {
        ...store,
        waitersOf: cut((...args: Parameters<Store["waitersOf"]>) => store.waitersOf(...args)),
        eventsFor: cut((...args: Parameters<Store["eventsFor"]>) => store.eventsFor(...args)),
        getEvents: cut((...args: Parameters<Store["getEvents"]>) => store.getEvents(...args)),
        claimMarkedEvents: cut((...args: Parameters<Store["claimMarkedEvents"]>) => store.claimMarkedEvents(...args)),
        claimMarkedWaiters: cut((...args: Parameters<Store["claimMarkedWaiters"]>) =>
          store.claimMarkedWaiters(...args),
        ),
      },
      clock,
      adapters: [createScriptedAdapter({ script: EMPTY_SCRIPT, clock })],
      judge: createAllowAllJudge(new Set(["scripted"]), "scripted"),
      monotonic: () => clock.now(),
      isUnavailable: () => false,
      supersedesAll: false,
      onTrouble: (what, error) => {
        throw new Error(what, { cause: error });
      },
    });
  }

  kill(): void {
    this.#isDead = true;
  }
}

class World {
  readonly clock = createVirtualClock(1_000_000);
  readonly store = createMemoryStore({ now: () => this.clock.now() });
  readonly replicas: Replica[] = [];
  readonly runs: { readonly runId: string; readonly order: string; readonly also: string; readonly at: number }[] = [];
  readonly events: { readonly id: string; readonly order: string; readonly at: number }[] = [];
  readonly #hash = digestText(SOURCE);
  #doomed: Replica | null = null;

  async open(): Promise<void> {
    await this.store.putDefinition(ORG, this.#hash, { source: SOURCE, catalog: null });
    for (let count = 0; count < 2; count += 1) await this.join();
  }

  async join(): Promise<void> {
    const replica = new Replica(this.store, this.clock);
    this.replicas.push(replica);
    await this.during(replica.driver.start());
  }

  async start(on: number, order: string, also: string): Promise<void> {
    const at = this.clock.now();
    const launch = { workflow: "w", version: 1, definitionHash: this.#hash, trigger: "test", startedBy: null };
    const outcome = await this.on(on, (driver) => driver.launch({ orgId: ORG, ...launch, args: { order, also } }));
    if (outcome.kind !== "started") throw new Error("it did not start");
    this.runs.push({ runId: outcome.run.runId, order, also, at });
  }

  async send(on: number, order: string): Promise<void> {
    const id = `e${this.events.length}`;
    const key = { order };
    const event: NewEvent = {
      id,
      type: "order.paid",
      key,
      keyDigest: keyDigest(key),
      data: {},
      keepMs: 3_600_000,
      hops: 0,
      sentBy: null,
    };
    this.events.push({ id, order, at: this.clock.now() });
    await this.on(on, (driver) => driver.receive(ORG, [event]));
  }

  /** The next commit is made there and nothing that follows from it: others have to find it by its mark. */
  doom(place: number): void {
    this.#doomed ??= required(this.replicas[place % this.replicas.length], "a replica");
    this.#doomed.kill();
  }

  async on<T>(place: number, call: (driver: DurableDriver) => Promise<T>): Promise<T> {
    const doomed = this.#doomed;
    const replica = doomed ?? required(this.replicas[place % this.replicas.length], "a replica");
    const result = await this.during(call(replica.driver));
    if (doomed === null) return result;
    this.#doomed = null;
    this.replicas.splice(this.replicas.indexOf(doomed), 1);
    await this.join();
    return result;
  }

  async pass(ms: number): Promise<void> {
    let isOver = false;
    this.clock.after(ms, () => {
      isOver = true;
    });
    await this.clock.run(() => isOver);
  }

  during<T>(promise: Promise<T>): Promise<T> {
    return this.clock.settle(promise);
  }
}

const order = fc.constantFrom("a", "b", "c");
const place = fc.nat(3);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("start" as const), place, order, also: order }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("send" as const), place, order }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.nat(20_000) }) },
);

async function play(steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]): Promise<World> {
  const world = new World();
  await world.open();
  for (const one of steps) {
    // Nothing happens in the same millisecond: what came first is then certain.
    if (one.kind !== "kill") await world.pass(1);
    if (one.kind === "start") await world.start(one.place, one.order, one.also);
    if (one.kind === "send") await world.send(one.place, one.order);
    if (one.kind === "pass") await world.pass(one.ms);
    if (one.kind !== "kill") continue;
    world.doom(one.place);
  }
  await world.pass(60_000);
  return world;
}

describe("events and the nodes that wait for them", () => {
  it("meet exactly once, in whatever order they come, on whichever replica, whichever dies in between", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const world = await play(steps);
        for (const run of world.runs) {
          const log = await world.store.readEvents(ORG, run.runId, 0, 1_000);
          const taken = (nodeId: string): string[] =>
            log.flatMap(({ type, payload }) =>
              type === "event.received" && payload.nodeId === nodeId ? [payload.id] : [],
            );
          const matching = (key: string) => world.events.filter((event) => event.order === key && event.at >= run.at);
          const first = matching(run.order).length > 0;
          const second = first && matching(run.also).length > 0;
          // Each wait is over with exactly one event of its own key, received since the run began, or not over at all.
          expect([taken("paid").length, taken("sent").length]).toEqual([first ? 1 : 0, second ? 1 : 0]);
          for (const id of taken("paid")) expect(matching(run.order).map((event) => event.id)).toContain(id);
          for (const id of taken("sent")) expect(matching(run.also).map((event) => event.id)).toContain(id);
          expect((await world.store.getRun(ORG, run.runId))?.status).toBe(second ? "completed" : "running");
        }
        const emitted = (await world.store.listEvents(ORG, { type: "order.done" }, { limit: 100, cursor: null })).data;
        const done = await Promise.all(world.runs.map(({ runId }) => world.store.getRun(ORG, runId)));
        expect(emitted).toHaveLength(done.filter((run) => run?.status === "completed").length);
        // Nothing is left marked, and no row is left of a wait that is over.
        expect(await world.store.claimMarkedEvents(0, 100)).toEqual([]);
        expect(await world.store.claimMarkedWaiters(0, 100)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
