import { describe, expect, it } from "vitest";
import type { Verdict } from "../../src/core/engine/index.ts";
import { ALLOW, runOf, workflow } from "./rig.ts";

const DAY = 86_400_000;
const MIDNIGHT = 10 * DAY;

const paused = (until = MIDNIGHT): Verdict => ({
  disposition: "block",
  verdictId: "vrd_1",
  gate: "budget_envelopes",
  code: "budget_exceeded",
  message: "nothing is left",
  after: "queue",
  waitingReason: "queued",
  until,
  isPatient: true,
});

const BUSY: Verdict = {
  disposition: "block",
  verdictId: "vrd_2",
  gate: "concurrency",
  code: "agent_busy",
  message: "all slots are taken",
  after: "queue",
  waitingReason: "queued",
};

const WAKE = { type: "timer", timer: { kind: "wake", nodeId: "a", epoch: 0 } } as const;

describe("a node that waits however long it takes", () => {
  it("outlives its queue_timeout, and is asked again when the time has come", () => {
    let verdict: Verdict = paused();
    const rig = runOf(workflow(["a {queue_timeout: 60}"]), { judge: () => verdict });
    expect(rig.node("a").now).toMatchObject({ status: "queued", isLimited: true, patientUntil: MIDNIGHT });
    expect(rig.of("node.waiting")).toMatchObject([{ code: "budget_exceeded", until: MIDNIGHT, isPatient: true }]);
    verdict = ALLOW;
    rig.fire("queue");
    expect(rig.now).toBe(MIDNIGHT);
    expect(rig.status("a")).toBe("running");
    expect(rig.node("a").attempts).toBe(1);
  });

  it("waits on when nothing has changed, and that has an end of its own", () => {
    let verdict: Verdict = paused();
    const rig = runOf(workflow(["a"]), { judge: () => verdict });
    verdict = paused(MIDNIGHT + DAY);
    rig.fire("queue");
    expect(rig.node("a").now).toMatchObject({ status: "queued", patientUntil: MIDNIGHT + DAY });
    const due = rig.effects.flatMap((effect) => (effect.type === "set-timer" ? [effect.dueAt] : []));
    expect(due).toEqual([MIDNIGHT, MIDNIGHT + DAY]);
    verdict = ALLOW;
    expect(rig.fire("queue").status("a")).toBe("running");
  });

  it("has a deadline again although its clock is behind that of the caller", () => {
    const rig = runOf(workflow(["a"]), { judge: () => paused() });
    const [timer] = rig.effects.flatMap((effect) => (effect.type === "set-timer" ? [effect.timer] : []));
    rig.now += 1;
    if (timer !== undefined) rig.submit({ type: "timer", timer });
    const timers = rig.effects.flatMap((effect) => (effect.type === "set-timer" ? [effect.timer] : []));
    expect(timers).toHaveLength(2);
    expect(timers[1]).not.toEqual(timers[0]);
    if (timer !== undefined) expect(rig.submit({ type: "timer", timer }).events).toEqual([]);
  });

  it("records nothing when it is woken and keeps waiting", () => {
    let verdict: Verdict = paused();
    const rig = runOf(workflow(["a"]), { judge: () => verdict });
    const before = rig.events.length;
    rig.submit(WAKE);
    expect(rig.events).toHaveLength(before);
    verdict = ALLOW;
    rig.submit(WAKE);
    expect(rig.status("a")).toBe("running");
  });

  it("starts its queue_timeout anew at a limit, and at a limit forgets it for patience", () => {
    let verdict: Verdict = BUSY;
    const rig = runOf(workflow(["a {queue_timeout: 60}"]), { judge: () => verdict });
    rig.now += 59_000;
    verdict = paused();
    rig.submit(WAKE);
    rig.now += 2_000;
    // The queue timer of the first wait is stale.
    const [first] = rig.effects.flatMap((effect) => (effect.type === "set-timer" ? [effect.timer] : []));
    if (first !== undefined) rig.submit({ type: "timer", timer: first });
    expect(rig.status("a")).toBe("queued");
    verdict = BUSY;
    rig.fire("queue");
    expect(rig.node("a").now).toMatchObject({ status: "queued", patientUntil: null, limitedSince: MIDNIGHT });
    rig.fire("queue");
    expect(rig.now).toBe(MIDNIGHT + 60_000);
    expect(rig.error("a")).toBe("agent_busy");
  });

  it("ends when its run is cancelled", () => {
    const rig = runOf(workflow(["a"]), { judge: () => paused() });
    rig.submit({ type: "cancel", reason: "enough" });
    expect(rig.status("a")).toBe("cancelled");
    expect(rig.state.status).toBe("cancelled");
  });
});
