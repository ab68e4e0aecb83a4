import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/base/index.ts";
import { NO_TOKENS } from "../../src/core/engine/index.ts";
import { runOf, workflow } from "./rig.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const listed = (ids: readonly string[]) =>
  ids.map((id) => `${id} {command: go, for_each: ${id}_list, max_items: 10000}`);

describe("a for_each node with max_items: 10000", () => {
  it("runs 10,000 elements, each for the same", () => {
    const rig = runOf(workflow(listed(["a"]), "args: {a_list: {type: array}}"), { args: { a_list: numbers(10_000) } });
    for (let element = 0; element < 10_000; element += 1) rig.complete(`a[${element}]`);
    expect(rig.of("node.completed", "a")[0]?.outputs).toMatchObject({ count: 10_000, failed: 0 });
    expect(rig.state.status).toBe("completed");
  });

  it("fails over one more, before any is begun", () => {
    const rig = runOf(workflow(listed(["a"]), "args: {a_list: {type: array}}"), { args: { a_list: numbers(10_001) } });
    expect(rig.of("node.failed", "a")[0]).toMatchObject({
      errorCode: "too_many_items",
      errorMessage: "for_each: a_list has 10001 elements, max_items is 10000",
    });
    expect(rig.dispatches).toEqual([]);
  });
});

describe("the instances of a run", () => {
  const ids = numbers(10).map((index) => `n${index}`);
  const head = `args: {${[...ids, "z"].map((id) => `${id}_list: {type: array}`).join(", ")}}`;
  const lists = ids.map((id) => `${id} {command: go, for_each: ${id}_list, max_items: 10000, max_parallel: 1}`);
  const source = workflow([...lists, "z {command: go, for_each: z_list, on_failure: retry_once_then_escalate}"], head);
  const full = LIMITS.instancesPerRunMax / ids.length;

  /** Nodes expand in the order of their ids, so that `z` is the last. */
  const runWith = (beyond: number) => {
    const args = Object.fromEntries(ids.map((id) => [`${id}_list`, numbers(full)]));
    return runOf(source, { args: { ...args, n0_list: numbers(full - 3), z_list: numbers(3 + beyond) } });
  };

  it("may be as many as the limit, and are counted once when a node expands again", () => {
    const { state } = runWith(-1);
    expect(state.instanceIndexById.size).toBe(LIMITS.instancesPerRunMax - 1);
    const rig = runWith(0);
    expect(rig.status("z")).toBe("running");
    expect(rig.state.instanceIndexById.size).toBe(LIMITS.instancesPerRunMax);
    rig.fail("z[0]").fail("z[0]");
    expect(rig.status("z")).toBe("blocked");
    rig.answer("z", "retry");
    expect(rig.status("z")).toBe("running");
  });

  it("may not be one more", () => {
    const rig = runWith(1);
    expect(rig.of("approval.requested", "z")[0]?.summary).toContain("has 4 elements, the run has 99997 instances");
    expect(rig.node("z").now).toMatchObject({ status: "blocked", errorCode: "too_many_items" });
  });
});

describe("the log of a run", () => {
  const streamed = (eventId: number) => {
    const rig = runOf(workflow(["a"]));
    rig.state.lastEventId = eventId;
    return rig.submit({ type: "stream", nodeId: "a", attempt: 1, deltas: [{ index: 0, text: "x" }] }).events.length;
  };

  it("takes pieces of answers until it is so long", () => {
    expect(streamed(LIMITS.eventsWithDeltasMax - 2)).toBe(1);
    expect(streamed(LIMITS.eventsWithDeltasMax - 1)).toBe(1);
    expect(streamed(LIMITS.eventsWithDeltasMax)).toBe(0);
  });

  /** `a` completes with one event, and makes the log so long. */
  const completed = (lastEventId: number) => {
    const rig = runOf(workflow(["a", "b {approval: required}", "c < a b", "d"]));
    rig.state.lastEventId = lastEventId - 1;
    rig.events.length = 0;
    rig.complete("a");
    return rig;
  };

  it("ends the run at its limit, and not one event before", () => {
    expect(completed(LIMITS.eventsPerRunMax - 1).state).toMatchObject({ status: "running", ending: null });
    for (const length of [LIMITS.eventsPerRunMax, LIMITS.eventsPerRunMax + 1]) {
      const rig = completed(length);
      expect(rig.state).toMatchObject({ status: "failed", errorCode: "too_many_events" });
      expect(rig.of("run.ending")[0]).toMatchObject({ as: "failed", errorCode: "too_many_events" });
      expect(rig.statuses).toEqual({ a: "completed", b: "cancelled", c: "cancelled", d: "cancelled" });
      expect(rig.of("approval.resolved", "b")[0]).toMatchObject({ status: "cancelled" });
      expect(rig.effects.filter(({ type }) => type === "cancel-dispatch")).toHaveLength(1);
    }
  });

  it("does not fail a run that has just ended well", () => {
    const rig = runOf(workflow(["a"]));
    rig.state.lastEventId = LIMITS.eventsPerRunMax;
    rig.complete("a");
    expect(rig.state.status).toBe("completed");
  });

  it("keeps late cost, and refuses to open the run again", () => {
    const rig = completed(LIMITS.eventsPerRunMax);
    rig.callback("d", { status: "completed", tokens: NO_TOKENS, costMicros: 9 });
    expect(rig.state.costMicros).toBe(9);
    for (const input of [{ type: "recover" }, { type: "rewind", eventId: 1, isConsumed: false }] as const) {
      expect(rig.submit(input)).toMatchObject({ events: [], refusal: { code: "too_many_events" } });
    }
  });
});
