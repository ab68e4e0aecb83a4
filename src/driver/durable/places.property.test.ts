import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScriptedAdapter, readScript } from "../../adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../../clock/index.ts";
import { digestJson, digestText, required } from "../../core/base/index.ts";
import { isRunEnding, type RunEvent } from "../../core/event/index.ts";
import { createAllowAllJudge } from "../../governance/index.ts";
import { createMemoryStore, type RunCommit, type Store } from "../../store/index.ts";
import { DurableDriver } from "./durable-driver.ts";

const ORG = "default";
const KEYS = ["ann", "bob"];
/** The limit belongs to the key here, so that all runs of a key agree about it. */
const LIMITS: Readonly<Record<string, number>> = { ann: 1, bob: 2 };
const WHEN_FULL = ["queue", "queue", "cancel_new", "cancel_old"];

const sourceOf = (who: string, whenFull: string) => `name: w
args: { who: '' }
concurrency: { key: who, limit: ${LIMITS[who] ?? 1}, when_full: ${whenFull} }
steps:
  - { id: a, command: go }
`;

interface Seen {
  readonly key: string;
  readonly startedAt: number;
  standing: "held" | "waiting" | "ended";
}

/** Judges from what is committed alone: how many runs of a key are open, and in which order they begin. */
class Checker {
  readonly runs = new Map<string, Seen>();
  readonly violations: string[] = [];
  readonly #whoOf = new Map<string, string>();

  take({ runId, events, create }: RunCommit): void {
    if (create !== null) this.#whoOf.set(runId, JSON.stringify(create.args["who"]).slice(1, -1));
    for (const event of events) this.#fold(runId, event);
  }

  #fold(runId: string, event: RunEvent): void {
    const who = this.#whoOf.get(runId) ?? "";
    if (event.type === "run.started") {
      const standing = event.payload.place?.standing ?? "held";
      this.runs.set(runId, { key: who, startedAt: event.at, standing: standing === "waiting" ? "waiting" : "held" });
      // One that finds no place ends in the same commit.
      const hasNone = event.payload.place === undefined || standing === "full";
      if (hasNone) required(this.runs.get(runId), "just set").standing = "ended";
    }
    const run = this.runs.get(runId);
    if (run === undefined) return;
    if (event.type === "run.status.changed" && event.payload.to === "running" && run.standing === "waiting") {
      this.#begin(run);
    }
    if (isRunEnding(event)) run.standing = "ended";
    const open = [...this.runs.values()].filter(({ key, standing }) => key === run.key && standing === "held").length;
    const limit = LIMITS[run.key] ?? 0;
    if (open > limit) this.violations.push(`${open} runs of ${run.key} are open, ${limit} may be`);
  }

  #begin(run: Seen): void {
    const earlier = [...this.runs.values()].find(
      ({ key, standing, startedAt }) => key === run.key && standing === "waiting" && startedAt < run.startedAt,
    );
    if (earlier !== undefined) this.violations.push(`a run of ${run.key} begins before one that came earlier`);
    run.standing = "held";
  }

  atRest(): readonly string[] {
    const open = [...this.runs.values()].filter(({ standing }) => standing !== "ended");
    return open.map(({ key, standing }) => `a run of ${key} is still ${standing}`);
  }
}

type Tamper = (store: Store) => Store;
const HONEST: Tamper = (store) => store;

class World {
  readonly clock: VirtualClock = createVirtualClock(1_000_000);
  readonly checker = new Checker();
  readonly memory = createMemoryStore({ now: () => this.clock.now() });
  readonly #store: Store;
  readonly #replicas: { readonly driver: DurableDriver; readonly kill: () => void }[] = [];
  readonly #runs: string[] = [];

  constructor(tamper: Tamper) {
    const store = tamper(this.memory);
    this.#store = {
      ...store,
      commit: async (batch) => {
        const outcome = await store.commit(batch);
        const lost = new Set([...outcome.conflicts, ...outcome.duplicates.map(({ runId }) => runId)]);
        if (!outcome.isOverLimit) for (const one of batch) if (!lost.has(one.runId)) this.checker.take(one);
        return outcome;
      },
    };
  }

  async join(): Promise<void> {
    let isDead = false;
    const mortal = Object.fromEntries(
      Object.entries(this.#store).map(([name, call]: [string, (...args: unknown[]) => Promise<unknown>]) => [
        name,
        (...args: unknown[]) => (isDead ? new Promise(() => undefined) : call(...args)),
      ]),
    ) as unknown as Store;
    const script = required(readScript("nodes:\n  a: { delay_ms: 3000 }\n").script, "a script");
    const driver = new DurableDriver({
      store: mortal,
      clock: this.clock,
      adapters: [createScriptedAdapter({ script, clock: this.clock })],
      judge: createAllowAllJudge(new Set(["scripted"]), "scripted"),
      monotonic: () => this.clock.now(),
      isUnavailable: () => false,
      supersedesAll: false,
      onTrouble: () => undefined,
    });
    this.#replicas.push({ driver, kill: () => (isDead = true) });
    await this.#during(driver.start());
  }

  async start(on: number, who: string, whenFull: string): Promise<void> {
    const source = sourceOf(who, whenFull);
    const definitionHash = digestText(source);
    await this.memory.putDefinition(ORG, definitionHash, { source, catalog: null });
    const about = { orgId: ORG, workflow: "w", version: 1, definitionHash, trigger: "test", startedBy: null };
    const outcome = await this.#during(this.#on(on).launch({ ...about, args: { who } }));
    if (outcome.kind === "started") this.#runs.push(outcome.run.runId);
    await this.pass(1);
  }

  /** Several at the same time, on different replicas. */
  async startTogether(count: number, who: string): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, turn) => this.start(turn, who, "queue")));
  }

  async cancel(on: number, which: number): Promise<void> {
    const runId = this.#runs[which % Math.max(1, this.#runs.length)];
    if (runId === undefined) return;
    await this.#during(this.#on(on).submit(ORG, runId, { type: "cancel", reason: "test" }));
  }

  /** In the middle of what it does; another takes its place. */
  async kill(on: number): Promise<void> {
    const [gone] = this.#replicas.splice(on % this.#replicas.length, 1);
    gone?.kill();
    await this.join();
  }

  async pass(ms: number): Promise<void> {
    let isOver = false;
    this.clock.after(ms, () => {
      isOver = true;
    });
    await this.clock.run(() => isOver);
  }

  #on(place: number): DurableDriver {
    return required(this.#replicas[place % this.#replicas.length], "a replica").driver;
  }

  async #during<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    const settled = promise.finally(() => {
      isDone = true;
    });
    settled.catch(() => undefined);
    await this.clock.run(() => isDone);
    return settled;
  }
}

type Action =
  | { readonly do: "start"; readonly on: number; readonly who: string; readonly whenFull: string }
  | { readonly do: "together"; readonly count: number; readonly who: string }
  | { readonly do: "cancel"; readonly on: number; readonly which: number }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "kill"; readonly on: number };

const on = fc.nat({ max: 9 });
const who = fc.constantFrom(...KEYS);
const doing = <T extends Action["do"]>(name: T) => fc.constant(name);
const actionArb: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: doing("start"), on, who, whenFull: fc.constantFrom(...WHEN_FULL) }) },
  { weight: 2, arbitrary: fc.record({ do: doing("together"), count: fc.integer({ min: 2, max: 4 }), who }) },
  { weight: 2, arbitrary: fc.record({ do: doing("cancel"), on, which: fc.nat({ max: 30 }) }) },
  { weight: 3, arbitrary: fc.record({ do: doing("pass"), ms: fc.integer({ min: 1, max: 4_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: doing("kill"), on }) },
);

async function play(actions: readonly Action[], tamper: Tamper): Promise<readonly string[]> {
  const world = new World(tamper);
  await world.join();
  await world.join();
  for (const action of actions) {
    switch (action.do) {
      case "start":
        await world.start(action.on, action.who, action.whenFull);
        break;
      case "together":
        await world.startTogether(action.count, action.who);
        break;
      case "cancel":
        await world.cancel(action.on, action.which);
        break;
      case "pass":
        await world.pass(action.ms);
        break;
      case "kill":
        await world.kill(action.on);
    }
  }
  await world.pass(600_000);
  const left = await Promise.all(KEYS.map((key) => world.memory.placesOf(ORG, digestJson(key), 100)));
  const places = left.flat().map(({ runId }) => `${runId} still has a place`);
  return [...world.checker.violations, ...world.checker.atRest(), ...places];
}

describe("runs of several replicas that count together", () => {
  it("are never more than the limit, begin in the order they came, and all end, whatever process dies", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(actionArb, { maxLength: 14 }), async (actions) => {
        expect(await play(actions, HONEST)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  const STARTS = [0, 1, 0].map((place): Action => ({ do: "start", on: place, who: "ann", whenFull: "queue" }));
  let slots = 0;
  const withPlace = (store: Store, change: (place: NonNullable<RunCommit["place"]>) => RunCommit["place"]): Store => ({
    ...store,
    commit: (batch) =>
      store.commit(batch.map((one) => ({ ...one, place: one.place === null ? null : change(one.place) }))),
  });

  it.each<[string, Tamper]>([
    [
      "places are not counted",
      (store) => ({
        ...withPlace(store, (place) => (place.kind === "hold" ? { ...place, slot: (slots += 1) } : place)),
        placesOf: async () => [],
      }),
    ],
    ["a place is not given back", (store) => withPlace(store, (place) => (place.kind === "release" ? null : place))],
    [
      "the last that came is the first that begins",
      (store) => ({
        ...store,
        placesOf: async (...args) => {
          const places = await store.placesOf(...args);
          const held = places.filter(({ slot }) => slot !== null);
          return [...held, ...places.filter(({ slot }) => slot === null).toReversed()];
        },
      }),
    ],
  ])("would be noticed if %s", async (_, tamper) => {
    expect(await play(STARTS, tamper)).not.toEqual([]);
  });
});
