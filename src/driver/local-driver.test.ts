import { describe, expect, it } from "vitest";
import { ADAPTER_SPECIFICATION, type Adapter } from "../adapter/index.ts";
import { createScriptedAdapter, readScript } from "../adapters/index.ts";
import { createVirtualClock } from "../clock/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { EMPTY_CATALOG } from "../core/definition/index.ts";
import { replay, type RunState } from "../core/engine/index.ts";
import type { EventType, RunEvent } from "../core/event/index.ts";
import { checkSource } from "../core/plan/index.ts";
import type { AnswerApproval } from "./approval-desk.ts";
import { createAllowAllJudge, type Judge } from "../governance/index.ts";
import { LocalDriver, type PinnedWorkflow, type Settlement } from "./local-driver.ts";

function pin(source: string): PinnedWorkflow {
  const { plan, problems } = checkSource(source, EMPTY_CATALOG);
  expect(problems).toEqual([]);
  if (plan === null) throw new Error("no plan");
  return { plan, version: null, hash: "sha256:0" };
}

interface World {
  readonly script?: string;
  readonly adapters?: readonly Adapter[];
  readonly judge?: Judge;
  readonly answer?: AnswerApproval;
  readonly children?: Readonly<Record<string, string>>;
  readonly concurrency?: number;
  readonly onEvents?: (state: RunState, events: readonly RunEvent[]) => void;
}

function setUp(world: World = {}) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const { script, problems } = readScript(world.script ?? "{}");
  expect(problems).toEqual([]);
  const children = new Map(Object.entries(world.children ?? {}).map(([name, source]) => [name, pin(source)]));
  const states = new Map<string, RunState>();
  let runs = 0;
  const driver = new LocalDriver({
    adapters: [createScriptedAdapter({ script, clock }), ...(world.adapters ?? [])],
    clock,
    judge:
      world.judge ?? createAllowAllJudge(new Set((world.adapters ?? []).map(({ provider }) => provider)), "scripted"),
    newRunId: () => `run_${(runs += 1)}`,
    jitter: () => 0.5,
    resolveWorkflow: ({ name }) => children.get(name) ?? null,
    answerApproval: world.answer ?? (() => Promise.resolve(null)),
    onEvents(state, events) {
      states.set(state.runId, state);
      world.onEvents?.(state, events);
    },
    ...(world.concurrency === undefined ? {} : { concurrency: world.concurrency }),
  });
  const settle = async (runId: string): Promise<Settlement> => {
    let settlement: Settlement | undefined;
    void driver.whenSettled(runId).then((given) => (settlement = given));
    await clock.run(() => settlement !== undefined);
    if (settlement === undefined) throw new Error("the run neither ended nor waits for a person");
    return settlement;
  };
  const run = async (source: string, args: JsonObject = {}): Promise<Settlement & { runId: string }> => {
    const runId = driver.start(pin(source), args, "test");
    return { ...(await settle(runId)), runId };
  };
  return { clock, driver, run, settle, states };
}

const ofType = (log: readonly RunEvent[], type: EventType): readonly RunEvent[] =>
  log.filter((event) => event.type === type);

const CHAIN = `name: chain
steps:
  - { id: a, command: A }
  - { id: b, command: "B \${a.stdout}" }
`;

describe("local driver", () => {
  it("runs a workflow to its end, and its state is the fold of its log", async () => {
    const { run, driver } = setUp();
    const { kind, state, runId } = await run(CHAIN);
    expect(kind).toBe("ended");
    expect(state.status).toBe("completed");
    const log = driver.logOf(runId);
    expect(log.map(({ eventId }) => eventId)).toEqual(log.map((_, index) => index + 1));
    // The queue of ready nodes is a working aid: entries a node has moved on from mean nothing.
    expect({ ...replay(state.plan, runId, log), ready: null }).toEqual({ ...state, ready: null });
  });

  it("goes the same way twice", async () => {
    const logs = [];
    for (let time = 0; time < 2; time += 1) {
      const { run, driver } = setUp({ script: "nodes: { a: { delay_ms: 20, chunks: [x, y, z], chunk_ms: 30 } }" });
      const { runId } = await run(CHAIN);
      logs.push(driver.logOf(runId));
    }
    expect(logs[0]).toEqual(logs[1]);
  });

  it("streams pieces before the result", async () => {
    const { run, driver } = setUp({ script: "nodes: { a: { chunks: ['1', '2', '3'], chunk_ms: 10 } }" });
    const { runId } = await run("name: w\nsteps:\n  - { id: a, command: A }\n");
    const types = driver.logOf(runId).map(({ type }) => type);
    expect(types.indexOf("node.completed")).toBeGreaterThan(types.lastIndexOf("node.stream.delta"));
    const texts = ofType(driver.logOf(runId), "node.stream.delta").map(({ payload }) =>
      "text" in payload ? payload.text : "",
    );
    expect(texts).toEqual(["1", "23"]);
  });

  it("takes a report once, however often it is delivered", async () => {
    const { run, driver } = setUp({ script: "nodes: { a: { stdout: x, cost_usd: 0.5, duplicate_callback: 5 } }" });
    const { runId, state } = await run(CHAIN);
    expect(ofType(driver.logOf(runId), "node.completed")).toHaveLength(2);
    expect(state.costMicros).toBe(500_000);
  });

  it("waits out a backoff and tries again", async () => {
    const { run, clock } = setUp({ script: "nodes: { a: [{ fail: provider_error }, { stdout: fine }] }" });
    const before = clock.now();
    const { state } = await run("name: w\nsteps:\n  - { id: a, command: A, on_failure: retry }\n");
    expect(state.status).toBe("completed");
    expect(clock.now() - before).toBe(1_000);
  });

  it("lets the deadline end an attempt that hangs", async () => {
    const { run, clock } = setUp({ script: "nodes: { a: { hang: true } }" });
    const before = clock.now();
    const { state } = await run("name: w\nsteps:\n  - { id: a, command: A, timeout: 5 }\n");
    expect(state.nodes[0]?.now.status).toBe("timed_out");
    expect(state.status).toBe("failed");
    expect(clock.now() - before).toBe(5_000);
  });

  it("ends the run at its own deadline", async () => {
    const { run } = setUp({ script: "nodes: { a: { hang: true } }" });
    const { state } = await run("name: w\ntimeout: 3\nsteps:\n  - { id: a, command: A }\n");
    expect(state.status).toBe("timed_out");
  });

  it("cancels what is in flight and what waits", async () => {
    const { driver, clock, settle } = setUp({ script: "nodes: { a: { hang: true } }" });
    const runId = driver.start(pin(CHAIN), {}, "test");
    clock.after(100, () => driver.cancel(runId, "enough"));
    const { state } = await settle(runId);
    expect(state.status).toBe("cancelled");
    expect(state.nodes.map(({ now }) => now.status)).toEqual(["cancelled", "cancelled"]);
  });

  it("fails a dispatch nobody can take", async () => {
    const lost = createAllowAllJudge(new Set(), "nowhere");
    const { state } = await setUp({ judge: lost }).run(CHAIN);
    expect(state.nodes[0]?.now).toMatchObject({ status: "failed", errorCode: "dispatch_failed" });
  });

  it("keeps within the concurrency it was given", async () => {
    let most = 0;
    const { run } = setUp({
      concurrency: 3,
      script: "nodes: { a: { delay_ms: 10 } }",
      onEvents: (state) => {
        most = Math.max(most, state.counts.running + state.counts.streaming - state.expandedRunning);
      },
    });
    const { state } = await run(
      "name: w\nargs: { list: { type: array } }\nsteps:\n  - { id: a, for_each: list, command: 'A ${item}' }\n",
      { list: Array.from({ length: 20 }, (_, index) => index) },
    );
    expect(state.status).toBe("completed");
    expect(most).toBe(3);
  });
});

const GATE = `name: gated
steps:
  - { id: ok, approval: required }
  - { id: b, command: B, depends_on: [ok] }
`;

describe("people", () => {
  it("reports that a run waits, and for what", async () => {
    const settlement = await setUp().run(GATE);
    expect(settlement).toMatchObject({
      kind: "waiting",
      approvals: [{ nodeId: "ok", runId: "run_1", workflow: "gated" }],
    });
  });

  it("goes on with the answer", async () => {
    const answer: AnswerApproval = () => Promise.resolve({ decision: "approve", by: "ann" });
    expect((await setUp({ answer }).run(GATE)).state.status).toBe("completed");
  });

  it("asks again when an answer is not taken, and gives up in the end", async () => {
    const refusals: (string | null)[] = [];
    const answer: AnswerApproval = (_, { refusal }) => {
      refusals.push(refusal);
      return Promise.resolve({ decision: "reject", by: "ann" });
    };
    const { kind } = await setUp({ answer }).run(GATE);
    expect(kind).toBe("waiting");
    expect(refusals).toEqual([null, expect.stringContaining("reason"), expect.stringContaining("reason")]);
  });

  it("takes an answerer that breaks for one who has not answered", async () => {
    const { kind } = await setUp({ answer: () => Promise.reject(new Error("gone")) }).run(GATE);
    expect(kind).toBe("waiting");
  });

  it("takes a question back when the run is cancelled", async () => {
    let isAborted = false;
    const answer: AnswerApproval = (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          isAborted = true;
          resolve(null);
        });
      });
    const { driver, clock, settle } = setUp({ answer });
    const runId = driver.start(pin(GATE), {}, "test");
    clock.after(10, () => driver.cancel(runId, "enough"));
    expect((await settle(runId)).state.status).toBe("cancelled");
    expect(isAborted).toBe(true);
  });

  it("does not call a run waiting while something else goes on in it", async () => {
    const { run, clock } = setUp({ script: "nodes: { slow: { delay_ms: 60000 } }" });
    const before = clock.now();
    const { kind } = await run(`${GATE}  - { id: slow, command: S }\n`);
    expect(kind).toBe("waiting");
    expect(clock.now() - before).toBe(60_000);
  });
});

const PARENT = `name: parent
steps:
  - { id: sub, workflow_ref: child, with: { topic: tides } }
  - { id: after, command: "Use \${sub.outputs.leaf}" }
`;
const CHILD = `name: child
args: { topic: { type: string, required: true } }
steps:
  - { id: leaf, command: "Write about \${topic}" }
`;

describe("child runs", () => {
  it("hands the leaves' outputs and the cost to the parent", async () => {
    const { run } = setUp({
      children: { child: CHILD },
      script: "nodes: { leaf: { outputs: { text: done }, cost_usd: 0.25 } }",
    });
    const { state } = await run(PARENT);
    expect(state.status).toBe("completed");
    expect(state.nodes.find(({ id }) => id === "sub")?.now).toMatchObject({ outputs: { leaf: { text: "done" } } });
    expect(state.costMicros).toBe(250_000);
  });

  it("fails the node when the child fails, with its words", async () => {
    const { run } = setUp({
      children: { child: CHILD },
      script: "nodes: { leaf: { fail: provider_refused, message: never } }",
    });
    const { state } = await run(PARENT);
    expect(state.nodes.find(({ id }) => id === "sub")?.now).toMatchObject({
      errorCode: "child_failed",
      errorMessage: expect.stringContaining("never"),
    });
  });

  it.each([
    ["a workflow that is not at hand", {}],
    ["args that do not fit", { child: CHILD.replace("topic:", "theme:").replace("topic}", "theme}") }],
  ])("fails the node for %s", async (_, children) => {
    const { state } = await setUp({ children }).run(PARENT);
    expect(state.nodes.find(({ id }) => id === "sub")?.now).toMatchObject({ errorCode: "child_failed" });
  });

  it("waits when only a person can move the child", async () => {
    const settlement = await setUp({ children: { child: GATE.replace("gated", "child") } }).run(
      "name: parent\nmax_parallel: 1\nsteps:\n  - { id: a_sub, workflow_ref: child }\n  - { id: b, command: B }\n",
    );
    expect(settlement).toMatchObject({ kind: "waiting", approvals: [{ workflow: "child" }] });
  });

  it("takes the child down with the parent", async () => {
    const { driver, clock, settle, states } = setUp({
      children: { child: CHILD },
      script: "nodes: { leaf: { hang: true } }",
    });
    const runId = driver.start(pin(PARENT), {}, "test");
    clock.after(10, () => driver.cancel(runId, "enough"));
    expect((await settle(runId)).state.status).toBe("cancelled");
    expect([...states.values()].map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  });

  it("stops at the depth limit when a workflow starts itself", async () => {
    const loop = "name: loop\nsteps:\n  - { id: again, workflow_ref: loop }\n";
    const { state } = await setUp({ children: { loop } }).run(loop);
    expect(state.status).toBe("failed");
    expect(state.nodes[0]?.now).toMatchObject({ errorMessage: expect.stringContaining("limit") });
  });
});

describe("bugs", () => {
  const brokenFor = (runId: string): Judge => {
    const fine = createAllowAllJudge(new Set(), "scripted");
    return {
      decide(request, about) {
        if (about.runId === runId && request.nodeId === "b") throw new Error("planted");
        return fine.decide(request, about);
      },
    };
  };

  it("parks the run it struck and leaves the others alone", async () => {
    const { driver, settle } = setUp({ judge: brokenFor("run_1") });
    const struck = driver.start(pin(CHAIN), {}, "test");
    const other = driver.start(pin(CHAIN), {}, "test");
    expect(await settle(struck)).toMatchObject({ kind: "parked", message: "planted" });
    expect((await settle(other)).state.status).toBe("completed");
  });

  it("shows the parked run as its log has it", async () => {
    const { driver, settle } = setUp({ judge: brokenFor("run_1") });
    const runId = driver.start(pin(CHAIN), {}, "test");
    const { state } = await settle(runId);
    expect(state).toEqual(replay(state.plan, runId, driver.logOf(runId)));
    expect(state.nodes[0]?.now.status).toBe("running");
  });

  it("survives an adapter that throws, breaks the interface, or fails to cancel", async () => {
    const broken: Adapter = {
      specificationVersion: ADAPTER_SPECIFICATION,
      provider: "broken",
      initialize: () => Promise.resolve(),
      shutdown: () => Promise.resolve(),
      checkHealth: () => Promise.resolve({ status: "healthy" }),
      capabilities: () => ({ streaming: false, structuredOutput: false, tools: false, deferred: false }),
      execute: () => Promise.reject(new Error("lost")),
      cancel: () => Promise.reject(new Error("lost too")),
    };
    const { state } = await setUp({ adapters: [broken] }).run(
      "name: w\nsteps:\n  - { id: a, command: A, provider: broken }\n",
    );
    expect(state.nodes[0]?.now).toMatchObject({ status: "failed", errorCode: "adapter_bug" });
  });

  it("says nothing after it was closed", async () => {
    const { driver, clock } = setUp({ script: "nodes: { a: { delay_ms: 50 } }" });
    const runId = driver.start(pin(CHAIN), {}, "test");
    let isQuiet = false;
    clock.after(10, () => {
      driver.close();
      isQuiet = true;
    });
    await clock.run(() => isQuiet);
    const { length } = driver.logOf(runId);
    expect(await clock.run(() => false)).toBe(false);
    expect(driver.logOf(runId)).toHaveLength(length);
  });
});
