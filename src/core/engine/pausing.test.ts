import { describe, expect, it } from "vitest";
import { Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { heldPauseOf, pauseOf } from "./index.ts";

const names = (rig: Rig): readonly string[] => rig.dispatches.map(({ nodeId }) => nodeId);
const pause = { type: "pause", by: "ann", byId: "key_1", reason: "wait" } as const;

describe("a paused run", () => {
  it("dispatches nothing new, takes what is reported, and continues where it was", () => {
    const rig = runOf(workflow(["a", "b < a", "c < b"]));
    rig.submit(pause);
    expect(rig.of("run.paused")).toEqual([{ by: "ann", byId: "key_1", reason: "wait" }]);
    expect(pauseOf(rig.state)).toEqual({ by: "ann", reason: "wait", at: rig.now, scope: "run" });
    rig.complete("a");
    expect([names(rig), rig.status("a"), rig.status("b")]).toEqual([["a"], "completed", "queued"]);
    rig.submit({ type: "resume", by: "bob" });
    expect([names(rig), pauseOf(rig.state)]).toEqual([["a", "b"], null]);
    rig.complete("b").complete("c");
    expect(rig.state.status).toBe("completed");
    expect(rig.replayed().nodes).toEqual(rig.state.nodes);
  });

  it("is paused once and resumed once, whatever is submitted again", () => {
    const rig = runOf(workflow(["a", "b < a"]));
    expect(rig.submit({ type: "resume" }).events).toEqual([]);
    rig.submit(pause);
    expect(rig.submit({ ...pause, by: "bob" }).events).toEqual([]);
    expect(pauseOf(rig.state)?.by).toBe("ann");
    rig.submit({ type: "resume" });
    expect(rig.submit({ type: "resume" }).events).toEqual([]);
  });

  it("is paused once by itself and once with its parent, and its child runs once for both", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}", "b"]));
    const paused = () => rig.effects.filter(({ type }) => type === "pause-child").length;
    rig.submit(pause);
    expect([rig.of("run.paused").length, paused()]).toEqual([1, 1]);
    rig.submit({ type: "pause", isByParent: true });
    expect(rig.of("run.paused")[1]).toEqual({ isWithParent: true });
    expect(rig.submit({ type: "pause", isByParent: true })).toEqual({ events: [], effects: [] });
    expect([rig.of("run.paused").length, paused()]).toEqual([2, 1]);
    rig.submit({ type: "resume" });
    expect([paused(), pauseOf(rig.state)?.scope]).toEqual([1, "parent"]);
    rig.submit({ type: "resume", isByParent: true });
    expect([paused(), pauseOf(rig.state)]).toEqual([2, null]);
  });

  it("ends when nothing is left to do, and refuses when it has ended", () => {
    const rig = runOf(workflow(["a"]));
    rig.submit(pause);
    rig.complete("a");
    expect([rig.state.status, pauseOf(rig.state)]).toEqual(["completed", null]);
    expect(rig.submit(pause).refusal?.code).toBe("run_finished");
    expect(rig.submit({ type: "resume" }).refusal?.code).toBe("run_finished");
  });

  it.each([
    ["has not started", (rig: Rig) => rig, "not_started", "the run has not started"],
    ["has ended", (rig: Rig) => rig.start().complete("a"), "run_finished", "the run is already completed"],
  ])("is none that %s", (_, arrange, code, message) => {
    const rig = new Rig(workflow(["a"]));
    arrange(rig);
    expect(rig.submit(pause)).toMatchObject({ events: [], effects: [], refusal: { code, message } });
  });

  it("is none that winds down", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}"]));
    rig.submit({ type: "cancel", reason: "enough" });
    const refusal = { code: "run_ending", message: "the run is about to end as cancelled" };
    expect(rig.submit(pause)).toEqual({ events: [], effects: [], refusal });
    expect(rig.submit({ type: "resume" }).events).toEqual([]);
  });

  it("records who resumed it and why, and no empty reason", () => {
    const rig = runOf(workflow(["a"]));
    rig.submit({ type: "pause", reason: "" });
    expect(rig.of("run.paused")).toEqual([{}]);
    rig.submit({ type: "resume", by: "bob", byId: "key_2", reason: "fixed" });
    expect(rig.of("run.resumed")).toEqual([{ by: "bob", byId: "key_2", reason: "fixed" }]);
  });

  it("that is paused with its parent is not resumed by itself", () => {
    const rig = new Rig(workflow(["a"])).start({ parentRunId: "run_0" });
    rig.submit({ type: "pause", isByParent: true });
    expect(rig.submit({ type: "resume" }).refusal).toEqual({
      code: "paused_with_parent",
      message: "the run is paused with run run_0; resume that one",
    });
    rig.submit({ type: "resume", isByParent: true });
    expect(rig.of("run.resumed")).toEqual([{ isWithParent: true }]);
  });

  it("looks again after a child run that the pause has not reached", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}", "b"]));
    const [childRunId = ""] = rig.state.liveChildren;
    rig.submit(pause);
    const timer = { kind: "child-pause", nodeId: "", attempt: 0, childRunId } as const;
    expect(rig.effects).toContainEqual({ type: "set-timer", timer, dueAt: rig.now + 3_000 });
  });

  it("holds its child runs up no longer once it winds down", () => {
    const passed = (isPaused: boolean) => {
      const rig = runOf(workflow(["c {workflow_ref: audit}", "b"]));
      if (isPaused) rig.submit(pause);
      rig.submit({ type: "cancel", reason: "enough" });
      return [rig.effects.filter(({ type }) => type === "pause-child").length, heldPauseOf(rig.state)];
    };
    expect([passed(true), passed(false)]).toEqual([
      [2, null],
      [0, null],
    ]);
    const rig = runOf(workflow(["c {workflow_ref: audit}", "b"]));
    rig.submit(pause);
    expect(heldPauseOf(rig.state)).toMatchObject({ by: "ann", scope: "run" });
  });

  it("is cancelled like any other", () => {
    const rig = runOf(workflow(["a", "b < a"]));
    rig.submit(pause);
    rig.submit({ type: "cancel", reason: "enough" });
    expect(rig.state.status).toBe("cancelled");
  });

  it("keeps nodes that are tried again, and does not let them fail for having waited", () => {
    const rig = runOf(workflow(["a {retry: {attempts: 2, backoff_ms: 10}}"]));
    rig.fail("a", "provider_error");
    rig.submit(pause);
    rig.submit({ type: "timer", timer: { kind: "retry", nodeId: "a", retries: 1 } });
    expect([names(rig), rig.status("a")]).toEqual([["a"], "queued"]);
    rig.submit({ type: "resume" });
    expect(names(rig)).toEqual(["a", "a"]);
  });

  it("calculates nothing, and does so when it is resumed", () => {
    const rig = runOf(workflow(["a", "s < a {set: {n: 1}}", "b < s"]));
    rig.submit(pause);
    rig.complete("a");
    expect(rig.status("s")).toBe("queued");
    rig.submit({ type: "resume" });
    expect([rig.status("s"), names(rig)]).toEqual(["completed", ["a", "b"]]);
  });

  it("passes the pause on to child runs, and takes it back", () => {
    const rig = runOf(workflow(["c {workflow_ref: audit}", "b < c"]));
    const [childRunId] = rig.state.liveChildren;
    const passed = () => rig.effects.filter(({ type }) => type === "pause-child");
    rig.submit(pause);
    expect(passed()).toEqual([{ type: "pause-child", childRunId }]);
    rig.submit({ type: "resume" });
    expect(passed()).toHaveLength(2);
  });

  it("with its parent continues with it, and stays paused when it was itself", () => {
    const rig = runOf(workflow(["a", "b < a"]));
    rig.submit({ type: "pause", by: "ann", isByParent: true });
    expect(pauseOf(rig.state)).toMatchObject({ by: "ann", scope: "parent" });
    expect(rig.submit({ type: "resume" }).refusal?.code).toBe("paused_with_parent");
    rig.submit(pause);
    rig.submit({ type: "resume", isByParent: true });
    rig.complete("a");
    expect([names(rig), pauseOf(rig.state)?.scope]).toEqual([["a"], "run"]);
    rig.submit({ type: "resume" });
    expect(names(rig)).toEqual(["a", "b"]);
  });

  it("does not begin what comes last before it is resumed", () => {
    const rig = runOf(`${workflow(["a"])}\nfinally:\n  - { id: tidy, command: Tidy }\n`);
    rig.submit(pause);
    rig.complete("a");
    expect([rig.state.status, rig.of("run.finally")]).toEqual(["running", []]);
    rig.submit({ type: "resume" });
    expect(rig.of("run.finally")).toHaveLength(1);
  });

  it("is one that starts while its parent is paused", () => {
    const rig = new Rig(workflow(["a"])).start({ paused: { by: "ann", reason: null, at: 1 } });
    expect([names(rig), pauseOf(rig.state)?.scope]).toEqual([[], "parent"]);
    rig.submit({ type: "resume", isByParent: true });
    expect(names(rig)).toEqual(["a"]);
  });
});

describe("a run whose workflow or organisation is paused", () => {
  it("begins nothing while that is so, and all of it with the next input", () => {
    const rig = runOf(workflow(["a", "b < a"]));
    const [dispatched] = rig.dispatches;
    const result = {
      status: "completed",
      stdout: "x",
      tokens: { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 },
      costMicros: 0,
    } as const;
    rig.submit({ type: "callback", nodeId: "a", attempt: dispatched?.attempt ?? 1, result, isPausedAround: true });
    expect(names(rig)).toEqual(["a"]);
    rig.submit({ type: "timer", timer: { kind: "run", epoch: -1 }, isPausedAround: true });
    expect(names(rig)).toEqual(["a"]);
    rig.submit({ type: "timer", timer: { kind: "run", epoch: -1 } });
    expect(names(rig)).toEqual(["a", "b"]);
  });
});
