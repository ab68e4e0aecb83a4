import { describe, expect, it } from "vitest";
import { type Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { LIMITS, type RetryCause } from "../base/index.ts";
import type { RetryPolicy } from "../plan/index.ts";
import { mayRetry, retryDelayMs } from "./failure-policy.ts";
import { NO_TOKENS, type Verdict } from "./index.ts";

const backoff = (attempts: number, causes: RetryPolicy["causes"] = "any"): RetryPolicy => ({
  attempts,
  causes,
  delay: { kind: "backoff", baseMs: 1_000, maxMs: 5_000 },
});
const exact = (...delaysMs: number[]): RetryPolicy => ({ ...backoff(4), delay: { kind: "exact", delaysMs } });
const FAILURE = { code: "provider_error", message: "", cause: "provider_error" as RetryCause };
const tried = (tries: number, extraAttempts = 0, calls = tries) => ({ tries, extraAttempts, calls });

describe("the delay before the next attempt", () => {
  it("doubles from the base to the maximum, and jitter takes up to half of it away", () => {
    const delays = [1, 2, 3, 4, 9].map((tries) => retryDelayMs(backoff(10), tries, 1));
    expect(delays).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
    expect([0, 0.5, 1].map((jitter) => retryDelayMs(backoff(10), 2, jitter))).toEqual([1_000, 1_500, 2_000]);
    expect(retryDelayMs(backoff(10), 1, 0.3333)).toBe(667);
  });

  it("is exactly what was written, the last one from then on, and none where none was written", () => {
    expect([1, 2, 3, 4].map((tries) => retryDelayMs(exact(1_000, 2_000, 4_000), tries, 0.5))).toEqual([
      1_000, 2_000, 4_000, 4_000,
    ]);
    expect(retryDelayMs(exact(), 1, 0.5)).toBe(0);
  });

  it("is raised by Retry-After, never lowered, up to ten minutes", () => {
    expect(retryDelayMs(exact(1_000), 1, 0, 3_000)).toBe(3_000);
    expect(retryDelayMs(exact(1_000), 1, 0, 10)).toBe(1_000);
    expect([599_999, 600_000, 600_001].map((ms) => retryDelayMs(exact(0), 1, 0, ms))).toEqual([
      599_999, 600_000, 600_000,
    ]);
  });
});

describe("whether a failed attempt may be followed by another", () => {
  it("counts calls in all, and those a person added", () => {
    expect([1, 2, 3].map((tries) => mayRetry(backoff(3), FAILURE, tried(tries)))).toEqual([true, true, false]);
    expect([3, 4, 5].map((tries) => mayRetry(backoff(3), FAILURE, tried(tries, 2)))).toEqual([true, true, false]);
  });

  it("depends on the cause: one without a cause never, one that is listed, or any", () => {
    const { cause: _, ...final } = FAILURE;
    expect(mayRetry(backoff(3), final, tried(1))).toBe(false);
    expect(mayRetry(backoff(3, ["timeout"]), FAILURE, tried(1))).toBe(false);
    expect(mayRetry(backoff(3, ["timeout", "provider_error"]), FAILURE, tried(1))).toBe(true);
  });

  it("is no before the first attempt, and at the limit of calls", () => {
    expect(mayRetry(backoff(3), FAILURE, tried(0))).toBe(false);
    const most = LIMITS.callsPerNodeMax;
    expect([most - 1, most, most + 1].map((calls) => mayRetry(backoff(3), FAILURE, tried(1, 0, calls)))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("a node that is tried again", () => {
  it("says why, when, and which attempt is next", () => {
    const rig = runOf(workflow(["a {on_failure: retry}"])).fail("a", "provider_rate_limit");
    expect(rig.of("node.retried")).toEqual([
      {
        nodeId: "a",
        attempt: 1,
        cause: "rate_limit",
        delayMs: 1_000,
        nextAttempt: 2,
        errorCode: "provider_rate_limit",
        errorMessage: "it broke",
        until: rig.now + 1_000,
      },
    ]);
    expect(rig.node("a").now).toMatchObject({ status: "retrying", errorCode: "provider_rate_limit" });
    const due = rig.effects.flatMap((effect) => (effect.type === "set-timer" ? [effect] : []));
    expect(due.at(-1)).toMatchObject({ dueAt: rig.now + 1_000, timer: { kind: "retry", nodeId: "a" } });
  });

  it("is not woken by the timer of an earlier retry", () => {
    const rig = runOf(workflow(["a {on_failure: retry}"])).fail("a");
    const stale = rig.effects.findLast((effect) => effect.type === "set-timer" && effect.timer.kind === "retry");
    rig.fire("retry").fail("a");
    if (stale?.type !== "set-timer") throw new Error("no timer");
    rig.submit({ type: "timer", timer: stale.timer });
    expect(rig.status("a")).toBe("retrying");
    rig.fire("retry");
    rig.submit({ type: "timer", timer: stale.timer });
    expect(rig.node("a").attempts).toBe(3);
    const last = rig.effects.findLast((effect) => effect.type === "set-timer" && effect.timer.kind === "retry");
    if (last?.type === "set-timer") expect(rig.submit({ type: "timer", timer: last.timer }).events).toEqual([]);
  });

  it("is queued with a reason before it runs again, also when it need not wait", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once}"])).fail("a");
    expect(rig.of("node.queued", "a").map(({ waitingReason }) => waitingReason)).toEqual(["queued", "queued"]);
  });

  it("keeps the number of its attempt in the key of each dispatch, and the key of idempotency over all", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once}"])).fail("a");
    expect(rig.dispatches.map(({ dispatchId, idempotencyKey }) => [dispatchId, idempotencyKey])).toEqual([
      ["run_1/a/1", "run_1/a/0"],
      ["run_1/a/2", "run_1/a/0"],
    ]);
  });

  it("has a text of an error that is no longer than may be kept", () => {
    const rig = runOf(workflow(["a"]));
    const error = "x".repeat(LIMITS.errorTextLengthMax + 1);
    rig.callback("a", { status: "failed", tokens: NO_TOKENS, costMicros: 0, errorCode: "provider_auth", error });
    expect(rig.of("node.failed", "a")[0]?.errorMessage).toHaveLength(LIMITS.errorTextLengthMax);
  });

  it("says at its end whether trying again could have helped", () => {
    const retryable = runOf(workflow(["a"])).fail("a", "provider_error");
    expect(retryable.of("node.failed", "a")[0]?.retryable).toBe(true);
    const final = runOf(workflow(["a"])).fail("a", "provider_auth");
    expect(final.of("node.failed", "a")[0]?.retryable).toBe(false);
  });

  it("never is, when its effect may happen at most once", () => {
    const rig = runOf(workflow(["a {effects: at_most_once}"])).fail("a", "provider_error");
    expect(rig.status("a")).toBe("failed");
    expect(rig.of("node.retried")).toEqual([]);
  });

  it("never is after a person has rejected it", () => {
    const rig = runOf(workflow(["a {approval: required, command: go, on_failure: retry}"]));
    rig.answer("a", "approve");
    rig.fail("a").fire("retry");
    expect(rig.node("a").attempts).toBe(2);
    const rejected = runOf(workflow(["a {approval: required, command: go, on_failure: retry}"]));
    rejected.answer("a", "reject");
    expect(rejected.error("a")).toBe("approval_rejected");
    expect(rejected.of("node.retried")).toEqual([]);
  });
});

describe("a node that fails when its turn comes", () => {
  it("lets those that wait for it continue in the same commit", () => {
    const rig = runOf(workflow(["z", "a < z {command: '${z.outputs.nope}', on_failure: skip}", "b < a z", "c < a"]));
    rig.complete("z");
    expect(rig.statuses).toEqual({ z: "completed", a: "skipped", b: "running", c: "skipped" });
  });

  it("counts for its list in the same commit", () => {
    const rig = runOf(
      workflow(["e {command: '${item.nope}', for_each: list, tolerate: 2}", "b < e"], "args: {list: [{}, {}]}"),
    );
    expect(rig.outputs("e")).toEqual({ items: [null, null], count: 2, failed: 2 });
    expect(rig.status("b")).toBe("running");
  });
});

describe("on_failure: skip", () => {
  it("notifies with what went wrong, and keeps it on the node", () => {
    const rig = runOf(workflow(["a {on_failure: skip}"])).fail("a", "provider_auth");
    expect(rig.node("a").now).toMatchObject({
      status: "skipped",
      reason: "on_failure",
      errorCode: "provider_auth",
      errorMessage: "it broke",
    });
    expect(rig.effects).toContainEqual({ type: "notify", kind: "skipped", nodeId: "a", message: "it broke" });
  });

  it("skips a command that a person rejected, and completes only a step that is nothing but a gate", () => {
    const command = runOf(workflow(["a {approval: required, command: go, on_failure: skip}"]));
    command.answer("a", "reject");
    expect(command.status("a")).toBe("skipped");
    const gate = runOf(workflow(["a {approval: required, on_failure: skip}"])).fire("approval-expiry");
    expect(gate.outputs("a")).toEqual({ approved: false });
  });

  it("skips a gate that failed without having been refused", () => {
    const line = `g < a {approval: required, condition: "a.outputs.n > 'text'", on_failure: skip}`;
    const rig = runOf(workflow(["a", line])).complete("a", { outputs: { n: {} } });
    expect(rig.node("g").now).toMatchObject({ status: "skipped", reason: "on_failure", errorCode: "expression_error" });
  });

  it("applies to a final block at a gate as well", () => {
    const block: Verdict = {
      disposition: "block",
      verdictId: "v",
      gate: "policy_rules",
      code: "policy_blocked",
      message: "not today",
      after: "final",
    };
    const rig = runOf(workflow(["a {on_failure: skip}"]), { judge: () => block });
    expect(rig.node("a").now).toMatchObject({ status: "skipped", errorCode: "policy_blocked" });
  });
});

describe("on_failure: retry_once_then_escalate", () => {
  const escalated = (more = ""): Rig =>
    runOf(workflow([`a {on_failure: retry_once_then_escalate${more}}`]))
      .fail("a")
      .fail("a", "provider_bad_output");

  it("asks a person with what went wrong, for as long as any approval", () => {
    const rig = escalated();
    expect(rig.of("approval.requested")[0]).toMatchObject({
      nodeId: "a",
      attempt: 2,
      source: "escalation",
      agentId: "default",
      policies: [],
      summary: expect.stringMatching(/^a failed after 2 attempts: /u),
      rendered: "it broke",
      expiresAt: rig.now + LIMITS.approvalExpiresMsDefault,
    });
    expect(rig.node("a").now).toMatchObject({
      status: "blocked",
      waitingReason: "human_input",
      errorCode: "provider_bad_output",
      errorMessage: "it broke",
    });
  });

  it("counts one attempt as one", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once_then_escalate}"])).fail("a", "provider_auth");
    expect(rig.of("approval.requested")[0]?.summary).toMatch(/after 1 attempt: /u);
  });

  it("asks whom the step names", () => {
    const rig = escalated(", approvers: [{who: 'role:lead', within: 2h}], otherwise: skip");
    expect(rig.of("approval.requested")[0]).toMatchObject({
      approvers: [{ who: "role:lead", withinMs: 7_200_000 }],
      otherwise: "skip",
    });
    expect(rig.fire("approval-hop").status("a")).toBe("skipped");
  });

  it("fails with what it failed with without an answer", () => {
    const rig = escalated().fire("approval-expiry");
    expect(rig.error("a")).toBe("provider_bad_output");
    expect(rig.state.status).toBe("failed");
  });

  it("asks once per epoch", () => {
    const rig = escalated();
    rig.answer("a", "retry");
    rig.fail("a");
    expect(rig.state.status).toBe("failed");
    expect(rig.of("approval.requested")).toHaveLength(1);
    rig.submit({ type: "recover" });
    rig.fail("a").fail("a");
    expect(rig.status("a")).toBe("blocked");
    expect(rig.of("approval.requested")).toHaveLength(2);
  });

  it("binds the answer to the very failure: another one is another question", () => {
    const digest = (code: string) =>
      runOf(workflow(["a {on_failure: retry_once_then_escalate}"]))
        .fail("a", code)
        .of("approval.requested")[0]?.digest;
    expect(digest("provider_auth")).not.toBe(digest("provider_refused"));
    expect(digest("provider_auth")).toBe(digest("provider_auth"));
  });
});

describe("a step with several models", () => {
  const source = workflow(["a {command: go, models: [x:one, x:two, x:three], on_failure: {retry: {attempts: 2}}}"]);
  const modelsOf = (rig: Rig): readonly (string | null)[] => asked(rig).map(({ hints }) => hints.model);
  const asked = (rig: Rig) => rig.effects.filter((effect) => effect.type === "request-verdict");

  it("asks the next one after the retries of the one before, each with a verdict of its own", () => {
    const rig = runOf(source);
    for (const code of ["provider_error", "provider_rate_limit", "timeout"]) {
      rig.fail("a", code).fire("retry").fail("a", code);
    }
    expect(modelsOf(rig)).toEqual(["x:one", "x:one", "x:two", "x:two", "x:three", "x:three"]);
    expect(rig.of("node.retried").map(({ model }) => model)).toEqual([
      undefined,
      "x:two",
      undefined,
      "x:three",
      undefined,
    ]);
    expect(rig.node("a").now).toMatchObject({ status: "failed", errorCode: "timeout" });
  });

  it("asks the next one at once for a request that the one before does not accept", () => {
    const rig = runOf(source).fail("a", "provider_error", { retryable: false });
    expect(modelsOf(rig)).toEqual(["x:one", "x:two"]);
    rig.fail("a", "provider_error", { retryable: false }).fail("a", "provider_error", { retryable: false });
    expect(modelsOf(rig)).toEqual(["x:one", "x:two", "x:three"]);
    expect(rig.status("a")).toBe("failed");
  });

  it("asks no other one after as many calls as a node may make", () => {
    const once = workflow(["a {command: go, models: [x:one, x:two]}"]);
    const failed = { status: "failed", errorCode: "provider_error", tokens: NO_TOKENS, costMicros: 0 } as const;
    const rig = (extraCalls: number): Rig => {
      const started = runOf(once);
      started.callback("a", { ...failed, extraCalls });
      return started;
    };
    expect(modelsOf(rig(LIMITS.callsPerNodeMax - 2))).toEqual(["x:one", "x:two"]);
    const last = rig(LIMITS.callsPerNodeMax - 1);
    expect([modelsOf(last), last.error("a"), last.of("node.retried")]).toEqual([["x:one"], "provider_error", []]);
  });

  it("does not change for what another one would answer the same, and begins with the first in the next epoch", () => {
    const refused = runOf(source).fail("a", "provider_refused");
    expect(refused.status("a")).toBe("failed");
    const rig = runOf(source).fail("a").fire("retry").fail("a").complete("a");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false } as never);
    expect(modelsOf(rig).at(-1)).toBe("x:one");
  });
});
