import { describe, expect, it } from "vitest";
import { ALLOW, BUSY, Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { advance, type Timer, type Verdict } from "./index.ts";

type Block = Extract<Verdict, { disposition: "block" }>;

const QUEUED: Block = { ...BUSY, waitingReason: "queued" };
const RATE: Block = { ...QUEUED, gate: "rate_limit", code: "rate_limited", waitingReason: "rate_limit" };
const MIDNIGHT = 90_000_000;
const PAUSED: Block = {
  ...QUEUED,
  gate: "budget_envelopes",
  code: "budget_exceeded",
  until: MIDNIGHT,
  isPatient: true,
};

const wake = (rig: Rig, nodeId = "a", epoch = 0) =>
  rig.submit({ type: "timer", timer: { kind: "wake", nodeId, epoch } });
const queueTimers = (rig: Rig): { timer: Timer; dueAt: number }[] =>
  rig.effects.flatMap((effect) => (effect.type === "set-timer" && effect.timer.kind === "queue" ? [effect] : []));

/** One node whose verdict the test changes as it likes. */
function atGate(first: Block, head = "") {
  const gate: { says: Verdict | undefined } = { says: first };
  const rig = runOf(workflow(["a {queue_timeout: 60}"], head), { judge: () => gate.says });
  return { rig, gate };
}

describe("a node at a limit", () => {
  it("says which gate, why, its place and until when, and asks for its timeout", () => {
    const { rig } = atGate({ ...RATE, until: 5_000_000, queuePosition: 3 });
    expect(rig.of("gate.decided")).toMatchObject([
      { disposition: "block", gate: "rate_limit", code: "rate_limited", verdictId: "vrd_1" },
    ]);
    const said = rig.of("node.waiting")[0];
    expect(said).toMatchObject({ waitingReason: "rate_limit", until: 5_000_000, queuePosition: 3 });
    expect(said).not.toHaveProperty("isPatient");
    expect(rig.node("a").now).toMatchObject({ status: "queued", isLimited: true, waitingReason: "rate_limit" });
    expect(queueTimers(rig)).toMatchObject([{ dueAt: rig.now + 60_000 }]);
  });

  it("says nothing of a place or a time that is not known", () => {
    const said = atGate(QUEUED).rig.of("node.waiting")[0];
    expect(said).not.toHaveProperty("until");
    expect(said).not.toHaveProperty("queuePosition");
    expect(said).not.toHaveProperty("isPatient");
  });

  it("says once why it waits, and again when the reason changes, on the same timeout", () => {
    const { rig, gate } = atGate(QUEUED);
    const since = rig.now;
    rig.now += 10_000;
    wake(rig);
    expect(rig.of("node.waiting")).toHaveLength(1);
    gate.says = RATE;
    wake(rig);
    expect(rig.of("node.waiting").map(({ waitingReason }) => waitingReason)).toEqual(["queued", "rate_limit"]);
    expect(rig.node("a").now).toMatchObject({ limitedSince: since });
    expect(queueTimers(rig).map(({ dueAt }) => dueAt)).toEqual([since + 60_000, since + 60_000]);
  });

  it("fails with the gate's code when it is asked again after its time, not a millisecond before", () => {
    const { rig } = atGate(QUEUED);
    rig.now += 59_999;
    wake(rig);
    expect(rig.status("a")).toBe("queued");
    rig.now += 1;
    wake(rig);
    expect(rig.error("a")).toBe("agent_busy");
    expect(rig.of("gate.decided").at(-1)).toMatchObject({ disposition: "block", code: "agent_busy" });
  });

  it("takes no wake of another epoch, and none once it runs", () => {
    const { rig, gate } = atGate(QUEUED);
    gate.says = undefined;
    wake(rig, "a", 1);
    expect(rig.status("a")).toBe("queued");
    wake(rig);
    expect(rig.status("a")).toBe("running");
    expect(wake(rig)).toEqual({ events: [], effects: [] });
    expect(rig.node("a").attempts).toBe(1);
  });

  it("waits for a place in its own run first, and keeps the time it has waited", () => {
    let isFree = false;
    const rig = runOf(workflow(["a {queue_timeout: 60}", "b"], "max_parallel: 1"), {
      judge: ({ nodeId }) => (nodeId === "a" && !isFree ? QUEUED : undefined),
    });
    expect(rig.statuses).toEqual({ a: "queued", b: "running" });
    const since = rig.now;
    isFree = true;
    rig.now += 30_000;
    wake(rig);
    expect(rig.node("a").now).toMatchObject({ status: "queued", isLimited: false, limitedSince: since });
    // It has its place at the gate; what it waits for now is its own run.
    const [timer] = queueTimers(rig);
    if (timer !== undefined) expect(rig.submit({ type: "timer", timer: timer.timer }).events).toEqual([]);
    expect(wake(rig)).toEqual({ events: [], effects: [] });
    rig.complete("b");
    expect(rig.status("a")).toBe("running");
  });

  it("takes no verdict it did not ask for", () => {
    const { rig } = atGate(QUEUED);
    const decision = rig.submit({ type: "verdict", nodeId: "a", epoch: 0, verdict: ALLOW });
    expect(decision).toMatchObject({ events: [], effects: [], refusal: { code: "verdict_not_asked" } });
  });

  it("takes no verdict of another epoch, and asks again for none that is on its way", () => {
    const { state } = new Rig(workflow(["a"]));
    const moment = { at: 1, jitter: 0 };
    const about = { workflow: "w", version: 1, hash: "h", trigger: "test", recursionDepth: 0, args: {} };
    const asked = advance(state, { type: "start", ...about, ...moment });
    expect(asked.effects.map(({ type }) => type)).toEqual(["request-verdict"]);
    const other = advance(state, { type: "verdict", nodeId: "a", epoch: 1, verdict: ALLOW, ...moment });
    expect(other).toMatchObject({ events: [], effects: [], refusal: { code: "verdict_not_asked" } });
    const woken = advance(state, { type: "timer", timer: { kind: "wake", nodeId: "a", epoch: 0 }, ...moment });
    expect(woken).toEqual({ events: [], effects: [] });
    const own = advance(state, { type: "verdict", nodeId: "a", epoch: 0, verdict: ALLOW, ...moment });
    expect(own.effects.map(({ type }) => type)).toContain("dispatch");
  });

  it("leaves its place in the run to others", () => {
    const rig = runOf(workflow(["a", "b", "c"], "max_parallel: 1"), {
      judge: ({ nodeId }) => (nodeId === "a" ? QUEUED : undefined),
    });
    expect(rig.statuses).toEqual({ a: "queued", b: "running", c: "queued" });
    rig.complete("b");
    expect(rig.statuses).toEqual({ a: "queued", b: "completed", c: "running" });
  });

  it("is failed by its own timer only: neither by one of an earlier wait, nor once it runs", () => {
    const { rig, gate } = atGate(QUEUED);
    const [first] = queueTimers(rig);
    gate.says = undefined;
    wake(rig);
    rig.fail("a", "provider_auth");
    rig.submit({ type: "recover" });
    if (first === undefined) throw new Error("no timer");
    rig.now = first.dueAt;
    rig.submit({ type: "timer", timer: first.timer });
    expect(rig.status("a")).toBe("running");
  });
});

describe("a node that waits until a given time, however long that is", () => {
  it("is given its whole queue_timeout at a limit it is woken into afterwards", () => {
    const { rig, gate } = atGate(PAUSED);
    rig.now += 3_600_000;
    gate.says = QUEUED;
    wake(rig);
    expect(rig.node("a").now).toMatchObject({ status: "queued", patientUntil: null, limitedSince: rig.now });
    expect(queueTimers(rig).at(-1)?.dueAt).toBe(rig.now + 60_000);
    rig.now += 59_999;
    wake(rig);
    expect(rig.status("a")).toBe("queued");
    rig.fire("queue");
    expect(rig.error("a")).toBe("agent_busy");
  });

  it("does not take up an earlier wait again", () => {
    const { rig, gate } = atGate(QUEUED);
    rig.now += 40_000;
    gate.says = PAUSED;
    wake(rig);
    const patientSince = rig.now;
    rig.now += 1_000;
    gate.says = QUEUED;
    wake(rig);
    expect(rig.node("a").now).toMatchObject({ limitedSince: patientSince + 1_000 });
    rig.now = patientSince + 30_000;
    wake(rig);
    expect(rig.status("a")).toBe("queued");
  });

  it("counts for nothing after it has waited for a place in its run", () => {
    let says: Block | undefined = PAUSED;
    const rig = runOf(workflow(["a {queue_timeout: 60}", "b"], "max_parallel: 1"), {
      judge: ({ nodeId }) => (nodeId === "a" ? says : undefined),
    });
    rig.now += 3_600_000;
    wake(rig);
    expect(rig.node("a").now).toMatchObject({ isLimited: false, limitedSince: null });
    says = QUEUED;
    rig.complete("b");
    expect(rig.node("a").now).toMatchObject({ status: "queued", isLimited: true, limitedSince: rig.now });
  });

  it("is not patient without a time to wait for", () => {
    const { until: _, ...endless } = PAUSED;
    const { rig } = atGate(endless);
    expect(rig.node("a").now).toMatchObject({ patientUntil: null });
    expect(rig.fire("queue").status("a")).toBe("failed");
  });

  it("continues when the time changes, and records it", () => {
    const { rig, gate } = atGate(PAUSED);
    gate.says = { ...PAUSED, until: MIDNIGHT + 5 };
    wake(rig);
    expect(rig.node("a").now).toMatchObject({ patientUntil: MIDNIGHT + 5 });
    expect(queueTimers(rig).map(({ dueAt }) => dueAt)).toEqual([MIDNIGHT, MIDNIGHT + 5]);
  });
});

describe("an agent that is paused", () => {
  const PAUSED_AGENT: Block = { ...QUEUED, gate: "agent_status", code: "agent_disabled", after: "paused" };

  it("is asked again after 1, 2 and 4 s, anew after each attempt that began", () => {
    const verdicts: (Verdict | undefined)[] = [PAUSED_AGENT, PAUSED_AGENT, undefined, PAUSED_AGENT];
    const rig = runOf(workflow(["a {on_failure: retry_once}"]), { judge: () => verdicts.shift() });
    rig.fire("retry").fire("retry");
    expect(rig.status("a")).toBe("running");
    rig.fail("a");
    expect(rig.of("node.retried").map(({ delayMs }) => delayMs)).toEqual([1_000, 2_000, 0, 1_000]);
    expect(rig.node("a").now).toMatchObject({ status: "retrying", until: rig.now + 1_000 });
    rig.fire("retry");
    expect(rig.node("a").attempts).toBe(2);
  });

  it("uses no attempt, and says when it is asked again", () => {
    const rig = runOf(workflow(["a"]), { judge: () => PAUSED_AGENT });
    expect(rig.of("node.retried")[0]).toMatchObject({
      cause: "agent_disabled",
      errorCode: "agent_disabled",
      nextAttempt: 1,
      until: rig.now + 1_000,
    });
    expect(rig.node("a")).toMatchObject({ attempts: 0, tries: 0 });
  });
});
