import { describe, expect, it } from "vitest";
import { Play, play } from "../../test/own/play.ts";
import { ADAPTER_SPECIFICATION, type Adapter } from "../adapter/index.ts";
import { findNode, replay, type RunState } from "../core/engine/index.ts";
import type { EventType, RunEvent } from "../core/event/index.ts";
import { createAllowAllJudge, type Judge } from "../governance/index.ts";
import type { AnswerApproval } from "./approvals.ts";

const ofType = (log: readonly RunEvent[], type: EventType): readonly RunEvent[] =>
  log.filter((event) => event.type === type);

const nowOf = (state: RunState, nodeId: string) => findNode(state, nodeId)?.now;

const CHAIN = `name: chain
steps:
  - { id: a, command: A }
  - { id: b, command: "B \${a.stdout}" }
`;

describe("a run of one's own", () => {
  it("runs to its end, and its state is the fold of its log", async () => {
    const { kind, state, log } = await play(CHAIN);
    expect(kind).toBe("ended");
    expect(state.status).toBe("completed");
    expect(log.map(({ eventId }) => eventId)).toEqual(log.map((_, index) => index + 1));
    expect(replay(state.plan, "run_1", log)).toEqual(state);
  });

  it("goes the same way twice", async () => {
    const script = "nodes: { a: { delay_ms: 20, chunks: [x, y, z], chunk_ms: 30 } }";
    const logs = [await play(CHAIN, { script }), await play(CHAIN, { script })].map(({ log }) => log);
    expect(logs[0]).toEqual(logs[1]);
  });

  it("streams pieces before the result", async () => {
    const script = "nodes: { a: { chunks: ['1', '2', '3'], chunk_ms: 10 } }";
    const { log } = await play("name: w\nsteps:\n  - { id: a, command: A }\n", { script });
    const types = log.map(({ type }) => type);
    expect(types.indexOf("node.completed")).toBeGreaterThan(types.lastIndexOf("node.stream.delta"));
    const texts = ofType(log, "node.stream.delta").map(({ payload }) => ("text" in payload ? payload.text : ""));
    expect(texts.join("")).toBe("123");
  });

  it("takes a report once, however often it is delivered", async () => {
    const script = "nodes: { a: { stdout: x, cost_usd: 0.5, duplicate_callback: 5 } }";
    const { log, state } = await play(CHAIN, { script });
    expect(ofType(log, "node.completed")).toHaveLength(2);
    expect(state.costMicros).toBe(500_000);
  });

  it("waits out a backoff, and is not taken for one that waits for a person", async () => {
    const { state, kind } = await play(
      "name: w\nsteps:\n  - { id: ok, approval: required }\n  - { id: a, command: A, on_failure: retry }\n",
      { script: "nodes: { a: [{ fail: provider_error }, { stdout: fine }] }" },
    );
    expect(kind).toBe("waiting");
    expect([nowOf(state, "ok")?.status, nowOf(state, "a")?.status]).toEqual(["blocked", "completed"]);
  });

  it("cancels what is in flight and what waits", async () => {
    const on = new Play(CHAIN, { script: "nodes: { a: { hang: true } }" });
    on.clock.after(100, () => on.engine.cancel());
    const { state } = await on.settle();
    expect(state.status).toBe("cancelled");
    expect(state.nodes.map(({ now }) => now.status)).toEqual(["cancelled", "cancelled"]);
    const before = on.clock.now();
    await on.stop();
    expect(on.clock.now() - before).toBeLessThan(1_000);
  });

  it("is cancelled also by who was quicker than its start", async () => {
    const on = new Play(CHAIN, { script: "nodes: { a: { hang: true } }" });
    on.engine.cancel();
    expect((await on.settle()).state.status).toBe("cancelled");
  });

  it("fails a dispatch that no gateway can take", async () => {
    const { state } = await play(CHAIN, { judge: createAllowAllJudge(new Set(), "nowhere") });
    expect(state.nodes[0]?.now).toMatchObject({ status: "failed", errorCode: "dispatch_failed" });
  });

  it("runs plans as they are shaped, those of child runs too", async () => {
    const many = `name: many
args: { list: { type: array, default: [1, 2, 3, 4, 5, 6, 7] } }
steps:
  - { id: a, for_each: list, command: "A \${item}" }
`;
    const open = new Map<string, number>();
    let most = 0;
    const { state } = await play("name: w\nsteps:\n  - { id: sub, workflow_ref: many }\n", {
      children: { many },
      script: "nodes: { a: { delay_ms: 10 } }",
      shapePlan: (plan) => ({ ...plan, maxParallel: 3 }),
      onEvents: (runId, events) => {
        for (const { type, payload } of events) {
          if (!("nodeId" in payload) || !payload.nodeId.includes("[")) continue;
          const change = type === "node.started" ? 1 : type === "node.completed" ? -1 : 0;
          open.set(runId, (open.get(runId) ?? 0) + change);
        }
        most = Math.max(most, open.get(runId) ?? 0);
      },
    });
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
  it("are notified that a run waits, and for what", async () => {
    const settlement = await play(GATE);
    expect(settlement).toMatchObject({
      kind: "waiting",
      approvals: [{ nodeId: "ok", choices: ["approve", "reject"] }],
    });
    expect(settlement.state.status).toBe("running");
  });

  it("make it go on with their answer", async () => {
    const { state, play: played } = await play(GATE, { answer: async () => ({ decision: "approve", by: "ann" }) });
    expect(state.status).toBe("completed");
    expect(played.leftOpen).toEqual([]);
  });

  it("are asked again when an answer is not taken, three times in all", async () => {
    const refusals: (string | null)[] = [];
    const answer: AnswerApproval = async (_, { refusal }) => {
      refusals.push(refusal);
      return { decision: "reject", by: "ann" };
    };
    const { kind, play: played } = await play(GATE, { answer });
    expect(kind).toBe("waiting");
    expect(refusals).toEqual([null, expect.stringContaining("reason"), expect.stringContaining("reason")]);
    expect(played.leftOpen).toEqual([expect.stringContaining("reason")]);
  });

  it("have not answered when the prompt breaks", async () => {
    const { kind, play: played } = await play(GATE, { answer: () => Promise.reject(new Error("gone")) });
    expect(kind).toBe("waiting");
    expect(played.leftOpen).toEqual(["gone"]);
  });

  it("need not answer any more when the run is cancelled", async () => {
    let isAborted = false;
    const answer: AnswerApproval = (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          isAborted = true;
          resolve(null);
        });
      });
    const on = new Play(GATE, { answer });
    on.clock.after(10, () => on.engine.cancel());
    expect(await on.settle()).toMatchObject({ kind: "ended", state: { status: "cancelled" } });
    expect(isAborted).toBe(true);
    expect(on.leftOpen).toEqual([]);
  });

  it("are not waited for while something else is running", async () => {
    const { kind, state } = await play(`${GATE}  - { id: slow, command: S }\n`, {
      script: "nodes: { slow: { delay_ms: 60000 } }",
    });
    expect(kind).toBe("waiting");
    expect(nowOf(state, "slow")).toMatchObject({ status: "completed", durationMs: 60_000 });
  });

  it("may take as long as they like", async () => {
    let answered: (value: null) => void = () => undefined;
    const on = new Play(GATE, { answer: () => new Promise((resolve) => (answered = resolve)) });
    on.clock.after(30_000, () => answered(null));
    const before = on.clock.now();
    expect((await on.settle()).kind).toBe("waiting");
    expect(on.clock.now() - before).toBe(30_000);
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
  it("hand the leaves' outputs and the cost to the parent", async () => {
    const script = "nodes: { leaf: { outputs: { text: done }, cost_usd: 0.25 } }";
    const { state } = await play(PARENT, { children: { child: CHILD }, script });
    expect(state.status).toBe("completed");
    expect(state.nodes[0]?.now).toMatchObject({ outputs: { leaf: { text: "done" } } });
    expect(state.costMicros).toBe(250_000);
  });

  it("fail their node when they fail, with their words", async () => {
    const script = "nodes: { leaf: { fail: provider_refused, message: never } }";
    const { state } = await play(PARENT, { children: { child: CHILD }, script });
    expect(state.nodes[0]?.now).toMatchObject({
      errorCode: "child_failed",
      errorMessage: expect.stringContaining("never"),
    });
  });

  it("fail their node when its args do not fit", async () => {
    const child = CHILD.replace("topic:", "theme:").replace("topic}", "theme}");
    const { state, play: played } = await play(PARENT, { children: { child } });
    expect(state.nodes[0]?.now).toMatchObject({
      errorCode: "child_failed",
      errorMessage: expect.stringContaining("do not fit"),
    });
    expect(played.logs.size).toBe(1);
  });

  it("wait when only a person can move them, and so does the whole family", async () => {
    const children = { child: GATE.replace("gated", "child") };
    const settlement = await play(
      "name: parent\nmax_parallel: 1\nsteps:\n  - { id: a_sub, workflow_ref: child }\n  - { id: b, command: B }\n",
      { children },
    );
    expect(settlement).toMatchObject({ kind: "waiting", approvals: [{ nodeId: "ok" }] });
  });

  it("wait two levels down, while nothing else is running", async () => {
    const children = {
      child: "name: child\nsteps:\n  - { id: deeper, workflow_ref: gated }\n",
      gated: GATE,
    };
    const { kind, state } = await play(
      "name: parent\nsteps:\n  - { id: sub, workflow_ref: child }\n  - { id: slow, command: S }\n",
      { children, script: "nodes: { slow: { delay_ms: 60000 } }" },
    );
    expect(kind).toBe("waiting");
    expect([nowOf(state, "sub")?.status, nowOf(state, "slow")?.status]).toEqual(["running", "completed"]);
  });

  it("are answered by the one who answers for the family", async () => {
    const asked: string[] = [];
    const answer: AnswerApproval = async ({ nodeId }) => {
      asked.push(nodeId);
      return { decision: "approve", by: "ann" };
    };
    const { state } = await play("name: parent\nsteps:\n  - { id: sub, workflow_ref: gated }\n", {
      children: { gated: GATE },
      answer,
    });
    expect(state.status).toBe("completed");
    expect(asked).toEqual(["ok"]);
  });

  it("end with the parent", async () => {
    const on = new Play(PARENT, { children: { child: CHILD }, script: "nodes: { leaf: { hang: true } }" });
    on.clock.after(100, () => on.engine.cancel());
    expect((await on.settle()).state.status).toBe("cancelled");
    expect([...on.logs.values()].map((log) => log.at(-1)?.type)).toEqual(["run.cancelled", "run.cancelled"]);
  });

  it("stop at the depth limit when a workflow starts itself", async () => {
    const loop = "name: loop\nsteps:\n  - { id: again, workflow_ref: loop }\n";
    const { state } = await play(loop, { children: { loop } });
    expect(state.status).toBe("failed");
    expect(state.nodes[0]?.now).toMatchObject({ errorMessage: expect.stringContaining("limit") });
  });
});

describe("bugs", () => {
  const brokenAt = (broken: string): Judge => {
    const fine = createAllowAllJudge(new Set(), "scripted");
    return {
      decide(request, about) {
        if (request.nodeId === broken) throw new Error("planted");
        return fine.decide(request, about);
      },
    };
  };

  it("park the run they hit, and its log records it", async () => {
    const { state, log, ...settlement } = await play(CHAIN, { judge: brokenAt("b") });
    expect(settlement).toMatchObject({ kind: "parked", message: "planted" });
    expect(log.at(-1)).toMatchObject({ type: "run.failed", payload: { errorCode: "engine_bug", reason: "planted" } });
    expect(replay(state.plan, "run_1", log)).toEqual(state);
  });

  it("in a child run fail the node of its parent", async () => {
    const child = "name: child\nsteps:\n  - { id: leaf, command: A }\n  - { id: b, command: B, depends_on: [leaf] }\n";
    const { kind, state } = await play(PARENT.replace(", with: { topic: tides }", ""), {
      children: { child },
      judge: brokenAt("b"),
    });
    expect(kind).toBe("ended");
    expect(state.nodes[0]?.now).toMatchObject({ errorCode: "child_failed" });
  });

  it("in the very start of a child run fail the node of its parent, with their words", async () => {
    const { kind, state } = await play(PARENT, { children: { child: CHILD }, judge: brokenAt("leaf") });
    expect(kind).toBe("ended");
    expect(state.nodes[0]?.now).toMatchObject({
      errorCode: "child_failed",
      errorMessage: expect.stringContaining("planted"),
    });
  });

  it("let go of what the run had in flight", async () => {
    const script = "nodes: { slow: { hang: true } }";
    const on = new Play(`${CHAIN}  - { id: slow, command: S }\n`, { judge: brokenAt("b"), script });
    expect((await on.settle()).kind).toBe("parked");
    const before = on.clock.now();
    await on.stop();
    expect(on.clock.now() - before).toBeLessThan(1_000);
  });

  it("in the first commit, or in the display of events, are thrown", async () => {
    await expect(new Play(CHAIN, { judge: brokenAt("a") }).settle()).rejects.toThrow("planted");
    const onEvents = (): never => {
      throw new Error("the screen is gone");
    };
    await expect(new Play(CHAIN, { onEvents }).settle()).rejects.toThrow("the screen is gone");
  });

  it("of adapters are their own: throwing, and failing to cancel", async () => {
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
    const { state } = await play("name: w\nsteps:\n  - { id: a, command: A, provider: broken }\n", {
      adapters: [broken],
    });
    expect(state.nodes[0]?.now).toMatchObject({ status: "failed", errorCode: "adapter_bug" });
  });

  it("cannot follow once it was stopped: nothing is reported any more", async () => {
    const on = new Play(CHAIN, { script: "nodes: { a: { hang: true } }" });
    void on.settle().catch(() => undefined);
    await on.pass(new Promise<void>((resolve) => void on.clock.after(10, resolve)));
    await on.stop();
    const { length } = on.log;
    expect(await on.clock.run(() => false)).toBe(false);
    expect(on.log).toHaveLength(length);
  });
});
