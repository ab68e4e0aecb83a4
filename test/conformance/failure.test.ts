import { describe, expect, it } from "vitest";
import { NO_TOKENS, type Verdict } from "../../src/core/engine/index.ts";
import { ALLOW, runOf, workflow } from "./rig.ts";

describe("retries", () => {
  const graph = (retry: string, more = "") =>
    `format: lens-graph/v1\nname: g\nnodes: [{id: a, config: {retry: {${retry}}${more}}}]\nedges: []\n`;

  it("completes on the third of three calls", () => {
    const rig = runOf(graph("attempts: 3")).fail("a").fire("retry").fail("a").fire("retry").complete("a");
    expect(rig.state.status).toBe("completed");
    expect(rig.node("a").attempts).toBe(3);
  });

  it("fails after the calls it has", () => {
    const rig = runOf(graph("attempts: 2")).fail("a").fire("retry").fail("a");
    expect(rig.status("a")).toBe("failed");
    expect(rig.node("a").attempts).toBe(2);
  });

  it("waits with jitter from its input, and longer when the provider asks", () => {
    const rig = runOf(graph("attempts: 5, backoff_ms: 500, max_backoff_ms: 8000"));
    rig.jitter = 0.5;
    rig.fail("a");
    expect(rig.of("node.retried").at(-1)).toMatchObject({ delayMs: 375, nextAttempt: 2, cause: "provider_error" });
    rig.fire("retry").fail("a", "provider_rate_limit", { retryAfterMs: 9_000 });
    expect(rig.of("node.retried").at(-1)).toMatchObject({ delayMs: 9_000, cause: "rate_limit" });
    expect(rig.node("a").now).toMatchObject({ status: "retrying", waitingReason: "rate_limit" });
    rig.fire("retry").fail("a", "provider_rate_limit", { retryAfterMs: 86_400_000 });
    expect(rig.of("node.retried").at(-1)).toMatchObject({ delayMs: 600_000 });
  });

  it("is seen to wait, to be queued and to run again", () => {
    const rig = runOf(graph("attempts: 2")).fail("a");
    expect(rig.node("a").now).toMatchObject({ status: "retrying", waitingReason: "retry_backoff" });
    rig.fire("retry");
    expect(rig.status("a")).toBe("running");
    const types = rig.events.map(({ type }) => type);
    const since = types.lastIndexOf("node.retried");
    expect(types.slice(since)).toEqual(["node.retried", "node.queued", "gate.decided", "node.started"]);
    expect(rig.of("node.started", "a").map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it("retries only the causes it lists, and a broken contract only when listed", () => {
    const listed = "attempts: 2, retry_on: [contract_violated]";
    expect(runOf(graph(listed)).fail("a", "provider_error").status("a")).toBe("failed");
    const empty = { status: "completed", stdout: "", tokens: NO_TOKENS, costMicros: 0 } as const;
    const retried = runOf(graph(listed));
    retried.callback("a", empty);
    expect(retried.status("a")).toBe("retrying");
    const plain = runOf(graph("attempts: 2"));
    plain.callback("a", empty);
    expect(plain.error("a")).toBe("output_contract_violation");
    expect(plain.of("contract.violated")[0]).toMatchObject({ phase: "output" });
  });

  it.each(["provider_auth", "provider_refused", "adapter_bug"])("never retries %s", (code) => {
    expect(
      runOf(workflow(["a {on_failure: retry}"]))
        .fail("a", code)
        .status("a"),
    ).toBe("failed");
  });

  it("never retries what would fail again, whatever is listed, and says so", () => {
    const rig = runOf(graph("attempts: 5, retry_on: [provider_error]")).fail("a", "provider_error", {
      retryable: false,
    });
    expect(rig.status("a")).toBe("failed");
    expect(rig.of("node.failed")[0]).toMatchObject({ errorCode: "provider_error", retryable: false });
  });

  it("asks again for a gateway that is away, as often as the policy says", () => {
    const away: Verdict = {
      disposition: "block",
      verdictId: "vrd_2",
      gate: "gateway_health",
      code: "gateway_unreachable",
      message: "edge is offline",
      after: "final",
    };
    const verdicts = [away, away, ALLOW, away, away, away];
    const judge = (): Verdict => verdicts.shift() ?? away;
    const source = "name: w\nsteps:\n  - { id: a, command: go, retry: { attempts: 3 } }\n";
    const rig = runOf(source, { judge });
    expect(rig.node("a").now).toMatchObject({ status: "retrying", errorCode: "gateway_unreachable" });
    rig.fire("retry").fire("retry").complete("a");
    expect([rig.status("a"), rig.node("a").attempts]).toEqual(["completed", 1]);
    const hopeless = runOf(source, { judge }).fire("retry").fire("retry");
    expect(hopeless.of("node.failed")[0]).toMatchObject({ errorCode: "gateway_unreachable", retryable: true });
    const once = runOf(workflow(["a"]), { judge });
    expect(once.status("a")).toBe("failed");
  });

  it("retry_once calls at most twice, the second at once", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once}"])).fail("a");
    expect(rig.status("a")).toBe("running");
    expect(rig.node("a").attempts).toBe(2);
    expect(rig.fail("a").status("a")).toBe("failed");
  });

  it("retry waits exactly 1, 2 and 4 seconds, then halts", () => {
    const rig = runOf(workflow(["a {on_failure: retry}"]));
    for (let call = 0; call < 3; call += 1) rig.fail("a").fire("retry");
    rig.fail("a");
    expect(rig.of("node.retried").map((payload) => payload.delayMs)).toEqual([1000, 2000, 4000]);
    expect(rig.state.status).toBe("failed");
  });

  it("is cancelled while it waits for the next attempt", () => {
    const rig = runOf(workflow(["a {on_failure: retry}"])).fail("a");
    rig.submit({ type: "cancel", reason: "stop" });
    expect(rig.status("a")).toBe("cancelled");
    rig.fire("retry");
    expect(rig.state.status).toBe("cancelled");
  });

  it("makes at most ten calls in an epoch, re-sends included", () => {
    const rig = runOf(workflow(["a"]));
    for (let lost = 0; lost < 12; lost += 1)
      rig.submit({ type: "timer", timer: { kind: "lost", nodeId: "a", attempt: 1 } });
    expect(rig.dispatches).toHaveLength(10);
    expect(new Set(rig.dispatches.map((effect) => effect.dispatchId)).size).toBe(1);
    expect(rig.error("a")).toBe("too_many_calls");
  });
});

describe("timeouts", () => {
  it("ends the attempt at its deadline whatever the adapter does, and takes only the cost of what comes later", () => {
    const rig = runOf(workflow(["a {timeout: 1}"])).fire("attempt");
    expect(rig.status("a")).toBe("timed_out");
    rig.complete("a", { costMicros: 5 });
    expect(rig.status("a")).toBe("timed_out");
    expect(rig.state.costMicros).toBe(5);
  });

  it("is retried as a timeout", () => {
    const rig = runOf(workflow(["a {timeout: 1, on_failure: retry_once}"])).fire("attempt");
    expect(rig.of("node.retried")[0]).toMatchObject({ cause: "timeout" });
    expect(rig.complete("a").state.status).toBe("completed");
  });

  it("ignores the deadline of an attempt that is over", () => {
    const rig = runOf(workflow(["a {timeout: 9}"]))
      .complete("a")
      .fire("attempt");
    expect(rig.state.status).toBe("completed");
  });

  it("leaves an effect that must not happen twice as outcome_unknown", () => {
    const late = runOf(workflow(["a {effects: at_most_once, timeout: 1}"])).fire("attempt");
    expect(late.error("a")).toBe("outcome_unknown");
    const lost = runOf(workflow(["a {effects: at_most_once}"]));
    lost.submit({ type: "timer", timer: { kind: "lost", nodeId: "a", attempt: 1 } });
    expect(lost.error("a")).toBe("outcome_unknown");
    expect(lost.dispatches).toHaveLength(1);
  });

  it("fails a cancelled report, it does not cancel the node", () => {
    const rig = runOf(workflow(["a {on_failure: retry}"]));
    rig.callback("a", { status: "cancelled", tokens: NO_TOKENS, costMicros: 0 });
    expect(rig.status("a")).toBe("failed");
  });
});

describe("on_failure", () => {
  it("skip tolerates the failure and marks it", () => {
    const rig = runOf(workflow(["a {on_failure: skip}", "z", "b < a z", "c < a"]));
    rig.fail("a");
    expect(rig.of("node.skipped", "a")[0]).toMatchObject({ reason: "on_failure" });
    expect(rig.status("c")).toBe("skipped");
    rig.complete("z").complete("b");
    expect(rig.state.status).toBe("completed");
  });

  it("halt fails what is below, cancels the rest, and lets those in flight end", () => {
    const rig = runOf(workflow(["a", "b", "below < a", "beside < b"])).fail("a");
    expect(rig.statuses).toMatchObject({ a: "failed", b: "running", below: "failed", beside: "cancelled" });
    expect(rig.error("below")).toBe("upstream_failure");
    expect(rig.of("node.failed", "below")[0]?.errorMessage).toBe("Blocked by upstream failure");
    expect(rig.of("node.cancelled", "beside")[0]?.reason).toBe("run_halted");
    expect(rig.state.status).toBe("running");
    rig.complete("b");
    expect(rig.state.status).toBe("failed");
    const snapshot = rig.of("run.failed")[0]?.snapshot;
    expect(snapshot).toMatchObject({ completed: ["b"], cancelled: ["beside"] });
  });

  it("neither retries nor escalates what ends during a halt", () => {
    const rig = runOf(workflow(["a", "b {on_failure: retry_once_then_escalate}"]))
      .fail("a")
      .fail("b");
    expect(rig.status("b")).toBe("failed");
    expect(rig.state.status).toBe("failed");
  });

  it("fail_fast cancels siblings in flight", () => {
    const rig = runOf(workflow(["a {parallel_failure_policy: fail_fast}", "b"])).fail("a");
    expect(rig.of("node.cancelled", "b")[0]?.reason).toBe("cancelled_by_sibling");
    expect(rig.state.status).toBe("failed");
  });

  it("escalates after the second failure, once", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once_then_escalate}"]))
      .fail("a")
      .fail("a");
    expect(rig.of("approval.requested")[0]).toMatchObject({
      source: "escalation",
      choices: ["retry", "skip", "abort"],
    });
    expect(rig.status("a")).toBe("blocked");
    rig.answer("a", "retry");
    expect(rig.node("a").attempts).toBe(3);
    rig.fail("a");
    expect(rig.state.status).toBe("failed");
  });

  it("does what the person chose", () => {
    const escalated = () =>
      runOf(workflow(["a {on_failure: retry_once_then_escalate}", "z", "b < a z"]))
        .fail("a")
        .fail("a");
    const skipped = escalated();
    skipped.answer("a", "skip");
    expect(skipped.of("node.skipped", "a")[0]?.reason).toBe("chosen");
    skipped.complete("z").complete("b");
    expect(skipped.state.status).toBe("completed");
    const aborted = escalated();
    aborted.answer("a", "abort");
    expect(aborted.error("a")).toBe("provider_error");
    const approved = escalated();
    approved.answer("a", "approve");
    expect(approved.of("approval.resolved")[0]).toMatchObject({ status: "approved", decision: "retry" });
    approved.complete("a").complete("z").complete("b");
    expect(approved.state.status).toBe("completed");
    const rejected = escalated();
    expect(rejected.answer("a", "reject").refusal?.code).toBe("bad_choice");
    const replaced = escalated();
    replaced.answer("a", "approve", { modifications: { outputs: { by: "hand" } } });
    expect(replaced.outputs("a")).toEqual({ by: "hand" });
  });
});
