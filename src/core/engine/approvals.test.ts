import { describe, expect, it } from "vitest";
import { type Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import type { RequestVerdict, Verdict } from "./index.ts";

const HOUR = 3_600_000;
const timers = (rig: Rig, kind: string): number[] =>
  rig.effects.flatMap((effect) => (effect.type === "set-timer" && effect.timer.kind === kind ? [effect.dueAt] : []));
const remind = (rig: Rig, nodeId: string, urgency: "normal" | "elevated" | "critical") =>
  rig.submit({ type: "timer", timer: { kind: "approval-reminder", approvalId: rig.approvalId(nodeId), urgency } });
const hop = (rig: Rig, nodeId: string, number: number) =>
  rig.submit({ type: "timer", timer: { kind: "approval-hop", approvalId: rig.approvalId(nodeId), hop: number } });

describe("an approval that is opened", () => {
  it("says the same to the store as in its event, and notifies", () => {
    const rig = runOf(
      workflow(["g {approval: required, approvers: [{who: 'role:lead'}], separate_approver: true, expires: 2h}"]),
    );
    const approvalId = rig.approvalId("g");
    const said = rig.of("approval.requested")[0];
    expect(said).toMatchObject({
      approvalId,
      nodeId: "g",
      source: "gate",
      choices: ["approve", "reject"],
      epoch: 0,
      policies: [],
      isSeparate: true,
      approvers: [{ who: "role:lead" }],
      expiresAt: rig.now + 2 * HOUR,
      hop: 0,
    });
    expect(said).not.toHaveProperty("attempt");
    const opened = rig.effects.find((effect) => effect.type === "open-approval");
    expect(opened).toMatchObject({
      approvalId,
      nodeId: "g",
      attempt: null,
      epoch: 0,
      source: "gate",
      summary: said?.summary,
      digest: said?.digest,
      rendered: said?.rendered,
      choices: ["approve", "reject"],
      requestedAt: rig.now,
      expiresAt: rig.now + 2 * HOUR,
      rule: { isSeparate: true },
    });
    expect(rig.effects).toContainEqual({
      type: "notify",
      kind: "approval",
      nodeId: "g",
      message: said?.summary,
      approvalId,
    });
  });

  it("names the attempt it follows", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once_then_escalate}"]))
      .fail("a")
      .fail("a");
    expect(rig.effects.find((effect) => effect.type === "open-approval")).toMatchObject({ attempt: 2 });
  });

  it("has an id that is unique, and that sorts in the order of the log", () => {
    const rig = runOf(workflow(["g {approval: required}", "h {approval: required}"]));
    const [first, second] = rig.of("approval.requested").map(({ approvalId }) => approvalId);
    const own = rig.events.find(({ type }) => type === "approval.requested")?.eventId;
    expect(first).toBe(`apr_1_${String(own).padStart(6, "0")}`);
    expect(String(first) < String(second)).toBe(true);
  });

  it("says what would be done: the rendered command, or what the step is called", () => {
    const asked = (line: string, head = "") => runOf(workflow([line], head)).of("approval.requested")[0];
    expect(asked("a {approval: required, command: 'pay ${n}'}", "args: {n: 7}")).toMatchObject({
      rendered: "pay 7",
      summary: "a wants to run",
    });
    expect(asked("g {approval: required}")).toMatchObject({ rendered: "g", summary: "g waits for approval" });
    expect(asked("c {approval: required, workflow_ref: audit}")).toMatchObject({ rendered: "c" });
    expect(
      asked("e {approval: required, command: 'do ${item}', for_each: list}", "args: {list: [1, 2]}"),
    ).toMatchObject({ rendered: "e" });
  });

  it("binds the answer to node, text and inputs: the digest of another question is another one", () => {
    const digest = (n: number, id = "a") =>
      runOf(workflow([`${id} {approval: required, command: 'pay \${n}'}`], `args: {n: ${n}}`)).of(
        "approval.requested",
      )[0]?.digest;
    expect(digest(1)).toBe(digest(1));
    expect(new Set([digest(1), digest(2), digest(1, "b")]).size).toBe(3);
    const gate = (id: string) => runOf(workflow([`${id} {approval: required}`])).of("approval.requested")[0]?.digest;
    expect(gate("g")).not.toBe(gate("h"));
  });

  it("binds it to the epoch as well", () => {
    const rig = runOf(workflow(["g {approval: required}", "a {approval: required, command: go}"]));
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    const digests = rig.of("approval.requested").map(({ digest }) => digest);
    expect(digests).toHaveLength(4);
    expect(new Set(digests).size).toBe(4);
    expect(rig.of("approval.requested").map(({ epoch }) => epoch)).toEqual([0, 0, 1, 1]);
  });
});

describe("reminders", () => {
  it("come after an hour, a day and three days, none once it has expired", () => {
    const due = (expires: string) => {
      const rig = runOf(workflow([`g {approval: required, expires: ${expires}}`]));
      return timers(rig, "approval-reminder").map((at) => (at - rig.now) / HOUR);
    };
    expect(due("80h")).toEqual([1, 24, 72]);
    expect(due("72h")).toEqual([1, 24]);
    expect(due("2h")).toEqual([1]);
    expect(due("1h")).toEqual([]);
  });

  it("are said once each and notify, and never after the answer", () => {
    const rig = runOf(workflow(["g {approval: required}"]));
    remind(rig, "g", "normal");
    expect(remind(rig, "g", "normal").events).toEqual([]);
    remind(rig, "g", "elevated");
    expect(rig.of("approval.reminded").map(({ urgency }) => urgency)).toEqual(["normal", "elevated"]);
    expect(rig.of("approval.reminded")[0]).toMatchObject({
      nodeId: "g",
      source: "gate",
      approvalId: rig.approvalId("g"),
    });
    expect(rig.effects.filter((effect) => effect.type === "notify" && effect.kind === "reminder")).toHaveLength(2);
    const others = runOf(workflow(["g {approval: required}", "b"]));
    others.answer("g", "approve");
    expect(remind(others, "g", "critical").events).toEqual([]);
  });
});

describe("a chain of approvers", () => {
  const chain = (otherwise = "") =>
    runOf(
      workflow([
        `g {approval: required, approvers: [{who: "role:lead", within: 2h}, {who: "team:risk", within: 1h}, {who: "user:eve"}]${otherwise}}`,
      ]),
    );

  it("asks each in turn, each within its own time, and says so", () => {
    const rig = chain();
    expect(timers(rig, "approval-hop")).toEqual([rig.now + 2 * HOUR]);
    rig.fire("approval-hop");
    expect(timers(rig, "approval-hop").at(-1)).toBe(rig.now + HOUR);
    rig.fire("approval-hop");
    expect(rig.of("approval.escalated")).toMatchObject([
      { hop: 1, who: "team:risk", source: "gate", nodeId: "g" },
      { hop: 2, who: "user:eve" },
    ]);
    expect(timers(rig, "approval-hop")).toHaveLength(2);
    const asked = rig.effects.flatMap((effect) =>
      effect.type === "notify" && effect.kind === "approval" ? [effect] : [],
    );
    expect(asked.slice(1).map(({ message }) => message)).toEqual([
      expect.stringContaining("team:risk"),
      expect.stringContaining("user:eve"),
    ]);
    expect(asked.at(-1)).toMatchObject({ nodeId: "g", approvalId: rig.approvalId("g") });
    expect(rig.status("g")).toBe("blocked");
  });

  it("takes a hop once, and none after the answer", () => {
    const rig = runOf(
      workflow(["g {approval: required, approvers: [{who: 'role:a', within: 1h}, {who: 'role:b'}]}", "b"]),
    );
    hop(rig, "g", 0);
    hop(rig, "g", 0);
    expect(rig.of("approval.escalated")).toHaveLength(1);
    expect(hop(rig, "g", 5).events).toEqual([]);
    rig.answer("g", "approve");
    expect(hop(rig, "g", 1).events).toEqual([]);
  });

  it("ends without a default in waiting until it expires", () => {
    const rig = chain().fire("approval-hop").fire("approval-hop");
    expect(hop(rig, "g", 2).events).toEqual([]);
    expect(rig.fire("approval-expiry").error("g")).toBe("approval_expired");
  });

  it.each([
    ["approve", "approved", "completed"],
    ["reject", "rejected", "failed"],
    ["skip", "approved", "skipped"],
    ["abort", "rejected", "failed"],
  ])("takes its default %s at its expiry too, in the name of no person", (otherwise, status, node) => {
    const rig = chain(`, otherwise: ${otherwise}`).fire("approval-expiry");
    expect(rig.of("approval.resolved")).toMatchObject([{ status, decision: otherwise, by: "sluice" }]);
    expect(rig.of("approval.resolved")[0]?.reason).toMatch(/in time/u);
    expect(rig.status("g")).toBe(node);
  });
});

describe("an answer", () => {
  const gate = (more = "") => runOf(workflow([`g {approval: required${more}}`, "z"]));

  it("is kept with who gave it and why", () => {
    const rig = gate();
    rig.answer("g", "reject", { byId: "key_7", reason: "too expensive" });
    expect(rig.of("approval.resolved")).toMatchObject([
      {
        nodeId: "g",
        source: "gate",
        status: "rejected",
        decision: "reject",
        by: "user:ann",
        byId: "key_7",
        reason: "too expensive",
      },
    ]);
    expect(rig.of("node.failed", "g")[0]?.errorMessage).toBe("g was rejected by user:ann: too expensive");
    expect(rig.effects).toContainEqual({ type: "close-approval", approvalId: rig.approvalId("g") });
  });

  it("leaves out what was not given", () => {
    const rig = gate();
    rig.answer("g", "approve");
    const said = rig.of("approval.resolved")[0];
    expect(said).toMatchObject({ status: "approved", decision: "approve" });
    for (const name of ["byId", "reason", "modifications"]) expect(said).not.toHaveProperty(name);
  });

  it("completes a step that is only a gate at once, without queueing it", () => {
    const rig = gate();
    const before = rig.of("node.queued", "g").length;
    rig.answer("g", "approve");
    expect(rig.of("node.queued", "g")).toHaveLength(before);
    const command = runOf(workflow(["a {approval: required, command: go}"]));
    command.answer("a", "approve");
    expect(command.of("node.queued", "a").map(({ waitingReason }) => waitingReason)).toEqual(["queued", "queued"]);
  });

  it("stands: whatever was set to happen without it is nothing", () => {
    const rig = gate();
    const approvalId = rig.approvalId("g");
    rig.answer("g", "approve");
    expect(rig.submit({ type: "timer", timer: { kind: "approval-expiry", approvalId } })).toEqual({
      events: [],
      effects: [],
    });
  });

  it("is refused for an unknown approval, a wrong choice, and by an agent for itself", () => {
    const rig = runOf(workflow(["a {approval: required, command: go, agent: payer}"]));
    const unknown = rig.submit({ type: "approval", approvalId: "apr_x", decision: "approve", by: "ann" });
    expect(unknown).toMatchObject({ events: [], effects: [], refusal: { code: "unknown_approval" } });
    expect(rig.answer("a", "retry").refusal).toMatchObject({
      code: "bad_choice",
      message: "retry is not among approve, reject",
    });
    expect(rig.answer("a", "approve", { byAgentId: "other" }).refusal).toBeUndefined();
  });

  it("counts the digest only when it is sent", () => {
    const rig = gate();
    const digest = rig.of("approval.requested")[0]?.digest;
    expect(rig.answer("g", "approve", { digest }).refusal).toBeUndefined();
  });

  it("may come from who started the run, unless a separate approver is wanted", () => {
    expect(gate().answer("g", "approve", { byStarter: true }).refusal).toBeUndefined();
    expect(gate(", separate_approver: true").answer("g", "approve").refusal).toBeUndefined();
  });

  it("needs a reason only to reject", () => {
    expect(gate().answer("g", "reject", { reason: undefined }).refusal?.code).toBe("reason_required");
    expect(gate().answer("g", "reject", { reason: "no" }).refusal).toBeUndefined();
    const rig = runOf(workflow(["a {on_failure: retry_once_then_escalate}"])).fail("a", "provider_auth");
    expect(rig.answer("a", "abort").refusal).toBeUndefined();
    expect(rig.of("approval.resolved")[0]).toMatchObject({ status: "rejected", decision: "abort" });
  });

  it("may replace the output where a result was asked about, and nowhere else", () => {
    const outputs = { modifications: { outputs: { by: "hand" } } };
    const escalated = () => runOf(workflow(["a {on_failure: retry_once_then_escalate}"])).fail("a", "provider_auth");
    const replaced = escalated();
    expect(replaced.answer("a", "approve", outputs).refusal).toBeUndefined();
    expect(replaced.outputs("a")).toEqual({ by: "hand" });
    const plain = gate();
    expect(plain.answer("g", "approve", outputs).refusal).toMatchObject({ code: "modifications_invalid" });
    plain.answer("g", "approve");
    expect(plain.outputs("g")).toEqual({ approved: true });
  });

  it("checks replaced outputs against the contract like any others", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once_then_escalate, outputs: {n: integer}}"])).fail(
      "a",
      "provider_auth",
    );
    rig.answer("a", "approve", { modifications: { outputs: { n: "3" } } });
    expect(rig.outputs("a")).toEqual({ n: 3 });
  });

  it("aborts with what went wrong, and halts", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once_then_escalate}", "b", "c < b"])).fail("a", "provider_auth");
    rig.answer("a", "abort");
    expect(rig.statuses).toEqual({ a: "failed", b: "running", c: "cancelled" });
    rig.complete("b");
    expect(rig.node("a").now).toMatchObject({ status: "failed", errorCode: "provider_auth", errorMessage: "it broke" });
    expect(rig.state).toMatchObject({ status: "failed", errorCode: "provider_auth" });
  });

  it("aborts a lens node without touching the others", () => {
    const edge = "{id: e, source_node_id: b, target_node_id: c, target_param_label: p}";
    const graph = `format: lens-graph/v1\nname: g\nnodes: [{id: a, config: {template_body: "[[x]]"}}, {id: b}, {id: c}]\nedges: [${edge}]\n`;
    const rig = runOf(graph);
    rig.answer("a", "abort", { reason: "not needed" });
    expect(rig.node("a").now).toMatchObject({
      status: "failed",
      errorCode: "approval_rejected",
      errorMessage: "not needed",
    });
    expect(rig.complete("b").status("c")).toBe("running");
    const silent = runOf(graph);
    silent.answer("a", "abort");
    expect(silent.of("node.failed", "a")[0]?.errorMessage).toBe("a was aborted");
  });

  it("skips by choice, and notifies", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once_then_escalate}"])).fail("a", "provider_auth");
    rig.answer("a", "skip");
    expect(rig.node("a").now).toMatchObject({ status: "skipped", reason: "chosen" });
    expect(rig.effects).toContainEqual(
      expect.objectContaining({ type: "notify", kind: "skipped", nodeId: "a", message: "a was skipped: chosen" }),
    );
  });
});

describe("what is said of an answer", () => {
  const gate = (more = "") => runOf(workflow([`g {approval: required${more}}`, "a"]));
  const why = (rig: Rig) => rig.of("node.failed", "g")[0];
  const notes = (rig: Rig) => rig.effects.flatMap((effect) => (effect.type === "notify" ? [effect.message] : []));

  it("names who has rejected, and why", () => {
    const rig = gate();
    rig.answer("g", "reject", { reason: "too dear" });
    expect(why(rig)).toMatchObject({
      errorCode: "approval_rejected",
      errorMessage: "g was rejected by user:ann: too dear",
    });
    const late = gate(", otherwise: reject").fire("approval-expiry");
    expect(why(late)).toMatchObject({
      errorCode: "approval_rejected",
      errorMessage: "g was rejected by sluice: no answer in time",
    });
    expect(late.of("approval.resolved")).toMatchObject([
      { status: "rejected", decision: "reject", by: "sluice", reason: "no answer in time" },
    ]);
  });

  it("says that there was none", () => {
    const rig = gate().fire("approval-expiry");
    expect(why(rig)).toMatchObject({ errorCode: "approval_expired", errorMessage: "no answer for g in time" });
    const [resolved] = rig.of("approval.resolved");
    expect(resolved).toMatchObject({ status: "expired", reason: "no answer in time" });
    expect(resolved).not.toHaveProperty("by");
    expect(resolved).not.toHaveProperty("decision");
  });

  it("of a step that failed without one ends it with what it failed with", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once_then_escalate}"])).fail("a", "provider_auth");
    rig.fire("approval-expiry");
    expect(rig.of("node.failed", "a")).toMatchObject([{ errorCode: "provider_auth", errorMessage: "it broke" }]);
    expect(rig.state.status).toBe("failed");
  });

  it("reaches those who are asked: that they still are, and that it has changed", () => {
    const rig = gate();
    rig.fire("approval-reminder");
    expect(notes(rig).at(-1)).toBe("g still waits for an answer");
    const two = runOf(workflow(["g {approval: required, quorum: 2, command: 'pay ${n}'}"], "args: {n: 1}"));
    two.answer("g", "approve", { modifications: { inputs: { n: 2 } } });
    expect(notes(two).at(-1)).toBe("user:ann has changed what is asked about g");
  });

  it("is refused once the run has ended, with how", () => {
    const rig = gate().fail("a", "provider_auth");
    expect(rig.answer("g", "approve").refusal).toMatchObject({ code: "approval_closed" });
    expect(rig.state.status).toBe("failed");
  });
});

describe("a policy that holds", () => {
  const held = (policies: readonly string[], expiresMs = HOUR): Verdict => ({
    disposition: "hold",
    verdictId: "vrd_9",
    gate: "approval_required",
    message: "a person has to agree",
    agentId: "default",
    policies,
    rule: {
      approvers: [],
      otherwise: null,
      expiresMs,
      isSeparate: false,
      quorum: 1,
      show: [],
      form: null,
      confirm: null,
    },
  });

  it("blocks with its question, and offers to approve or reject", () => {
    const rig = runOf(workflow(["a {command: 'pay 10'}"]), { judge: () => held(["p@1"]) });
    expect(rig.of("gate.decided")).toEqual([
      { nodeId: "a", disposition: "hold", gate: "approval_required", verdictId: "vrd_9" },
    ]);
    expect(rig.of("approval.requested")).toMatchObject([
      {
        source: "policy",
        summary: "a person has to agree",
        rendered: "pay 10",
        choices: ["approve", "reject"],
        agentId: "default",
        policies: ["p@1"],
        expiresAt: rig.now + HOUR,
      },
    ]);
    expect(rig.of("node.blocked")).toMatchObject([{ waitingReason: "human_input", approvalId: rig.approvalId("a") }]);
    expect(rig.answer("a", "approve", { byAgentId: "default" }).refusal?.code).toBe("self_approval");
  });

  it("is another question in another version, or with another policy beside it", () => {
    const digest = (...policies: string[]) =>
      runOf(workflow(["a"]), { judge: () => held(policies) }).of("approval.requested")[0]?.digest;
    expect(digest("p@1")).toBe(digest("p@1"));
    expect(new Set([digest("p@1"), digest("p@2"), digest("p@1", "q@1")]).size).toBe(3);
  });

  it("grants what was asked: not for other inputs, and not in the next epoch", () => {
    const asked: RequestVerdict[] = [];
    const judge = (request: RequestVerdict): Verdict | undefined => {
      asked.push(request);
      return request.grants.includes("p@1") ? undefined : held(["p@1"]);
    };
    const rig = runOf(workflow(["a {command: 'pay ${n}', inputs: {n: {type: number}}}"], "args: {n: 10}"), { judge });
    rig.answer("a", "approve", { modifications: { inputs: { n: 5 } } });
    // Judged again as it was changed: what the person has approved is granted, and nothing else.
    expect(asked.map(({ grants, request }) => [grants, request.inputs])).toEqual([
      [[], { n: 10 }],
      [["p@1"], { n: 5 }],
    ]);
    expect(rig.status("a")).toBe("running");
    expect(rig.dispatch("a").request).toMatchObject({ message: "pay 5", inputs: { n: 5 } });
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(asked.at(-1)).toMatchObject({ epoch: 1, grants: [], request: { inputs: { n: 10 } } });
    expect(rig.status("a")).toBe("blocked");
  });

  it("adds up what several answers have granted, each policy once", () => {
    const asked: (readonly string[])[] = [];
    const rig = runOf(workflow(["a"]), {
      judge: ({ grants }) => {
        asked.push(grants);
        if (!grants.includes("p@1")) return held(["p@1"]);
        return grants.includes("q@1") ? undefined : held(["p@1", "q@1"]);
      },
    });
    rig.answer("a", "approve");
    rig.answer("a", "approve");
    expect(asked).toEqual([[], ["p@1"], ["p@1", "q@1"]]);
    expect(rig.status("a")).toBe("running");
  });

  it("grants nothing when it is rejected, and applies on_failure without a retry", () => {
    const rig = runOf(workflow(["a {on_failure: retry}"]), { judge: () => held(["p@1"]) });
    rig.answer("a", "reject");
    expect(rig.node("a").grants).toEqual([]);
    expect(rig.error("a")).toBe("approval_rejected");
    const expired = runOf(workflow(["a {on_failure: retry}"]), { judge: () => held(["p@1"]) }).fire("approval-expiry");
    expect(expired.error("a")).toBe("approval_expired");
    expect(expired.of("approval.resolved")).toMatchObject([{ status: "expired" }]);
  });
});

describe("a node that waits for values or for an agent to take it", () => {
  const unbound = () =>
    runOf(
      `format: lens-graph/v1\nname: g\nnodes: [{id: a, config: {template_body: "[[one]] [[two]]"}}, {id: b}]\nedges: []\n`,
    );

  it("offers to skip or abort, and lists everything that is missing", () => {
    const rig = unbound();
    expect(rig.of("approval.requested")).toMatchObject([
      { source: "block", choices: ["skip", "abort"], summary: "a has no value for one, two" },
    ]);
    expect(rig.node("a").now).toMatchObject({ status: "blocked", missing: ["one", "two"] });
    rig.answer("a", "skip");
    expect(rig.node("a").now).toMatchObject({ status: "skipped", reason: "chosen" });
  });

  it("continues with the values, which are kept for this epoch, and is asked again for what is still missing", () => {
    const rig = unbound();
    const first = rig.approvalId("a");
    rig.submit({ type: "resolve", nodeId: "a", by: "user:ann", values: { one: "1" } });
    expect(rig.node("a").now).toMatchObject({ status: "blocked", missing: ["two"] });
    expect(rig.approvalId("a")).not.toBe(first);
    rig.submit({ type: "resolve", nodeId: "a", by: "user:ann", values: { two: "2" } });
    expect(rig.dispatch("a").request.message).toBe("1 2");
    expect(rig.of("approval.resolved")[0]).toMatchObject({
      approvalId: first,
      status: "approved",
      by: "user:ann",
      modifications: { values: { one: "1" } },
    });
  });

  it("refuses nothing given, a node that is not there, and one that waits for something else or no more", () => {
    const rig = unbound();
    const resolve = (nodeId: string, more: object = { values: { one: "1" } }) =>
      rig.submit({ type: "resolve", nodeId, by: "user:ann", ...more }).refusal?.code;
    expect(resolve("a", {})).toBe("nothing_given");
    expect(resolve("zz")).toBe("unknown_node");
    expect(resolve("b")).toBe("not_blocked");
    const gate = runOf(workflow(["g {approval: required}"]));
    expect(gate.submit({ type: "resolve", nodeId: "g", by: "ann", assignTo: "ben" }).refusal?.code).toBe("not_blocked");
    rig.answer("a", "skip");
    expect(resolve("a")).toBe("not_blocked");
  });

  it("goes to whom a person names, who takes it from then on", () => {
    const asked: (string | null)[] = [];
    const rig = runOf(workflow(["a {on_failure: retry_once}"]), {
      judge: ({ assignedTo }) => {
        asked.push(assignedTo);
        return assignedTo === null ? { disposition: "unassigned", message: "no member may" } : undefined;
      },
    });
    expect(rig.of("node.blocked")[0]).toMatchObject({ code: "unassigned" });
    expect(rig.of("node.blocked")[0]).not.toHaveProperty("missing");
    expect(rig.of("approval.requested")[0]?.summary).toBe("no member may");
    rig.submit({ type: "resolve", nodeId: "a", by: "user:ann", assignTo: "ben" });
    rig.fail("a");
    expect(asked).toEqual([null, "ben", "ben"]);
    expect(rig.of("approval.resolved")[0]?.modifications).toEqual({ assignTo: "ben" });
  });
});
