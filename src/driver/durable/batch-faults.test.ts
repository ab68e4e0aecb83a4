import { describe, expect, it } from "vitest";
import { createScriptedAdapter, readScript } from "../../adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../../clock/index.ts";
import { digestText } from "../../core/base/index.ts";
import { createAllowAllJudge, type Judge } from "../../governance/index.ts";
import { createMemoryStore, type Store, StoreUnavailable } from "../../store/index.ts";
import { DurableDriver } from "./durable-driver.ts";

const ORG = "default";
const SOURCE = `name: pair
steps:
  - { id: a, command: go }
  - { id: b, command: go, depends_on: [a] }
`;

interface Parts {
  readonly memory?: Store;
  readonly clock?: VirtualClock;
  readonly script?: string;
  /** Done just before the driver starts. */
  readonly before?: () => Promise<unknown>;
  readonly store?: (memory: Store) => Partial<Store>;
  readonly judge?: (judge: Judge) => Partial<Judge>;
}

/** A driver whose store or judge throws what nothing is prepared for. */
async function machine({ store: breakStore, judge: breakJudge, before, script: scripted, ...parts }: Parts) {
  const clock = parts.clock ?? createVirtualClock(1_000_000);
  const memory = parts.memory ?? createMemoryStore({ now: () => clock.now() });
  const store: Store = { ...memory, ...breakStore?.(memory) };
  const { script } = readScript(scripted ?? "default: echo\nnodes: { a: { delay_ms: 100 } }\n");
  if (script === null) throw new Error("the script is wrong");
  const sound = createAllowAllJudge(new Set(["scripted"]), "scripted");
  const troubles: string[] = [];
  const driver = new DurableDriver({
    store,
    clock,
    adapters: [createScriptedAdapter({ script, clock })],
    judge: { ...sound, ...breakJudge?.(sound) },
    monotonic: () => clock.now(),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: true,
    onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
  });
  const definitionHash = digestText(SOURCE);
  await memory.putDefinition(ORG, definitionHash, { source: SOURCE, catalog: null });
  await before?.();
  await driver.start();
  const wait = <T>(promise: Promise<T>): Promise<T> => clock.settle(promise);
  /** All at once, so that they share a batch; an id, or why it did not start. */
  const launch = (runIds: readonly string[]) =>
    wait(
      Promise.all(
        runIds.map((runId) =>
          driver
            .launch({
              orgId: ORG,
              runId,
              workflow: "w",
              version: 1,
              definitionHash,
              args: {},
              trigger: "t",
              startedBy: null,
            })
            .then(
              ({ kind }) => kind as string,
              (error: unknown) => String(error),
            ),
        ),
      ),
    );
  const statuses = async (runIds: readonly string[]): Promise<readonly (string | undefined)[]> => {
    const until = clock.now() + 60_000;
    await clock.run(() => clock.now() >= until);
    return Promise.all(runIds.map(async (runId) => (await memory.getRun(ORG, runId))?.status));
  };
  return { driver, clock, memory, troubles, wait, launch, statuses };
}

const RUNS = ["run_1", "run_2", "run_3"];

describe("something throws in the middle of a batch", () => {
  it("loading all of it together: each is tried alone, and nothing is lost", async () => {
    let refused = 0;
    const first = await machine({ script: "nodes: { a: { hang: true } }\n" });
    const on = await machine({
      memory: first.memory,
      clock: first.clock,
      store: (memory) => ({
        loadRuns: async (runIds) => {
          if (runIds.length === 1) return memory.loadRuns(runIds);
          refused += 1;
          throw new Error("too much at once");
        },
      }),
      before: () => first.launch(RUNS),
    });
    // The second has taken over from the first, and has none of the runs in memory.
    expect(await on.statuses(RUNS)).toEqual(["completed", "completed", "completed"]);
    expect(refused).toBeGreaterThan(0);
  });

  it("deciding or deriving one run: that one is parked, its callers are answered, the others go on", async () => {
    const on = await machine({
      judge: (judge) => ({
        decide: (request, about) => {
          if (about.runId === "run_2" && request.nodeId === "b") throw new TypeError("a bug");
          return judge.decide(request, about);
        },
        memoryOf: (about) => {
          if (about.runId === "run_3") throw new TypeError("another bug");
          return null;
        },
      }),
    });
    expect(await on.launch(RUNS)).toEqual(["started", "started", "started"]);
    expect(await on.statuses(RUNS)).toEqual(["completed", "failed", "failed"]);
    const answer = await on.wait(on.driver.submit(ORG, "run_3", { type: "cancel", reason: "enough" }));
    expect(answer?.refusal?.code).toBe("run_finished");
  });

  it("a judge that is notified of a commit: the commit stands, and what followed from it is done", async () => {
    let left = 5;
    const on = await machine({
      judge: () => ({
        committed: () => {
          left -= 1;
          if (left >= 0) throw new Error("cannot count");
        },
      }),
    });
    expect(await on.launch(RUNS)).toEqual(["started", "started", "started"]);
    expect(await on.statuses(RUNS)).toEqual(["completed", "completed", "completed"]);
    expect(on.troubles.filter((line) => line.includes("cannot count"))).toHaveLength(5);
  });

  it("what a database refuses for a while: nothing is refused that was accepted, and starts are", async () => {
    let isFull = false;
    const on = await machine({
      store: (memory) => ({
        commit: async (batch) => {
          if (isFull) throw new StoreUnavailable("no space left on device");
          return memory.commit(batch);
        },
      }),
    });
    expect(await on.launch(["run_1"])).toEqual(["started"]);
    isFull = true;
    const until = on.clock.now() + 5_000;
    await on.clock.run(() => on.clock.now() >= until);
    expect(on.driver.figures().outage).toMatchObject({ reason: "no space left on device" });
    expect(await on.launch(["run_2"])).toEqual(["StoreUnavailable: no space left on device"]);
    isFull = false;
    expect(await on.statuses(["run_1"])).toEqual(["completed"]);
    expect(on.driver.figures().outage).toBeNull();
    expect(await on.launch(["run_2"])).toEqual(["started"]);
  });
});

describe("a run that starts while another one is written", () => {
  it.each([false, true])("begins beside it, or after it if nodes wait for a limit: %s", async (hasWaiting) => {
    const clock = createVirtualClock(1_000_000);
    const written: string[] = [];
    const on = await machine({
      clock,
      judge: () => ({ hasWaiting: () => hasWaiting }),
      store: (memory) => ({
        commit: async (batch) => {
          if (batch.some(({ create }) => create === null)) await new Promise<void>((done) => clock.after(5_000, done));
          written.push(...batch.map(({ runId }) => runId));
          return memory.commit(batch);
        },
      }),
    });
    await on.launch(["run_1"]);
    // The first node has ended, and its report is being written.
    const until = clock.now() + 1_000;
    await clock.run(() => clock.now() >= until);
    expect(await on.launch(["run_2"])).toEqual(["started"]);
    await on.statuses(["run_1", "run_2"]);
    expect(written.indexOf("run_2") > 1).toBe(hasWaiting);
  });
});
