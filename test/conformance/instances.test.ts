import { describe, expect, it } from "vitest";
import { NO_TOKENS, restartFrom, type Verdict } from "../../src/core/engine/index.ts";
import { ALLOW, Rig, runOf, workflow } from "./rig.ts";

const each = (more = "", args = "[x, y, z]") =>
  workflow([`a {command: "look at \${item} \${index}", for_each: list${more}}`, "b < a"], `args: {list: ${args}}`);

describe("for_each", () => {
  it("expands into instances with their own inputs, and joins them in list order", () => {
    const rig = runOf(each());
    expect(rig.of("node.expanded")[0]).toMatchObject({ count: 3, instanceIds: ["a[0]", "a[1]", "a[2]"] });
    expect(rig.status("a")).toBe("running");
    expect(rig.dispatch("a[1]").request.message).toBe("look at y 1");
    rig.complete("a[2]", { stdout: "Z" }).complete("a[0]", { stdout: "X" });
    expect(rig.status("b")).toBe("awaiting_dependency");
    rig.complete("a[1]", { stdout: "Y" });
    expect(rig.outputs("a")).toEqual({ items: ["X", "Y", "Z"], count: 3, failed: 0 });
    expect(rig.status("b")).toBe("running");
  });

  it("completes at once over an empty list", () => {
    expect(runOf(each("", "[]")).outputs("a")).toEqual({ items: [], count: 0, failed: 0 });
  });

  it("fails over what is no list, and over too many", () => {
    expect(runOf(each("", "text")).error("a")).toBe("expression_error");
    expect(runOf(each(", max_items: 2")).error("a")).toBe("too_many_items");
    expect(runOf(each(", max_items: 3")).status("a")).toBe("running");
  });

  describe("with a condition that reads the element", () => {
    const some = (condition: string, more = "", args = "[1, 2, 3]") =>
      runOf(
        workflow(
          [`a {command: go, for_each: list, condition: "${condition}"${more}}`, "b < a"],
          `args: {list: ${args}, go: true}`,
        ),
      );

    it("skips that instance alone", () => {
      const rig = some("item > 1 and go");
      expect(["a[0]", "a[1]", "a[2]"].map((id) => rig.status(id))).toEqual(["skipped", "running", "running"]);
      expect(rig.of("node.skipped")[0]).toMatchObject({ nodeId: "a[0]", reason: "condition_false" });
      rig.complete("a[1]", { stdout: "two" }).complete("a[2]", { stdout: "three" }).complete("b");
      expect(rig.outputs("a")).toEqual({ items: [null, "two", "three"], count: 3, failed: 0 });
      expect(rig.state.status).toBe("completed");
    });

    it("completes when every instance was skipped", () => {
      const rig = some("item > 9");
      expect(rig.outputs("a")).toEqual({ items: [null, null, null], count: 3, failed: 0 });
      expect(rig.status("b")).toBe("running");
    });

    it("fails the instance whose condition cannot be decided", () => {
      const rig = some("item > 1", ", tolerate: 1", "[x, 2]");
      expect(rig.error("a[0]")).toBe("expression_error");
      rig.complete("a[1]", { stdout: "two" });
      expect(rig.outputs("a")).toEqual({ items: [null, "two"], count: 2, failed: 1 });
    });

    it("reads the position too, one place at a time", () => {
      const rig = some("index != 1", ", max_parallel: 1");
      expect(["a[0]", "a[1]", "a[2]"].map((id) => rig.status(id))).toEqual(["running", "pending", "pending"]);
      rig.complete("a[0]");
      expect(["a[0]", "a[1]", "a[2]"].map((id) => rig.status(id))).toEqual(["completed", "skipped", "running"]);
    });
  });

  it("is skipped as a whole by a condition about something else", () => {
    const rig = runOf(workflow(["a {command: go, for_each: list, condition: go}"], "args: {list: [1], go: false}"));
    expect(rig.status("a")).toBe("skipped");
    expect(rig.of("node.expanded")).toEqual([]);
  });

  it("runs so many at a time", () => {
    const rig = runOf(each(", max_parallel: 1"));
    expect(rig.dispatches.map((effect) => effect.nodeId)).toEqual(["a[0]"]);
    expect(rig.status("a[1]")).toBe("pending");
    rig.complete("a[0]");
    expect(rig.dispatches.map((effect) => effect.nodeId)).toEqual(["a[0]", "a[1]"]);
  });

  it("runs in a run that has one place only", () => {
    const rig = runOf(workflow(["a {command: go, for_each: list}"], "args: {list: [1, 2]}\nmax_parallel: 1"));
    rig.complete("a[0]").complete("a[1]");
    expect(rig.state.status).toBe("completed");
  });

  it.each([
    ["tolerate: 1", "completed"],
    ["tolerate: 0", "failed"],
    ['tolerate: "34%"', "completed"],
    ['tolerate: "33%"', "failed"],
  ])("with %s one failure of three gives %s", (tolerate, status) => {
    const rig = runOf(each(`, ${tolerate}`))
      .complete("a[0]")
      .fail("a[1]", "provider_auth")
      .complete("a[2]");
    expect(rig.status("a")).toBe(status);
    if (status === "completed")
      expect(rig.outputs("a")).toMatchObject({ items: ["a[0] done", null, "a[2] done"], failed: 1 });
    else expect(rig.error("a")).toBe("too_many_failures");
  });

  it("counts nodes, not instances, for the run's status", () => {
    const rig = runOf(each(", tolerate: 1"))
      .complete("a[0]")
      .fail("a[1]", "provider_auth")
      .complete("a[2]")
      .complete("b");
    expect(rig.state.status).toBe("completed");
  });

  it("retries an instance by itself", () => {
    const rig = runOf(each(", on_failure: retry_once")).fail("a[1]");
    expect(rig.node("a[1]").attempts).toBe(2);
    rig.complete("a[0]").complete("a[1]").complete("a[2]");
    expect(rig.status("a")).toBe("completed");
  });

  it("is cancelled with its instances", () => {
    const rig = runOf(each(", max_parallel: 2"));
    rig.submit({ type: "cancel", reason: "stop" });
    expect(new Set(Object.values(rig.statuses))).toEqual(new Set(["cancelled"]));
    expect(rig.state.status).toBe("cancelled");
  });

  it("re-runs only the instances that did not complete when restarted", () => {
    const first = runOf(each()).complete("a[0]").complete("a[2]").fail("a[1]", "provider_auth");
    expect(first.state.status).toBe("failed");
    const second = new Rig(each()).start({ carried: restartFrom(first.state), sourceRunId: "run_0" });
    expect(second.dispatches.map((effect) => effect.nodeId)).toEqual(["a[1]"]);
    second.complete("a[1]").complete("b");
    expect(second.outputs("a")).toEqual({ items: ["a[0] done", "a[1] done", "a[2] done"], count: 3, failed: 0 });
    expect(second.state.status).toBe("completed");
    expect(second.replayed().nodes.map((node) => node.now)).toEqual(second.state.nodes.map((node) => node.now));
  });
});

describe("a for_each node that can only fail", () => {
  const sent = (rig: Rig) => rig.dispatches.map((effect) => effect.nodeId);
  const called = (rig: Rig) =>
    rig.effects.flatMap((effect) => (effect.type === "cancel-dispatch" ? [effect.nodeId] : []));

  it("begins no further element and calls off those under way at the first failure that is not tolerated", () => {
    const rig = runOf(each(", max_parallel: 2", "[1, 2, 3, 4, 5]")).fail("a[0]", "provider_auth");
    expect(sent(rig)).toEqual(["a[0]", "a[1]"]);
    expect(called(rig)).toEqual(["a[1]"]);
    expect(rig.statuses).toMatchObject({ a: "failed", "a[0]": "failed", "a[1]": "cancelled", "a[4]": "cancelled" });
    expect(rig.of("node.cancelled", "a[3]")[0]).toMatchObject({ reason: "cancelled_by_sibling" });
    expect(rig.of("node.failed", "a")[0]).toMatchObject({
      errorCode: "too_many_failures",
      errorMessage: "1 of 5 elements failed, 0 may; 4 were stopped or never began",
    });
    expect(rig.state.status).toBe("failed");
  });

  it("continues as long as tolerate is not exceeded, and stops with the failure that exceeds it", () => {
    const rig = runOf(each(", tolerate: 2, max_parallel: 1", "[1, 2, 3, 4, 5, 6]"));
    rig.fail("a[0]").complete("a[1]").fail("a[2]");
    expect(rig.status("a")).toBe("running");
    rig.fail("a[3]");
    expect(sent(rig)).toEqual(["a[0]", "a[1]", "a[2]", "a[3]"]);
    expect(rig.error("a")).toBe("too_many_failures");
  });

  it("under fail_fast stops at the first failure, whatever it would tolerate", () => {
    const policy = ", tolerate: 2, max_parallel: 1, parallel_failure_policy: fail_fast";
    const rig = runOf(each(policy, "[1, 2, 3, 4]")).complete("a[0]").fail("a[1]");
    expect(sent(rig)).toEqual(["a[0]", "a[1]"]);
    expect(rig.of("node.failed", "a")[0]).toMatchObject({
      errorCode: "too_many_failures",
      errorMessage: "1 of 4 elements failed, none may under fail_fast; 2 were stopped or never began",
    });
  });

  it("waits for the retries of an element before it counts it", () => {
    const rig = runOf(each(", on_failure: retry_once, max_parallel: 1")).fail("a[0]");
    expect(rig.status("a")).toBe("running");
    rig.fail("a[0]");
    expect(rig.error("a")).toBe("too_many_failures");
    expect(sent(rig)).toEqual(["a[0]", "a[0]"]);
  });

  it("closes the questions of elements that wait for a person, and asks none", () => {
    const hold: Verdict = {
      disposition: "hold",
      verdictId: "vrd_2",
      gate: "approval_required",
      message: "may it?",
      agentId: null,
      policies: ["p@1"],
      rule: {
        approvers: [],
        otherwise: null,
        expiresMs: 1_000_000,
        isSeparate: false,
        quorum: 1,
        show: [],
        form: null,
        confirm: null,
      },
    };
    const rig = new Rig(each(), { judge: ({ nodeId }) => (nodeId === "a[1]" ? hold : ALLOW) }).start();
    expect(rig.status("a[1]")).toBe("blocked");
    rig.fail("a[0]", "provider_auth");
    expect(rig.of("approval.resolved", "a[1]")[0]).toMatchObject({ status: "cancelled" });
    expect(rig.state.status).toBe("failed");
  });

  it("calls off child runs, and the run ends after they have", () => {
    const source = workflow(["a {workflow_ref: kid, for_each: list}"], "args: {list: [1, 2]}");
    const rig = runOf(source);
    const children = rig.of("child.started").map(({ childRunId }) => childRunId);
    const report = { type: "child_finished", attempt: 1, outputs: {}, costMicros: 3, tokens: NO_TOKENS } as const;
    rig.submit({ ...report, nodeId: "a[0]", childRunId: children[0] ?? "", status: "failed" });
    expect(rig.statuses).toEqual({ a: "failed", "a[0]": "failed", "a[1]": "cancelled" });
    expect(rig.effects.filter(({ type }) => type === "cancel-child")).toHaveLength(1);
    expect(rig.state.status).toBe("running");
    rig.submit({ ...report, nodeId: "a[1]", childRunId: children[1] ?? "", status: "cancelled" });
    expect(rig.state).toMatchObject({ status: "failed", costMicros: 6 });
  });

  it("runs only what did not complete when it is recovered", () => {
    const rig = runOf(each(", max_parallel: 1")).complete("a[0]").fail("a[1]");
    rig.submit({ type: "recover" });
    rig.complete("a[1]").complete("a[2]").complete("b");
    expect(sent(rig)).toEqual(["a[0]", "a[1]", "a[1]", "a[2]", "b"]);
    expect(rig.outputs("a")).toMatchObject({ count: 3, failed: 0 });
  });

  it("is skipped, escalated or halts by on_failure, as with any failure", () => {
    expect(runOf(each(", on_failure: skip")).fail("a[0]", "provider_auth").statuses).toMatchObject({
      a: "skipped",
      b: "skipped",
    });
    const asked = runOf(each(", on_failure: retry_once_then_escalate, max_parallel: 1"));
    asked.fail("a[0]").fail("a[0]");
    expect(asked.status("a")).toBe("blocked");
    asked.answer("a", "retry");
    expect(asked.status("a[0]")).toBe("running");
  });
});
