import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { projectView, reduceRun } from "../../src/core/view/index.ts";
import { RunLauncher } from "../../src/launch/index.ts";
import { ORG } from "../api/fixture.ts";
import { workflow } from "./rig.ts";
import { Scene } from "./scene.ts";

const SCRIPT = `default: echo
nodes:
  endless: { hang: true }
  flaky: [{ fail: provider_error, cost_usd: 0.25 }, { stdout: fixed, cost_usd: 0.5 }]
  broken: { fail: provider_error }
`;

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open(SCRIPT);
});

afterEach(async () => {
  await scene.close();
});

const begin = async (body: object): Promise<string> => (await scene.post("runs", body)).body.id;

const until = async (runId: string, isTrue: (state: { inFlightCount: number }) => boolean): Promise<void> => {
  while (!isTrue(await scene.get(`runs/${runId}/state`))) await new Promise((resolve) => setImmediate(resolve));
};

describe("the state of a run", () => {
  it("names what is active and counts the rest, and has nothing active once it has ended", async () => {
    await scene.save(workflow(["done", "endless < done", "after < endless", "broken < done {on_failure: skip}"]));
    const runId = await begin({ workflow: "w" });
    await until(runId, ({ inFlightCount }) => inFlightCount === 1);
    while ((await scene.statuses(runId))["broken"] !== "skipped") await new Promise((resolve) => setImmediate(resolve));
    expect(await scene.get(`runs/${runId}/state`)).toMatchObject({
      status: "running",
      activeNodeIds: ["endless"],
      pendingCount: 0,
      waitingCount: 1,
      inFlightCount: 1,
      executedCount: 1,
      failedCount: 0,
    });
    await scene.post(`runs/${runId}/cancel`);
    expect(await scene.get(`runs/${runId}/state`)).toMatchObject({
      status: "cancelled",
      isCancelling: false,
      activeNodeIds: [],
      waitingCount: 0,
      inFlightCount: 0,
    });
    expect(await scene.result(runId, "endless")).toMatchObject({ status: "cancelled", waitingReason: null });
  });

  it("keeps condition_false on a node that was skipped for it", async () => {
    await scene.save(workflow(["a {condition: '1 == 2'}"]));
    const runId = await scene.run("w");
    expect(await scene.result(runId, "a")).toMatchObject({ status: "skipped", waitingReason: "condition_false" });
  });

  it("is what folding the events gives, to the last field", async () => {
    await scene.save(workflow(["flaky {on_failure: retry_once}", "b < flaky", "gate < b {approval: required}"]));
    const runId = await scene.run("w");
    // What it waits for is known to the server alone: its child runs may wait for it.
    const { waitingFor, ...state } = await scene.get(`runs/${runId}/state`);
    expect(waitingFor).toBe("person");
    const events = (await scene.events(runId)).map(({ eventId, type, payload, ...frame }) => ({
      eventId,
      type,
      payload,
      at: Date.parse((frame as { timestamp?: string }).timestamp ?? ""),
    }));
    const view = reduceRun(events as Parameters<typeof reduceRun>[0], {
      nodes: state.nodeResults.map(({ nodeId, label, wave }: { nodeId: string; label: string; wave: number }) => ({
        id: nodeId,
        label,
        wave,
      })),
    });
    expect(JSON.parse(JSON.stringify(projectView(view, { runId, workflowId: "w" })))).toEqual(state);
  });

  it("says that it is cancelling while its child runs have still to end", async () => {
    await scene.save("name: kid\nsteps:\n  - { id: endless, command: Wait }\n");
    await scene.save(workflow(["down {workflow_ref: kid}"]));
    const runId = await begin({ workflow: "w" });
    while ((await scene.get(`runs?parent=${runId}`)).data[0]?.status !== "running")
      await new Promise((resolve) => setImmediate(resolve));
    await scene.post(`runs/${runId}/cancel`);
    await scene.api.settle(runId);
    const [ending] = await scene.events(runId, "run.ending");
    expect(ending?.payload).toMatchObject({ as: "cancelled" });
    const between = await scene.get(`runs/${runId}/at/${ending?.eventId}`);
    expect(between).toMatchObject({ status: "running", isCancelling: true });
    expect(await scene.get(`runs/${runId}/state`)).toMatchObject({ status: "cancelled", isCancelling: false });
  });
});

describe("an attempt", () => {
  it("has ended before the next one begins, and costs what it cost", async () => {
    await scene.save(workflow(["flaky {on_failure: retry_once}"]));
    const runId = await scene.run("w");
    const { attempts, node } = await scene.get(`runs/${runId}/nodes/flaky`);
    expect(attempts).toMatchObject([
      { attempt: 1, status: "failed", errorCode: "provider_error", costMicros: 250_000 },
      { attempt: 2, status: "completed", output: "fixed", costMicros: 500_000 },
    ]);
    expect(attempts[0].endedAt <= attempts[1].startedAt).toBe(true);
    expect(node).toMatchObject({ attempts: 2, retries: 1, costMicros: 750_000 });
    expect((await scene.get(`runs/${runId}`)).costMicros).toBe(750_000);
  });
});

describe("a run", () => {
  it("continues although one of its listeners breaks", async () => {
    scene.api.runtime.onCommitted(() => {
      throw new Error("the sink is full");
    });
    await scene.save(workflow(["a", "b < a"]));
    expect(await scene.statuses(await scene.run("w"))).toEqual({ a: "completed", b: "completed" });
    expect(scene.api.troubles[0]).toContain("the sink is full");
  });

  it("runs the text it was started with, whatever is saved meanwhile", async () => {
    await scene.save(workflow(["gate {approval: required}", "a < gate {command: Say one}"]));
    const runId = await scene.run("w");
    await scene.save(workflow(["gate {approval: required}", "a < gate {command: Say two}"]));
    await scene.answer(runId, "approve");
    expect((await scene.get(`runs/${runId}/nodes/a`)).request.message).toBe("Say one");
    expect(await scene.get(`runs/${runId}`)).toMatchObject({ version: 1, status: "completed" });
    const restarted = await scene.post(`runs/${runId}/restart`, { fromNode: "a" });
    await scene.api.settle(restarted.body.id);
    expect(restarted.body.version).toBe(1);
    expect((await scene.get(`runs/${restarted.body.id}/nodes/a`)).request.message).toBe("Say one");
  });

  it("takes no more orders once it has ended", async () => {
    await scene.save(workflow(["a"]));
    const runId = await scene.run("w");
    const before = (await scene.get(`runs/${runId}`)).lastEventId;
    for (const [path, body] of [
      ["cancel", {}],
      ["recover", {}],
      ["nodes/a/resolve", { values: { x: 1 } }],
    ] as const) {
      expect((await scene.post(`runs/${runId}/${path}`, body)).status).toBe(409);
    }
    expect((await scene.get(`runs/${runId}`)).lastEventId).toBe(before);
    expect((await scene.events(runId)).at(-1)?.type).toBe("run.completed");
  });

  it("is charged to its team again when it is restarted", async () => {
    await scene.agents("ann");
    await scene.put("teams/crew", { members: [{ agent: "ann" }] });
    await scene.put("budgets/crew", { scope: "team", scope_id: "crew", period: "monthly", amount_usd: 0.5 });
    await scene.save(workflow(["flaky {on_failure: retry_once, estimated_cost: 0.1}"]));
    const runId = await scene.run("w", { team: "crew" });
    expect((await scene.get(`runs/${runId}`)).costMicros).toBe(750_000);
    const { status, body } = await scene.post(`runs/${runId}/restart`, { fromNode: "flaky" });
    expect([status, body.code]).toEqual([403, "budget_exceeded"]);
  });
});

describe("a launch without approval", () => {
  it("starts nothing for a schedule either, until a person approves it, and then once", async () => {
    const { api } = scene;
    const source = workflow(["a"]);
    await scene.put("workflows/w", { source });
    const manifest = { kind: "Workflow", name: "w", spec: { source, posture: "approval_required" } };
    expect((await scene.post("apply", manifest)).status).toBe(200);
    const launcher = new RunLauncher({ store: api.store, runtime: api.runtime, governance: api.governance });
    const request = { orgId: ORG, workflow: "w", trigger: "schedule", startedBy: "schedule:nightly" };
    expect(await launcher.launch(request)).toMatchObject({ kind: "refused", refusal: { code: "posture_forbidden" } });
    expect((await scene.get("runs")).data).toEqual([]);
    const [asked] = (await scene.get("approvals?status=pending")).data;
    await scene.post(`approvals/${asked.id}/resolve`, { decision: "approve" });
    expect(await launcher.launch(request)).toMatchObject({ kind: "started", run: { trigger: "schedule" } });
    expect(await launcher.launch(request)).toMatchObject({ kind: "refused" });
  });
});
