import { describe, expect, it } from "vitest";
import { workflow } from "./rig.ts";
import { type Scene, sceneForEach } from "./scene.ts";

const SCRIPT = `default: echo
nodes:
  endless: { hang: true }
  kid/flaky: [{ fail: provider_auth, cost_usd: 0.25 }]
  kid/good: { outputs: { n: 7 }, cost_usd: 0.5 }
`;

let scene: Scene;

sceneForEach(SCRIPT, async (opened) => {
  scene = opened;
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const childrenOf = async (runId: string) => (await scene.get(`runs?parent=${runId}`)).data;
const kid = (...lines: readonly string[]) => scene.save(workflow(lines).replace("name: w", "name: kid"));
const parent = async (lines: readonly string[], head = ""): Promise<string> => {
  await scene.save(workflow(lines, head));
  return scene.run("w");
};

describe("a node that is another run", () => {
  it("has the outputs of the child's leaves, and none of those that were skipped", async () => {
    await kid("first", "good < first {outputs: {n: integer}}", `out < first {condition: "1 == 2"}`);
    const runId = await parent(["down {workflow_ref: kid}", "after {command: 'saw ${down.outputs.good.n}'}"]);
    const down = await scene.result(runId, "down");
    expect(down).toMatchObject({ status: "completed", outputs: { good: { n: 7 } }, costMicros: 500_000 });
    expect((await scene.get(`runs/${runId}/nodes/after`)).request.message).toBe("saw 7");
    expect((await scene.get(`runs/${runId}`)).costMicros).toBe(500_000);
  });

  it("fails with the child's failure, keeps its cost, and a retry starts a new child", async () => {
    await kid("flaky");
    const runId = await parent(["down {workflow_ref: kid, on_failure: retry_once}"]);
    expect(await scene.result(runId, "down")).toMatchObject({
      status: "failed",
      errorCode: "child_failed",
      attempts: 2,
    });
    const children = await childrenOf(runId);
    expect(children.map(({ status }: { status: string }) => status)).toEqual(["failed", "failed"]);
    expect((await scene.get(`runs/${runId}`)).costMicros).toBe(500_000);
  });

  it("fails, and tries nothing again, when the child is cancelled", async () => {
    await kid("endless");
    await scene.save(workflow(["down {workflow_ref: kid, on_failure: retry_once}"]));
    const { body } = await scene.post("runs", { workflow: "w" });
    while ((await childrenOf(body.id))[0]?.status !== "running") await turn();
    const [child] = await childrenOf(body.id);
    await scene.post(`runs/${child.id}/cancel`);
    await scene.api.settle(body.id);
    expect(await scene.result(body.id, "down")).toMatchObject({ status: "failed", errorCode: "child_cancelled" });
    expect(await childrenOf(body.id)).toHaveLength(1);
  });

  it("fails when its args do not fit the child, and says which", async () => {
    await scene.save(workflow(["a"], "args: {n: {type: integer, required: true}}").replace("name: w", "name: kid"));
    const runId = await parent([
      "none {workflow_ref: kid, on_failure: skip}",
      "wrong {workflow_ref: kid, with: {n: 'x'}}",
    ]);
    const wrong = await scene.result(runId, "wrong");
    expect(wrong).toMatchObject({ status: "failed", errorCode: "child_failed" });
    expect(wrong.errorMessage).toContain('"n"');
    expect((await scene.statuses(runId))["none"]).toBe("skipped");
    expect(await childrenOf(runId)).toEqual([]);
  });

  it("asks first where an approval stands beside it", async () => {
    await kid("a");
    const runId = await parent(["down {workflow_ref: kid, approval: required}"]);
    expect(await childrenOf(runId)).toEqual([]);
    await scene.answer(runId, "approve");
    expect(await childrenOf(runId)).toHaveLength(1);
    expect((await scene.get(`runs/${runId}`)).status).toBe("completed");
  });

  it("is one run for each element of a list", async () => {
    await scene.save(workflow(["a {command: 'do ${x}'}"], "args: {x: {type: string}}").replace("name: w", "name: kid"));
    const runId = await parent(
      ["each {workflow_ref: kid, for_each: list, with: {x: '${item}'}}"],
      "args: {list: [p, q]}",
    );
    const args = (await childrenOf(runId)).map((child: { args: { x: string } }) => child.args.x);
    expect(new Set(args)).toEqual(new Set(["p", "q"]));
    expect(await scene.result(runId, "each")).toMatchObject({ status: "completed", outputs: { count: 2, failed: 0 } });
  });

  it("ends with its own timeout, which takes the child down", async () => {
    await kid("gate {approval: required}");
    const runId = await parent(["down {workflow_ref: kid, timeout: 0.1}"]);
    while ((await childrenOf(runId))[0]?.status === "running") await turn();
    expect(await scene.result(runId, "down")).toMatchObject({ status: "timed_out" });
    expect((await childrenOf(runId))[0].status).toBe("cancelled");
  });

  it("starts a new child when the run is taken back behind it, and leaves the finished one alone", async () => {
    await kid("a");
    const runId = await parent(["first", "down < first {workflow_ref: kid}"]);
    const [before] = await childrenOf(runId);
    const [done] = await scene.events(runId, "node.completed", "first");
    const rewound = await scene.post(`runs/${runId}/rewind`, { eventId: done?.eventId });
    expect(rewound.status).toBe(200);
    await scene.api.settle(runId);
    const children = await childrenOf(runId);
    expect(children.map(({ status }: { status: string }) => status)).toEqual(["completed", "completed"]);
    expect(children.map(({ id }: { id: string }) => id)).toContain(before.id);
    const refused = await scene.post(`runs/${before.id}/rewind`, { eventId: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, "already_consumed"]);
  });

  it("carries the child's result when the run is restarted behind it", async () => {
    await kid("good {outputs: {n: integer}}");
    const runId = await parent(["down {workflow_ref: kid}", "after {command: 'saw ${down.outputs.good.n}'}"]);
    const { body } = await scene.post(`runs/${runId}/restart`, { fromNode: "after" });
    await scene.api.settle(body.id);
    expect(await childrenOf(body.id)).toEqual([]);
    expect((await scene.get(`runs/${body.id}/nodes/after`)).request.message).toBe("saw 7");
    expect((await scene.get(`runs/${body.id}`)).costMicros).toBe(0);
  });

  it("hands values over that can be followed across both runs", async () => {
    await scene.save(
      workflow(["leaf {command: 'do ${x}'}"], "args: {x: {type: string}}").replace("name: w", "name: kid"),
    );
    const runId = await parent([
      "a",
      "down {workflow_ref: kid, with: {x: '${a.stdout}'}}",
      "z {command: '${down.outputs.leaf}'}",
    ]);
    const [child] = await childrenOf(runId);
    const rows = (await scene.get(`runs/${child.id}/provenance`)).data;
    expect(rows).toContainEqual(expect.objectContaining({ targetNodeId: "leaf", sourceOutputPath: "args.x" }));
    const lineage = await scene.get(`runs/${child.id}/provenance?node=leaf&output=stdout`);
    expect(JSON.stringify(lineage)).toContain(runId);
  });
});
