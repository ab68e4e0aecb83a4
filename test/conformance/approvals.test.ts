import { describe, expect, it } from "vitest";
import type { RequestVerdict, Verdict } from "../../src/core/engine/index.ts";
import { ALLOW, runOf, workflow } from "./rig.ts";

const HOUR = 3_600_000;

describe("a gate step", () => {
  const gate = (more = "") => runOf(workflow([`g {approval: required${more}}`, `a < g {condition: "$g.approved"}`]));

  it("holds no slot and no timeout, and completes with approved: true", () => {
    const rig = gate();
    expect(rig.node("g").now).toMatchObject({ status: "blocked", waitingReason: "human_input" });
    expect(rig.effects.some((effect) => effect.type === "set-timer" && effect.timer.kind === "attempt")).toBe(false);
    rig.answer("g", "approve");
    expect(rig.outputs("g")).toEqual({ approved: true });
    expect(rig.status("a")).toBe("running");
  });

  it("fails on a rejection, and completes with approved: false under skip", () => {
    const halted = gate();
    halted.answer("g", "reject");
    expect(halted.error("g")).toBe("approval_rejected");
    expect(halted.state.status).toBe("failed");
    const branched = gate(", on_failure: skip");
    branched.answer("g", "reject");
    expect(branched.outputs("g")).toEqual({ approved: false });
    expect(branched.status("a")).toBe("skipped");
    expect(branched.state.status).toBe("completed");
  });

  it("expires after seven days, reminding three times", () => {
    const rig = gate();
    const due = rig.effects.filter((effect) => effect.type === "set-timer").map((effect) => effect.dueAt - rig.now);
    expect(due.sort((left, right) => left - right)).toEqual([HOUR, 24 * HOUR, 72 * HOUR, 168 * HOUR]);
    rig.submit({
      type: "timer",
      timer: { kind: "approval-reminder", approvalId: rig.approvalId("g"), urgency: "normal" },
    });
    expect(rig.of("approval.reminded")[0]).toMatchObject({ urgency: "normal" });
    rig.fire("approval-expiry");
    expect(rig.error("g")).toBe("approval_expired");
  });

  it("takes the first answer and refuses the second", () => {
    const rig = gate();
    rig.answer("g", "approve");
    expect(rig.answer("g", "reject")).toMatchObject({ events: [], refusal: { code: "approval_closed" } });
  });

  it("needs a reason to reject, a right choice, and the content that was shown", () => {
    const rig = gate();
    expect(rig.answer("g", "reject", { reason: " " }).refusal?.code).toBe("reason_required");
    expect(rig.answer("g", "skip").refusal?.code).toBe("bad_choice");
    expect(rig.answer("g", "approve", { digest: "sha256:other" }).refusal?.code).toBe("content_changed");
    expect(rig.status("g")).toBe("blocked");
  });

  it("refuses the starter of the run when a separate approver is wanted", () => {
    const rig = gate(", separate_approver: true");
    expect(rig.answer("g", "approve", { byStarter: true }).refusal?.code).toBe("self_approval");
    expect(rig.answer("g", "approve", { byStarter: false }).refusal).toBeUndefined();
  });

  it("dispatches after approval when it has a command", () => {
    const rig = runOf(workflow(["a {approval: required, command: 'pay ${sum}', agent: payer}"], "args: {sum: 10}"));
    expect(rig.of("approval.requested")[0]).toMatchObject({ rendered: "pay 10", source: "gate", agentId: "payer" });
    expect(rig.answer("a", "approve", { byAgentId: "payer" }).refusal?.code).toBe("self_approval");
    expect(rig.dispatches).toHaveLength(0);
    rig.answer("a", "approve");
    expect(rig.dispatches).toHaveLength(1);
  });
});

describe("an escalation chain", () => {
  const chain = (otherwise: string) =>
    runOf(
      workflow([
        `g {approval: required, approvers: [{who: "role:lead", within: 2h}, {who: "team:risk", within: 1h}], otherwise: ${otherwise}}`,
      ]),
    );

  it.each([
    ["approve", "completed"],
    ["reject", "failed"],
    ["skip", "completed"],
    ["abort", "failed"],
  ])("asks the next in time and then takes the default action: %s", (otherwise, status) => {
    const rig = chain(otherwise).fire("approval-hop");
    expect(rig.of("approval.escalated")[0]).toMatchObject({ hop: 1, who: "team:risk" });
    rig.fire("approval-hop");
    expect(rig.state.status).toBe(status);
    expect(rig.of("approval.resolved")[0]).toMatchObject({ by: "sluice" });
  });

  it("ignores the timer of a hop that is over", () => {
    const rig = chain("reject");
    const approvalId = rig.approvalId("g");
    rig.fire("approval-hop");
    rig.submit({ type: "timer", timer: { kind: "approval-hop", approvalId, hop: 0 } });
    expect(rig.of("approval.escalated")).toHaveLength(1);
  });
});

describe("verdicts", () => {
  const hold = (policy: string): Verdict => ({
    disposition: "hold",
    verdictId: "vrd_2",
    gate: "approval_required",
    message: "policy wants an answer",
    agentId: "default",
    policies: [policy],
    rule: {
      approvers: [],
      otherwise: null,
      expiresMs: HOUR,
      isSeparate: false,
      quorum: 1,
      show: [],
      form: null,
      confirm: null,
    },
  });
  const block = (more: Partial<Extract<Verdict, { disposition: "block" }>>): Verdict => ({
    disposition: "block",
    verdictId: "vrd_3",
    gate: "concurrency",
    code: "agent_busy",
    message: "4 of 4 attempts open",
    after: "queue",
    waitingReason: "queued",
    ...more,
  });

  it("holds, and is evaluated again with the grant when it resumes", () => {
    const asked: RequestVerdict[] = [];
    const rig = runOf(workflow(["a {on_failure: retry_once}"]), {
      judge: (request) => {
        asked.push(request);
        return request.grants.includes("p@1") ? ALLOW : hold("p@1");
      },
    });
    expect(rig.status("a")).toBe("blocked");
    rig.answer("a", "approve");
    expect(asked.map((request) => request.grants)).toEqual([[], ["p@1"]]);
    rig.fail("a");
    expect(asked.at(-1)?.grants).toEqual(["p@1"]);
    expect(rig.of("approval.requested")).toHaveLength(1);
    expect(rig.complete("a").state.status).toBe("completed");
  });

  it("opens another approval for another policy", () => {
    const rig = runOf(workflow(["a"]), {
      judge: ({ grants }) => (grants.length === 0 ? hold("p@1") : grants.includes("q@1") ? ALLOW : hold("q@1")),
    });
    rig.answer("a", "approve");
    expect(rig.status("a")).toBe("blocked");
    rig.answer("a", "approve");
    expect(rig.status("a")).toBe("running");
  });

  it("queues at a limit without using an attempt, and starts when it is woken", () => {
    let isFree = false;
    const rig = runOf(workflow(["a {queue_timeout: 60}"]), { judge: () => (isFree ? ALLOW : block({})) });
    expect(rig.node("a").now).toMatchObject({ status: "queued", waitingReason: "queued", isLimited: true });
    rig.submit({ type: "timer", timer: { kind: "wake", nodeId: "a", epoch: 0 } });
    expect(rig.of("node.waiting")).toHaveLength(1);
    isFree = true;
    rig.submit({ type: "timer", timer: { kind: "wake", nodeId: "a", epoch: 0 } });
    expect(rig.status("a")).toBe("running");
    expect(rig.node("a").attempts).toBe(1);
  });

  it("fails with the limit's code once it has waited queue_timeout", () => {
    const rig = runOf(workflow(["a {queue_timeout: 60}"]), { judge: () => block({}) }).fire("queue");
    expect(rig.error("a")).toBe("agent_busy");
    const rate = runOf(workflow(["a"]), { judge: () => block({ code: "rate_limited", waitingReason: "rate_limit" }) });
    expect(rate.node("a").now).toMatchObject({ waitingReason: "rate_limit" });
    expect(rate.fire("queue").error("a")).toBe("rate_limited");
  });

  it("asks a paused agent again after 1, 2 and 4 seconds, then fails", () => {
    const rig = runOf(workflow(["a"]), { judge: () => block({ code: "agent_disabled", after: "paused" }) });
    rig.fire("retry").fire("retry").fire("retry");
    expect(rig.of("node.retried").map((payload) => payload.delayMs)).toEqual([1000, 2000, 4000]);
    expect(rig.error("a")).toBe("agent_disabled");
    expect(rig.node("a").attempts).toBe(0);
  });

  it("applies on_failure to a final block, without a retry", () => {
    const judge = () => block({ code: "budget_exceeded", gate: "agent_budget", after: "final" });
    const rig = runOf(workflow(["a {on_failure: retry}"]), { judge });
    expect(rig.error("a")).toBe("budget_exceeded");
    expect(rig.of("gate.decided")[0]).toMatchObject({
      disposition: "block",
      gate: "agent_budget",
      code: "budget_exceeded",
    });
  });

  it("blocks a node no agent can take until one is named", () => {
    const judge = ({ assignedTo }: RequestVerdict): Verdict =>
      assignedTo === "ben" ? ALLOW : { disposition: "unassigned", message: "no member covers the tools" };
    const rig = runOf(workflow(["a"]), { judge });
    expect(rig.node("a").now).toMatchObject({ status: "blocked", waitingReason: "human_input" });
    rig.submit({ type: "resolve", nodeId: "a", by: "user:ann", assignTo: "ben" });
    expect(rig.status("a")).toBe("running");
  });

  it("does not take a verdict that was not requested", () => {
    const rig = runOf(workflow(["a"]));
    const answer = rig.submit({ type: "verdict", nodeId: "a", epoch: 0, verdict: ALLOW });
    expect(answer).toMatchObject({ events: [], refusal: { code: "verdict_not_asked" } });
  });
});
