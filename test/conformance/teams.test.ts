import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/base/index.ts";
import { workflow } from "./rig.ts";
import { type Scene, sceneForEach } from "./scene.ts";

const SCRIPT = `default: echo
nodes:
  broken: { fail: provider_error }
  flaky: [{ fail: provider_error }, { stdout: fixed }]
  refused: [{ fail: provider_auth }, { stdout: by another }]
`;

let scene: Scene;

sceneForEach(SCRIPT, async (opened) => {
  scene = opened;
  await scene.agents("ann", "ben", "cy");
});

const crew = (members: readonly JsonObject[], more: JsonObject = {}) =>
  scene.put("teams/crew", { members: [...members], ...more });

const teamRun = async (lines: readonly string[], head = ""): Promise<string> => {
  await scene.save(workflow(lines, head));
  return scene.run("w", { team: "crew" });
};

describe("who takes a node of a team run", () => {
  it("is the first member by lane and order whose tools cover it, and the log says why", async () => {
    await crew([
      { agent: "cy", lane: 2 },
      { agent: "ann", lane: 1, sort_order: 2 },
      { agent: "ben", lane: 1, sort_order: 1, tool_profile: { allow_tools: ["search"] } },
    ]);
    const runId = await teamRun(["any", "tooled {tools: [search]}"]);
    expect(await scene.takers(runId, "any")).toEqual(["ben"]);
    expect(await scene.takers(runId, "tooled")).toEqual(["ben"]);
    const [log] = await scene.events(runId, "node.log", "tooled");
    expect(log?.payload).toMatchObject({ level: "info", detail: { team: "crew" } });
    expect(log?.payload.message).toContain("ben");
    expect(log?.payload.detail.considered).toMatchObject([
      { agent: "ben", isEligible: true },
      { agent: "ann", isEligible: false, reasons: [expect.stringContaining("search")] },
      { agent: "cy", isEligible: false },
    ]);
    expect((await scene.get(`runs/${runId}`)).team).toBe("crew");
  });

  it("is no member that is not active, although first", async () => {
    await crew([
      { agent: "ann", is_active: false },
      { agent: "ben", lane: 9 },
    ]);
    expect(await scene.takers(await teamRun(["a"]), "a")).toEqual(["ben"]);
  });

  it("is by preference of the role the step or the lens names, and reaches the tier of the lens", async () => {
    await crew([
      { agent: "ann", role: "writer", model_profile: { support_level: "advanced" } },
      { agent: "ben", role: "judge", lane: 5, model_profile: { support_level: "standard" } },
      { agent: "cy", role: "judge", lane: 6, model_profile: { support_level: "advanced" } },
    ]);
    await scene.put("lenses/verdict", {
      versions: [{ id: "v1", template_body: "Judge", role_tag: "judge", required_tier: "advanced" }],
    });
    await scene.save(
      "name: g\nformat: lens-graph/v1\nnodes: [{id: lens, lens_id: verdict}, {id: plain, config: {template_body: hi}}]\nedges: []\n",
    );
    const graph = await scene.run("g", { team: "crew" });
    expect(await scene.takers(graph, "lens")).toEqual(["cy"]);
    expect(await scene.takers(graph, "plain")).toEqual(["ann"]);
    const steps = await teamRun(["a {role: judge}"]);
    expect(await scene.takers(steps, "a")).toEqual(["ben"]);
  });

  it("is whom the author names, member or not", async () => {
    await crew([{ agent: "ann" }]);
    expect(await scene.takers(await teamRun(["a {agent: cy}"]), "a")).toEqual(["cy"]);
  });

  it("is each instance's own question, and no gate's", async () => {
    await crew([{ agent: "ann" }]);
    const runId = await teamRun(
      ["each {for_each: list, command: 'do ${item}'}", "gate < each {approval: required}"],
      "args: {list: [1, 2]}",
    );
    expect(await scene.takers(runId, "each[0]")).toEqual(["ann"]);
    expect(await scene.takers(runId, "each[1]")).toEqual(["ann"]);
    expect(await scene.takers(runId, "gate")).toEqual([]);
    expect((await scene.statuses(runId))["gate"]).toBe("blocked");
  });
});

describe("a node no member of the team may take", () => {
  beforeEach(async () => {
    const allow = { tool_profile: { allow_tools: ["deploy"] } };
    await crew([{ agent: "ann", is_active: false, ...allow }, { agent: "ben" }]);
  });

  it("waits for a person, says what speaks against each, and goes to whom they name", async () => {
    const runId = await teamRun(["a {tools: [deploy]}", "b < a"]);
    expect(await scene.result(runId, "a")).toMatchObject({ status: "blocked", waitingReason: "human_input" });
    const [blocked] = await scene.events(runId, "node.blocked", "a");
    expect(blocked?.payload).toMatchObject({ waitingReason: "human_input", code: "unassigned" });
    const [asked] = (await scene.get("approvals?status=pending")).data;
    expect(asked.summary).toMatch(/ann.*not active.*ben.*deploy/);
    const unknown = await scene.post(`runs/${runId}/nodes/a/resolve`, { assignTo: "cyy" });
    expect(unknown).toMatchObject({ status: 404, body: { code: "unknown_agent" } });
    expect(await scene.result(runId, "a")).toMatchObject({ status: "blocked" });
    const answer = await scene.post(`runs/${runId}/nodes/a/resolve`, { assignTo: "cy" });
    expect(answer.status).toBe(200);
    await scene.api.settle(runId);
    expect(await scene.takers(runId, "a")).toEqual(["cy"]);
    expect(await scene.statuses(runId)).toEqual({ a: "completed", b: "completed" });
    expect((await scene.get("approvals?status=pending")).data).toEqual([]);
  });

  it("goes to no member its tool profile bans, and to no other agent with a tool no member may use", async () => {
    const runId = await teamRun(["a {tools: [deploy]}", "s {tools: [shell]}"]);
    for (const [nodeId, assignTo, tool] of [
      ["a", "ben", "deploy"],
      ["s", "ann", "shell"],
      ["s", "cy", "shell"],
    ] as const) {
      const answer = await scene.post(`runs/${runId}/nodes/${nodeId}/resolve`, { assignTo });
      expect(answer).toMatchObject({ status: 409, body: { code: "contract_violated" } });
      expect(answer.body.detail).toBe(
        `The team crew does not let ${assignTo} use the tool ${tool}, which ${nodeId} needs.`,
      );
      const violated = (await scene.events(runId, "contract.violated", nodeId)).at(-1);
      expect(violated?.payload).toMatchObject({ phase: "instructions", errors: [{ field: "tool" }] });
      expect(await scene.result(runId, nodeId)).toMatchObject({ status: "blocked", waitingReason: "human_input" });
    }
    expect((await scene.get("approvals?status=pending")).data).toHaveLength(2);
    expect(await scene.takers(runId, "a")).toEqual([]);
    expect((await scene.post(`runs/${runId}/nodes/a/resolve`, { assignTo: "ann" })).status).toBe(200);
    await scene.api.settle(runId);
    expect(await scene.takers(runId, "a")).toEqual(["ann"]);
  });

  it("passes the gates when it was named: an agent that is archived may not act", async () => {
    const runId = await teamRun(["a {tools: [deploy]}"]);
    await scene.put("agents/old", { lifecycle: "archived" });
    await scene.post(`runs/${runId}/nodes/a/resolve`, { assignTo: "old" });
    await scene.api.settle(runId);
    expect(await scene.result(runId, "a")).toMatchObject({ status: "failed", errorCode: "agent_disabled" });
  });

  it("may be skipped instead", async () => {
    const runId = await teamRun(["a {tools: [deploy]}", "b"]);
    await scene.answer(runId, "skip");
    expect(await scene.statuses(runId)).toEqual({ a: "skipped", b: "completed" });
  });
});

describe("the queue policy of a team", () => {
  const overlaps = async (runId: string, one: string, other: string): Promise<boolean> => {
    const at = async (type: string, nodeId: string) => (await scene.events(runId, type, nodeId))[0]?.eventId ?? -1;
    const [startOne, endOne] = [await at("node.started", one), await at("node.completed", one)];
    const [startOther, endOther] = [await at("node.started", other), await at("node.completed", other)];
    return startOne < endOther && startOther < endOne;
  };
  const MEMBERS = [
    { agent: "ann", role: "left", lane: 1 },
    { agent: "ben", role: "right", lane: 2 },
  ];
  const LINES = ["a {role: left}", "b {role: left}", "c {role: right}"];

  it("serial: one node at a time in each lane, the lanes beside each other", async () => {
    await crew(MEMBERS, { queue_policy: "serial" });
    const runId = await teamRun(LINES);
    expect(await overlaps(runId, "a", "b")).toBe(false);
    expect(await overlaps(runId, "a", "c")).toBe(true);
    expect((await scene.get(`runs/${runId}`)).status).toBe("completed");
  });

  it("parallel unless it says otherwise, and the assignment of the workflow wins over the team", async () => {
    await crew(MEMBERS);
    expect(await overlaps(await teamRun(LINES), "a", "b")).toBe(true);
    await crew(MEMBERS, { queue_policy: "serial", assignments: [{ workflow: "w", queue_policy: "parallel" }] });
    expect(await overlaps(await teamRun(LINES), "a", "b")).toBe(true);
  });

  it("serial: one instance at a time too, and again after the run was taken back", async () => {
    await crew([{ agent: "ann", lane: 1 }], { queue_policy: "serial" });
    const runId = await teamRun(["a", "each {for_each: list, command: go}"], "args: {list: [1, 2, 3]}");
    const open = async (): Promise<number[]> => {
      let count = 0;
      const counts = (await scene.events(runId)).flatMap(({ type, payload }) => {
        if (type === "node.started") return [(count += 1)];
        if (type === "node.completed" && payload.nodeId !== "each") count -= 1;
        return [];
      });
      return counts;
    };
    expect(await open()).toEqual([1, 1, 1, 1]);
    expect((await scene.post(`runs/${runId}/rewind`, { eventId: 1 })).status).toBe(200);
    expect(await scene.api.settle(runId)).toBe("completed");
    expect(await open()).toEqual(Array(8).fill(1));
  });

  it("serial: lets the lane continue after a failure", async () => {
    await crew([{ agent: "ann", lane: 1 }], { queue_policy: "serial" });
    const runId = await teamRun(["broken", "c", "d"]);
    expect(await scene.statuses(runId)).toEqual({ broken: "failed", c: "completed", d: "completed" });
  });

  it("serial: a node that waits for a person keeps no other node of its lane waiting", async () => {
    await crew([{ agent: "ann", lane: 1, tool_profile: { requires_approval: ["pay"] } }], { queue_policy: "serial" });
    const runId = await teamRun(["a {tools: [pay]}", "b"]);
    expect(await scene.statuses(runId)).toEqual({ a: "blocked", b: "completed" });
    await scene.answer(runId, "approve");
    expect(await scene.statuses(runId)).toEqual({ a: "completed", b: "completed" });
  });
});

describe("the failure policy of a team", () => {
  const MEMBERS = [
    { agent: "ann", lane: 1 },
    { agent: "ben", lane: 2 },
    { agent: "cy", lane: 3 },
  ];
  const LINES = ["broken", "below < broken", "gate {approval: required}", "beside < gate"];

  it("isolate, by default: only what depends on the failure is touched", async () => {
    await crew(MEMBERS);
    const runId = await teamRun(LINES);
    expect(await scene.statuses(runId)).toEqual({
      broken: "failed",
      below: "failed",
      gate: "blocked",
      beside: "awaiting_dependency",
    });
    await scene.answer(runId, "approve");
    expect((await scene.statuses(runId))["beside"]).toBe("completed");
    expect((await scene.get(`runs/${runId}`)).status).toBe("failed");
  });

  it("isolate: also a rejected gate and a failed child run touch only what depends on them", async () => {
    await crew(MEMBERS);
    await scene.save("name: kid\nsteps:\n  - { id: broken, command: Break }\n");
    const runId = await teamRun(["down {workflow_ref: kid}", "gate {approval: required}", "below < gate"]);
    while ((await scene.statuses(runId))["down"] === "running") await new Promise((resolve) => setImmediate(resolve));
    expect(await scene.statuses(runId)).toEqual({ down: "failed", gate: "blocked", below: "awaiting_dependency" });
    await scene.answer(runId, "reject", { reason: "no" });
    expect(await scene.statuses(runId)).toEqual({ down: "failed", gate: "failed", below: "failed" });
    expect(await scene.result(runId, "gate")).toMatchObject({ errorCode: "approval_rejected" });
  });

  it("halt: the run ends with the failure", async () => {
    await crew(MEMBERS, { failure_policy: "halt" });
    const runId = await teamRun(LINES);
    expect(await scene.statuses(runId)).toEqual({
      broken: "failed",
      below: "failed",
      gate: "cancelled",
      beside: "cancelled",
    });
  });

  it("fallback: the next member takes it, until there is none", async () => {
    await crew(MEMBERS, { failure_policy: "fallback" });
    const runId = await teamRun(["refused", "broken", "c"]);
    expect(await scene.takers(runId, "refused")).toEqual(["ann", "ben"]);
    expect((await scene.events(runId, "node.retried", "refused"))[0]?.payload).toMatchObject({ assignTo: "ben" });
    expect(await scene.takers(runId, "broken")).toEqual(["ann", "ben", "cy"]);
    expect(await scene.statuses(runId)).toEqual({ refused: "completed", broken: "failed", c: "completed" });
  });

  it("fallback: no agent falls back on itself, whatever places it holds", async () => {
    const places = [
      { agent: "ann", lane: 1 },
      { agent: "ann", lane: 2 },
      { agent: "ben", lane: 3 },
    ];
    await crew(places, { failure_policy: "fallback" });
    expect(await scene.takers(await teamRun(["broken"]), "broken")).toEqual(["ann", "ben"]);
  });

  it("fallback: a member who may not act is passed over for the next", async () => {
    await scene.put("agents/ann", { trust_level: 5, status: "terminated" });
    await crew(MEMBERS, { failure_policy: "fallback" });
    expect(await scene.takers(await teamRun(["a"]), "a")).toEqual(["ben"]);
  });

  it("gives way to what a step says, and to the assignment of the workflow", async () => {
    await crew(MEMBERS, { failure_policy: "isolate" });
    const halted = await teamRun(["broken {on_failure: halt}", "gate {approval: required}"]);
    expect(await scene.statuses(halted)).toEqual({ broken: "failed", gate: "cancelled" });
    await crew(MEMBERS, { failure_policy: "halt" });
    const skipped = await teamRun(["broken {on_failure: skip}", "c"]);
    expect(await scene.statuses(skipped)).toEqual({ broken: "skipped", c: "completed" });
    await crew(MEMBERS, { failure_policy: "halt", assignments: [{ workflow: "w", failure_policy: "isolate" }] });
    const isolated = await teamRun(["broken", "gate {approval: required}"]);
    expect(await scene.statuses(isolated)).toEqual({ broken: "failed", gate: "blocked" });
  });
});

describe("the approval and retry policies of a team", () => {
  it("asks before every node that does something, once, whom the team says", async () => {
    await crew([{ agent: "ann" }], { approval_policy: { approvers: [{ who: "role:lead", within: "2h" }] } });
    const runId = await teamRun(["a"]);
    const [asked] = (await scene.get("approvals?status=pending")).data;
    expect(asked).toMatchObject({ nodeId: "a", source: "gate", approvers: [{ who: "role:lead" }] });
    await scene.answer(runId, "approve", { override: true, reason: "the lead is away" });
    expect(await scene.statuses(runId)).toEqual({ a: "completed" });
  });

  it("leaves the rule a step has as it is", async () => {
    await crew([{ agent: "ann" }], { approval_policy: { approvers: [{ who: "role:lead", within: "2h" }] } });
    await teamRun(["a {approval: required, command: go, approvers: [{who: 'user:zoe', within: 1h}]}"]);
    const [asked] = (await scene.get("approvals?status=pending")).data;
    expect(asked.approvers).toMatchObject([{ who: "user:zoe" }]);
  });

  it("asks for a tool that is marked, and for no other", async () => {
    await crew([{ agent: "ann", tool_profile: { allow_tools: ["read"], requires_approval: ["pay"] } }]);
    const runId = await teamRun(["a {tools: [read]}", "b {tools: [pay]}"]);
    expect(await scene.statuses(runId)).toEqual({ a: "completed", b: "blocked" });
    await scene.answer(runId, "reject", { reason: "not today" });
    expect(await scene.result(runId, "b")).toMatchObject({ status: "failed", errorCode: "approval_rejected" });
  });

  it("is none where the team says null", async () => {
    await crew([{ agent: "ann" }], {
      approval_policy: null,
      retry_policy: null,
      failure_policy: null,
      queue_policy: null,
    });
    expect(await scene.statuses(await teamRun(["a"]))).toEqual({ a: "completed" });
  });

  it("tries again as the team says, unless the step has a retry of its own", async () => {
    const retry_policy = { attempts: 2, backoff_ms: 1, retry_on: ["provider_error"] };
    await crew([{ agent: "ann" }], { retry_policy });
    const runId = await teamRun(["flaky"]);
    expect(await scene.result(runId, "flaky")).toMatchObject({ status: "completed", attempts: 2 });
    const own = await teamRun(["flaky {retry: {attempts: 1}}"]);
    expect(await scene.result(own, "flaky")).toMatchObject({ status: "failed", attempts: 1 });
    await crew([{ agent: "ann" }], { retry_policy: { ...retry_policy, attempts: 5 } });
    const once = await teamRun(["broken {on_failure: retry_once}"]);
    expect(await scene.result(once, "broken")).toMatchObject({ status: "failed", attempts: 2 });
    const skipped = await teamRun(["broken {on_failure: skip}"]);
    expect(await scene.result(skipped, "broken")).toMatchObject({ status: "skipped", attempts: 5 });
  });
});

describe("a team", () => {
  it("is for a run as it was when the run began, also when that is restarted", async () => {
    await crew([{ agent: "ann" }]);
    const runId = await teamRun(["gate {approval: required}", "a < gate"]);
    await crew([{ agent: "ben" }]);
    await scene.answer(runId, "approve");
    expect(await scene.takers(runId, "a")).toEqual(["ann"]);
    const again = await scene.post(`runs/${runId}/restart`, { fromNode: "a" });
    expect(again.status).toBe(201);
    await scene.api.settle(again.body.id);
    expect(await scene.takers(again.body.id, "a")).toEqual(["ann"]);
    await scene.api.request("DELETE", "teams/crew");
    expect((await scene.get(`runs/${runId}/state`)).status).toBe("completed");
  });

  it("works on the child runs too", async () => {
    await crew([{ agent: "ann" }]);
    await scene.save("name: kid\nsteps:\n  - { id: k, command: Do it }\n");
    const runId = await teamRun(["down {workflow_ref: kid}"]);
    const [child] = (await scene.get(`runs?parent=${runId}`)).data;
    expect(child.team).toBe("crew");
    expect(await scene.takers(child.id, "k")).toEqual(["ann"]);
  });

  it("that is not registered starts nothing", async () => {
    await scene.save(workflow(["a"]));
    const { status, body } = await scene.post("runs", { workflow: "w", team: "ghosts" });
    expect([status, body.code]).toEqual([404, "unknown_team"]);
    expect(body.detail).toContain("ghosts");
    expect((await scene.get("runs")).data).toEqual([]);
  });
});
