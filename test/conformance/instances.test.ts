import { describe, expect, it } from "vitest";
import { restartFrom } from "../../src/core/engine/index.ts";
import { Rig, runOf, workflow } from "./rig.ts";

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
    rig.tell({ type: "cancel", reason: "stop" });
    expect(new Set(Object.values(rig.statuses))).toEqual(new Set(["cancelled"]));
    expect(rig.state.status).toBe("cancelled");
  });

  it("re-runs only the instances that did not complete when restarted", () => {
    const first = runOf(each()).complete("a[0]").fail("a[1]", "provider_auth").complete("a[2]");
    expect(first.state.status).toBe("failed");
    const second = new Rig(each()).start({ carried: restartFrom(first.state), sourceRunId: "run_0" });
    expect(second.dispatches.map((effect) => effect.nodeId)).toEqual(["a[1]"]);
    second.complete("a[1]").complete("b");
    expect(second.outputs("a")).toEqual({ items: ["a[0] done", "a[1] done", "a[2] done"], count: 3, failed: 0 });
    expect(second.state.status).toBe("completed");
    expect(second.replayed().nodes.map((node) => node.now)).toEqual(second.state.nodes.map((node) => node.now));
  });
});
