import { beforeEach, describe, expect, it } from "vitest";
import { createScriptedAdapter, readScript } from "../../adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../../clock/index.ts";
import { digestText } from "../../core/base/index.ts";
import type { StartChild } from "../../core/engine/index.ts";
import type { EventOf, EventType, RunEvent } from "../../core/event/index.ts";
import { createMemoryStore, OrganisationMoving, type RunRecord, type Store } from "../../store/index.ts";
import { createAllowAllJudge } from "../../governance/index.ts";
import type { ChildPreparer, PreparedChild } from "./children.ts";
import { DurableDriver } from "./durable-driver.ts";

const ORG = "default";
const PARENT =
  "name: parent\nsteps:\n  - { id: sub, workflow_ref: child }\n  - { id: after, command: A, depends_on: [sub] }\n";
const CHILD = "name: child\nsteps: [{ id: leaf, command: go }]\n";

let clock: VirtualClock;
let memory: Store;
/** What adapters were asked for, by whichever replica: `child/leaf`. */
let calls: string[];
let troubles: string[];

beforeEach(() => {
  clock = createVirtualClock(1_000_000);
  memory = createMemoryStore({ now: () => clock.now() });
  calls = [];
  troubles = [];
});

/** How a child is started when nothing stands in its way. */
async function prepared(parent: RunRecord, wanted: StartChild): Promise<PreparedChild> {
  const definitionHash = digestText(CHILD);
  await memory.putDefinition(ORG, definitionHash, { source: CHILD, catalog: null });
  const { childRunId: runId, nodeId, attempt, recursionDepth, workflow } = wanted;
  return {
    kind: "launch",
    launch: {
      orgId: ORG,
      runId,
      workflow: workflow.name,
      version: 1,
      definitionHash,
      args: {},
      trigger: "parent",
      startedBy: null,
      parent: { runId: parent.runId, nodeId, attempt, recursionDepth, traceId: parent.traceId },
    },
  };
}

/** Counts who is asked, and may keep them waiting. */
class PreparerStub implements ChildPreparer {
  asked = 0;
  readonly #held: Promise<void> | null;
  release: () => void = () => undefined;

  constructor({ isHeld = false } = {}) {
    this.#held = isHeld ? new Promise((resolve) => (this.release = resolve)) : null;
  }

  async prepare(parent: RunRecord, wanted: StartChild): Promise<PreparedChild> {
    this.asked += 1;
    await this.#held;
    return prepared(parent, wanted);
  }
}

async function replica({
  preparer = new PreparerStub(),
  store = memory,
  script = "default: echo\n",
}: { preparer?: ChildPreparer; store?: Store; script?: string } = {}): Promise<DurableDriver> {
  const ledger = ({ stepId }: { readonly stepId: string }) => calls.push(stepId);
  const driver = new DurableDriver({
    store,
    clock,
    adapters: [createScriptedAdapter({ script: readScript(script).script, clock, ledger })],
    judge: createAllowAllJudge(new Set(["scripted"]), "scripted"),
    children: () => preparer,
    monotonic: () => clock.now(),
    isUnavailable: () => false,
    supersedesAll: false,
    onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
  });
  await driver.start();
  return driver;
}

async function started(driver: DurableDriver, source = PARENT): Promise<string> {
  const definitionHash = digestText(source);
  await memory.putDefinition(ORG, definitionHash, { source, catalog: null });
  const about = { orgId: ORG, workflow: "parent", version: 1, definitionHash, trigger: "test", startedBy: null };
  const outcome = await wait(driver.launch({ ...about, args: {} }));
  if (outcome.kind !== "started") throw new Error(`the launch was ${outcome.kind}`);
  return outcome.run.runId;
}

/** A few turns of the event loop before any time passes: that is what one piece of work takes. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function wait<T>(promise: Promise<T>): Promise<T> {
  return clock.settle(promise, turns);
}

const pass = (ms: number): Promise<void> => wait(new Promise((resolve) => void clock.after(ms, resolve)));

async function ended(runId: string): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const run = await memory.getRun(ORG, runId);
    if (run !== undefined && run.endedAt !== null) return run.status;
    await pass(200);
  }
  return "open";
}

const childrenOf = async (parentRunId: string): Promise<readonly RunRecord[]> =>
  (await memory.listRuns(ORG, { parentRunId }, { limit: 10, cursor: null })).data;

async function payloadsOf<T extends EventType>(runId: string, type: T): Promise<readonly EventOf<T>["payload"][]> {
  const events = await memory.readEvents(ORG, runId, 0, 1_000);
  return events.flatMap((event) => (event.type === type ? [event.payload as EventOf<T>["payload"]] : []));
}

const cancel = (driver: DurableDriver, runId: string) =>
  wait(driver.submit(ORG, runId, { type: "cancel", reason: "enough" }));

/** Dies on its way to the database with whatever a commit is about. */
function dyingAt(type: EventType): Store {
  return {
    ...memory,
    commit: (batch) =>
      batch.some(({ events }) => events.some((event) => event.type === type))
        ? new Promise(() => undefined)
        : memory.commit(batch),
  };
}

describe("a child run", () => {
  it("is started right after the commit that wants it, and its end is reported to its parent", async () => {
    const preparer = new PreparerStub();
    const began = clock.now();
    const runId = await started(await replica({ preparer }));
    expect(await ended(runId)).toBe("completed");
    const [child] = await childrenOf(runId);
    expect(child).toMatchObject({ parentNode: "sub", parentAttempt: 1, status: "completed", recursionDepth: 1 });
    expect(child?.endedAt).toBe(began);
    expect([preparer.asked, calls]).toEqual([1, ["leaf", "after"]]);
    expect(await memory.dueTimers(10)).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("that loses a race is called off with everything else that does, and the run ends after it", async () => {
    const source =
      "name: parent\nsteps:\n  - { id: sub, workflow_ref: child }\n  - { id: quick, command: Q }\n" +
      "  - { id: slow, command: S }\n  - { id: informed, wait: { event: e, timeout: 1h } }\n" +
      "  - { id: after, command: A, depends_on: [sub, quick, slow, informed], join: any, race: true }\n";
    const script = "nodes: { quick: { delay_ms: 500 }, slow: { delay_ms: 90000 }, leaf: { delay_ms: 90000 } }\n";
    const began = clock.now();
    const runId = await started(await replica({ script }), source);
    expect(await ended(runId)).toBe("completed");
    expect(clock.now() - began).toBeLessThan(10_000);
    expect(await childrenOf(runId)).toMatchObject([{ status: "cancelled" }]);
    const skipped = await payloadsOf(runId, "node.skipped");
    expect(skipped.map(({ nodeId, reason }) => [nodeId, reason])).toEqual(
      ["informed", "slow", "sub"].map((id) => [id, "race_lost"]),
    );
    expect(calls).toEqual(["quick", "slow", "leaf", "after"]);
    await pass(4_000_000);
    expect(await memory.dueTimers(10)).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("that was refused fails its node with the reason", async () => {
    const preparer: ChildPreparer = { prepare: async () => ({ kind: "refused", message: "not today" }) };
    const runId = await started(await replica({ preparer }));
    expect(await ended(runId)).toBe("failed");
    const [failed] = await payloadsOf(runId, "node.failed");
    expect(failed).toMatchObject({ nodeId: "sub", errorCode: "child_failed" });
    expect(failed?.errorMessage).toContain("not today");
    expect(await childrenOf(runId)).toEqual([]);
  });

  it("that takes long is left alone when its timer is due", async () => {
    const preparer = new PreparerStub();
    const runId = await started(await replica({ preparer, script: "nodes: { leaf: { delay_ms: 25000 } }\n" }));
    await pass(20_000);
    expect(await childrenOf(runId)).toMatchObject([{ status: "running" }]);
    expect(await ended(runId)).toBe("completed");
    expect([preparer.asked, calls]).toEqual([1, ["leaf", "after"]]);
    expect(troubles).toEqual([]);
  });
});

describe("a child run of an organisation that is being moved", () => {
  it("is started later by the timer of its parent, which goes on", async () => {
    let isMoving = true;
    const fenced: Store = {
      ...memory,
      commit: (batch) =>
        isMoving && batch.some(({ create }) => create !== null && create.parentRunId !== null)
          ? Promise.reject(new OrganisationMoving(ORG, undefined))
          : memory.commit(batch),
    };
    const runId = await started(await replica({ store: fenced }));
    await pass(12_000);
    expect([await childrenOf(runId), await payloadsOf(runId, "node.failed")]).toEqual([[], []]);
    isMoving = false;
    expect(await ended(runId)).toBe("completed");
    expect([calls, troubles]).toEqual([["leaf", "after"], []]);
  });
});

describe("a process that dies", () => {
  it("between the commit and the start leaves a timer by which the child is started", async () => {
    const runId = await started(await replica({ preparer: new PreparerStub({ isHeld: true }) }));
    expect(await childrenOf(runId)).toEqual([]);
    await replica();
    await pass(9_000);
    expect(await childrenOf(runId)).toEqual([]);
    expect(await ended(runId)).toBe("completed");
    expect(calls).toEqual(["leaf", "after"]);
  });

  it("before the parent was informed leaves a timer by which it is", async () => {
    const runId = await started(await replica({ store: dyingAt("child.finished") }));
    await pass(100);
    expect(await childrenOf(runId)).toMatchObject([{ status: "completed" }]);
    await replica();
    expect(await ended(runId)).toBe("completed");
    expect(await payloadsOf(runId, "child.finished")).toHaveLength(1);
    expect(calls).toEqual(["leaf", "after"]);
  });

  it("before the child was called off leaves a timer by which it is", async () => {
    const held = await replica({ script: "nodes: { leaf: { hang: true } }\n" });
    const runId = await started(held);
    await pass(100);
    const [child] = await childrenOf(runId);
    const deaf = {
      ...memory,
      getRun: (org: string, id: string) =>
        id === child?.runId ? new Promise<never>(() => undefined) : memory.getRun(org, id),
    };
    await cancel(await replica({ store: deaf }), runId);
    await pass(100);
    expect(await childrenOf(runId)).toMatchObject([{ status: "running" }]);
    await replica();
    expect(await ended(runId)).toBe("cancelled");
    expect(await childrenOf(runId)).toMatchObject([{ status: "cancelled" }]);
  });
});

describe("a child run that is called off", () => {
  it("before it began never begins", async () => {
    const runId = await started(await replica({ preparer: new PreparerStub({ isHeld: true }) }));
    await cancel(await replica(), runId);
    expect(await ended(runId)).toBe("cancelled");
    expect(await payloadsOf(runId, "child.finished")).toMatchObject([{ status: "cancelled" }]);
    await pass(30_000);
    expect(await childrenOf(runId)).toEqual([]);
    expect(calls).toEqual([]);
  });

  it("while it is being started is called off after that", async () => {
    const preparer = new PreparerStub({ isHeld: true });
    const driver = await replica({ preparer, script: "nodes: { leaf: { hang: true } }\n" });
    const runId = await started(driver);
    await cancel(driver, runId);
    await pass(1_000);
    expect(await memory.getRun(ORG, runId)).toMatchObject({ endedAt: null });
    preparer.release();
    expect(await ended(runId)).toBe("cancelled");
    expect(await childrenOf(runId)).toMatchObject([{ status: "cancelled" }]);
    expect(driver.figures().openDispatches).toBe(0);
    expect(troubles).toEqual([]);
  });

  it("by another replica while it is being started does not run on", async () => {
    const preparer = new PreparerStub({ isHeld: true });
    const slow = await replica({ preparer, script: "nodes: { leaf: { hang: true } }\n" });
    const runId = await started(slow);
    await cancel(await replica(), runId);
    expect(await ended(runId)).toBe("cancelled");
    preparer.release();
    await pass(1_000);
    expect(await childrenOf(runId)).toMatchObject([{ status: "cancelled" }]);
    expect(slow.figures().openDispatches).toBe(0);
  });
});

describe("two replicas", () => {
  it("that find the same child missing start one", async () => {
    const runId = await started(await replica({ preparer: new PreparerStub({ isHeld: true }) }));
    const preparers = [new PreparerStub({ isHeld: true }), new PreparerStub({ isHeld: true })];
    for (const preparer of preparers) await replica({ preparer });
    await pass(12_000);
    expect(preparers.map(({ asked }) => asked)).toEqual([1, 1]);
    for (const preparer of preparers) preparer.release();
    expect(await ended(runId)).toBe("completed");
    expect(await childrenOf(runId)).toHaveLength(1);
    expect(await payloadsOf(runId, "child.finished")).toHaveLength(1);
    expect(calls).toEqual(["leaf", "after"]);
    expect(troubles).toEqual([]);
  });

  it("inform a parent once between them", async () => {
    const runId = await started(await replica({ store: dyingAt("child.finished") }));
    await Promise.all([replica(), replica()]);
    expect(await ended(runId)).toBe("completed");
    await pass(10_000);
    expect(await payloadsOf(runId, "child.finished")).toHaveLength(1);
    expect(await payloadsOf(runId, "node.completed")).toHaveLength(2);
    expect(troubles).toEqual([]);
  });
});

const GRAND = "name: grand\nsteps:\n  - { id: below, workflow_ref: parent }\n";

/** The runs of a family, eldest first. */
async function family(first: string): Promise<readonly RunRecord[]> {
  const runs: RunRecord[] = [];
  let next = await memory.getRun(ORG, first);
  while (next !== undefined) {
    runs.push(next);
    [next] = await childrenOf(next.runId);
  }
  return runs;
}

/** Starts whatever a parent names; the preparer of the other tests knows one workflow only. */
const FAMILY_DESK: ChildPreparer = {
  async prepare(parent, wanted) {
    const source = wanted.workflow.name === "parent" ? PARENT : CHILD;
    await memory.putDefinition(ORG, digestText(source), { source, catalog: null });
    const found = await prepared(parent, wanted);
    if (found.kind !== "launch") return found;
    return { ...found, launch: { ...found.launch, definitionHash: digestText(source) } };
  },
};

const SPENT = { inputTokens: 3, outputTokens: 4, thinkingTokens: 0, cachedTokens: 0 };

/** What an attempt that was called off has cost after all. */
const reportLate = (driver: DurableDriver, runId: string, costMicros: number) =>
  wait(
    driver.submit(ORG, runId, {
      type: "callback",
      nodeId: "leaf",
      attempt: 1,
      result: { status: "completed", stdout: "x", tokens: SPENT, costMicros },
    }),
  );

describe("what a child run spends after its end", () => {
  async function endedFamily(driver: DurableDriver): Promise<readonly RunRecord[]> {
    const runId = await started(driver, GRAND);
    await pass(100);
    await cancel(driver, runId);
    expect(await ended(runId)).toBe("cancelled");
    return family(runId);
  }

  it("is reported to its parent and all above, once", async () => {
    const driver = await replica({ preparer: FAMILY_DESK, script: "nodes: { leaf: { hang: true } }\n" });
    const runs = await endedFamily(driver);
    expect(runs).toHaveLength(3);
    const leaf = runs[2]?.runId ?? "";
    for (let times = 0; times < 2; times += 1) await reportLate(driver, leaf, 500);
    await pass(10_000);
    for (const { runId } of await family(runs[0]?.runId ?? "")) {
      expect((await memory.getRun(ORG, runId))?.costMicros).toBe(500);
      expect(await payloadsOf(runId, "cost.recorded")).toMatchObject([{ costMicros: 500, tokens: SPENT, late: true }]);
    }
    const [root, middle] = runs;
    expect(await payloadsOf(root?.runId ?? "", "cost.recorded")).toMatchObject([
      { nodeId: "below", childRunId: middle?.runId },
    ]);
    expect(await memory.dueTimers(10)).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("is reported although the process died before that, by the replica that finds the timer", async () => {
    const driver = await replica({ preparer: FAMILY_DESK, script: "nodes: { leaf: { hang: true } }\n" });
    const runs = await endedFamily(driver);
    const [root, middle, leaf] = runs.map(({ runId }) => runId);
    await driver.stop();
    // Dies before the parent's share is written, and then before the grandparent's.
    for (const dead of [middle, root]) {
      const store: Store = {
        ...memory,
        commit: (batch) =>
          batch.some(({ runId }) => runId === dead) ? new Promise(() => undefined) : memory.commit(batch),
      };
      const dying = await replica({ preparer: FAMILY_DESK, store });
      if (dead === middle) void dying.submit(ORG, leaf ?? "", LATE);
      await pass(8_000);
      expect(await payloadsOf(dead ?? "", "cost.recorded")).toEqual([]);
    }
    await replica({ preparer: FAMILY_DESK });
    await pass(12_000);
    for (const runId of [root, middle, leaf]) {
      expect((await memory.getRun(ORG, runId ?? ""))?.costMicros).toBe(70);
      expect(await payloadsOf(runId ?? "", "cost.recorded")).toHaveLength(1);
    }
    expect(await memory.dueTimers(10)).toEqual([]);
  });

  const LATE = {
    type: "callback",
    nodeId: "leaf",
    attempt: 1,
    result: { status: "completed", stdout: "x", tokens: SPENT, costMicros: 70 },
  } as const;
});

describe("the child run of a parent that hit a bug", () => {
  /** The parent can no longer be written, until it has been parked. */
  function poisoned(): { store: Store; poison: (runId: string) => void } {
    let bad = "";
    const isPoison = (batch: Parameters<Store["commit"]>[0]) =>
      batch.some(({ runId, events }) => runId === bad && !events.some(({ type }) => type === "run.failed"));
    return {
      store: {
        ...memory,
        commit: (batch) => (isPoison(batch) ? Promise.reject(new TypeError("poison")) : memory.commit(batch)),
      },
      poison: (runId) => {
        bad = runId;
      },
    };
  }

  it("is called off, and what it has cost reaches the parent", async () => {
    const { store, poison } = poisoned();
    const driver = await replica({ store, script: "nodes: { leaf: { hang: true } }\n" });
    const runId = await started(driver);
    await pass(100);
    poison(runId);
    await expect(cancel(driver, runId)).rejects.toThrow("poison");
    expect(await ended(runId)).toBe("failed");
    poison("");
    await pass(1_000);
    const [child] = await childrenOf(runId);
    expect(child?.status).toBe("cancelled");
    expect(driver.figures().openDispatches).toBe(0);
    await reportLate(driver, child?.runId ?? "", 9);
    await pass(20_000);
    expect((await memory.getRun(ORG, runId))?.costMicros).toBe(9);
    // E5: after its end it says what it cost, and nothing else.
    const events = await memory.readEvents(ORG, runId, 0, 100);
    expect(events.slice(events.findIndex(({ type }) => type === "run.failed")).map(({ type }) => type)).toEqual([
      "run.failed",
      "cost.recorded",
    ]);
    expect(await memory.dueTimers(10)).toEqual([]);
  });

  it("is cancelled by the replica that finds the timer when the process has died, also when the log cannot be folded", async () => {
    const runIds: string[] = [];
    const unreadable: Store = {
      ...memory,
      async loadRuns(wanted) {
        const event = { eventId: 1, at: 0, type: "node.queued", payload: { nodeId: "nowhere" } } as unknown as RunEvent;
        const loaded = await memory.loadRuns(wanted);
        return loaded.map((one) =>
          runIds.includes(one.run.runId) ? { ...one, events: [event, ...one.events.slice(1)] } : one,
        );
      },
    };
    const first = await replica({ store: unreadable, script: "nodes: { leaf: { hang: true } }\n" });
    const runId = await started(first);
    await pass(100);
    runIds.push(runId);
    const [child] = await childrenOf(runId);
    // Parks the parent and goes no further: what it submits to the child is never written.
    const dying = await replica({
      store: {
        ...unreadable,
        commit: (batch) =>
          batch.some((one) => one.runId === child?.runId) ? new Promise(() => undefined) : memory.commit(batch),
      },
    });
    void dying.submit(ORG, runId, { type: "cancel", reason: "enough" }).catch(() => undefined);
    expect(await ended(runId)).toBe("failed");
    expect(await childrenOf(runId)).toMatchObject([{ status: "running" }]);
    await replica({ store: unreadable });
    await pass(10_000);
    expect(await childrenOf(runId)).toMatchObject([{ status: "cancelled" }]);
    // What takes no input is put off for a while.
    expect(await memory.dueTimers(10)).toEqual([]);
    expect(await memory.nextDueAt()).toBeGreaterThan(clock.now() + 600_000);
  });
});
