import { describe, expect, it } from "vitest";
import { Rig, workflow } from "../../../test/conformance/rig.ts";
import { projectRun, projectView, reduceRun } from "../view/index.ts";
import { concurrencyKey, isTimerStale, waitingForOf } from "./index.ts";

const SOURCE = workflow(["a", "b < a", "c"], "args: {who: ann}\nconcurrency: {key: who}");
const WAITING = { key: "k", standing: "waiting" } as const;
const LOOK = { kind: "place" } as const;
const rigOf = (place: { key: string; standing: "held" | "waiting" | "inherited" | "full" }) =>
  new Rig(SOURCE).start({ place });

describe("a run among others with its key", () => {
  it("is counted by the value of its key", () => {
    const { state } = new Rig(SOURCE);
    const keyOf = (who: string | number) => concurrencyKey(state, { who }, 0);
    expect(keyOf("ann")).toEqual(keyOf("ann"));
    expect(keyOf("ann")).not.toEqual(keyOf("bob"));
    expect(keyOf("1")).not.toEqual(keyOf(1));
    expect(concurrencyKey(state, {}, 0)).toMatchObject({ ok: false });
    expect(concurrencyKey(new Rig(workflow(["a"])).state, {}, 0)).toBeNull();
  });

  it("waits queued until it is admitted, and then begins", () => {
    const rig = rigOf(WAITING);
    expect(rig.state).toMatchObject({ status: "queued", place: WAITING });
    expect(rig.of("run.status.changed")).toEqual([]);
    expect(rig.of("node.waiting").map(({ nodeId, waitingReason }) => [nodeId, waitingReason])).toEqual([
      ["a", "concurrency"],
      ["c", "concurrency"],
      ["b", "dependency"],
    ]);
    expect(waitingForOf(rig.state)).toBe("gate");
    expect(rig.dispatches).toEqual([]);
    expect(isTimerStale(rig.state, LOOK)).toBe(false);
    rig.submit({ type: "admit" });
    expect(rig.of("run.status.changed")).toEqual([{ from: "queued", to: "running", epoch: 0 }]);
    expect(rig.state).toMatchObject({ status: "running", place: { key: "k", standing: "held" } });
    expect(rig.dispatches.map(({ nodeId }) => nodeId)).toEqual(["a", "c"]);
    expect(isTimerStale(rig.state, LOOK)).toBe(true);
    expect(rig.submit({ type: "admit" }).refusal?.code).toBe("not_waiting");
    expect(rig.replayed().nodes).toEqual(rig.state.nodes);
  });

  it("begins once, also when its start is submitted twice", () => {
    const rig = rigOf(WAITING);
    const again = { type: "start", workflow: "w", version: 1, hash: "h", trigger: "test", recursionDepth: 0 } as const;
    const { events, refusal } = rig.submit({ ...again, args: { who: "ann" } });
    expect([events, refusal?.code]).toEqual([[], "already_started"]);
  });

  it("does nothing with results that are carried over before it is admitted", () => {
    const carried = ["a", "c"].map(
      (nodeId) =>
        ({
          nodeId,
          status: "completed",
          outputs: {},
          envelope: { kind: "text", artifactKind: "text", output: "x" },
        }) as const,
    );
    const rig = new Rig(SOURCE).start({ place: WAITING, carried });
    expect([rig.statuses, rig.dispatches]).toEqual([{ a: "completed", c: "completed", b: "awaiting_dependency" }, []]);
    rig.submit({ type: "admit" });
    expect(rig.status("b")).toBe("running");
    const first = carried.slice(0, 1);
    const ANY = workflow(["a", "c", "j < a c {join: any}"], "args: {who: ann}\nconcurrency: {key: who}");
    const joined = new Rig(ANY).start({ place: WAITING, carried: first });
    expect(joined.dispatches).toEqual([]);
    joined.submit({ type: "admit" });
    expect(joined.dispatches.map(({ nodeId }) => nodeId).sort()).toEqual(["c", "j"]);
    const done = new Rig(workflow(["a"], "args: {who: ann}\nconcurrency: {key: who}"));
    done.start({ place: WAITING, carried: first });
    expect(done.state.status).toBe("queued");
    done.submit({ type: "admit" });
    expect(done.state.status).toBe("completed");
  });

  it("looks the same from its events and from its state while it waits", () => {
    const { state, events } = rigOf(WAITING);
    const about = { workflowId: "w" };
    const view = reduceRun(events, undefined);
    expect(view.status).toBe("queued");
    expect(projectView(view, { ...about, runId: "run_1" })).toMatchObject({
      status: "queued",
      waitingCount: projectRun(state, about).waitingCount,
    });
  });

  it("ends at once when there is no place, or when its key cannot be evaluated", () => {
    const full = rigOf({ key: "k", standing: "full" });
    expect(full.state).toMatchObject({ status: "cancelled", place: { key: "k", standing: "full" } });
    expect(full.of("run.cancelled")[0]).toMatchObject({ reason: "concurrency_full" });
    const broken = new Rig(SOURCE).start({ place: { failure: { code: "expression_error", message: "no" } } });
    expect(broken.state).toMatchObject({ status: "failed", errorCode: "expression_error" });
  });

  it("holds a place once it is opened again after it had found none", () => {
    const rig = rigOf({ key: "k", standing: "full" });
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(rig.state).toMatchObject({ status: "running", place: { key: "k", standing: "held" } });
    expect(rig.replayed().place).toEqual(rig.state.place);
  });

  it("can be cancelled while it waits, and cannot be rewound", () => {
    const rig = rigOf(WAITING);
    expect(rig.submit({ type: "rewind", eventId: 1, isConsumed: false }).refusal?.code).toBe("not_started");
    rig.submit({ type: "cancel", reason: "enough" });
    expect(rig.state.status).toBe("cancelled");
    expect(rig.submit({ type: "admit" }).refusal?.code).toBe("not_waiting");
  });

  it("hands the keys of its family to the runs it starts", () => {
    const source = workflow(["a {workflow_ref: other}"], "args: {who: ann}\nconcurrency: {key: who}");
    const held = (standing: "held" | "inherited") =>
      new Rig(source)
        .start({ place: { key: "k", standing }, heldKeys: ["above"] })
        .effects.flatMap((effect) => (effect.type === "start-child" ? [effect.heldKeys] : []));
    expect(held("held")).toEqual([["above", "k"]]);
    expect(held("inherited")).toEqual([["above"]]);
  });
});
