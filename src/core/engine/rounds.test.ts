import { describe, expect, it } from "vitest";
import { Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { LIMITS } from "../base/index.ts";
import { isTimerStale, restartFrom, type Timer, waitingForOf } from "./index.ts";

const DRAFT = "command: 'Write ${previous.text} in ${round}', outputs: {text: string, done: boolean}";
const repeated = (repeat = "until: outputs.done", more = "", head = "") =>
  runOf(workflow([`a {${DRAFT}, repeat: {${repeat}}${more}}`, "b < a"], head));
const round = (rig: Rig, number: number, done = false) =>
  rig.complete(`a[${number}]`, { outputs: { text: `t${number}`, done } });
const sent = (rig: Rig) => rig.dispatches.map(({ nodeId }) => nodeId);
const timersOf = (rig: Rig) =>
  rig.effects.flatMap((effect) => (effect.type === "set-timer" && effect.timer.kind === "round" ? [effect] : []));

describe("a step that is repeated", () => {
  it("makes one round at a time, and completes with the last one and how many there were", () => {
    const rig = repeated();
    expect(rig.of("node.expanded")).toEqual([
      { nodeId: "a", count: 1, instanceIds: ["a[0]"], items: [0], isRepeated: true },
    ]);
    expect(rig.state.nodes.map(({ id }) => id)).toEqual(["a", "b", "a[0]"]);
    round(rig, 0);
    expect(rig.of("node.round")).toEqual([{ nodeId: "a", round: 1, instanceId: "a[1]" }]);
    expect([rig.status("a"), rig.status("b")]).toEqual(["running", "awaiting_dependency"]);
    round(rig, 1, true);
    expect(sent(rig)).toEqual(["a[0]", "a[1]", "b"]);
    expect(rig.outputs("a")).toEqual({ text: "t1", done: true, rounds: 2 });
    expect(rig.of("node.completed", "a")[0]).not.toHaveProperty("attempt");
    expect(rig.replayed().nodes).toEqual(rig.state.nodes);
  });

  it("records that its outputs are those of the last round", () => {
    const rig = round(round(repeated(), 0), 1, true);
    expect(rig.of("node.provenance", "a")).toEqual([
      {
        nodeId: "a",
        sourceRunId: "run_1",
        sourceNodeId: "a[1]",
        sourceOutputPath: "outputs",
        targetInputPath: "outputs",
        transform: "repeat",
      },
    ]);
  });

  it("reads the round before, which in the first is nothing", () => {
    const rig = round(repeated(), 0);
    expect(rig.dispatches.map(({ request }) => request.message)).toEqual(["Write  in 0", "Write t0 in 1"]);
    expect(rig.of("node.provenance", "a[1]")).toContainEqual({
      nodeId: "a[1]",
      sourceRunId: "run_1",
      sourceNodeId: "a[0]",
      sourceOutputPath: "outputs.text",
      targetInputPath: "command",
    });
  });

  it("has null before the first round where a value is read, so that ?? gives a beginning", () => {
    const set = "set: {n: {expr: (previous.n ?? 0) + 1}, before: '${previous.n}', all: '${previous}'}";
    const rig = runOf(workflow([`a {${set}, repeat: {until: outputs.n >= 3}}`]));
    expect(rig.state.status).toBe("completed");
    expect(rig.outputs("a[0]")).toEqual({ n: 1, before: null, all: null });
    expect(rig.outputs("a[1]")).toMatchObject({ n: 2, before: 1, all: { n: 1 } });
    expect(rig.outputs("a")).toMatchObject({ n: 3, rounds: 3 });
  });

  it("leaves an input out that has no round before it", () => {
    const inputs = "inputs: {last: {from: previous.text, type: string}}";
    const rig = round(runOf(workflow([`a {${DRAFT}, ${inputs}, repeat: {until: outputs.done}}`])), 0);
    expect(rig.dispatches.map(({ request }) => request.inputs)).toEqual([{}, { last: "t0" }]);
  });

  it("is judged by the text of a round that declares no outputs", () => {
    const rig = runOf(workflow(["a {command: C, repeat: {until: 'contains(outputs.stdout, \"done\")'}}"]));
    rig.complete("a[0]", { stdout: "not yet" });
    expect(rig.status("a")).toBe("running");
    expect(rig.complete("a[1]", { stdout: "done" }).outputs("a")).toEqual({ rounds: 2 });
    const own = runOf(workflow(["a {command: C, repeat: {until: outputs.stdout == 1}}"]));
    expect(own.complete("a[0]", { stdout: "text", outputs: { stdout: 1 } }).status("a")).toBe("completed");
  });

  it("reads what a round without declared outputs said", () => {
    const rig = runOf(workflow(["a {command: 'After ${previous.stdout}', repeat: {until: round == 1}}"]));
    rig.complete("a[0]", { stdout: "one" }).complete("a[1]", { stdout: "two" });
    expect(rig.dispatch("a[1]").request.message).toBe("After one");
    expect(rig.outputs("a")).toEqual({ rounds: 2 });
    expect(rig.of("node.completed", "a")[0]?.envelope.output).toBe("two");
  });

  it("judges with what the round returned, the round before and its number", () => {
    const rig = repeated("until: outputs.text == previous.text and round == 1");
    rig
      .complete("a[0]", { outputs: { text: "x", done: false } })
      .complete("a[1]", { outputs: { text: "x", done: false } });
    expect(rig.outputs("a")).toMatchObject({ rounds: 2 });
  });

  it("fails when the rounds are used up, or continues and says so", () => {
    const failing = repeated("until: outputs.done, max: 2");
    round(round(failing, 0), 1);
    expect([failing.error("a"), failing.state.errorCode]).toEqual(["repeat_exhausted", "repeat_exhausted"]);
    expect(failing.of("node.failed", "a")[0]?.errorMessage).toBe(
      "a has had 2 rounds, and this did not hold: outputs.done",
    );
    expect(round(repeated("until: outputs.done, max: 1"), 0).of("node.failed", "a")[0]?.errorMessage).toBe(
      "a has had 1 round, and this did not hold: outputs.done",
    );
    const continuing = repeated("until: outputs.done, max: 2, on_exhausted: continue");
    round(round(continuing, 0), 1);
    expect(continuing.outputs("a")).toEqual({ text: "t1", done: false, rounds: 2, exhausted: true });
    const met = repeated("until: outputs.done, max: 1, on_exhausted: continue");
    expect(round(met, 0, true).outputs("a")).toEqual({ text: "t0", done: true, rounds: 1, exhausted: false });
  });

  it("has ten rounds where none are named", () => {
    const rig = runOf(workflow(["a {set: {n: '${round}'}, repeat: {until: 'false', on_exhausted: continue}}"]));
    expect(rig.outputs("a")).toEqual({ n: 9, rounds: LIMITS.roundsDefault, exhausted: true });
  });

  it("fails with what a round failed with, after the retries of that round", () => {
    const rig = repeated("until: outputs.done", ", retry: {attempts: 2, backoff_ms: 1}");
    round(rig, 0);
    rig.fail("a[1]").fire("retry", "a[1]").fail("a[1]");
    expect(rig.node("a[1]")).toMatchObject({ tries: 2, now: { status: "failed" } });
    expect([rig.status("a"), rig.error("a")]).toEqual(["failed", "provider_error"]);
    expect(rig.of("node.failed", "a")[0]?.errorMessage).toBe("a[1]: it broke");
    expect(rig.node("a").retries).toBe(0);
  });

  it("fails with a round that took too long", () => {
    const rig = runOf(workflow([`a {${DRAFT}, repeat: {until: outputs.done}, timeout: 1m, on_failure: fail}`]));
    rig.fire("attempt", "a[0]");
    expect([rig.status("a[0]"), rig.status("a"), rig.error("a")]).toEqual(["timed_out", "failed", "timeout"]);
  });

  it("says of each round when it begins that it is queued", () => {
    const rig = round(round(repeated("until: outputs.done, every: 30s"), 0).fire("round"), 1, true);
    const queued = rig.of("node.queued").filter(({ nodeId }) => nodeId.startsWith("a["));
    expect(queued.map(({ nodeId, waitingReason }) => [nodeId, waitingReason])).toEqual([
      ["a[0]", "queued"],
      ["a[1]", "queued"],
      ["a[1]", "queued"],
    ]);
  });

  it("lets on_failure decide about the step, not about a round", () => {
    const skipped = repeated("until: outputs.done", ", on_failure: skip").fail("a[0]", "provider_auth");
    expect(skipped.statuses).toMatchObject({ a: "skipped", "a[0]": "failed" });
    const escalated = repeated("until: outputs.done", ", on_failure: {then: escalate}");
    round(escalated, 0).fail("a[1]", "provider_auth");
    expect(escalated.status("a")).toBe("blocked");
    escalated.answer("a", "retry");
    expect(escalated.statuses).toMatchObject({ a: "running", "a[0]": "completed", "a[1]": "running" });
    expect(round(escalated, 1, true).outputs("a")).toMatchObject({ text: "t1", rounds: 2 });
  });

  it("fails when its condition cannot be decided", () => {
    const rig = runOf(workflow(["a {repeat: {until: outputs.x > 3}}"])).complete("a[0]", { outputs: { x: "text" } });
    expect(rig.error("a")).toBe("expression_error");
    expect(rig.of("node.failed", "a")[0]?.errorMessage).toContain("repeat.until: ");
  });

  it("is asked once about, before the first round, and shows what that one would send", () => {
    const rig = repeated("until: outputs.done", ", approval: required");
    expect(rig.of("approval.requested").map(({ nodeId, rendered }) => [nodeId, rendered])).toEqual([
      ["a", "Write  in 0"],
    ]);
    expect(rig.answer("a", "approve", { modifications: { outputs: { text: "x", done: true } } }).refusal).toMatchObject(
      {
        code: "modifications_invalid",
      },
    );
    rig.answer("a", "approve");
    round(round(rig, 0), 1, true);
    expect(rig.of("approval.requested")).toHaveLength(1);
  });

  it("judges its own condition once, before there are rounds", () => {
    const rig = runOf(workflow(["a {condition: 'false', repeat: {until: outputs.x}}"]));
    expect(rig.state.nodes.map(({ id, now }) => [id, now.status])).toEqual([["a", "skipped"]]);
  });

  it("is skipped when a round is", () => {
    const wait = "wait: {event: e, timeout: 1m, on_timeout: skip}";
    const rig = runOf(`name: w\nsteps:\n  - {id: a, ${wait}, repeat: {until: outputs.x}}\n`).fire("wait");
    expect(rig.statuses).toEqual({ a: "skipped", "a[0]": "skipped" });
  });
});

describe("the pause between rounds", () => {
  const paused = () => round(repeated("until: outputs.done, every: 30s"), 0);

  it("is a timer from the end of a round", () => {
    const rig = paused();
    expect(rig.node("a[1]").now).toMatchObject({ status: "blocked", waitingReason: "timer", until: rig.now + 30_000 });
    expect(timersOf(rig)).toMatchObject([{ timer: { kind: "round", nodeId: "a", round: 1 }, dueAt: rig.now + 30_000 }]);
    expect(waitingForOf(rig.state)).toBe("timer");
    expect(sent(rig.fire("round"))).toEqual(["a[0]", "a[1]"]);
  });

  it("counts once: its timer is stale as soon as the round has begun", () => {
    const rig = paused();
    const timer = timersOf(rig)[0]?.timer as Timer;
    expect(isTimerStale(rig.state, timer)).toBe(false);
    rig.fire("round");
    expect(isTimerStale(rig.state, timer)).toBe(true);
    expect(rig.submit({ type: "timer", timer }).events).toEqual([]);
  });

  it.each([
    [29_999, "blocked"],
    [30_000, "running"],
  ])("of which %d ms had passed when the run was rewound to its beginning leaves the next round %s", (ms, status) => {
    const rig = paused();
    const ended = rig.events.findLast(({ type }) => type === "node.completed")?.eventId ?? 0;
    rig.now += ms;
    rig.submit({ type: "rewind", eventId: ended, isConsumed: false });
    expect([rig.status("a[0]"), rig.status("a[1]")]).toEqual(["completed", status]);
  });

  it("is not ended by the timer of a pause that was taken back", () => {
    const rig = paused();
    const [first] = timersOf(rig);
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    round(rig, 0);
    const timer = first?.timer as Timer;
    expect([rig.status("a[1]"), isTimerStale(rig.state, timer)]).toEqual(["blocked", true]);
    expect(rig.submit({ type: "timer", timer }).events).toEqual([]);
    expect(sent(rig.fire("round"))).toEqual(["a[0]", "a[0]", "a[1]"]);
  });

  it("ends with the run", () => {
    const rig = paused();
    rig.submit({ type: "cancel", reason: "enough" });
    expect(rig.statuses).toMatchObject({ a: "cancelled", "a[0]": "completed", "a[1]": "cancelled" });
    expect(rig.state.status).toBe("cancelled");
  });
});

describe("a round that ends while the run does", () => {
  it("is the last one", () => {
    const rig = runOf(workflow([`a {${DRAFT}, repeat: {until: outputs.done}}`, "b"])).fail("b", "provider_auth");
    expect(rig.status("a")).toBe("running");
    round(rig, 0);
    expect(sent(rig)).toEqual(["a[0]", "b"]);
    expect(rig.statuses).toEqual({ a: "cancelled", "a[0]": "completed", b: "failed" });
    expect(rig.of("node.cancelled", "a")).toMatchObject([{ reason: "run_halted" }]);
    expect(rig.state).toMatchObject({ status: "failed", errorCode: "provider_auth" });
  });

  it("completes its step where that is done", () => {
    const rig = runOf(workflow([`a {${DRAFT}, repeat: {until: outputs.done}}`, "b"])).fail("b", "provider_auth");
    expect(round(rig, 0, true).outputs("a")).toEqual({ text: "t0", done: true, rounds: 1 });
  });
});

describe("rounds that are there from before", () => {
  it("survive a rewind, and the next follows them", () => {
    const rig = round(round(repeated(), 0), 1, true);
    const kept = rig.events.find(({ type, payload }) => type === "node.completed" && payload.nodeId === "a[0]");
    rig.submit({ type: "rewind", eventId: kept?.eventId ?? 0, isConsumed: false });
    expect(rig.statuses).toMatchObject({ a: "running", "a[0]": "completed", "a[1]": "running" });
    expect(sent(rig).filter((id) => id === "a[0]")).toHaveLength(1);
    expect(round(rig, 1, true).outputs("a")).toMatchObject({ rounds: 2 });
    expect(rig.replayed().nodes).toEqual(rig.state.nodes);
  });

  it("survive a restart and a recover of a step that failed", () => {
    const rig = round(round(repeated(), 0), 1).fail("a[2]", "provider_auth");
    const carried = restartFrom(rig.state);
    expect(carried.map(({ nodeId }) => nodeId)).toEqual(["a[0]", "a[1]"]);
    const again = new Rig(workflow([`a {${DRAFT}, repeat: {until: outputs.done}}`, "b < a"])).start({ carried });
    expect(again.statuses).toMatchObject({ a: "running", "a[0]": "completed", "a[1]": "completed", "a[2]": "running" });
    expect(again.dispatch("a[2]").request.message).toBe("Write t1 in 2");
    rig.submit({ type: "recover", reason: "again" });
    expect(rig.statuses).toMatchObject({ a: "running", "a[0]": "completed", "a[1]": "completed", "a[2]": "running" });
    expect(round(rig, 2, true).outputs("a")).toMatchObject({ text: "t2", rounds: 3 });
  });
});

describe("a round that was skipped", () => {
  it("runs again when its step is restarted, and is not said to be kept", () => {
    const wait = "wait: {event: e, timeout: 5s, on_timeout: skip}, repeat: {until: outputs.last}";
    const rig = runOf(`name: w\nsteps:\n  - {id: a, ${wait}}\n  - {id: b, command: b}\n`);
    const event = { id: "1", type: "e", key: {}, data: { last: false } };
    rig.submit({ type: "event", nodeId: "a[0]", epoch: 0, event });
    rig.fire("wait", "a[1]").complete("b");
    expect(rig.statuses).toMatchObject({ a: "skipped", "a[0]": "completed", "a[1]": "skipped" });
    expect(restartFrom(rig.state).map(({ nodeId }) => nodeId)).toEqual(["a", "b"]);
    expect(restartFrom(rig.state, "a").map(({ nodeId }) => nodeId)).toEqual(["b", "a[0]"]);
  });
});

describe("how many rounds there may be", () => {
  it("takes as long for the thousandth as for the first", () => {
    const rig = runOf(
      workflow(["a {set: {n: '${round}'}, repeat: {until: 'false', max: 1000, on_exhausted: continue}}"]),
    );
    for (let more = 0; rig.state.status === "running"; more += 1) {
      expect(more).toBeLessThan(3);
      rig.fire("continue");
    }
    expect(rig.outputs("a")).toEqual({ n: 999, rounds: 1000, exhausted: true });
    expect(rig.events.length).toBeLessThan(4 * 1000 + 20);
  });

  it("counts rounds with the elements of a run", () => {
    const rig = repeated();
    const { instanceIndexById } = rig.state;
    for (let index = instanceIndexById.size; index < LIMITS.instancesPerRunMax; index += 1)
      instanceIndexById.set(`x[${index}]`, 0);
    expect(round(rig, 0).error("a")).toBe("too_many_items");
    const most = LIMITS.instancesPerRunMax;
    expect(rig.of("node.failed", "a")[0]?.errorMessage).toBe(
      `repeat: the run has ${most} instances already and may have ${most}`,
    );
    const full = repeated();
    const some = full.state.instanceIndexById;
    for (let index = some.size; index < LIMITS.instancesPerRunMax - 1; index += 1) some.set(`x[${index}]`, 0);
    expect(round(full, 0).status("a[1]")).toBe("running");
  });
});

describe("a run that has as many elements as it may have", () => {
  const fill = (rig: Rig) => {
    const { instanceIndexById } = rig.state;
    for (let index = instanceIndexById.size; index < LIMITS.instancesPerRunMax; index += 1)
      instanceIndexById.set(`x[${index}]`, 0);
    return rig;
  };

  it("begins no first round", () => {
    const rig = fill(runOf(workflow(["z", `a < z {${DRAFT}, repeat: {until: outputs.done}}`]))).complete("z");
    expect(rig.error("a")).toBe("too_many_items");
    expect(rig.of("node.expanded")).toEqual([]);
  });

  it("begins a round again that it has had", () => {
    const rig = fill(round(repeated(), 0));
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(rig.status("a[0]")).toBe("running");
    expect(round(rig, 0).status("a[1]")).toBe("running");
  });
});

describe("events and rounds", () => {
  it("takes an event once over all rounds", () => {
    const rig = runOf("name: w\nsteps:\n  - {id: a, wait: {event: e}, repeat: {until: outputs.last}}\n");
    const event = (id: string, last: boolean) => ({ id, type: "e", key: {}, data: { last } });
    rig.submit({ type: "event", nodeId: "a[0]", epoch: 0, event: event("1", false) });
    expect(rig.submit({ type: "event", nodeId: "a[1]", epoch: 0, event: event("1", true) }).refusal?.code).toBe(
      "event_taken",
    );
    rig.submit({ type: "event", nodeId: "a[1]", epoch: 0, event: event("2", true) });
    expect(rig.outputs("a")).toEqual({ last: true, rounds: 2 });
    expect(rig.replayed().nodes).toEqual(rig.state.nodes);
  });

  it("takes an event again when the round that took it was taken back, and not when that round stays", () => {
    const rig = runOf("name: w\nsteps:\n  - {id: a, wait: {event: e}, repeat: {until: outputs.last}}\n");
    const send = (id: string, round: number, last: boolean) => {
      const event = { id, type: "e", key: {}, data: { last } };
      return rig.submit({ type: "event", nodeId: `a[${round}]`, epoch: rig.state.epoch, event }).refusal?.code;
    };
    send("1", 0, false);
    const kept = rig.events.findLast(({ type }) => type === "node.completed")?.eventId ?? 0;
    send("2", 1, false);
    rig.submit({ type: "rewind", eventId: kept, isConsumed: false });
    expect([send("1", 1, true), send("2", 1, true)]).toEqual(["event_taken", undefined]);
    rig.submit({ type: "rewind", eventId: 2, isConsumed: false });
    expect([send("1", 0, true), rig.state.status]).toEqual([undefined, "completed"]);
    expect(rig.replayed().nodes).toEqual(rig.state.nodes);
  });
});
