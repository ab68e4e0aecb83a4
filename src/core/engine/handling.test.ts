import { describe, expect, it } from "vitest";
import { Rig, runOf } from "../../../test/conformance/rig.ts";
import type { Team } from "../plan/index.ts";
import { NO_TOKENS, restartFrom } from "./index.ts";

const steps = (...lines: readonly string[]): string =>
  `name: w\nsteps:\n${lines.map((line) => `  - {${line}}`).join("\n")}\n`;
const run = (...lines: readonly string[]): Rig => runOf(steps(...lines));

const PAY = "id: pay, command: pay";
const SHIP = "id: ship, command: ship, depends_on: [pay]";
const REFUND =
  "id: refund, command: 'refund ${pay.error.code} ${pay.error.message} ${pay.error.attempts} ${pay.error.class}', depends_on: [{step: pay, on: failure}]";

const reason = (rig: Rig, nodeId: string) => rig.of("node.skipped", nodeId)[0]?.reason;

/** The state is the fold of its log, with every counter. */
function expectFolded(rig: Rig): void {
  expect(rig.state.nodes).toEqual(rig.replayed().nodes);
}

describe("what comes last", () => {
  it("sees the error of the step that ended the run, not of another with the same code", () => {
    const source = `${steps(PAY, REFUND, "id: ship, command: ship")}finally: [{id: f, command: f}]\n`;
    const rig = runOf(source);
    rig.fail("pay").complete("refund");
    const error = { status: "failed", tokens: NO_TOKENS, costMicros: 0, errorCode: "provider_error" } as const;
    rig.callback("ship", { ...error, error: "no ship" });
    expect(rig.of("run.ending")).toMatchObject([{ as: "failed", errorCode: "provider_error", failedNode: "ship" }]);
    expect(rig.of("run.finally")[0]).toMatchObject({ errorCode: "provider_error", errorMessage: "no ship" });
  });
});

describe("a handler", () => {
  it("runs after a failure, sees it, and makes up for it", () => {
    const rig = run(PAY, SHIP, REFUND, "id: mail, command: mail, depends_on: [ship]");
    rig.fail("pay");
    expect(rig.statuses).toEqual({ pay: "failed", ship: "skipped", refund: "running", mail: "skipped" });
    expect([reason(rig, "ship"), reason(rig, "mail")]).toEqual(["parent_failed", "parents_skipped"]);
    expect(rig.dispatch("refund").request.message).toBe("refund provider_error it broke 1 provider_error");
    rig.complete("refund");
    expect(rig.of("node.handled")).toEqual([{ nodeId: "pay", attempt: 1, by: "refund" }]);
    expect([rig.state.status, rig.node("pay").isHandled]).toEqual(["completed", true]);
    expect(rig.of("run.completed")[0]?.counts).toMatchObject({ failed: 1, completed: 1, skipped: 2 });
    expectFolded(rig);
  });

  it("is skipped without a word when nothing has failed", () => {
    const rig = run(PAY, REFUND, "id: after, command: x, depends_on: [refund]");
    rig.complete("pay");
    expect([reason(rig, "refund"), rig.state.status]).toEqual(["no_failure", "completed"]);
    expect(rig.effects.filter((effect) => effect.type === "notify").map((effect) => effect.nodeId)).toEqual(["after"]);
    expectFolded(rig);
  });

  it("comes after the step's own retries, and after a deadline that passed", () => {
    const rig = run("id: pay, command: pay, on_failure: retry_once, timeout: 5", REFUND);
    rig.fail("pay");
    expect([rig.status("pay"), rig.status("refund")]).toEqual(["running", "awaiting_dependency"]);
    rig.fire("attempt", "pay");
    expect([rig.status("pay"), rig.status("refund")]).toEqual(["timed_out", "running"]);
    expect(rig.dispatch("refund").request.message).toContain("2 timeout");
  });

  it("ends the run with the original error when none completes", () => {
    const rig = run(PAY, `${REFUND}, condition: pay.error.code == 'other'`, "id: beside, command: x");
    rig.fail("pay");
    expect(rig.of("run.ending")).toMatchObject([{ as: "failed", reason: "pay failed", errorCode: "provider_error" }]);
    expect(rig.status("beside")).toBe("running");
    rig.complete("beside");
    expect([rig.state.status, rig.state.errorCode]).toEqual(["failed", "provider_error"]);
    expectFolded(rig);
  });

  it("follows its own on_failure", () => {
    const halting = run(PAY, REFUND);
    halting.fail("pay").fail("refund", "provider_auth");
    expect(halting.of("run.ending")).toMatchObject([{ failedNode: "pay", errorCode: "provider_error" }]);
    expect([halting.state.status, halting.state.errorCode]).toEqual(["failed", "provider_error"]);
    const second = "id: second, command: s, depends_on: [{step: pay, on: failure}]";
    const early = run(PAY, REFUND, second);
    early.fail("pay").fail("refund", "provider_auth");
    expect(early.of("run.ending")).toMatchObject([{ failedNode: "refund", errorCode: "provider_auth" }]);
    const chain = run(PAY, REFUND, "id: log, command: l, depends_on: [{step: refund, on: failure}]");
    chain.fail("pay").fail("refund", "provider_auth").fail("log", "timeout");
    expect(chain.of("run.ending")).toMatchObject([{ failedNode: "pay", errorCode: "provider_error" }]);
    const skipping = run(PAY, `${REFUND}, on_failure: skip`);
    skipping.fail("pay").fail("refund", "provider_auth");
    expect([skipping.state.status, skipping.state.errorCode]).toEqual(["failed", "provider_error"]);
    const own = run(PAY, REFUND, "id: log, command: l, depends_on: [{step: refund, on: failure}]");
    own.fail("pay").fail("refund", "provider_auth").complete("log");
    expect(own.of("node.handled")).toEqual([{ nodeId: "refund", attempt: 1, by: "log" }]);
    expect([own.state.status, own.state.errorCode]).toEqual(["failed", "provider_error"]);
  });

  it.each([
    ["a", "b"],
    ["b", "a"],
  ])("of two failures ends the run with the earlier one: %s before %s", (first, second) => {
    const both = "id: h, command: h, depends_on: [{step: a, on: failure}, {step: b, on: failure}]";
    const rig = run("id: a, command: a", "id: b, command: b", both);
    rig.fail(first, "provider_auth").fail(second, "provider_refused").fail("h", "provider_error");
    expect(rig.of("run.ending")).toMatchObject([{ failedNode: first, errorCode: "provider_auth" }]);
    expectFolded(rig);
  });

  it("is one of several: the first that completes is enough, and all settle before the run gives up", () => {
    const second = "id: second, command: s, depends_on: [{step: pay, on: failure}]";
    const rig = run(PAY, `${REFUND}, on_failure: skip`, second);
    rig.fail("pay").fail("refund");
    expect(rig.state.ending).toBeNull();
    rig.complete("second");
    expect([rig.state.status, rig.of("node.handled")[0]?.by]).toEqual(["completed", "second"]);
  });

  it("handles what a person refused, and comes after the person an escalation asks", () => {
    const gate = run("id: pay, approval: required", "id: mail, command: m, depends_on: [{step: pay, on: failure}]");
    gate.answer("pay", "reject");
    expect([gate.error("pay"), gate.status("mail")]).toEqual(["approval_rejected", "running"]);
    const escalating = () => run("id: pay, command: pay, on_failure: {then: escalate, retry: {attempts: 1}}", REFUND);
    const aborted = escalating();
    aborted.fail("pay");
    expect([aborted.status("pay"), aborted.status("refund")]).toEqual(["blocked", "awaiting_dependency"]);
    const [asked] = aborted.of("approval.requested");
    expect(asked?.subject?.answers.find(({ decision }) => decision === "abort")?.effect).toBe(
      "pay fails, and the steps that handle it run.",
    );
    aborted.answer("pay", "abort");
    expect([aborted.status("pay"), aborted.status("refund")]).toEqual(["failed", "running"]);
    const skipped = escalating();
    skipped.fail("pay").answer("pay", "skip");
    expect([reason(skipped, "refund"), skipped.state.status]).toEqual(["no_failure", "completed"]);
  });

  describe("that failed and ends nothing itself", () => {
    const crew: Team = { name: "crew", members: [], assignments: [], failurePolicy: "isolate" };
    const on = (step: string, id: string, more = "") =>
      `id: ${id}, command: ${id}, depends_on: [{step: ${step}, on: failure}]${more}`;
    const isolated = (...lines: readonly string[]): Rig => runOf(steps(...lines), { team: crew });
    const assigned = (rig: Rig, ...ids: readonly string[]): Rig => {
      for (const nodeId of ids) rig.submit({ type: "resolve", nodeId, by: "user:eve", assignTo: "ann" });
      return rig;
    };
    const HALTING = "id: pay, command: pay, on_failure: halt";

    it("leaves the failure to end the run once its own handlers have decided", () => {
      const rig = assigned(isolated(HALTING, on("pay", "h"), on("h", "i", ", on_failure: skip")), "pay");
      assigned(rig.fail("pay"), "h");
      assigned(rig.fail("h", "provider_auth"), "i");
      expect(rig.state.ending).toBeNull();
      rig.fail("i", "provider_refused");
      expect([rig.state.status, rig.state.errorCode]).toEqual(["failed", "provider_error"]);
      expect(rig.of("run.ending")).toMatchObject([{ as: "failed", reason: "pay failed", errorCode: "provider_error" }]);
      expectFolded(rig);
    });

    it("does so over several, and not before the last of them has decided", () => {
      const later = "id: later, command: l, depends_on: [{step: pay, on: settled}]";
      const chain = [on("pay", "h"), on("h", "i"), on("i", "k")];
      const rig = assigned(isolated(HALTING, later, ...chain), "pay");
      assigned(rig.fail("pay"), "h", "later");
      assigned(rig.fail("h", "provider_auth"), "i");
      assigned(rig.fail("i", "provider_auth"), "k");
      rig.complete("later");
      expect([rig.state.ending, rig.status("k")]).toEqual([null, "running"]);
      rig.fail("k", "provider_auth");
      expect(rig.of("run.ending")).toMatchObject([{ as: "failed", reason: "pay failed", errorCode: "provider_error" }]);
      expectFolded(rig);
    });

    it("looks at each once, however many ways lead from one to the other", () => {
      const layers = Array.from({ length: 30 }, (_, layer) => layer + 1);
      const both = (layer: number) =>
        ["a", "b"].map(
          (side) =>
            `id: ${side}${layer}, command: x, depends_on: [{step: a${layer - 1}, on: failure}, {step: b${layer - 1}, on: failure}]`,
        );
      const first = ["id: a0, command: x, on_failure: halt", "id: b0, command: x"];
      const rig = isolated(...first, ...layers.flatMap(both));
      for (const layer of [0, ...layers]) {
        assigned(rig, `a${layer}`, `b${layer}`);
        rig.fail(`a${layer}`, "provider_auth").fail(`b${layer}`, "provider_auth");
      }
      expect(rig.of("run.ending")).toMatchObject([{ as: "failed", reason: "a0 failed", errorCode: "provider_auth" }]);
    });
  });

  it("never runs for a run that was cancelled or has halted", () => {
    const rig = run(PAY, REFUND);
    rig.submit({ type: "cancel", reason: "enough" });
    expect(rig.statuses).toEqual({ pay: "cancelled", refund: "cancelled" });
    const halted = run(PAY, REFUND, "id: other, command: o");
    halted.fail("other").fail("pay");
    expect(halted.statuses).toEqual({ pay: "failed", refund: "cancelled", other: "failed" });
    expect(halted.state.status).toBe("failed");
  });

  it("leaves a step that declares `error` its output, and the document sees what failed", () => {
    const rig = runOf(
      "name: w\noutputs: {why: '${pay.error.code}', no: '${refund.error.code}'}\nsteps:\n" +
        `  - {${PAY}}\n  - {${REFUND}}\n  - {id: c, command: c, outputs: {error: string}}\n` +
        "  - {id: d, command: 'd ${c.error}', depends_on: [{step: c, on: settled}]}\n",
    );
    rig
      .fail("pay")
      .complete("refund")
      .complete("c", { outputs: { error: "mine" } });
    expect(rig.dispatch("d").request.message).toBe("d mine");
    rig.complete("d");
    expect(rig.state.outputs).toEqual({ why: "provider_error", no: null });
  });
});

describe("a step that waits for any end", () => {
  const CLEAN = "id: clean, command: 'clean ${pay.error.code}', depends_on: [{step: pay, on: settled}]";

  it("runs after success, after a skip and after a failure, which still fails the run", () => {
    const fine = run(PAY, CLEAN);
    fine.complete("pay");
    expect(fine.dispatch("clean").request.message).toBe("clean ");
    expect(fine.complete("clean").state.status).toBe("completed");
    const skipped = run("id: pay, command: p, condition: 1 == 2", CLEAN);
    expect(skipped.status("clean")).toBe("running");
    const failed = run(PAY, SHIP, CLEAN);
    failed.fail("pay");
    expect(failed.statuses).toEqual({ pay: "failed", ship: "failed", clean: "running" });
    expect([failed.error("ship"), failed.dispatch("clean").request.message]).toEqual([
      "upstream_failure",
      "clean provider_error",
    ]);
    failed.complete("clean");
    expect([failed.state.status, failed.state.errorCode, failed.node("pay").isHandled]).toEqual([
      "failed",
      "provider_error",
      false,
    ]);
    expectFolded(failed);
  });

  it("needs success of its other dependencies", () => {
    const rig = run(
      PAY,
      REFUND,
      "id: a, command: a",
      "id: both, command: b, depends_on: [pay, {step: a, on: settled}]",
    );
    rig.complete("a").fail("pay");
    expect(reason(rig, "both")).toBe("parent_failed");
  });
});

describe("after a failure was handled", () => {
  it("a restart runs the failed step and its handlers again", () => {
    const rig = run(PAY, REFUND, "id: other, command: o, depends_on: [refund]");
    rig.fail("pay").complete("refund").fail("other");
    expect(restartFrom(rig.state)).toEqual([]);
    const again = new Rig(steps(PAY, REFUND, "id: other, command: o, depends_on: [refund]"));
    again.start({ carried: restartFrom(rig.state) }).complete("pay");
    expect(reason(again, "refund")).toBe("no_failure");
  });

  it("a rewind keeps what was handled before, and forgets it with the failure", () => {
    const rig = run(PAY, REFUND);
    rig.fail("pay");
    const failedAt = rig.state.lastEventId;
    rig.complete("refund");
    rig.submit({ type: "rewind", eventId: failedAt, isConsumed: false });
    expect(rig.statuses).toEqual({ pay: "failed", refund: "running" });
    rig.complete("refund");
    expect(rig.state.status).toBe("completed");
    rig.submit({ type: "rewind", eventId: 2, isConsumed: false });
    expect([rig.status("pay"), rig.node("pay").isHandled]).toEqual(["running", false]);
    rig.complete("pay");
    expect([rig.state.status, rig.status("refund")]).toEqual(["completed", "skipped"]);
    expectFolded(rig);
  });

  it("a recover runs an unhandled failure again", () => {
    const rig = run(PAY, REFUND);
    rig.fail("pay").fail("refund");
    rig.submit({ type: "recover", reason: "try" });
    expect(rig.statuses).toEqual({ pay: "running", refund: "awaiting_dependency" });
    rig.fail("pay").complete("refund");
    expect(rig.state.status).toBe("completed");
    expectFolded(rig);
  });
});
