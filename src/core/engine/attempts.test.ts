import { describe, expect, it } from "vitest";
import { ALLOW, type Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { LIMITS } from "../base/index.ts";
import { type CallbackResult, NO_TOKENS, type Verdict } from "./index.ts";

const FREE = { tokens: NO_TOKENS, costMicros: 0 };
const DONE: CallbackResult = { status: "completed", stdout: "done", ...FREE };
const lost = (rig: Rig, nodeId = "a", attempt = 1) =>
  rig.submit({ type: "timer", timer: { kind: "lost", nodeId, attempt } });
const timers = (rig: Rig) => rig.effects.flatMap((effect) => (effect.type === "set-timer" ? [effect] : []));

describe("an attempt that is admitted", () => {
  const verdict: Verdict = {
    disposition: "allow",
    verdictId: "vrd_7",
    route: { agentId: "ann", gatewayId: "edge1", provider: "openai", model: "m", executionPath: "async" },
    maxOutputTokens: 512,
    instructions: [{ layer: 1, source: "engine", text: "be careful" }],
  };

  it("says its verdict, its route, its deadline and its instructions, and is sent with them", () => {
    const rig = runOf(workflow(["z", "a < z {timeout: 30, agent: ann}"]), { judge: () => verdict }).complete("z");
    expect(rig.of("gate.decided", "a")).toEqual([
      { nodeId: "a", attempt: 1, disposition: "allow", verdictId: "vrd_7" },
    ]);
    expect(rig.of("node.started", "a")).toEqual([
      {
        nodeId: "a",
        attempt: 1,
        wave: 1,
        agentId: "ann",
        gatewayId: "edge1",
        provider: "openai",
        model: "m",
        executionPath: "async",
        verdictId: "vrd_7",
        deadlineAt: rig.now + 30_000,
        instructions: [{ layer: 1, source: "engine", text: "be careful" }],
        maxOutputTokens: 512,
      },
    ]);
    expect(rig.dispatch("a")).toMatchObject({
      dispatchId: "run_1/a/1",
      idempotencyKey: "run_1/a/0",
      attempt: 1,
      epoch: 0,
      route: verdict.disposition === "allow" ? verdict.route : null,
      request: { message: "do a" },
      hints: { agent: "ann" },
      timeoutMs: 30_000,
      effects: "at_least_once",
      maxOutputTokens: 512,
      instructions: [{ layer: 1 }],
      isResend: false,
    });
    expect(timers(rig).at(-1)).toMatchObject({
      timer: { kind: "attempt", nodeId: "a", attempt: 1 },
      dueAt: rig.now + 30_000,
    });
    expect(rig.node("a").now).toMatchObject({ status: "running", attempt: 1, startedAt: rig.now, isDeferred: false });
    expect(rig.node("a").routes).toMatchObject([{ agentId: "ann", gatewayId: "edge1", startedAt: rig.now }]);
  });

  it("is remembered as the first", () => {
    const rig = runOf(workflow(["a {on_failure: retry}"]));
    const first = rig.now;
    rig.fail("a").fire("retry");
    expect(rig.now).toBeGreaterThan(first);
    expect(rig.node("a")).toMatchObject({ firstStartedAt: first, now: { startedAt: rig.now } });
    const list = runOf(workflow(["e {for_each: list}"], "args: {list: [1]}"));
    expect(list.node("e").firstStartedAt).toBe(list.now);
  });

  it("says nothing of instructions where there are none, nor of tokens", () => {
    const rig = runOf(workflow(["a"]));
    expect(rig.of("node.started")[0]).not.toHaveProperty("instructions");
    expect(rig.dispatch("a")).toMatchObject({ maxOutputTokens: null, instructions: [] });
  });

  it("is the answer to a question: one that was not asked, or of another epoch, is refused and changes nothing", () => {
    const rig = runOf(workflow(["a", "b < a"]));
    for (const nodeId of ["a", "b", "zz"]) {
      const answer = rig.submit({ type: "verdict", nodeId, epoch: 0, verdict: ALLOW });
      expect(answer).toMatchObject({ events: [], effects: [], refusal: { code: "verdict_not_asked" } });
    }
  });

  it("is asked about with everything that may matter", () => {
    const asked: object[] = [];
    runOf(workflow(["a {role: judge, model: m, tools: [search], action: write, command: 'do ${n}'}"], "args: {n: 1}"), {
      judge: (request) => {
        asked.push(request);
        return undefined;
      },
    });
    expect(asked).toMatchObject([
      {
        type: "request-verdict",
        nodeId: "a",
        epoch: 0,
        nextAttempt: 1,
        request: { message: "do 1" },
        hints: { role: "judge", model: "m", tools: ["search"], action: "write" },
        moderation: "off",
        grants: [],
        assignedTo: null,
      },
    ]);
  });
});

describe("a verdict that says no", () => {
  it("moderated: fails without a call, and keeps why", () => {
    const decision = { allowed: false, rule: "words" };
    const rig = runOf(workflow(["a"]), { judge: () => ({ disposition: "moderated", decision }) });
    expect(rig.of("moderation.flagged")).toEqual([{ nodeId: "a", phase: "input", decision }]);
    expect(rig.of("node.failed")[0]).toMatchObject({
      errorCode: "moderation_blocked",
      errorMessage: "the input of a was refused by moderation",
    });
    expect(rig.dispatches).toEqual([]);
  });

  it("contradiction: fails, and lists what contradicts what", () => {
    const errors = [{ field: "tools", reason: "a policy forbids search" }] as never;
    const rig = runOf(workflow(["a"]), { judge: () => ({ disposition: "contradiction", errors }) });
    expect(rig.of("contract.violated")).toEqual([{ nodeId: "a", phase: "instructions", errors }]);
    expect(rig.of("node.failed")[0]).toMatchObject({
      errorCode: "contract_violated",
      errorMessage: "the instructions of a contradict each other: a policy forbids search",
    });
    const bare = runOf(workflow(["a"]), { judge: () => ({ disposition: "contradiction", errors: [] }) });
    expect(bare.of("node.failed")[0]?.errorMessage).toBe("the instructions of a contradict each other");
  });
});

describe("a report", () => {
  it("is refused for an attempt that never was", () => {
    const rig = runOf(workflow(["a", "b < a"]));
    for (const [nodeId, attempt] of [
      ["a", 0],
      ["a", 2],
      ["b", 1],
      ["zz", 1],
    ] as const) {
      const answer = rig.submit({ type: "callback", nodeId, attempt, result: DONE });
      expect(answer).toMatchObject({ events: [], effects: [], refusal: { code: "unknown_dispatch" } });
    }
    expect(rig.callback("a", DONE).refusal).toBeUndefined();
  });

  it("is applied once, whatever comes after it", () => {
    const rig = runOf(workflow(["a", "b"])).complete("a", { stdout: "first" });
    rig.complete("a", { stdout: "second" });
    rig.fail("a");
    expect(rig.node("a").now).toMatchObject({ status: "completed", envelope: { output: "first" } });
    expect(rig.of("node.completed", "a")).toHaveLength(1);
  });

  it("deferred keeps the attempt open with its deadline and slot, and is said once", () => {
    const rig = runOf(workflow(["a {timeout: 30}"]));
    rig.callback("a", { status: "deferred" });
    expect(rig.callback("a", { status: "deferred" }).events).toEqual([]);
    expect(rig.of("node.waiting")).toEqual([{ nodeId: "a", attempt: 1, waitingReason: "external_callback" }]);
    expect(rig.node("a").now).toMatchObject({ status: "running", isDeferred: true });
    expect(rig.fire("attempt").status("a")).toBe("timed_out");
    expect(rig.callback("a", { status: "deferred" })).toEqual({ events: [], effects: [] });
    const done = runOf(workflow(["a"]));
    done.callback("a", { status: "deferred" });
    expect(done.complete("a").status("a")).toBe("completed");
  });

  it("deferred changes nothing for a node that streams either", () => {
    const rig = runOf(workflow(["a"]));
    rig.submit({ type: "stream", nodeId: "a", attempt: 1, deltas: [{ index: 0, text: "x" }] });
    rig.callback("a", { status: "deferred" });
    expect(rig.callback("a", { status: "deferred" }).events).toEqual([]);
    expect(rig.node("a").now).toMatchObject({ status: "streaming", isDeferred: true });
  });

  it.each<[CallbackResult, string, string, boolean]>([
    [{ status: "failed", ...FREE }, "provider_error", "a ended failed", true],
    [{ status: "failed", errorCode: "provider_auth", error: "no key", ...FREE }, "provider_auth", "no key", false],
    [{ status: "cancelled", ...FREE }, "cancelled", "a ended cancelled", false],
    [{ status: "cancelled", errorCode: "provider_error", ...FREE }, "provider_error", "a ended cancelled", false],
  ])("%j fails with %s", (result, errorCode, errorMessage, retryable) => {
    const rig = runOf(workflow(["a"]));
    rig.callback("a", result);
    expect(rig.of("node.failed")[0]).toMatchObject({ errorCode, errorMessage, retryable });
  });

  it("timed_out ends the attempt as its deadline would", () => {
    const rig = runOf(workflow(["a {timeout: 30}"]));
    rig.callback("a", { status: "timed_out", ...FREE });
    expect(rig.of("node.timed_out")).toEqual([
      {
        nodeId: "a",
        attempt: 1,
        errorCode: "timeout",
        errorMessage: "a did not answer within 30000 ms",
        retryable: true,
        timeoutMs: 30_000,
      },
    ]);
  });

  it("whose input was refused by moderation says so", () => {
    const rig = runOf(workflow(["a"]));
    const moderation = { allowed: false };
    rig.callback("a", { status: "failed", errorCode: "moderation_blocked", moderation, ...FREE });
    expect(rig.of("moderation.flagged")).toEqual([{ nodeId: "a", attempt: 1, phase: "input", decision: moderation }]);
    expect(rig.error("a")).toBe("moderation_blocked");
    const output = runOf(workflow(["a"]));
    output.callback("a", { status: "completed", stdout: "bad", moderation, ...FREE });
    expect(output.of("node.failed")[0]?.errorMessage).toBe("the output of a was refused by moderation");
  });
});

describe("an attempt whose sender was lost", () => {
  it("is sent again under the same ids with the same instructions and limits, and uses no attempt", () => {
    const instructions = [{ layer: 1, source: "engine", text: "be careful" }];
    const rig = runOf(workflow(["a {command: 'do ${n}'}"], "args: {n: 1}"), {
      judge: () => ({ ...ALLOW, ...(ALLOW.disposition === "allow" ? { instructions, maxOutputTokens: 9 } : {}) }),
    });
    lost(rig);
    const [first, again] = rig.dispatches;
    expect(again).toEqual({ ...first, isResend: true });
    expect(again?.maxOutputTokens).toBe(9);
    expect(rig.of("node.log")).toMatchObject([{ level: "info" }]);
    expect(rig.node("a")).toMatchObject({ attempts: 1, calls: 2 });
    expect(rig.complete("a").state.status).toBe("completed");
  });

  it("is sent again though it streams, and not once it is over", () => {
    const rig = runOf(workflow(["a", "b"]));
    rig.submit({ type: "stream", nodeId: "a", attempt: 1, deltas: [{ index: 0, text: "x" }] });
    lost(rig);
    expect(rig.dispatches.filter(({ nodeId }) => nodeId === "a")).toHaveLength(2);
    rig.complete("a");
    expect(lost(rig)).toEqual({ events: [], effects: [] });
    expect(lost(rig, "b", 2)).toEqual({ events: [], effects: [] });
  });

  it("fails as unknown when it may happen only once", () => {
    const rig = runOf(workflow(["a {effects: at_most_once}"]));
    lost(rig);
    expect(rig.of("node.failed")[0]).toMatchObject({ errorCode: "outcome_unknown", retryable: false });
    expect(rig.of("node.failed")[0]?.errorMessage).toMatch(/^a may or may not have acted: its sender was lost/u);
    const late = runOf(workflow(["a {effects: at_most_once, timeout: 1}"])).fire("attempt");
    expect(late.of("node.failed")[0]?.errorMessage).toMatch(/no answer within 1000 ms/u);
    expect(late.effects.some(({ type }) => type === "cancel-dispatch")).toBe(true);
  });

  it("fails as unknown when what is registered about its call allows it only once", () => {
    const judge = () => ({ ...ALLOW, effects: "at_most_once" }) as Verdict;
    const rig = runOf(workflow(["a {retry: {attempts: 3}}"]), { judge });
    expect(rig.dispatches[0]).toMatchObject({ effects: "at_most_once" });
    lost(rig);
    expect(rig.of("node.failed")[0]).toMatchObject({ errorCode: "outcome_unknown", retryable: false });
    const late = runOf(workflow(["a {timeout: 1, retry: {attempts: 3}}"]), { judge }).fire("attempt");
    expect(late.of("node.failed")[0]).toMatchObject({ errorCode: "outcome_unknown" });
  });

  it("fails at the limit of calls, which the retries of a person share", () => {
    const rig = runOf(workflow(["a"]));
    for (let call = 1; call < LIMITS.callsPerNodeMax; call += 1) lost(rig);
    expect(rig.dispatches).toHaveLength(LIMITS.callsPerNodeMax);
    expect(rig.status("a")).toBe("running");
    lost(rig);
    expect(rig.of("node.failed")[0]).toMatchObject({
      errorCode: "too_many_calls",
      errorMessage: "a was sent 10 times, which is the limit",
    });
    const person = runOf(workflow(["a {on_failure: retry_once_then_escalate}"]));
    person.callback("a", { status: "failed", errorCode: "provider_auth", extraCalls: 9, ...FREE });
    person.answer("a", "retry");
    expect(person.error("a")).toBe("too_many_calls");
    expect(person.node("a").attempts).toBe(1);
  });
});

describe("the deadline of an attempt", () => {
  it("aborts the adapter and ends the attempt, streaming or not", () => {
    const rig = runOf(workflow(["a {timeout: 30}"]));
    rig.submit({ type: "stream", nodeId: "a", attempt: 1, deltas: [{ index: 0, text: "x" }] });
    rig.fire("attempt");
    expect(rig.status("a")).toBe("timed_out");
    expect(rig.effects).toContainEqual({
      type: "cancel-dispatch",
      nodeId: "a",
      attempt: 1,
      dispatchId: "run_1/a/1",
    });
  });

  it("is nothing to the next attempt, nor to a node that is not there", () => {
    const rig = runOf(workflow(["a {timeout: 30, on_failure: retry_once}"])).fail("a");
    expect(rig.submit({ type: "timer", timer: { kind: "attempt", nodeId: "a", attempt: 1 } }).events).toEqual([]);
    expect(rig.submit({ type: "timer", timer: { kind: "attempt", nodeId: "zz", attempt: 1 } }).events).toEqual([]);
    expect(rig.status("a")).toBe("running");
  });
});

describe("pieces of an answer", () => {
  const say = (rig: Rig, attempt: number, ...deltas: { index: number; text?: string; media?: string }[]) =>
    rig.submit({ type: "stream", nodeId: "a", attempt, deltas });

  it("are text or media, each as it came", () => {
    const rig = runOf(workflow(["a"]));
    say(rig, 1, { index: 0, text: "x" }, { index: 1, media: "m" });
    expect(rig.of("node.stream.delta")).toEqual([
      { nodeId: "a", attempt: 1, deltaIndex: 0, text: "x" },
      { nodeId: "a", attempt: 1, deltaIndex: 1, media: "m" },
    ]);
  });

  it("are numbered on over attempts, without going back", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once}"]));
    say(rig, 1, { index: 0, text: "x" }, { index: 1, text: "y" });
    rig.fail("a");
    expect(say(rig, 1, { index: 2, text: "late" }).events).toEqual([]);
    say(rig, 2, { index: 0, text: "z" });
    expect(rig.of("node.stream.delta").map(({ deltaIndex }) => deltaIndex)).toEqual([0, 1, 2]);
  });

  it("of a node that is not there are nothing", () => {
    const rig = runOf(workflow(["a"]));
    expect(rig.submit({ type: "stream", nodeId: "zz", attempt: 1, deltas: [{ index: 0, text: "x" }] })).toEqual({
      events: [],
      effects: [],
    });
  });

  it("keep their node's place in the run, and do not shorten its time", () => {
    const rig = runOf(workflow(["a", "b"], "max_parallel: 1"));
    say(rig, 1, { index: 0, text: "x" });
    rig.now += 500;
    say(rig, 1, { index: 1, text: "y" });
    expect(rig.statuses).toEqual({ a: "streaming", b: "queued" });
    rig.complete("a");
    expect(rig.of("node.completed", "a")).toMatchObject([{ attempt: 1, durationMs: 500 }]);
    expect(rig.status("b")).toBe("running");
  });

  it("end before the log is full", () => {
    const rig = runOf(workflow(["a"]));
    const before = rig.state.lastEventId;
    rig.state.lastEventId = LIMITS.eventsWithDeltasMax - 1;
    say(rig, 1, { index: 0, text: "last" }, { index: 1, text: "too many" });
    expect(rig.of("node.stream.delta").map(({ text }) => text)).toEqual(["last"]);
    expect(before).toBeLessThan(LIMITS.eventsWithDeltasMax);
  });
});
