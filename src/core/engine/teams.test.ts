import { describe, expect, it } from "vitest";
import { type Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import type { Member, Team } from "../plan/index.ts";
import type { Verdict } from "./index.ts";

const member = (agent: string, more: Partial<Member> = {}): Member => ({
  agent,
  role: null,
  lane: 1,
  sortOrder: 0,
  isActive: true,
  toolProfile: { allowTools: [], requiresApproval: false },
  modelProfile: { supportLevel: "standard" },
  systemPromptPatch: null,
  ...more,
});
const team = (members: readonly Member[], more: Partial<Team> = {}): Team => ({
  name: "crew",
  members,
  assignments: [],
  ...more,
});
const BLOCK: Verdict = {
  disposition: "block",
  verdictId: "v",
  gate: "agent_status",
  code: "agent_disabled",
  message: "it is off",
  after: "final",
};
/** Who was asked about, in order. */
function asked(rig: Rig, nodeId = "a"): (string | null)[] {
  return rig.effects.flatMap((effect) =>
    effect.type === "request-verdict" && effect.nodeId === nodeId ? [effect.assignedTo] : [],
  );
}

describe("who of a team takes a node", () => {
  it("is said once, with who was considered", () => {
    const crew = team([member("ann"), member("ben", { isActive: false })]);
    const rig = runOf(workflow(["a {on_failure: retry_once}"]), { team: crew }).fail("a");
    expect(asked(rig)).toEqual(["ann", "ann"]);
    expect(rig.of("node.log")).toHaveLength(1);
    expect(rig.of("node.log")[0]).toMatchObject({
      level: "info",
      message: expect.stringMatching(/^ann of the team crew takes it: /u),
      detail: { team: "crew", considered: [{ agent: "ann" }, { agent: "ben", isEligible: false }] },
    });
  });

  it("is not said again of one that waits at a gate", () => {
    const busy: Verdict = { ...BLOCK, code: "agent_busy", after: "queue" };
    const rig = runOf(workflow(["a"]), { team: team([member("ann")]), judge: () => busy });
    rig.submit({ type: "timer", timer: { kind: "wake", nodeId: "a", epoch: 0 } });
    expect(rig.of("node.log")).toHaveLength(1);
  });

  it("is a question for a person when no member may, with what speaks against each", () => {
    const crew = team([member("ann", { isActive: false }), member("ben", { isActive: false })]);
    const rig = runOf(workflow(["a"]), { team: crew });
    expect(rig.of("node.blocked")[0]).toMatchObject({ code: "unassigned", waitingReason: "human_input" });
    expect(rig.of("approval.requested")[0]?.summary).toBe(
      "no member of the team crew may take a: ann is not active; ben is not active",
    );
    rig.submit({ type: "resolve", nodeId: "a", by: "user:eve", assignTo: "cy" });
    expect(asked(rig)).toEqual(["cy"]);
    expect(runOf(workflow(["a"]), { team: team([]) }).of("approval.requested")[0]?.summary).toBe(
      "no member of the team crew may take a",
    );
  });
});

describe("a team, unless it says otherwise", () => {
  it("isolates a failure: only what depends on it fails with it", () => {
    const rig = runOf(workflow(["a", "b < a", "c", "d < c"]), { team: team([member("ann")]) }).fail(
      "a",
      "provider_auth",
    );
    expect(rig.statuses).toEqual({ a: "failed", b: "failed", c: "running", d: "awaiting_dependency" });
    expect(rig.error("b")).toBe("upstream_failure");
    rig.complete("c").complete("d");
    expect(rig.state).toMatchObject({ status: "failed", errorCode: "provider_auth" });
  });
});

describe("a team in which another takes over", () => {
  const crew = team([member("ann"), member("ben", { sortOrder: 1 }), member("cy", { sortOrder: 2 })], {
    failurePolicy: "fallback",
  });

  it("asks the next when one has failed for good, each with the same number of tries", () => {
    const retryPolicy = { attempts: 2, backoffMs: 0, maxBackoffMs: 0, retryOn: ["provider_error" as const] };
    const rig = runOf(workflow(["a"]), { team: { ...crew, retryPolicy } });
    const fail = () => {
      rig.fail("a");
      if (rig.status("a") === "retrying") rig.fire("retry");
    };
    for (let call = 0; call < 6; call += 1) fail();
    expect(asked(rig)).toEqual(["ann", "ann", "ben", "ben", "cy", "cy"]);
    expect(rig.of("node.retried").filter(({ assignTo }) => assignTo !== undefined)).toMatchObject([
      { assignTo: "ben", cause: "fallback", delayMs: 0, errorCode: "provider_error" },
      { assignTo: "cy", cause: "fallback" },
    ]);
    expect(rig.status("a")).toBe("failed");
  });

  it("asks the next when a gate refuses the first, and no member for what is wrong with the node itself", () => {
    const rig = runOf(workflow(["a"]), {
      team: crew,
      judge: ({ assignedTo }) => (assignedTo === "ann" ? BLOCK : undefined),
    });
    expect(asked(rig)).toEqual(["ann", "ben"]);
    expect(rig.status("a")).toBe("running");
    const wrong = runOf(workflow(["z", "a < z {command: '${z.outputs.nope}'}"]), { team: crew }).complete("z");
    expect(wrong.error("a")).toBe("unbound_reference");
    expect(wrong.of("node.retried")).toEqual([]);
  });

  it("asks no other member to do what may happen only once", () => {
    const rig = runOf(workflow(["a {effects: at_most_once}"]), { team: crew }).fail("a", "provider_error");
    expect(asked(rig)).toEqual(["ann"]);
    expect(rig.status("a")).toBe("failed");
  });

  it("asks no other member when a person has named one who is not of the team", () => {
    const rig = runOf(workflow(["a"]), {
      team: crew,
      judge: ({ assignedTo }) => (assignedTo === "eve" ? undefined : { disposition: "unassigned", message: "no" }),
    });
    rig.submit({ type: "resolve", nodeId: "a", by: "user:x", assignTo: "eve" });
    rig.fail("a", "provider_auth");
    expect(rig.status("a")).toBe("failed");
    expect(rig.of("node.retried")).toEqual([]);
  });

  it("asks a paused one its three times, and then the next his", () => {
    const paused: Verdict = { ...BLOCK, after: "paused" };
    const rig = runOf(workflow(["a"]), {
      team: crew,
      judge: ({ assignedTo }) => (assignedTo === "cy" ? undefined : paused),
    });
    for (let times = 0; times < 6; times += 1) rig.fire("retry");
    expect(asked(rig)).toEqual(["ann", "ann", "ann", "ann", "ben", "ben", "ben", "ben", "cy"]);
    expect(rig.status("a")).toBe("running");
  });

  it("makes no more calls than a node may", () => {
    const rig = runOf(workflow(["a"]), { team: crew });
    rig.callback("a", {
      status: "failed",
      errorCode: "provider_auth",
      tokens: { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 },
      costMicros: 0,
      extraCalls: 9,
    });
    expect(asked(rig)).toEqual(["ann"]);
    expect(rig.status("a")).toBe("failed");
  });
});

describe("a lane in which one node at a time is in flight", () => {
  const serial = team([member("ann"), member("ben", { lane: 2, role: "judge" })], { queuePolicy: "serial" });
  const running = (rig: Rig) => rig.state.nodes.filter(({ now }) => now.status === "running").map(({ id }) => id);

  it("runs them oldest first, and another lane beside it", () => {
    const rig = runOf(workflow(["a", "b", "c", "j {role: judge}", "k {role: judge}"]), { team: serial });
    expect(running(rig)).toEqual(["a", "j"]);
    rig.complete("a");
    expect(running(rig)).toEqual(["b", "j"]);
    rig.complete("j").complete("b");
    expect(running(rig)).toEqual(["c", "k"]);
    rig.complete("c").complete("k");
    expect(rig.state.status).toBe("completed");
  });

  it("is free while its node waits to be tried again", () => {
    const rig = runOf(workflow(["a {on_failure: retry}", "b"]), { team: serial }).fail("a");
    expect(running(rig)).toEqual(["b"]);
    rig.fire("retry");
    expect(rig.statuses).toEqual({ a: "queued", b: "running" });
    rig.complete("b");
    expect(running(rig)).toEqual(["a"]);
  });

  it("is for a node that is woken at a gate as for any other", () => {
    let isBusy = true;
    const busy: Verdict = { ...BLOCK, code: "agent_busy", after: "queue" };
    const rig = runOf(workflow(["a", "b"]), {
      team: serial,
      judge: ({ nodeId }) => (nodeId === "a" && isBusy ? busy : undefined),
    });
    expect(rig.statuses).toEqual({ a: "queued", b: "running" });
    isBusy = false;
    rig.submit({ type: "timer", timer: { kind: "wake", nodeId: "a", epoch: 0 } });
    expect(rig.statuses).toEqual({ a: "queued", b: "running" });
    rig.complete("b");
    expect(running(rig)).toEqual(["a"]);
  });

  it("does not hold up the run's places, nor take more than there are", () => {
    const rig = runOf(workflow(["a", "b", "j {role: judge}"], "max_parallel: 1"), { team: serial });
    expect(running(rig)).toHaveLength(1);
    while (rig.state.status === "running") {
      const [now] = running(rig);
      if (now === undefined) throw new Error("nothing runs");
      expect(running(rig)).toHaveLength(1);
      rig.complete(now);
    }
    expect(rig.state.status).toBe("completed");
  });

  it("is that of whom a person names, and counts the elements of a list one by one", () => {
    const rig = runOf(workflow(["e {for_each: list}", "b < e"], "args: {list: [1, 2]}"), { team: serial });
    expect(running(rig)).toEqual(["e", "e[0]"]);
    rig.complete("e[0]");
    expect(running(rig)).toEqual(["e", "e[1]"]);
    rig.complete("e[1]").complete("b");
    expect(rig.state.status).toBe("completed");
  });

  it("is freed by a cancel, and dispatches none that waited", () => {
    const rig = runOf(workflow(["a", "b"]), { team: serial });
    rig.submit({ type: "cancel", reason: "stop" });
    expect(rig.state.status).toBe("cancelled");
    expect(rig.dispatches.map(({ nodeId }) => nodeId)).toEqual(["a"]);
    expect([...rig.state.lanes.values()].map(({ inFlight }) => inFlight)).toEqual([0]);
  });
});
