import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { workflow } from "./rig.ts";
import { Scene } from "./scene.ts";

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open("default: echo\nnodes:\n  broken: { fail: provider_error }\n");
});

afterEach(async () => {
  await scene.close();
});

describe("the audit of a run", () => {
  it("records what was tried, and how it ended", async () => {
    await scene.save(workflow(["a", `out < a {condition: "1 == 2"}`, "broken < a"]));
    const runId = await scene.run("w");
    const { data } = await scene.get("audit?limit=100");
    const found = data
      .filter((record: { run?: string }) => record.run === runId)
      .map(({ type, node }: { type: string; node?: string }) => (node === undefined ? type : `${type} ${node}`));
    expect(found).toEqual(
      expect.arrayContaining([
        "run.started",
        "node.dispatched a",
        "node.completed a",
        "node.skipped out",
        "node.failed broken",
        "run.finished",
      ]),
    );
  });

  it("cannot be changed or taken away through any route", async () => {
    await scene.save(workflow(["a"]));
    await scene.run("w");
    const before = await scene.get("audit?limit=100");
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      for (const path of ["audit", "audit/1", "audit/export", "audit/verify"]) {
        expect([404, 405]).toContain((await scene.api.request(method, path, { body: {} })).status);
      }
    }
    expect(await scene.get("audit?limit=100")).toEqual(before);
  });
});
