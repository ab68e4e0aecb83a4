import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSystemClock } from "../../src/clock/index.ts";
import { required } from "../../src/core/base/index.ts";
import { isTerminal, type RunEvent } from "../../src/core/event/index.ts";
import { createSqlStore, type Sql, type Store } from "../../src/store/index.ts";
import { connect, createDatabase } from "../postgres/database.ts";
import { launch, ORG, openReplica, type Replica } from "./support/governed.ts";
import { GovernedMachine } from "./support/governed-machine.ts";
import { deafAdapter } from "./support/machine.ts";

const step = (id: string, more: object = {}): object => ({ id, command: "go", ...more });
const wide = (width: number, prefix = "n"): readonly object[] =>
  Array.from({ length: width }, (_, index) => step(`${prefix}${index}`));

/** Two blocks with more to do than fits, one of them with a block inside, and steps of the document beside them. */
const NESTED = JSON.stringify({
  name: "w",
  max_parallel: 3,
  steps: [
    { id: "left", steps: wide(6) },
    { id: "right", steps: [...wide(4), { id: "deep", steps: wide(5, "d") }] },
    { id: "each", for_each: [1, 2, 3, 4, 5], steps: [step("x"), step("y", { depends_on: ["x"] })] },
    ...Array.from({ length: 4 }, (_, index) => step(`own${index}`)),
  ],
});
const ATTEMPTS = 6 + 4 + 5 + 10 + 4;

/** Every run of the family, as it is named by its parents. */
async function familyLogs(store: Store, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const open = [runId];
  for (const id of open) {
    const [loaded] = await store.loadRuns([id]);
    for (const event of loaded?.events ?? []) {
      events.push(event);
      if (event.type === "child.started") open.push(event.payload.childRunId);
    }
  }
  return events;
}

/** The most attempts that were open at one moment, by the moments of the log. */
function mostOpen(events: readonly RunEvent[]): number {
  const changes = events.flatMap((event) => {
    if (event.type === "node.started" && event.payload.agentId !== null) return [{ at: event.at, by: 1 }];
    const isEnd = event.type === "node.completed" && event.payload.nodeId.search(/^(left|right|deep|each)/u) < 0;
    return isEnd ? [{ at: event.at, by: -1 }] : [];
  });
  let [open, most] = [0, 0];
  for (const { by } of changes.sort((left, right) => left.at - right.at || left.by - right.by)) {
    open += by;
    most = Math.max(most, open);
  }
  return most;
}

const slow = (ids: readonly string[]): object => Object.fromEntries(ids.map((id) => [id, { delay_ms: 300 }]));
const NUMBERED = ["n", "d", "own"].flatMap((prefix) => [0, 1, 2, 3, 4, 5].map((index) => `${prefix}${index}`));
const DELAYED = JSON.stringify({ default: "echo", nodes: slow([...NUMBERED, "x", "y", "work"]) });

describe("max_parallel of a document", () => {
  it.each([1, 2])("holds for all its blocks together, and is used up, on %i replicas", async (replicas) => {
    const machine = await GovernedMachine.open([], DELAYED, replicas);
    const runId = await machine.launch(NESTED, replicas - 1);
    expect(await machine.end(runId)).toBe("completed");
    const events = await familyLogs(machine.store, runId);
    expect(mostOpen(events)).toBe(3);
    expect(await machine.store.recount()).toEqual([]);
    expect((await machine.store.readCounters(ORG, 0)).agents.filter(({ open }) => open !== 0)).toEqual([]);
    expect(machine.troubles).toEqual([]);
  });

  it("of 1 lets a step run while a block waits for the event it emits", async () => {
    const machine = await GovernedMachine.open([], DELAYED);
    const waits = { id: "inner", wait: { event: "order.paid", match: { id: "1" }, timeout: "1h" } };
    const emits = { id: "say", emit: { type: "order.paid", key: { id: "1" }, data: {} }, depends_on: ["work"] };
    const steps = [{ id: "block", steps: [waits] }, step("work"), emits];
    const runId = await machine.launch(JSON.stringify({ name: "w", max_parallel: 1, steps }));
    expect(await machine.end(runId)).toBe("completed");
  });

  it("gives the places of a cancelled block to the next step", async () => {
    const script = JSON.stringify({ default: "echo", nodes: { stuck: { hang: true }, after: { delay_ms: 10 } } });
    const machine = await GovernedMachine.open([], script);
    const steps = [{ id: "block", timeout: 5, on_failure: "skip", steps: [step("stuck")] }, step("after")];
    const runId = await machine.launch(JSON.stringify({ name: "w", max_parallel: 1, steps }));
    expect(await machine.end(runId)).toBe("completed");
    const starts = (await machine.log(runId)).filter(({ type }) => type === "node.completed");
    expect(starts).toHaveLength(1);
  });
});

describe("on Postgres, with two replicas", () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let store: Store;
  const connections: Sql[] = [];
  const replicas: Replica[] = [];
  const troubles: string[] = [];
  let open = 0;
  let most = 0;
  let calls = 0;

  beforeAll(async () => {
    database = await createDatabase();
    const adapter = deafAdapter(async () => {
      calls += 1;
      open += 1;
      most = Math.max(most, open);
      await sleep(20);
      open -= 1;
      return { status: "completed", stdout: "done" };
    });
    const openStore = (): Store => {
      const connection = connect(database.url, 4);
      connections.push(connection);
      return createSqlStore(connection);
    };
    store = openStore();
    for (let index = 0; index < 2; index += 1) {
      replicas.push(
        await openReplica({ store: openStore(), clock: createSystemClock(), adapter, isAlone: false, troubles }),
      );
    }
  });

  afterAll(async () => {
    for (const replica of replicas) await replica.stop();
    for (const connection of connections) await connection.close();
    await database.drop();
  });

  it("no more nodes are at work at once than the document allows", async () => {
    const [first, second] = replicas.map(({ driver }) => driver);
    const runId = await launch(required(first, "a replica"), store, NESTED);
    // A signal to the other replica makes it take the run over for a moment, as any input may.
    for (;;) {
      const [head] = await store.headsOf([runId]);
      if (head !== undefined && isTerminal(head.status)) break;
      await required(second, "a replica").submit(ORG, runId, { type: "admit" });
      await sleep(100);
    }
    const [head] = await store.headsOf([runId]);
    expect(head?.status).toBe("completed");
    expect(calls).toBe(ATTEMPTS);
    expect(most).toBeLessThanOrEqual(3);
    expect(await store.recount()).toEqual([]);
    expect(troubles).toEqual([]);
  });
});
