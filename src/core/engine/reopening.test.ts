import { describe, expect, it } from "vitest";
import { BUSY, Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { branchFrom, nodesToRedo, replay, restartFrom, type Verdict } from "./index.ts";

const rewind = (rig: Rig, eventId: number) => rig.submit({ type: "rewind", eventId, isConsumed: false });
const idsOf = (carried: readonly { readonly nodeId: string }[]) => carried.map(({ nodeId }) => nodeId);
const eventIdOf = (rig: Rig, type: string, nodeId: string): number => {
  const found = rig.events.find(
    (event) => event.type === type && "nodeId" in event.payload && event.payload.nodeId === nodeId,
  );
  if (found === undefined) throw new Error(`${nodeId} has no ${type}`);
  return found.eventId;
};

describe("a rewind", () => {
  it("is refused before the start, past the log, and once a parent has taken the result", () => {
    const fresh = new Rig(workflow(["a"]));
    expect(rewind(fresh, 1).refusal?.code).toBe("not_started");
    const rig = runOf(workflow(["a"]));
    const last = rig.state.lastEventId;
    expect(rewind(rig, 0).refusal?.code).toBe("cursor_ahead");
    expect(rewind(rig, last + 1)).toMatchObject({ events: [], effects: [], refusal: { code: "cursor_ahead" } });
    expect(rig.submit({ type: "rewind", eventId: 1, isConsumed: true }).refusal?.code).toBe("already_consumed");
    expect(rewind(rig, last).refusal).toBeUndefined();
  });

  it("keeps what settled at or before the event, and not what settled one later", () => {
    const rig = runOf(workflow(["a", "b"]))
      .complete("a")
      .complete("b");
    const settled = eventIdOf(rig, "node.completed", "a");
    rewind(rig, settled);
    expect(rig.statuses).toEqual({ a: "completed", b: "running" });
    const other = runOf(workflow(["a", "b"]))
      .complete("a")
      .complete("b");
    rewind(other, settled - 1);
    expect(other.statuses).toEqual({ a: "running", b: "running" });
  });

  it("opens the next epoch: status, end, error and snapshot begin anew, cost and attempts do not", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once}"], "timeout: 60"))
      .fail("a", "provider_error", { costMicros: 2 })
      .fail("a", "provider_error", { costMicros: 3 });
    expect(rig.state).toMatchObject({ status: "failed", errorCode: "provider_error" });
    rig.now += 5_000;
    rewind(rig, 1);
    expect(rig.of("run.status.changed").at(-1)).toMatchObject({
      from: "failed",
      to: "running",
      epoch: 1,
      reason: "rewind",
    });
    expect(rig.state).toMatchObject({
      status: "running",
      epoch: 1,
      endedAt: null,
      errorCode: null,
      snapshot: null,
      ending: null,
      costMicros: 5,
    });
    expect(rig.node("a")).toMatchObject({ attempts: 3, tries: 1, calls: 1, epoch: 1 });
    const run = rig.effects.filter((effect) => effect.type === "set-timer" && effect.timer.kind === "run");
    expect(run.at(-1)).toMatchObject({ timer: { epoch: 1 }, dueAt: rig.now + 60_000 });
    rig.fail("a");
    expect(rig.status("a")).toBe("running");
    expect(rig.complete("a").of("run.recovered")).toEqual([]);
  });

  it("takes back everything a person has said", () => {
    const rig = runOf(workflow(["g {approval: required}", "a < g"]));
    rig.answer("g", "approve");
    rewind(rig, 1);
    expect(rig.node("g").now).toMatchObject({ status: "blocked" });
    expect(rig.of("node.invalidated", "g")).toMatchObject([{ reason: "rewound" }]);
    expect(rig.status("a")).toBe("awaiting_dependency");
  });

  it("says of each node in flight, waiting or asking that it was cancelled, before it is invalidated", () => {
    const rig = runOf(
      workflow(["flying", "g {approval: required}", "busy", "retries {on_failure: retry}", "after < flying"]),
      { judge: ({ nodeId }) => (nodeId === "busy" ? BUSY : undefined) },
    ).fail("retries");
    const before = rig.events.length;
    rewind(rig, 1);
    const said = rig.events
      .slice(before)
      .flatMap((event) =>
        event.type === "node.cancelled" || event.type === "node.invalidated"
          ? [`${event.payload.nodeId} ${event.type.slice(5)}`]
          : [],
      );
    expect([...said].sort()).toEqual([
      "busy cancelled",
      "busy invalidated",
      "flying cancelled",
      "flying invalidated",
      "g cancelled",
      "g invalidated",
      "retries cancelled",
      "retries invalidated",
    ]);
    expect(rig.of("node.cancelled").every(({ reason }) => reason === "rewound")).toBe(true);
    expect(rig.of("approval.resolved")).toMatchObject([{ status: "cancelled", reason: "rewound" }]);
    expect(rig.effects.filter(({ type }) => type === "cancel-dispatch")).toMatchObject([{ nodeId: "flying" }]);
    expect(rig.statuses).toEqual({
      after: "awaiting_dependency",
      busy: "queued",
      flying: "running",
      g: "blocked",
      retries: "running",
    });
    expect(replay(rig.state.plan, "run_1", rig.events).counts).toEqual(rig.state.counts);
  });

  it("makes every node wait before it decides any, so that a halt finds them all", () => {
    const block: Verdict = {
      disposition: "block",
      verdictId: "v",
      gate: "policy_rules",
      code: "policy_blocked",
      message: "no",
      after: "final",
    };
    let isOpen = true;
    const rig = runOf(workflow(["a", "b"]), { judge: () => (isOpen ? undefined : block) })
      .complete("a")
      .complete("b");
    isOpen = false;
    rewind(rig, 1);
    expect(rig.statuses).toEqual({ a: "failed", b: "cancelled" });
    expect(rig.state).toMatchObject({ status: "failed", errorCode: "policy_blocked" });
  });

  it("takes an instance back that never began, and its node with it", () => {
    const rig = runOf(workflow(["e {for_each: list, max_parallel: 1}"], "args: {list: [1, 2]}"));
    expect(rig.status("e[1]")).toBe("pending");
    rewind(rig, 1);
    rig.complete("e[0]").complete("e[1]");
    expect(rig.state.status).toBe("completed");
    expect(rig.effects.filter(({ type }) => type === "cancel-dispatch")).toMatchObject([{ nodeId: "e[0]" }]);
  });

  it("numbers the pieces of an answer on, whatever the epoch", () => {
    const rig = runOf(workflow(["a"]));
    const say = (attempt: number) =>
      rig.submit({ type: "stream", nodeId: "a", attempt, deltas: [{ index: 0, text: "x" }] });
    say(1);
    rewind(rig, 1);
    say(2);
    expect(rig.of("node.stream.delta").map(({ deltaIndex }) => deltaIndex)).toEqual([0, 1]);
  });
});

describe("a recovery", () => {
  it("runs again what did not end well and everything below it, and nothing else", () => {
    const rig = runOf(workflow(["a", "b < a", "c < b", "s {condition: 'false'}", "side"]))
      .complete("a")
      .complete("side")
      .fail("b", "provider_auth");
    expect(rig.state.status).toBe("failed");
    rig.submit({ type: "recover", reason: "the key is back" });
    expect(rig.of("run.status.changed").at(-1)).toMatchObject({
      from: "failed",
      to: "running",
      epoch: 1,
      reason: "recover",
      detail: "the key is back",
    });
    expect(rig.of("node.invalidated").map(({ nodeId }) => nodeId)).toEqual(["b", "c"]);
    expect(rig.statuses).toMatchObject({ a: "completed", b: "running", c: "awaiting_dependency", s: "skipped" });
    rig.complete("b").complete("c");
    expect(rig.of("run.recovered")).toHaveLength(1);
    expect(rig.events.at(-1)?.type).toBe("run.completed");
    expect(rig.state).toMatchObject({ status: "completed", isRecovering: false });
    expect(replay(rig.state.plan, "run_1", rig.events.slice(0, -1)).status).toBe("recovered");
  });

  it("of a run that fails again is a failure, and the next one differs from it", () => {
    const rig = runOf(workflow(["a"])).fail("a", "provider_auth");
    rig.submit({ type: "recover" });
    expect(rig.of("run.status.changed").at(-1)).not.toHaveProperty("detail");
    rig.fail("a", "provider_auth");
    expect(rig.of("run.recovered")).toEqual([]);
    rig.submit({ type: "recover" });
    expect(rig.state.epoch).toBe(2);
    rig.complete("a");
    expect(rig.of("run.recovered")).toHaveLength(1);
  });

  it("takes a run that timed out, and no other than that or a failed one", () => {
    const late = runOf(workflow(["a"], "timeout: 1")).fire("run");
    expect(late.submit({ type: "recover" }).refusal).toBeUndefined();
    expect(late.status("a")).toBe("running");
    const done = runOf(workflow(["a"])).complete("a");
    expect(done.submit({ type: "recover" })).toMatchObject({
      events: [],
      refusal: { code: "not_recoverable", message: expect.stringContaining("this one is completed") },
    });
    const cancelled = runOf(workflow(["a"]));
    cancelled.submit({ type: "cancel", reason: "stop" });
    expect(cancelled.submit({ type: "recover" }).refusal?.code).toBe("not_recoverable");
  });
});

describe("what another run keeps of this one", () => {
  const source = workflow(["a", "b < a", "c < b", "s {condition: 'false'}", "t < a {on_failure: skip}", "side"]);
  const ended = () =>
    runOf(source).complete("a").complete("side").fail("t", "provider_auth").complete("b").fail("c", "provider_auth");

  it("restart: completed nodes and deliberate skips, without what failed and what is below it", () => {
    const { state } = ended();
    expect(idsOf(restartFrom(state))).toEqual(["a", "s", "side", "b", "t"]);
    expect(restartFrom(state).find(({ nodeId }) => nodeId === "a")).toMatchObject({
      status: "completed",
      outputs: {},
      envelope: { output: "a done" },
    });
    expect(restartFrom(state).find(({ nodeId }) => nodeId === "s")).toEqual({
      nodeId: "s",
      status: "skipped",
      reason: "condition_false",
    });
    const redo = [...nodesToRedo(state)].map((index) => state.nodes[index]?.id);
    expect(redo).toEqual(["c"]);
  });

  it("restart from a node: that one too, and everything below it; an unknown name adds nothing", () => {
    const { state } = ended();
    expect(idsOf(restartFrom(state, "a"))).toEqual(["s", "side"]);
    expect(idsOf(restartFrom(state, "zz"))).toEqual(idsOf(restartFrom(state)));
  });

  it("branch: all that has settled well up to there", () => {
    const rig = ended();
    const cut = rig.events.slice(0, eventIdOf(rig, "node.completed", "side"));
    expect(idsOf(branchFrom(replay(rig.state.plan, "run_1", cut)))).toEqual(["a", "s", "side"]);
    expect(idsOf(branchFrom(rig.state))).toEqual(["a", "s", "side", "b", "t"]);
  });

  it("branch: instances that completed of a list that was not done", () => {
    const rig = runOf(workflow(["e {for_each: list}"], "args: {list: [1, 2]}")).complete("e[0]");
    expect(idsOf(branchFrom(rig.state))).toEqual(["e[0]"]);
    rig.complete("e[1]");
    expect(idsOf(branchFrom(rig.state))).toEqual(["e"]);
  });
});
