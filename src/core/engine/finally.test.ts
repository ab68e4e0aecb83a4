import { describe, expect, it } from "vitest";
import { endChild, newestChild, startedChildren } from "../../../test/conformance/child-runs.ts";
import { Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { type JsonObject, LIMITS } from "../base/index.ts";
import { childCallOf, NO_TOKENS } from "./index.ts";

const calledOff = (rig: Rig) => rig.effects.filter(({ type }) => type === "cancel-child");

const source = (more = "", reads = "run.outcome"): string =>
  workflow(["a {command: A}"], `finally: [{id: f, command: '\${${reads}}'}]${more}`);

describe("what comes last", () => {
  it("begins once, when everything has settled, and the run ends after it", () => {
    const rig = runOf(source());
    rig.complete("a");
    expect(newestChild(rig)).toMatchObject({
      nodeId: "finally",
      block: "finally",
      args: { "run.outcome": "completed" },
    });
    expect(rig.state.status).toBe("running");
    endChild(rig, "completed", { costMicros: 5 });
    expect(rig.state).toMatchObject({ status: "completed", costMicros: 5 });
    expect(startedChildren(rig)).toHaveLength(1);
  });

  it("is a run of its own, one level below, of the same file and the same starter", () => {
    const rig = new Rig(source("\nargs: {who: ann}")).start({ startedBy: "Ann", recursionDepth: 2 }).complete("a");
    const { childRunId } = newestChild(rig);
    expect(newestChild(rig)).toEqual({
      type: "start-child",
      nodeId: "finally",
      attempt: 1,
      childRunId: expect.stringMatching(/^run_1_\d{6}$/u),
      workflow: { name: "w", version: null },
      block: "finally",
      owner: { runId: "run_1", args: { who: "ann" }, depth: 2 },
      args: { "run.outcome": "completed" },
      startedBy: "Ann",
      recursionDepth: 3,
    });
    const timer = { kind: "child", nodeId: "finally", attempt: 1, childRunId } as const;
    expect(rig.effects).toContainEqual({ type: "set-timer", timer, dueAt: rig.now + 10_000 });
    expect(newestChild(runOf(source()).complete("a"))).not.toHaveProperty("startedBy");
  });

  it("is found again in the log while it is waited for, and no other run is", () => {
    const rig = runOf(source()).complete("a");
    const { childRunId } = newestChild(rig);
    const wanted = (id: string) =>
      childCallOf(rig.state, { kind: "child", nodeId: "finally", attempt: 1, childRunId: id });
    expect(wanted(childRunId)).toEqual(newestChild(rig));
    expect(wanted("run_2")).toBeNull();
    endChild(rig, "completed");
    expect(wanted(childRunId)).toBeNull();
    const open = runOf(source());
    expect(childCallOf(open.state, { kind: "child", nodeId: "finally", attempt: 1, childRunId })).toBeNull();
  });

  it("learns how the run has ended, and from what", () => {
    const error = (rig: Rig) => newestChild(rig).args["run.error"];
    const from = (more = "") => runOf(source(more, "run.error"));
    expect(error(from().complete("a"))).toBeNull();
    expect(error(from().fail("a", "provider_auth"))).toEqual({ code: "provider_auth", message: "it broke" });
    const late = from("\ntimeout: 5").fire("run");
    expect(error(late)).toEqual({ code: "timeout", message: late.of("run.ending")[0]?.reason });
  });

  it.each<[string, (rig: Rig) => void, string]>([
    ["a chain of events that is too long", (rig) => rig.start({ hops: LIMITS.eventChainRunsMax }), "event_loop"],
    [
      "too many events",
      (rig) => {
        rig.start();
        rig.state.lastEventId = LIMITS.eventsPerRunMax;
        rig.submit({ type: "resume" });
      },
      "too_many_events",
    ],
    [
      "a key that cannot be calculated",
      (rig) => rig.start({ place: { failure: { code: "expression_error", message: "no" } } }),
      "expression_error",
    ],
    [
      "a step that can never begin",
      (rig) => {
        rig.start();
        const after = rig.state.nodes[1];
        if (after !== undefined) after.unsettledParents = 9;
        rig.complete("a");
      },
      "workflow_stalled",
    ],
  ])("begins also when the run is ended by %s", (_, end, errorCode) => {
    const last = "finally: [{id: f, command: '${run.outcome}'}]";
    const rig = new Rig(workflow(["a {command: A}", "b {command: B, depends_on: [a]}"], last));
    end(rig);
    expect(newestChild(rig).args).toEqual({ "run.outcome": "failed" });
    endChild(rig, "completed");
    expect(rig.state).toMatchObject({ status: "failed", errorCode, unsettledNodes: 0 });
  });

  it("is recorded with what the run will end as", () => {
    const facts = (rig: Rig) => {
      const { childRunId: _id, ...rest } = rig.of("run.finally")[0] ?? { childRunId: "" };
      return rest;
    };
    expect(facts(runOf(source()).complete("a"))).toEqual({ as: "completed" });
    expect(facts(runOf(source("\noutputs: {text: '${a.stdout}'}")).complete("a", { stdout: "said" }))).toEqual({
      as: "completed",
      outputs: { text: "said" },
    });
    expect(facts(runOf(source()).fail("a", "provider_auth"))).toEqual({
      as: "failed",
      reason: "a failed",
      errorCode: "provider_auth",
      errorMessage: "it broke",
    });
    const cancelled = runOf(source());
    cancelled.submit({ type: "cancel", reason: "enough" });
    expect(facts(cancelled)).toEqual({ as: "cancelled", reason: "enough" });
  });

  it("is not begun too deep, which fails a completed run", () => {
    const most = LIMITS.recursionDepthMax;
    const rig = new Rig(source()).start({ recursionDepth: most }).complete("a");
    expect(startedChildren(rig)).toEqual([]);
    expect(rig.state).toMatchObject({ status: "failed", errorCode: "recursion_limit" });
    const message = `finally would be run ${most + 1} levels deep, the limit is ${most}`;
    expect(rig.of("run.finally.ended")).toMatchObject([{ status: "failed", errorMessage: message }]);
    expect(rig.of("run.failed")[0]?.reason).toBe(message);
    expect(startedChildren(new Rig(source()).start({ recursionDepth: most - 1 }).complete("a"))).toHaveLength(1);
  });

  it("has its time after a pause, however long that was", () => {
    const begin = (block?: string) =>
      new Rig(workflow(["a"], "timeout: 600")).start({
        parentRunId: "run_0",
        ...(block === undefined ? {} : { block }),
      });
    const rig = begin("finally");
    rig.submit({ type: "pause", isByParent: true });
    rig.fire("run").fire("run");
    expect(rig.state.status).toBe("running");
    rig.submit({ type: "resume", isByParent: true });
    rig.fire("run");
    expect(rig.state.status).toBe("timed_out");
    const around = begin("finally");
    around.submit({ type: "timer", timer: { kind: "run", epoch: 0 }, isPausedAround: true });
    expect(around.state.status).toBe("running");
    for (const other of [begin(), begin("b")]) {
      other.submit({ type: "pause", isByParent: true });
      expect(other.fire("run").state.status).toBe("timed_out");
    }
  });

  it("is not ended by the timeout of the run, nor by a parent that repeats its cancel", () => {
    const rig = runOf(source("\ntimeout: 5"));
    rig.complete("a");
    rig.fire("run");
    rig.submit({ type: "cancel", reason: "parent_cancelled", isByParent: true });
    expect(calledOff(rig)).toEqual([]);
    rig.submit({ type: "cancel", reason: "enough" });
    expect(calledOff(rig)).toMatchObject([{ nodeId: "finally", attempt: 1, childRunId: newestChild(rig).childRunId }]);
    endChild(rig, "cancelled");
    expect(rig.state.status).toBe("completed");
  });

  it("is ended by a cancel, which is recorded and changes nothing about how the run ends", () => {
    const cancelled = (rig: Rig) => {
      rig.submit({ type: "cancel", reason: "enough" });
      return rig.of("run.ending").at(-1);
    };
    expect(cancelled(runOf(source()).complete("a"))).toEqual({ as: "completed", reason: "enough" });
    const failed = runOf(source()).fail("a", "provider_auth");
    expect(cancelled(failed)).toEqual({ as: "failed", reason: "enough", errorCode: "provider_auth" });
    endChild(failed, "cancelled");
    expect(failed.of("run.failed")).toMatchObject([{ errorCode: "provider_auth", reason: "a failed" }]);
  });

  it("is given up by a rewind, and begins again in the end", () => {
    const rig = runOf(source()).complete("a");
    const first = newestChild(rig).childRunId;
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(calledOff(rig)).toMatchObject([{ childRunId: first }]);
    endChild(rig, "cancelled");
    rig.complete("a");
    expect(newestChild(rig).childRunId).not.toBe(first);
    endChild(rig, "completed");
    expect(rig.state.status).toBe("completed");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(calledOff(rig)).toHaveLength(1);
  });

  it("fails a completed run when it takes too long, and no other", () => {
    const rig = runOf(source());
    rig.complete("a");
    endChild(rig, "timed_out");
    expect(rig.state).toMatchObject({ status: "failed", errorCode: "finally_timeout" });
    expect(rig.of("run.failed")[0]?.reason).toBe("finally took longer than 10 minutes");
    const failed = runOf(source());
    failed.fail("a", "provider_auth");
    endChild(failed, "failed");
    expect(failed.state).toMatchObject({ status: "failed", errorCode: "provider_auth" });
  });

  it.each<[string, JsonObject, string, string]>([
    [
      "what a step of it says",
      { ends: { as: "failed", reason: "none left", errorCode: "no_stock" } },
      "no_stock",
      "none left",
    ],
    ["what it failed with", { errorMessage: "f broke" }, "finally_failed", "f broke"],
    [
      "that it failed",
      { ends: { as: "completed", reason: "done", errorCode: null } },
      "finally_failed",
      "finally failed",
    ],
  ])("fails a completed run with %s", (_, more, code, message) => {
    const rig = runOf(source()).complete("a");
    endChild(rig, "failed", more);
    expect(rig.of("run.finally.ended")).toMatchObject([{ status: "failed", errorCode: code, errorMessage: message }]);
    expect(rig.of("run.failed")).toMatchObject([{ errorCode: code, reason: message }]);
  });

  it("costs once, also what it spends after its report, and nothing is taken from a run that is not known", () => {
    const rig = runOf(source()).complete("a");
    const stranger = { nodeId: "finally", attempt: 1, childRunId: "run_9", status: "failed", outputs: {} } as const;
    expect(rig.submit({ type: "child_finished", ...stranger, costMicros: 7, tokens: NO_TOKENS }).events).toEqual([]);
    endChild(rig, "completed", { costMicros: 5 });
    const { childRunId } = newestChild(rig);
    const about = { nodeId: "finally", attempt: 1, childRunId };
    expect(rig.of("cost.recorded")).toEqual([{ ...about, costMicros: 5, tokens: NO_TOKENS }]);
    expect(endChild(rig, "completed", { costMicros: 5 }).events).toEqual([]);
    endChild(rig, "failed", { costMicros: 8 });
    expect(rig.of("cost.recorded")[1]).toEqual({ ...about, costMicros: 3, tokens: NO_TOKENS, late: true });
    expect(rig.of("run.finally.ended")).toEqual([{ childRunId, status: "completed" }]);
    expect(rig.state).toMatchObject({ status: "completed", costMicros: 8 });
  });
});
