import { beforeEach, describe, expect, it } from "vitest";
import { createScriptedAdapter, readScript } from "../../adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../../clock/index.ts";
import { digestText } from "../../core/base/index.ts";
import type { UnstampedInput } from "../../core/engine/index.ts";
import { createAllowAllJudge } from "../../governance/index.ts";
import { createMemoryStore, type Store } from "../../store/index.ts";
import { DurableDriver } from "./durable-driver.ts";

const ORG = "default";
const RUN = "run_1";
const RETRY = "on_failure: retry, retry: { attempts: 3, backoff_ms: 60000 }";
const WORK = `name: w\nsteps: [{ id: a, command: go, timeout: 600 }]\n`;
const CHAIN = `name: w\nsteps: [{ id: a, command: go }, { id: b, command: go, depends_on: [a] }]\n`;
const RETRIED = `name: w\nsteps: [{ id: a, command: go, ${RETRY} }]\n`;
const FAILING = "nodes: { a: [{ fail: provider_error }, { hang: true }] }\n";

let clock: VirtualClock;
let memory: Store;

beforeEach(() => {
  clock = createVirtualClock(1_000_000);
  memory = createMemoryStore({ now: () => clock.now() });
});

function wait<T>(promise: Promise<T>): Promise<T> {
  return clock.settle(promise);
}

const pass = (ms: number): Promise<void> => wait(new Promise((resolve) => void clock.after(ms, resolve)));

/** One of several on the same store: it can sleep, lose its way to the database, and die. */
class Replica {
  readonly driver: DurableDriver;
  /** What its adapter was asked for. */
  readonly calls: string[] = [];
  asleepMs = 0;
  /** It cannot renew its lease. */
  isUnrenewed = false;
  isDead = false;

  constructor(script = "default: echo\n") {
    const ledger = ({ dispatchId }: { readonly dispatchId: string }) => this.calls.push(dispatchId);
    this.driver = new DurableDriver({
      store: this.#reach(memory),
      clock,
      adapters: [createScriptedAdapter({ script: readScript(script).script, clock, ledger })],
      judge: createAllowAllJudge(new Set(["scripted"]), "scripted"),
      monotonic: () => clock.now() + this.asleepMs,
      isUnavailable: () => false,
      supersedesAll: false,
      onTrouble: () => undefined,
    });
  }

  static async open(script?: string): Promise<Replica> {
    const replica = new Replica(script);
    await wait(replica.driver.start());
    return replica;
  }

  async launch(source: string): Promise<void> {
    const definitionHash = digestText(source);
    await memory.putDefinition(ORG, definitionHash, { source, catalog: null });
    const about = { orgId: ORG, workflow: "w", version: 1, definitionHash, trigger: "test", startedBy: null };
    await wait(this.driver.launch({ ...about, runId: RUN, args: {} }));
  }

  async submit(input: UnstampedInput): Promise<void> {
    await wait(this.driver.submit(ORG, RUN, input));
  }

  #reach(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        if (this.isDead) return () => new Promise(() => undefined);
        if (name === "renewReplica" && this.isUnrenewed) return () => Promise.reject(new Error("out of reach"));
        return Reflect.get(target, name) as unknown;
      },
    });
  }
}

const statusOf = async (): Promise<string | undefined> => (await memory.getRun(ORG, RUN))?.status;

async function timerKinds(): Promise<readonly string[]> {
  const [loaded] = await memory.loadRuns([RUN]);
  return (loaded?.timers ?? []).map(({ kind }) => kind);
}

async function typesOf(nodeId: string): Promise<readonly string[]> {
  const events = await memory.readEvents(ORG, RUN, 0, 1_000);
  return events.flatMap(({ type, payload }) => ("nodeId" in payload && payload.nodeId === nodeId ? [type] : []));
}

describe("a replica without a lease", () => {
  it("sends nothing, and what is still wanted once it has one again", async () => {
    const replica = await Replica.open();
    replica.asleepMs = 20_000;
    replica.isUnrenewed = true;
    await replica.launch(WORK);
    await pass(5_000);
    expect(replica.calls).toEqual([]);
    replica.isUnrenewed = false;
    await pass(5_000);
    expect(replica.calls).toEqual([`${RUN}/a/1`]);
    expect(await statusOf()).toBe("completed");
  });

  it("leaves what it has not sent to the replica that takes it over, also when it has one again", async () => {
    const [slow, other] = [await Replica.open(), await Replica.open("nodes: { a: { hang: true } }\n")];
    slow.asleepMs = 20_000;
    slow.isUnrenewed = true;
    await slow.launch(WORK);
    await pass(20_000);
    expect(other.calls).toEqual([`${RUN}/a/1`]);
    slow.isUnrenewed = false;
    await pass(20_000);
    expect(slow.calls).toEqual([]);
    expect(other.calls).toEqual([`${RUN}/a/1`]);
  });
});

describe("a replica that stops", () => {
  it("waits for what it has begun, and begins nothing more", async () => {
    const replica = await Replica.open("default: echo\nnodes: { a: { delay_ms: 500 } }\n");
    await replica.launch(CHAIN);
    await wait(replica.driver.stop());
    expect(await typesOf("a")).toContain("node.completed");
    expect(replica.calls).toEqual([`${RUN}/a/1`]);
    const next = await Replica.open();
    await pass(5_000);
    expect(next.calls).toEqual([`${RUN}/b/1`]);
    expect(await statusOf()).toBe("completed");
  });
});

describe("a timer", () => {
  it("whose replica has died is fired by another", async () => {
    const [dying, other] = [await Replica.open(FAILING), await Replica.open()];
    await dying.launch(RETRIED);
    await pass(1_000);
    expect(await typesOf("a")).toContain("node.retried");
    dying.isDead = true;
    await pass(120_000);
    expect(other.calls).toEqual([`${RUN}/a/2`]);
    expect(await statusOf()).toBe("completed");
  });

  it.each(["the replica that set it", "another replica"])("goes with its node, on %s", async (which) => {
    const [first, second] = [await Replica.open(FAILING), await Replica.open(FAILING)];
    await first.launch(RETRIED);
    await pass(1_000);
    expect(await timerKinds()).toEqual(["retry"]);
    const by = which === "another replica" ? second : first;
    await by.submit({ type: "rewind", eventId: 1, isConsumed: false });
    await pass(1);
    expect(await typesOf("a")).toContain("node.invalidated");
    expect(await timerKinds()).toEqual([]);
  });

  it.each(["the replica that set it", "another replica"])("goes with its run, on %s", async (which) => {
    const [first, second] = [await Replica.open(FAILING), await Replica.open(FAILING)];
    await first.launch(RETRIED);
    await pass(1_000);
    const by = which === "another replica" ? second : first;
    await by.submit({ type: "cancel", reason: "enough" });
    expect(await timerKinds()).toEqual([]);
    const { commits } = by.driver.figures();
    await pass(120_000);
    // Nothing is written of a run that has ended, because a timer of it was due.
    expect(by.driver.figures().commits).toBe(commits);
  });
});
