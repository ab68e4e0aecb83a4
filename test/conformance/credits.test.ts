import { describe, expect, it } from "vitest";
import { workflow } from "./rig.ts";
import { type Scene, sceneForEach } from "./scene.ts";

const SCRIPT = `default: echo
nodes:
  paid: { stdout: done, tokens: { input: 1000, output: 200 }, cost_usd: 0.25 }
  twice: { stdout: done, cost_usd: 0.5, duplicate_callback: 3 }
  flaky: [{ fail: provider_error, cost_usd: 0.1 }, { stdout: fixed, cost_usd: 0.2 }]
  broken: [{ fail: provider_auth, cost_usd: 0.3 }, { stdout: fixed, cost_usd: 0.4 }]
`;

let scene: Scene;

sceneForEach(SCRIPT, async (opened) => {
  scene = opened;
});

/** What every completion of a run charged, by node. */
const charges = async (runId: string): Promise<Record<string, (number | undefined)[]>> => {
  const charged: Record<string, (number | undefined)[]> = {};
  for (const { payload } of await scene.events(runId, "node.completed")) {
    (charged[payload.nodeId] ??= []).push(payload.creditsCharged);
  }
  return charged;
};

describe("completed work under a credit plan", () => {
  it("says what it is charged, by what it cost", async () => {
    await scene.put("credit-plans/standard", { credits_per_usd: 100 });
    await scene.save(workflow(["paid", "free < paid", "gate < free {approval: required}"]));
    const runId = await scene.run("w");
    await scene.answer(runId, "approve");
    expect(await charges(runId)).toEqual({ paid: [25], free: [0], gate: [undefined] });
  });

  it("or by its tokens", async () => {
    await scene.put("credit-plans/standard", { credits_per_token: { input: 0.001, output: 0.01 } });
    await scene.save(workflow(["paid"]));
    expect(await charges(await scene.run("w"))).toEqual({ paid: [3] });
  });

  it("has no effect without a plan", async () => {
    await scene.save(workflow(["paid"]));
    expect(await charges(await scene.run("w"))).toEqual({ paid: [undefined] });
  });

  it("is charged once for reports that come again, for the attempt that completed, and not for what is carried", async () => {
    await scene.put("credit-plans/standard", { credits_per_usd: 100 });
    await scene.save(workflow(["twice", "flaky {on_failure: retry_once}", "broken < twice flaky"]));
    const runId = await scene.run("w");
    expect(await charges(runId)).toEqual({ twice: [50], flaky: [20] });
    const { body } = await scene.post(`runs/${runId}/restart`);
    await scene.api.settle(body.id);
    expect(await charges(body.id)).toEqual({ twice: [undefined], flaky: [undefined] });
  });

  it("is charged once when the run is recovered", async () => {
    await scene.put("credit-plans/standard", { credits_per_usd: 100 });
    await scene.save(workflow(["paid", "broken < paid"]));
    const runId = await scene.run("w");
    await scene.post(`runs/${runId}/recover`);
    await scene.api.settle(runId);
    expect(await charges(runId)).toEqual({ paid: [25], broken: [40] });
  });

  it("is charged where it was done: not again by the node of its parent, nor by the node of a list", async () => {
    await scene.put("credit-plans/standard", { credits_per_usd: 100 });
    await scene.save("name: kid\nsteps:\n  - { id: paid, command: Work }\n");
    await scene.save("name: w\nargs: { list: [1] }\nsteps:\n  - { id: down, workflow_ref: kid, for_each: list }\n");
    const runId = await scene.run("w");
    expect(await charges(runId)).toEqual({ "down[0]": [undefined], down: [undefined] });
    const [child] = (await scene.get(`runs?parent=${runId}`)).data;
    expect(await charges(child.id)).toEqual({ paid: [25] });
  });

  it("needs a plan that says one thing", async () => {
    for (const [spec, code] of [
      [{}, "missing_field"],
      [{ credits_per_usd: 1, credits_per_token: {} }, "conflicting_fields"],
      [{ credits_per_usd: -1 }, "bad_number"],
    ] as const) {
      const { status, body } = await scene.api.request("PUT", "credit-plans/odd", { body: spec });
      expect([status, body.problems[0].code]).toEqual([422, code]);
    }
  });
});
