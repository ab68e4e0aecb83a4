import { describe, expect, it } from "vitest";
import { Rig, runOf } from "../../../test/conformance/rig.ts";
import { LIMITS, type Json, type JsonObject } from "../base/index.ts";
import { restartFrom, waitingForOf } from "./index.ts";

const steps = (...lines: readonly string[]): string => `name: w\nargs: {order: ''}\nsteps:\n${lines.join("\n")}\n`;
const run = (...lines: readonly string[]): Rig => runOf(steps(...lines), { args: { order: "o1" } });

function give(rig: Rig, nodeId: string, id: string, data: Json, more: { type?: string; key?: JsonObject } = {}) {
  const { type = "order.paid", key = { order_id: "o1" } } = more;
  return rig.submit({ type: "event", nodeId, epoch: rig.node(nodeId).epoch, event: { id, type, key, data } });
}

const PAID = "  - {id: paid, wait: {event: order.paid, match: {order_id: '${order}'}}}";
const SHIP = "  - {id: ship, command: 'ship for ${paid.amount}'}";

describe("a wait for a moment", () => {
  it("blocks without slot or attempt, and completes when its time has come", () => {
    const rig = run("  - {id: nap, wait: 5m}", "  - {id: b, command: go, depends_on: [nap]}");
    expect(rig.of("node.blocked")).toEqual([{ nodeId: "nap", waitingReason: "timer", until: rig.now + 300_000 }]);
    expect(rig.node("nap")).toMatchObject({ attempts: 0 });
    expect(waitingForOf(rig.state)).toBe("timer");
    rig.fire("wait");
    expect([rig.outputs("nap"), rig.status("b")]).toEqual([{}, "running"]);
    expect(rig.state.nodes).toEqual(rig.replayed().nodes);
  });

  it("waits until a date, which may be an expression", () => {
    const until = (text: string) => run(`  - {id: nap, wait: {until: "${text}"}}`).of("node.blocked")[0]?.until;
    expect(until("1970-01-01T01:00:00Z")).toBe(3_600_000);
    expect(until("date_add('1970-01-01', 2, 'days')")).toBe(2 * 86_400_000);
    expect(until("${date_add('1970-01-01', 1, 'days')}T01:00:00Z")).toBe(86_400_000 + 3_600_000);
    expect(run("  - {id: nap, wait: {until: order}}").error("nap")).toBe("expression_error");
  });

  it.each([
    ["soon", '"soon"'],
    ["x".repeat(200), `"${"x".repeat(99)}`],
  ])("fails when its date is none, and shows the beginning of what is there instead", (order, shown) => {
    const rig = runOf(steps("  - {id: nap, wait: {until: order}}"), { args: { order } });
    expect(rig.of("node.failed")[0]?.errorMessage).toBe(
      `wait.until must be a date such as 2031-05-04T10:00:00Z, but it is ${shown}`,
    );
  });

  it("continues at once when its time has passed", () => {
    const rig = run("  - {id: nap, wait: {until: '1970-01-01T00:00:01Z'}}");
    rig.fire("wait");
    expect(rig.state.status).toBe("completed");
  });

  it("ignores a timer of an earlier wait", () => {
    const rig = run("  - {id: nap, wait: 5m}");
    const [first] = rig.effects.filter((effect) => effect.type === "set-timer");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    if (first !== undefined) rig.submit({ type: "timer", timer: first.timer });
    expect(rig.status("nap")).toBe("blocked");
    rig.fire("wait");
    expect(rig.state.status).toBe("completed");
  });
});

describe("a wait for an event", () => {
  it("names what it waits for, and completes with what the event says", () => {
    const rig = run(PAID, SHIP);
    expect(rig.of("node.blocked")).toEqual([
      { nodeId: "paid", waitingReason: "event", event: { type: "order.paid", key: { order_id: "o1" } } },
    ]);
    expect(waitingForOf(rig.state)).toBe("event");
    expect(give(rig, "paid", "e1", { amount: 12 }).refusal).toBeUndefined();
    expect(rig.of("event.received")).toEqual([{ nodeId: "paid", id: "e1", type: "order.paid" }]);
    expect(rig.dispatch("ship").request.message).toBe("ship for 12");
    expect(rig.state.nodes).toEqual(rig.replayed().nodes);
  });

  it("takes an event once, and only the one it waits for", () => {
    const rig = run(PAID, SHIP);
    const other = (more: { type?: string; key?: JsonObject }) => give(rig, "paid", "e0", {}, more).refusal?.code;
    expect(other({ type: "order.sent" })).toBe("not_waiting");
    expect(other({ key: {} })).toBe("not_waiting");
    expect(other({ key: { order_id: "o1", more: 1 } })).toBe("not_waiting");
    expect(other({ key: { order_id: "o2" } })).toBe("not_waiting");
    give(rig, "paid", "e1", { amount: 1 });
    const before = rig.state.lastEventId;
    expect(give(rig, "paid", "e1", { amount: 2 }).refusal?.code).toBe("not_waiting");
    expect(rig.state.lastEventId).toBe(before);
    expect(give(rig, "ship", "e1", {}).refusal?.code).toBe("not_waiting");
  });

  it("takes no event again that broke its contract", () => {
    const declared = PAID.replace("}}}", "}}, outputs: {amount: number}, on_failure: retry}");
    const rig = run(declared);
    give(rig, "paid", "e1", { amount: "much" });
    expect(rig.of("contract.violated")).toHaveLength(1);
    rig.fire("retry");
    expect(rig.status("paid")).toBe("blocked");
    expect(give(rig, "paid", "e1", { amount: "much" }).refusal?.code).toBe("event_taken");
    give(rig, "paid", "e2", { amount: "7" });
    expect(rig.outputs("paid")).toEqual({ amount: 7 });
  });

  it("says why it does not take an event", () => {
    const rig = run(PAID.replace("}}}", "}}, outputs: {amount: number}, on_failure: retry}"), SHIP);
    give(rig, "paid", "e1", { amount: "much" });
    rig.fire("retry");
    expect(give(rig, "paid", "e1", {}).refusal?.message).toBe("paid has taken this event");
    expect(give(rig, "ship", "e2", {}).refusal?.message).toBe("ship does not wait for this event");
    const nowhere = rig.submit({ type: "event", nodeId: "gone", epoch: 0, event: EVENT });
    expect(nowhere.refusal).toMatchObject({ code: "not_waiting", message: "gone does not wait for this event" });
  });

  it("is not ended by the time limit of an earlier try", () => {
    const rig = run(PAID.replace("}}}", "}, timeout: 1h}, outputs: {amount: number}, on_failure: retry}"));
    const [first] = rig.effects.filter((effect) => effect.type === "set-timer");
    rig.now += 1_000;
    give(rig, "paid", "e1", { amount: "much" });
    rig.fire("retry");
    rig.now = first?.dueAt ?? 0;
    if (first !== undefined) expect(rig.submit({ type: "timer", timer: first.timer }).events).toEqual([]);
    expect(rig.status("paid")).toBe("blocked");
    expect(rig.fire("wait").error("paid")).toBe("timeout");
  });

  it("gives data that is no object the name result", () => {
    const rig = run(PAID);
    give(rig, "paid", "e1", [1, 2]);
    expect(rig.outputs("paid")).toEqual({ result: [1, 2] });
  });

  it.each([
    ["fail", "failed", null],
    ["skip", "skipped", null],
    ["continue", "completed", { timed_out: true }],
  ])("on_timeout: %s", (word, status, outputs) => {
    const timed = PAID.replace("}}}", `}, timeout: 3d, on_timeout: ${word}}}`);
    const rig = run(timed, "  - {id: b, command: go, depends_on: [paid]}");
    expect(rig.of("node.blocked")[0]).toMatchObject({ until: rig.now + 3 * 86_400_000 });
    rig.fire("wait");
    expect([rig.status("paid"), rig.outputs("paid")]).toEqual([status, outputs]);
    if (word === "fail") expect([rig.error("paid"), rig.state.status]).toEqual(["timeout", "failed"]);
    if (word === "fail") expect(rig.of("node.failed")[0]?.errorMessage).toBe("paid waited 259200000 ms for order.paid");
    if (word === "skip") expect(rig.of("node.skipped", "paid")).toEqual([{ nodeId: "paid", reason: "timeout" }]);
    expect(give(rig, "paid", "e1", {}).refusal?.code).toBe("not_waiting");
  });

  it("does not time out after its event has come", () => {
    const rig = run(PAID.replace("}}}", "}, timeout: 1h}}"), "  - {id: b, command: go, depends_on: [paid]}");
    give(rig, "paid", "e1", {});
    rig.fire("wait");
    expect([rig.status("paid"), rig.status("b")]).toEqual(["completed", "running"]);
  });

  it("is called off with its run, and waits anew after a rewind", () => {
    const rig = run(PAID);
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(rig.node("paid")).toMatchObject({ epoch: 1, now: { status: "blocked" } });
    expect(rig.submit({ type: "event", nodeId: "paid", epoch: 0, event: EVENT }).refusal?.code).toBe("not_waiting");
    rig.submit({ type: "cancel", reason: "enough" });
    expect([rig.status("paid"), rig.state.status]).toEqual(["cancelled", "cancelled"]);
    expect(rig.state.waits).toEqual({ event: 0, timer: 0, child: 0 });
  });

  it("keeps what it received when the run is restarted", () => {
    const rig = run(PAID, SHIP);
    give(rig, "paid", "e1", { amount: 3 });
    rig.fail("ship");
    const again = new Rig(steps(PAID, SHIP), { args: { order: "o1" } }).start({ carried: restartFrom(rig.state) });
    expect(again.outputs("paid")).toEqual({ amount: 3 });
    expect(again.status("ship")).toBe("running");
  });

  it("waits once per element", () => {
    const source = `name: w\nargs: {ids: {type: array}}\nsteps:
  - {id: paid, for_each: ids, wait: {event: order.paid, match: {order_id: "\${item}"}}}\n`;
    const rig = runOf(source, { args: { ids: ["a", "b"] } });
    give(rig, "paid[1]", "e1", { n: 1 }, { key: { order_id: "b" } });
    give(rig, "paid[0]", "e1", { n: 1 }, { key: { order_id: "a" } });
    expect(rig.outputs("paid")).toMatchObject({ items: [{ n: 1 }, { n: 1 }], count: 2 });
  });

  it("asks the person of its gate first", () => {
    const rig = run(PAID.replace("}}}", "}}, approval: required}"));
    expect(waitingForOf(rig.state)).toBe("person");
    rig.answer("paid", "approve");
    expect(waitingForOf(rig.state)).toBe("event");
  });
});

const EVENT = { id: "e1", type: "order.paid", key: { order_id: "o1" }, data: {} };

describe("a wait for a signal", () => {
  const SIGNAL = "  - {id: go, wait: {signal: go_on}}";

  it("waits for an event to its own run", () => {
    const rig = run(SIGNAL);
    expect(rig.of("node.blocked")[0]).toMatchObject({ event: { type: "signal:go_on", key: { run: "run_1" } } });
    give(rig, "go", "s1", { ok: true }, { type: "signal:go_on", key: { run: "run_1" } });
    expect(rig.outputs("go")).toEqual({ ok: true });
  });

  it("has a time limit like any other", () => {
    const rig = run("  - {id: go, wait: {signal: go_on, timeout: 1m}}");
    expect(rig.of("node.blocked")[0]).toMatchObject({ until: rig.now + 60_000 });
    expect(rig.fire("wait").of("node.failed")[0]?.errorMessage).toBe("go waited 60000 ms for signal:go_on");
  });

  it("means the run that began the family", () => {
    const rig = new Rig(steps(SIGNAL)).start({ root: { runId: "run_0", createdAt: 5 }, parentRunId: "run_0" });
    expect(rig.of("node.blocked")[0]).toMatchObject({ event: { key: { run: "run_0" } } });
  });
});

describe("an emitted event", () => {
  const EMIT = "  - {id: tell, emit: {type: order.sent, key: {order_id: '${order}'}, data: {n: 1}}}";

  it("is written with the commit that completes its node, under an id of its own", () => {
    const rig = run(EMIT);
    const event = { id: "run_1/tell/0", type: "order.sent", key: { order_id: "o1" }, data: { n: 1 } };
    expect(rig.of("event.emitted")).toEqual([{ nodeId: "tell", ...event }]);
    expect(rig.effects).toContainEqual({ type: "emit-event", event, keepMs: LIMITS.eventKeepMsDefault, hops: 1 });
    expect([rig.outputs("tell"), rig.state.status]).toEqual([{ id: event.id, type: event.type }, "completed"]);
    expect(rig.of("gate.decided")).toEqual([]);
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(rig.of("event.emitted").map(({ id }) => id)).toEqual(["run_1/tell/0", "run_1/tell/1"]);
  });

  it("may have 256 KiB and not a byte more", () => {
    const emit = (bytes: number): string | null => {
      const source = `name: w\nargs: {text: ''}\nsteps:\n  - {id: tell, emit: {type: t, data: "\${text}"}}\n`;
      return runOf(source, { args: { text: "x".repeat(bytes) } }).error("tell");
    };
    const rest = JSON.stringify({ key: {}, data: "" }).length;
    expect(emit(LIMITS.eventBytesMax - rest)).toBeNull();
    expect(emit(LIMITS.eventBytesMax - rest + 1)).toBe("event_too_large");
  });

  it("completes at most 500 nodes at once; the rest follow", () => {
    const count = LIMITS.computedNodesMax * 2 + 1;
    const lines = Array.from({ length: count }, (_, n) => `  - {id: e${n}, emit: {type: t}}`);
    const rig = run(...lines);
    expect(rig.state.counts.completed).toBe(LIMITS.computedNodesMax);
    rig.fire("continue");
    expect(rig.state.counts.completed).toBe(2 * LIMITS.computedNodesMax);
    rig.fire("continue");
    expect(rig.state.status).toBe("completed");
  });

  it("ends a chain of runs that start one another", () => {
    const begin = (hops: number) => new Rig(steps(EMIT)).start({ hops }).state;
    expect(begin(LIMITS.eventChainRunsMax - 1).status).toBe("completed");
    expect(begin(LIMITS.eventChainRunsMax)).toMatchObject({ status: "failed", errorCode: "event_loop" });
    const inside = new Rig(steps(EMIT)).start({ hops: LIMITS.eventChainRunsMax, parentRunId: "run_0" });
    expect(inside.state.status).toBe("completed");
  });
});
