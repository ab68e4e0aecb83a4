import { describe, expect, it } from "vitest";
import { createScriptedAdapter, readScript } from "../../adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../../clock/index.ts";
import { digestText } from "../../core/base/index.ts";
import { replay } from "../../core/engine/index.ts";
import type { RunEvent } from "../../core/event/index.ts";
import { createMemoryStore, type Store, StoreUnavailable } from "../../store/index.ts";
import { createAllowAllJudge } from "../../governance/index.ts";
import { DurableDriver } from "./durable-driver.ts";
import type { Launch, LaunchOutcome } from "./runtime.ts";

const ORG = "default";
const DIAMOND = `name: diamond
steps:
  - { id: a, command: go }
  - { id: b, command: go, depends_on: [a] }
  - { id: c, command: go, depends_on: [a] }
  - { id: d, command: go, depends_on: [b, c] }
`;

interface Machine {
  readonly driver: DurableDriver;
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly calls: string[];
  readonly troubles: string[];
}

interface MachineOptions {
  readonly script?: string;
  readonly store?: Store;
  readonly clock?: VirtualClock;
  readonly calls?: string[];
  readonly supersedesAll?: boolean;
  readonly monotonic?: () => number;
}

function machine(options: MachineOptions = {}): Machine {
  const clock = options.clock ?? createVirtualClock(1_000_000);
  const store = options.store ?? createMemoryStore({ now: () => clock.now() });
  const calls = options.calls ?? [];
  const troubles: string[] = [];
  const { script } = readScript(options.script ?? "default: echo\n");
  if (script === null) throw new Error("the script is wrong");
  const ledger = (request: { readonly dispatchId: string }) => calls.push(request.dispatchId);
  const driver = new DurableDriver({
    store,
    clock,
    adapters: [createScriptedAdapter({ script, clock, ledger })],
    judge: createAllowAllJudge(new Set(["scripted"]), "scripted"),
    monotonic: options.monotonic ?? (() => clock.now()),
    isUnavailable: (error) => error instanceof StoreUnavailable,
    supersedesAll: options.supersedesAll ?? true,
    onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
  });
  return { driver, clock, store, calls, troubles };
}

/** Lets virtual time pass until a promise settles. */
function wait<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  return clock.settle(promise);
}

async function launch(
  { driver, clock, store }: Machine,
  source: string,
  more: Partial<Launch> = {},
): Promise<LaunchOutcome> {
  const definitionHash = digestText(source);
  await store.putDefinition(ORG, definitionHash, { source, catalog: null });
  const about = { orgId: ORG, workflow: "w", version: 1, definitionHash, trigger: "test", startedBy: null };
  return wait(clock, driver.launch({ ...about, args: {}, ...more }));
}

async function started(on: Machine, source: string, more: Partial<Launch> = {}): Promise<string> {
  const outcome = await launch(on, source, more);
  if (outcome.kind !== "started") throw new Error(`the launch was ${outcome.kind}`);
  return outcome.run.runId;
}

async function until({ clock, store }: Machine, runId: string, statuses: readonly string[]): Promise<string> {
  let status = "";
  const look = async (): Promise<void> => {
    status = (await store.getRun(ORG, runId))?.status ?? "gone";
  };
  for (let tries = 0; tries < 5_000 && !statuses.includes(status); tries += 1) {
    let isDue = false;
    clock.after(50, () => {
      isDue = true;
    });
    await clock.run(() => isDue);
    await look();
  }
  return status;
}

const ended = ["completed", "failed", "cancelled", "timed_out"];

async function logOf({ store }: Machine, runId: string) {
  return store.readEvents(ORG, runId, 0, 100_000);
}

describe("a durable run", () => {
  it("runs to its end, each node once, in a contiguous log", async () => {
    const on = machine();
    await on.driver.start();
    const runId = await started(on, DIAMOND);
    expect(await until(on, runId, ended)).toBe("completed");
    expect(on.calls.map((call) => call.split("/")[1])).toEqual(["a", "b", "c", "d"]);
    const events = await logOf(on, runId);
    expect(events.map((event) => event.eventId)).toEqual(events.map((_, index) => index + 1));
    expect(on.troubles).toEqual([]);
  });

  it("needs one commit to start and one per completion at most", async () => {
    const on = machine({ script: "default: echo\nnodes: { b: { delay_ms: 20 }, c: { delay_ms: 40 } }\n" });
    await on.driver.start();
    await until(on, await started(on, DIAMOND), ended);
    expect(on.driver.figures().commits).toBeLessThanOrEqual(5);
  });

  it("continues where it was when the process dies and another begins", async () => {
    const first = machine({ script: "default: echo\nnodes: { b: { hang: true } }\n" });
    await first.driver.start();
    const runId = await started(first, DIAMOND);
    await until(first, runId, ["running"]);
    // The first driver is simply abandoned, as after kill -9; its lease and its attempts are still in the store.
    const second = machine({ store: first.store, clock: first.clock, calls: first.calls });
    await second.driver.start();
    expect(await until(second, runId, ended)).toBe("completed");
    const counts = new Map<string, number>();
    for (const call of second.calls) counts.set(call, (counts.get(call) ?? 0) + 1);
    // Only what was in flight is sent again, under the same id.
    expect([...counts].filter(([, count]) => count > 1).map(([call]) => call.split("/")[1])).toEqual(["b"]);
  });

  it("lets a second replica take over from one that stopped renewing its lease", async () => {
    const first = machine({ script: "default: echo\nnodes: { a: { hang: true } }\n", supersedesAll: false });
    await first.driver.start();
    const runId = await started(first, DIAMOND);
    const second = machine({ store: first.store, clock: first.clock, supersedesAll: false });
    await second.driver.start();
    await wait(first.clock, first.driver.stop());
    expect(await until(second, runId, ended)).toBe("completed");
  });

  it("fires deadlines, also when the adapter ignores them, and after a restart", async () => {
    const source = "name: w\nsteps: [{ id: a, command: go, timeout: 30 }]\n";
    const on = machine({ script: "nodes: { a: { hang: true } }\n" });
    await on.driver.start();
    const runId = await started(on, source);
    expect(await until(on, runId, ended)).toBe("failed");
    const events = await logOf(on, runId);
    const timedOut = events.find((event) => event.type === "node.timed_out");
    const begun = events.find((event) => event.type === "node.started");
    expect((timedOut?.at ?? 0) - (begun?.at ?? 0)).toBeGreaterThanOrEqual(30_000);
    expect((timedOut?.at ?? 0) - (begun?.at ?? 0)).toBeLessThan(31_000);
  });

  it("looks for runs that wait for nothing every two minutes, and leaves those that wait for something alone", async () => {
    const clock = createVirtualClock(1_000_000);
    const memory = createMemoryStore({ now: () => clock.now() });
    let looks = 0;
    let runId = "";
    const listStalled = async () => ((looks += 1), [runId]);
    const on = machine({ store: { ...memory, listStalled }, clock, script: "nodes: { a: { hang: true } }\n" });
    await on.driver.start();
    runId = await started(on, "name: w\nsteps: [{ id: a, command: go, timeout: 1000 }]\n");
    const before = (await logOf(on, runId)).length;
    await until(on, runId, ended);
    expect(looks).toBe(2);
    expect(await logOf(on, runId)).toHaveLength(before);
  });

  it("answers an idempotency key with the run it started, and refuses another body", async () => {
    const on = machine();
    await on.driver.start();
    const idempotency = { orgId: ORG, keyId: "key_1", workflow: "w", key: "k", bodyHash: "one" };
    const runId = await started(on, DIAMOND, { idempotency });
    expect(await launch(on, DIAMOND, { idempotency })).toMatchObject({ kind: "repeated", run: { runId } });
    const other = { ...idempotency, bodyHash: "two" };
    expect(await launch(on, DIAMOND, { idempotency: other })).toMatchObject({
      refusal: { code: "idempotency_conflict" },
    });
  });

  it("keeps approvals, and takes the first answer", async () => {
    const on = machine();
    await on.driver.start();
    const runId = await started(on, "name: w\nsteps: [{ id: g, approval: required }]\n");
    const { data } = await on.store.listApprovals(ORG, "pending", { limit: 10, cursor: null });
    expect(data).toMatchObject([{ runId, nodeId: "g", source: "gate", choices: ["approve", "reject"] }]);
    const answer = { type: "approval", approvalId: data[0]?.id ?? "", decision: "approve", by: "user:ann" } as const;
    expect(await wait(on.clock, on.driver.submit(ORG, runId, answer))).toMatchObject({ run: { status: "completed" } });
    const second = await wait(on.clock, on.driver.submit(ORG, runId, answer));
    expect(second?.refusal?.code).toBe("approval_closed");
    expect(await on.store.getApproval(ORG, data[0]?.id ?? "")).toMatchObject({
      status: "approved",
      resolvedBy: "user:ann",
    });
  });

  it("shows no other organisation's run", async () => {
    const on = machine();
    await on.driver.start();
    const runId = await started(on, DIAMOND);
    expect(await wait(on.clock, on.driver.stateOf("other", runId))).toBeUndefined();
    expect(await wait(on.clock, on.driver.submit("other", runId, { type: "cancel", reason: "mine" }))).toBeUndefined();
  });

  it("restarts from a failed node in a new run", async () => {
    const script = "default: echo\nnodes: { c: [{ fail: provider_auth }] }\n";
    const first = machine({ script });
    await first.driver.start();
    const runId = await started(first, DIAMOND);
    expect(await until(first, runId, ended)).toBe("failed");
    const second = machine({ store: first.store, clock: first.clock });
    await second.driver.start();
    const again = await started(second, DIAMOND, { source: { runId, kind: "restart" } });
    expect(await until(second, again, ended)).toBe("completed");
    expect(second.calls.map((call) => call.split("/")[1])).toEqual(["c", "d"]);
  });

  it("stops in good order: what is queued is committed, the lease is given back", async () => {
    const on = machine({ script: "default: echo\nnodes: { a: { delay_ms: 500 } }\n" });
    await on.driver.start();
    const runId = await started(on, DIAMOND);
    await wait(on.clock, on.driver.stop());
    const next = machine({ store: on.store, clock: on.clock, supersedesAll: false });
    await next.driver.start();
    expect(await until(next, runId, ended)).toBe("completed");
  });
});

/** A store that is away now and then, before or after it has done what was asked. */
function unreliable(store: Store, isAway: () => "before" | "after" | null): Store {
  return {
    ...store,
    async commit(batch) {
      const away = isAway();
      if (away === "before") throw new StoreUnavailable("gone");
      const outcome = await store.commit(batch);
      if (away === "after") throw new StoreUnavailable("gone");
      return outcome;
    },
  };
}

describe("when the database comes and goes", () => {
  it.each(["before", "after"] as const)(
    "loses and doubles nothing when a commit's answer is lost %s it",
    async (moment) => {
      const clock = createVirtualClock(1_000_000);
      const memory = createMemoryStore({ now: () => clock.now() });
      let count = 0;
      const store = unreliable(memory, () => ((count += 1) % 3 === 0 ? moment : null));
      const on = machine({ store, clock });
      await on.driver.start();
      const runIds: string[] = [];
      while (runIds.length < 5) runIds.push(await started(on, DIAMOND));
      for (const runId of runIds) {
        expect(await until(on, runId, ended)).toBe("completed");
        const events = await logOf(on, runId);
        expect(events.map((event) => event.eventId)).toEqual(events.map((_, index) => index + 1));
        expect(events.filter((event) => event.type === "node.completed")).toHaveLength(4);
      }
    },
  );

  it("ends a run that hits a bug as engine_bug, from its log alone", async () => {
    const on = machine({ script: "default: echo\nnodes: { a: { delay_ms: 1000 } }\n" });
    await on.driver.start();
    const runId = await started(on, DIAMOND);
    const view = await wait(on.clock, on.driver.stateOf(ORG, runId));
    // A state no event can lead to: the next completion finds a parent missing.
    view?.state.nodes.splice(1, 2);
    expect(await until(on, runId, ended)).toBe("failed");
    const last = (await logOf(on, runId)).at(-1);
    expect(last).toMatchObject({ type: "run.failed", payload: { errorCode: "engine_bug" } });
  });

  it("ends a run whose log cannot be folded, and keeps no other run from continuing", async () => {
    const clock = createVirtualClock(1_000_000);
    const memory = createMemoryStore({ now: () => clock.now() });
    let broken = "";
    const store: Store = {
      ...memory,
      async loadRuns(runIds) {
        const loaded = await memory.loadRuns(runIds);
        // Its first event is of a node that does not exist.
        const event = { eventId: 1, at: 0, type: "node.queued", payload: { nodeId: "nowhere" } } as unknown as RunEvent;
        return loaded.map((one) => (one.run.runId === broken ? { ...one, events: [event] } : one));
      },
    };
    const first = machine({ store, clock, script: "default: echo\nnodes: { a: { hang: true } }\n" });
    await first.driver.start();
    const runIds = [await started(first, DIAMOND), await started(first, DIAMOND)];
    broken = runIds[0] ?? "";
    const second = machine({ store, clock });
    await second.driver.start();
    expect(await until(second, runIds[1] ?? "", ended)).toBe("completed");
    expect(await until(second, broken, ended)).toBe("failed");
    expect(second.troubles.join("\n")).toContain(`run ${broken} is parked`);
  });

  it("parks the one run that cannot be written, and commits the others", async () => {
    const clock = createVirtualClock(1_000_000);
    const memory = createMemoryStore({ now: () => clock.now() });
    let poisoned = "";
    const store: Store = {
      ...memory,
      async commit(batch) {
        if (poisoned !== "" && batch.some((one) => one.runId === poisoned)) throw new TypeError("this row is poison");
        return memory.commit(batch);
      },
    };
    const on = machine({ store, clock, script: "default: echo\nnodes: { a: { delay_ms: 1000 } }\n" });
    await on.driver.start();
    const runIds = [await started(on, DIAMOND), await started(on, DIAMOND), await started(on, DIAMOND)];
    poisoned = runIds[1] ?? "";
    expect(await until(on, runIds[0] ?? "", ended)).toBe("completed");
    expect(await until(on, runIds[2] ?? "", ended)).toBe("completed");
    expect(on.driver.figures().parkedRuns).toBeGreaterThan(0);
    expect(on.troubles.join("\n")).toContain(`run ${poisoned} is parked`);
    // What was decided and not written is not shown either.
    const shown = on.driver.stateOf(ORG, poisoned).then((view) => view?.state.lastEventId);
    expect(await wait(clock, shown)).toBe((await logOf(on, poisoned)).length);
  });
});

describe("what a driver shows", () => {
  it("is the fold of the committed log, and the past at any event", async () => {
    const on = machine();
    await on.driver.start();
    const runId = await started(on, DIAMOND);
    await until(on, runId, ended);
    const view = await wait(on.clock, on.driver.stateOf(ORG, runId));
    const events = await logOf(on, runId);
    if (view === undefined) throw new Error("no view");
    expect(replay(view.state.plan, runId, events).counts).toEqual(view.state.counts);
    const past = await wait(on.clock, on.driver.stateAt(ORG, runId, 1));
    expect(past?.state.lastEventId).toBe(1);
    expect(await wait(on.clock, on.driver.stateAt(ORG, runId, 9_999))).toBeNull();
  });
});

describe("a process that was too busy to renew its lease", () => {
  /** The process has slept for a while; no other replica has noticed. */
  async function slept(store?: (memory: Store) => Store) {
    const clock = createVirtualClock(1_000_000);
    let asleep = 0;
    const memory = createMemoryStore({ now: () => clock.now() });
    const on = machine({ clock, store: store?.(memory) ?? memory, monotonic: () => clock.now() + asleep });
    await wait(clock, on.driver.start());
    asleep = 20_000;
    return on;
  }

  it("sends what it committed meanwhile, once, as soon as the lease is renewed", async () => {
    const on = await slept();
    const outcome = await launch(on, DIAMOND);
    const runId = outcome.kind === "started" ? outcome.run.runId : "";
    expect(await until(on, runId, ended)).toBe("completed");
    expect(on.calls.toSorted()).toEqual(["a", "b", "c", "d"].map((id) => `${runId}/${id}/1`));
  });

  it("claims it like any replica when the lease was lost, and sends it once", async () => {
    let hasLost = false;
    const on = await slept((memory) => ({
      ...memory,
      renewReplica: async (replicaId, ttlMs) => {
        if (hasLost) return memory.renewReplica(replicaId, ttlMs);
        hasLost = true;
        await memory.retireReplica(replicaId);
        return false;
      },
    }));
    const before = on.driver.figures().replicaId;
    const outcome = await launch(on, DIAMOND);
    const runId = outcome.kind === "started" ? outcome.run.runId : "";
    expect(await until(on, runId, ended)).toBe("completed");
    expect(on.driver.figures().replicaId).not.toBe(before);
    expect(on.calls.toSorted()).toEqual(["a", "b", "c", "d"].map((id) => `${runId}/${id}/1`));
    expect(on.troubles).toEqual([]);
  });
});
