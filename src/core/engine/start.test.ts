import { describe, expect, it } from "vitest";
import { Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { WAITING_REASONS } from "../event/index.ts";
import { apply, createRunState, findNode, replay, type RunState } from "./index.ts";

const ENVELOPE = { kind: "text", artifactKind: "text", output: "kept" } as const;

/** Without the places up to which queues were read: they are no facts, and are found again. */
const factsOf = (state: RunState) => ({
  ...state,
  ready: null,
  computing: null,
  nodes: state.nodes.map((node) => ({
    ...node,
    expansion: node.expansion === null ? null : { ...node.expansion, next: 0 },
  })),
});

describe("the start of a run", () => {
  it("says what is run, with what, how many nodes, why, and where it comes from", () => {
    const rig = new Rig(workflow(["a", "b < a"], "args: {n: 1}")).start({
      workflow: "w",
      version: 4,
      hash: "sha256:x",
      trigger: "schedule",
      recursionDepth: 2,
      parentRunId: "run_p",
      sourceRunId: "run_s",
      inputsFrom: { n: { runId: "run_q", nodeId: "z", output: "n" } },
    });
    expect(rig.of("run.started")).toEqual([
      {
        workflow: "w",
        version: 4,
        hash: "sha256:x",
        args: { n: 1 },
        nodeCount: 2,
        trigger: "schedule",
        recursionDepth: 2,
        parentRunId: "run_p",
        sourceRunId: "run_s",
        inputsFrom: { n: { runId: "run_q", nodeId: "z", output: "n" } },
      },
    ]);
    expect(rig.state).toMatchObject({ status: "running", startedAt: rig.now, parentRunId: "run_p", recursionDepth: 2 });
    expect(rig.events[0]).toMatchObject({ eventId: 1, at: rig.now, type: "run.started" });
    const plain = runOf(workflow(["a"])).of("run.started")[0];
    for (const name of ["parentRunId", "sourceRunId", "inputsFrom"]) expect(plain).not.toHaveProperty(name);
  });

  it("is refused a second time", () => {
    const rig = runOf(workflow(["a"]));
    const again = rig.submit({
      type: "start",
      workflow: "w",
      version: 1,
      hash: "h",
      args: {},
      trigger: "test",
      recursionDepth: 0,
    });
    expect(again).toMatchObject({
      events: [],
      effects: [],
      refusal: { code: "already_started", message: "the run has started before" },
    });
  });

  it("is refused to a run that was cancelled before", () => {
    const rig = new Rig(workflow(["a"]));
    rig.submit({ type: "cancel", reason: "too late" });
    const about = { workflow: "w", version: 1, hash: "h", args: {}, trigger: "test", recursionDepth: 0 };
    expect(rig.submit({ type: "start", ...about })).toMatchObject({ events: [], refusal: { code: "already_started" } });
    expect(rig.state.status).toBe("cancelled");
  });

  it("keeps what is carried over, skips included, at no cost and without a call", () => {
    const rig = new Rig(workflow(["a", "s", "b < a s"])).start({
      carried: [
        { nodeId: "a", status: "completed", outputs: { n: 1 }, envelope: ENVELOPE },
        { nodeId: "s", status: "skipped", reason: "condition_false" },
        { nodeId: "gone", status: "skipped", reason: "condition_false" },
      ],
    });
    expect(rig.of("node.completed")).toEqual([
      {
        nodeId: "a",
        envelope: ENVELOPE,
        outputs: { n: 1 },
        durationMs: 0,
        inputTokens: 0,
        outputTokens: 0,
        costMicros: 0,
        carried: true,
      },
    ]);
    expect(rig.of("node.skipped")).toEqual([{ nodeId: "s", reason: "condition_false", carried: true }]);
    expect(rig.node("a").now).toMatchObject({ isCarried: true });
    expect(rig.dispatches.map(({ nodeId }) => nodeId)).toEqual(["b"]);
    expect(rig.complete("b").node("b").now).toMatchObject({ isCarried: false });
  });
});

describe("a node that waits", () => {
  it("always says for what", () => {
    const source = workflow(
      [
        "a {on_failure: retry}",
        "g {approval: required}",
        "e < a {for_each: list, max_parallel: 1}",
        "once {on_failure: retry_once_then_escalate}",
        "z < e g once",
      ],
      "args: {list: [1, 2]}\nmax_parallel: 2",
    );
    const rig = new Rig(source);
    const look = () => {
      for (const { id, now } of rig.state.nodes) {
        if (!["awaiting_dependency", "queued", "retrying", "blocked"].includes(now.status)) continue;
        expect([id, "waitingReason" in now && WAITING_REASONS.includes(now.waitingReason)]).toEqual([id, true]);
      }
    };
    const steps = [
      () => rig.start(),
      () => rig.fail("a"),
      () => rig.fail("once").fail("once"),
      () => rig.answer("once", "retry"),
      () => rig.complete("once"),
      () => rig.fire("retry"),
      () => rig.complete("a"),
      () => rig.complete("e[0]"),
      () => rig.answer("g", "approve"),
      () => rig.complete("e[1]"),
      () => rig.submit({ type: "rewind", eventId: 1, isConsumed: false }),
    ];
    for (const step of steps) {
      step();
      look();
    }
    for (const type of ["node.queued", "node.waiting", "node.blocked"] as const) {
      for (const { waitingReason } of rig.of(type)) expect(WAITING_REASONS).toContain(waitingReason);
    }
  });
});

describe("the log", () => {
  it("is numbered 1, 2, 3, … and nothing else is folded", () => {
    const rig = runOf(workflow(["a"])).complete("a");
    expect(rig.events.map(({ eventId }) => eventId)).toEqual(rig.events.map((_, index) => index + 1));
    const [first, second] = rig.events;
    if (first === undefined || second === undefined) throw new Error("no events");
    const state = createRunState(rig.state.plan, "run_1");
    expect(() => apply(state, second)).toThrow(/E13/u);
    apply(state, first);
    expect(() => apply(state, first)).toThrow(/E13/u);
  });

  it("refuses a fact about a node that is not in the run", () => {
    const rig = runOf(workflow(["a"]));
    const event = { eventId: rig.state.lastEventId + 1, at: 1, type: "node.queued" } as const;
    expect(() => apply(rig.state, { ...event, payload: { nodeId: "zz", waitingReason: "queued" } } as never)).toThrow(
      /zz is a node of the run/u,
    );
  });

  it("folds to the very state it came from, in one go or in two", () => {
    const source = workflow(
      [
        "a {on_failure: retry_once}",
        "g {approval: required}",
        "each < a {for_each: list, tolerate: 1}",
        "c < each {workflow_ref: audit}",
      ],
      "args: {list: [1, 2]}",
    );
    const rig = runOf(source).fail("a");
    rig.complete("a", { costMicros: 3 });
    rig.answer("g", "approve");
    rig.complete("each[0]").fail("each[1]", "provider_auth");
    rig.submit({ type: "cancel", reason: "stop" });
    expect(factsOf(replay(rig.state.plan, "run_1", rig.events))).toEqual(factsOf(rig.state));
    for (const cut of [1, 7, rig.events.length - 1]) {
      const state = replay(rig.state.plan, "run_1", rig.events.slice(0, cut));
      for (const event of rig.events.slice(cut)) apply(state, event);
      expect(factsOf(state)).toEqual(factsOf(rig.state));
    }
  });

  it("folds what came from other runs", () => {
    const rig = new Rig(workflow(["a"], "args: {n: 1, m: 2, k: 3}")).start({
      inputsFrom: {
        n: { runId: "run_q", nodeId: "z", output: "n" },
        m: { runId: "run_q", nodeId: "y", output: "m" },
        k: { runId: "run_r", nodeId: "y", output: "m" },
      },
    });
    // Rows, not runs: two values came from one of them.
    expect(rig.state.upstreamCount).toBe(3);
    expect(runOf(workflow(["a"])).state.upstreamCount).toBe(0);
  });

  it("finds nodes by id, instances included, and no others", () => {
    const rig = runOf(workflow(["a {for_each: list}"], "args: {list: [1]}"));
    expect(findNode(rig.state, "a")?.id).toBe("a");
    expect(findNode(rig.state, "a[0]")?.id).toBe("a[0]");
    expect(findNode(rig.state, "a[1]")).toBeUndefined();
  });
});
