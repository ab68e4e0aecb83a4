import { describe, expect, it } from "vitest";
import { BUSY, HOLD, Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import type { Json } from "../base/index.ts";
import { replay, restartFrom } from "./index.ts";

const each = (more = "", head = "") =>
  workflow(
    [`a {command: 'see \${item} at \${index}', for_each: list${more}}`, "b < a"],
    `args: {list: {type: array}}\n${head}`.trimEnd(),
  );
const over = (list: readonly Json[], more = "", head = "") => runOf(each(more, head), { args: { list: [...list] } });
const sent = (rig: Rig) => rig.dispatches.map(({ nodeId }) => nodeId);

describe("a node done once per element", () => {
  it("says how many instances there are, their ids and elements, and holds no attempt of its own", () => {
    const rig = over(["x", { y: 1 }]);
    expect(rig.of("node.expanded")).toEqual([
      { nodeId: "a", count: 2, instanceIds: ["a[0]", "a[1]"], items: ["x", { y: 1 }] },
    ]);
    expect(rig.node("a")).toMatchObject({ attempts: 0, now: { status: "running", attempt: 0, startedAt: rig.now } });
    expect(rig.dispatches.map(({ request }) => request.message)).toEqual(["see x at 0", 'see {"y":1} at 1']);
    expect(rig.of("gate.decided", "a")).toEqual([]);
  });

  it("lets other nodes have their places: it fills none itself", () => {
    const rig = runOf(workflow(["a {for_each: list}", "z"], "args: {list: [1, 2]}\nmax_parallel: 2"));
    expect(sent(rig)).toEqual(["a[0]", "a[1]"]);
    rig.complete("a[0]");
    expect(sent(rig)).toEqual(["a[0]", "a[1]", "z"]);
  });

  it("gives its place back to the run when it is done", () => {
    const rig = runOf(workflow(["a {for_each: list}", "b < a", "c < a"], "args: {list: [1]}\nmax_parallel: 1"));
    rig.complete("a[0]");
    expect([rig.status("b"), rig.status("c")]).toEqual(["running", "queued"]);
  });

  it("counts every node once, in whatever status", () => {
    const rig = over([1, 2, 3], ", max_parallel: 1").complete("a[0]");
    const counted = new Map<string, number>();
    for (const { now } of rig.state.nodes) counted.set(now.status, (counted.get(now.status) ?? 0) + 1);
    const kept = Object.entries(rig.state.counts).filter(([, count]) => count !== 0);
    expect(Object.fromEntries(kept)).toEqual(Object.fromEntries(counted));
  });

  it("begins further instances as places become free, each once, in list order", () => {
    const rig = over([1, 2, 3, 4], ", max_parallel: 2");
    expect(sent(rig)).toEqual(["a[0]", "a[1]"]);
    rig.complete("a[1]");
    expect(sent(rig)).toEqual(["a[0]", "a[1]", "a[2]"]);
    rig.complete("a[0]").complete("a[2]");
    expect(sent(rig)).toEqual(["a[0]", "a[1]", "a[2]", "a[3]"]);
    rig.complete("a[3]");
    expect(rig.outputs("a")).toMatchObject({ count: 4, failed: 0 });
  });

  it("counts an instance that waits, is tried again or asks a person as one that has begun", () => {
    const list = [1, 2, 3, 4];
    const waiting = runOf(each(", max_parallel: 2"), {
      args: { list },
      judge: ({ nodeId }) => (nodeId === "a[0]" ? BUSY : undefined),
    }).complete("a[1]");
    expect(waiting.statuses).toMatchObject({ "a[0]": "queued", "a[2]": "running", "a[3]": "pending" });
    const retrying = over(list, ", max_parallel: 2, on_failure: retry").fail("a[0]").complete("a[1]");
    expect(retrying.statuses).toMatchObject({ "a[0]": "retrying", "a[2]": "running", "a[3]": "pending" });
    const held = runOf(each(", max_parallel: 2"), {
      args: { list },
      judge: ({ nodeId, grants }) => (nodeId === "a[0]" && grants.length === 0 ? HOLD : undefined),
    }).complete("a[1]");
    expect(held.statuses).toMatchObject({ "a[0]": "blocked", "a[2]": "running", "a[3]": "pending" });
    held.answer("a[0]", "approve");
    held.complete("a[0]");
    expect(held.status("a[3]")).toBe("running");
  });

  it("joins outputs where the step declares them, else texts, and null for a tolerated failure", () => {
    const declared = over([1, 2], ", outputs: {n: integer}, tolerate: 1")
      .complete("a[1]", { outputs: { n: 5 } })
      .fail("a[0]", "provider_auth");
    expect(declared.outputs("a")).toEqual({ items: [null, { n: 5 }], count: 2, failed: 1 });
    const { envelope } = declared.of("node.completed", "a")[0] ?? {};
    expect(envelope?.data).toEqual({ items: [null, { n: 5 }], count: 2, failed: 1 });
    const texts = over([1]).complete("a[0]", { stdout: "T" });
    expect(texts.outputs("a")).toEqual({ items: ["T"], count: 1, failed: 0 });
    expect(texts.of("node.completed", "a")[0]).not.toHaveProperty("attempt");
  });

  it("counts an element whose time was over as failed", () => {
    const rig = over([1, 2], ", timeout: 1, tolerate: 1").fire("attempt", "a[0]");
    expect(rig.status("a[0]")).toBe("timed_out");
    rig.complete("a[1]");
    expect(rig.outputs("a")).toMatchObject({ failed: 1 });
  });

  it.each([
    ["tolerate: '50%'", 4, 2, "completed"],
    ["tolerate: '49%'", 4, 2, "failed"],
    ["tolerate: '100%'", 2, 2, "completed"],
    ["tolerate: 2", 4, 2, "completed"],
    ["tolerate: 1", 4, 2, "failed"],
  ])("with %s of %i elements %i may fail: %s", (tolerate, count, failures, status) => {
    const rig = over(
      Array.from({ length: count }, (_, index) => index),
      `, ${tolerate}`,
    );
    for (let index = 0; index < count; index += 1) {
      if (rig.status(`a[${index}]`) !== "running") continue;
      if (index < failures) rig.fail(`a[${index}]`, "provider_auth");
      else rig.complete(`a[${index}]`);
    }
    expect(rig.status("a")).toBe(status);
    expect(rig.error("a")).toBe(status === "failed" ? "too_many_failures" : null);
  });

  it("says how many failed, how many may, and how many never ran", () => {
    const why = (rig: Rig) => rig.of("node.failed", "a")[0]?.errorMessage;
    expect(why(over([1], "").fail("a[0]", "provider_auth"))).toBe("1 of 1 elements failed, 0 may");
    const some = over([1, 2, 3, 4], ", max_parallel: 2, tolerate: 1").fail("a[0]", "provider_auth");
    expect(why(some.fail("a[1]", "provider_auth"))).toBe(
      "2 of 4 elements failed, 1 may; 2 were stopped or never began",
    );
    const fast = over([1, 2], ", tolerate: 1, parallel_failure_policy: fail_fast").fail("a[0]", "provider_auth");
    expect(why(fast)).toBe("1 of 2 elements failed, none may under fail_fast; 1 were stopped or never began");
  });

  it("applies on_failure to the node, not to an element", () => {
    const rig = over([1], ", on_failure: skip").fail("a[0]", "provider_auth");
    expect(rig.status("a[0]")).toBe("failed");
    expect(rig.node("a").now).toMatchObject({ status: "skipped", errorCode: "too_many_failures" });
  });

  it("asks once at its own gate, not once per element", () => {
    const rig = over([1, 2], ", approval: required");
    expect(rig.of("approval.requested").map(({ nodeId }) => nodeId)).toEqual(["a"]);
    rig.answer("a", "approve");
    expect(sent(rig)).toEqual(["a[0]", "a[1]"]);
  });

  it("fails over what is no list or not there, and over too many, and says which limit it was", () => {
    const missing = runOf(workflow(["z", "a < z {for_each: z.outputs.nope}"])).complete("z");
    expect(missing.error("a")).toBe("expression_error");
    expect(missing.of("node.failed", "a")[0]?.errorMessage).toBe("for_each: z.outputs.nope is not a list");
    const text = runOf(workflow(["z", "a < z {for_each: z.outputs.t}"])).complete("z", { outputs: { t: "text" } });
    expect(text.error("a")).toBe("expression_error");
    expect(over([1, 2, 3], ", max_items: 2").of("node.failed", "a")[0]).toMatchObject({
      errorCode: "too_many_items",
      errorMessage: expect.stringMatching(/has 3 elements, max_items is 2$/u),
    });
  });

  it("treats a list of skipped sources as no list", () => {
    const rig = runOf(workflow(["z", "s < z {condition: 'false'}", "a < z s {for_each: s.outputs.list}"])).complete(
      "z",
    );
    expect(rig.error("a")).toBe("expression_error");
  });
});

describe("instances when the node is done again", () => {
  it("an escalation answered with retry runs again only what did not complete", () => {
    const rig = over([1, 2], ", on_failure: retry_once_then_escalate")
      .complete("a[0]", { stdout: "one" })
      .fail("a[1]", "provider_auth");
    expect(rig.status("a")).toBe("blocked");
    rig.answer("a", "retry");
    expect(sent(rig)).toEqual(["a[0]", "a[1]", "a[1]"]);
    expect(rig.of("node.invalidated")).toEqual([{ nodeId: "a[1]", attempt: 1, reason: "expanded_again" }]);
    rig.complete("a[1]", { stdout: "two" });
    expect(rig.outputs("a")).toEqual({ items: ["one", "two"], count: 2, failed: 0 });
  });

  it("a recovery too, and the attempts count on", () => {
    const rig = over([1, 2, 3]).complete("a[0]").complete("a[2]").fail("a[1]", "provider_auth");
    expect(rig.state.status).toBe("failed");
    rig.submit({ type: "recover" });
    expect(rig.statuses).toMatchObject({ a: "running", "a[0]": "completed", "a[1]": "running", "a[2]": "completed" });
    expect(rig.node("a[1]").attempts).toBe(2);
    rig.complete("a[1]").complete("b");
    expect(rig.state.status).toBe("completed");
  });

  it("a rewind keeps the failures that came before, and counts them", () => {
    const rig = over([1, 2], ", tolerate: 1").fail("a[0]", "provider_auth");
    const target = rig.state.lastEventId;
    rig.complete("a[1]").complete("b");
    rig.submit({ type: "rewind", eventId: target, isConsumed: false });
    expect(rig.statuses).toMatchObject({ a: "running", "a[0]": "failed", "a[1]": "running" });
    rig.complete("a[1]", { stdout: "two" });
    expect(rig.outputs("a")).toEqual({ items: [null, "two"], count: 2, failed: 1 });
    const late = over([1, 2], ", tolerate: 1, timeout: 1").fire("attempt", "a[0]");
    const then = late.state.lastEventId;
    late.complete("a[1]").complete("b");
    late.submit({ type: "rewind", eventId: then, isConsumed: false });
    late.complete("a[1]");
    expect(late.outputs("a")).toMatchObject({ failed: 1 });
  });

  it("an element that has changed runs again, one that is gone is left, the others stay", () => {
    const source = workflow(["z {outputs: {list: array}}", "a < z {command: 'see ${item}', for_each: z.outputs.list}"]);
    const rig = runOf(source).complete("z", { outputs: { list: ["x", "y", "w"] } });
    rig.complete("a[0]").complete("a[1]").complete("a[2]");
    expect(rig.state.status).toBe("completed");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    rig.complete("z", { outputs: { list: ["x", "CHANGED"] } });
    const messages = rig.dispatches.filter(({ epoch }) => epoch === 1).map(({ request }) => request.message);
    expect(messages).toContain("see CHANGED");
    for (const id of ["a[0]", "a[1]"]) if (rig.status(id) === "running") rig.complete(id, { stdout: id });
    expect(rig.outputs("a")).toMatchObject({ count: 2 });
    expect(rig.state.status).toBe("completed");
    expect(replay(rig.state.plan, "run_1", rig.events).counts).toEqual(rig.state.counts);
  });

  it("a restart carries those that completed, at no cost", () => {
    const first = over([1, 2]).complete("a[0]", { stdout: "one", costMicros: 9 }).fail("a[1]", "provider_auth");
    const second = new Rig(each(), { args: { list: [1, 2] } }).start({ carried: restartFrom(first.state) });
    expect(sent(second)).toEqual(["a[1]"]);
    expect(second.node("a[0]").now).toMatchObject({ status: "completed", isCarried: true, durationMs: 0 });
    second.complete("a[1]", { stdout: "two" }).complete("b");
    expect(second.outputs("a")).toEqual({ items: ["one", "two"], count: 2, failed: 0 });
    expect(second.state).toMatchObject({ status: "completed", costMicros: 0 });
  });

  it("a restart does not carry results of a list that may have changed", () => {
    const source = workflow(["z {outputs: {list: array}}", "a < z {for_each: z.outputs.list}"]);
    const first = runOf(source).complete("z", { outputs: { list: [1, 2] } });
    first.complete("a[0]").fail("a[1]", "provider_auth");
    expect(restartFrom(first.state).map(({ nodeId }) => nodeId)).toEqual(["z", "a[0]"]);
    expect(restartFrom(first.state, "z")).toEqual([]);
    const done = runOf(source)
      .complete("z", { outputs: { list: [1] } })
      .complete("a[0]");
    expect(restartFrom(done.state, "a").map(({ nodeId }) => nodeId)).toEqual(["z"]);
  });
});
