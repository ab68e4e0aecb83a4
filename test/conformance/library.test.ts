import { describe, expect, it } from "vitest";
import { type Scene, sceneForEach } from "./scene.ts";

const USES = `name: uses
args: { city: { type: string, default: Bern } }
steps:
  - { id: gate, approval: required }
  - { id: look, library_step: lookup, depends_on: [gate] }
`;

let scene: Scene;

sceneForEach("default: echo\nnodes:\n  flaky: [{ fail: provider_error }, { stdout: fixed }]\n", async (opened) => {
  scene = opened;
  await scene.put("library/lookup", { command: "Look up ${city}", timeout: 30 });
});

const message = async (runId: string, nodeId: string): Promise<string> =>
  (await scene.get(`runs/${runId}/nodes/${nodeId}`)).request.message;

describe("a step from the library", () => {
  it("brings what the workflow does not say, and gives way to what it does", async () => {
    await scene.put("library/careful", { command: "Do ${what}", on_failure: "retry_once", name: "Careful" });
    await scene.save(`name: w
args: { what: { type: string, default: it } }
steps:
  - { id: flaky, library_step: careful }
  - { id: own, library_step: careful, command: Do my own, depends_on: [flaky] }
`);
    const runId = await scene.run("w");
    expect(await message(runId, "flaky")).toBe("Do it");
    expect(await scene.result(runId, "flaky")).toMatchObject({ status: "completed", attempts: 2, label: "Careful" });
    expect(await message(runId, "own")).toBe("Do my own");
  });

  it("makes its references dependencies of the step that uses it", async () => {
    await scene.put("library/report", { command: "Report ${first.stdout}" });
    await scene.save("name: w\nsteps:\n  - { id: second, library_step: report }\n  - { id: first, command: Begin }\n");
    const runId = await scene.run("w");
    expect(await message(runId, "second")).toBe("Report Begin");
  });

  it("is for a run as it was when the run began, and for the next one as it is then", async () => {
    await scene.save(USES);
    const runId = await scene.run("uses");
    await scene.put("library/lookup", { command: "Guess ${city}" });
    await scene.answer(runId, "approve");
    expect(await message(runId, "look")).toBe("Look up Bern");
    const again = await scene.post(`runs/${runId}/restart`, { fromNode: "look" });
    await scene.api.settle(again.body.id);
    expect(await message(again.body.id, "look")).toBe("Look up Bern");
    const next = await scene.run("uses");
    await scene.answer(next, "approve");
    expect(await message(next, "look")).toBe("Guess Bern");
  });

  it("may be gone before the run that began with it ends", async () => {
    await scene.save(USES);
    const runId = await scene.run("uses");
    await scene.api.request("DELETE", "library/lookup");
    await scene.answer(runId, "approve");
    expect(await scene.statuses(runId)).toEqual({ gate: "completed", look: "completed" });
    const { status, body } = await scene.post("runs", { workflow: "uses" });
    expect(status).toBe(422);
    expect(body.problems).toMatchObject([{ code: "unknown_library_step", path: "steps[1].library_step", line: 5 }]);
  });

  it("is the family's: a child run uses what was there when its parent began", async () => {
    await scene.save("name: kid\nargs: { city: here }\nsteps:\n  - { id: look, library_step: lookup }\n");
    await scene.put("library/lookup", { command: "Look around" });
    await scene.save(
      "name: w\nsteps:\n  - { id: gate, approval: required }\n  - { id: down, workflow_ref: kid, depends_on: [gate] }\n",
    );
    const runId = await scene.run("w");
    await scene.put("library/lookup", { command: "Look away" });
    await scene.answer(runId, "approve");
    const [child] = (await scene.get(`runs?parent=${runId}`)).data;
    expect(await message(child.id, "look")).toBe("Look around");
  });

  it("that is not registered is a problem of the workflow, with its place", async () => {
    const source = "name: w\nsteps:\n  - { id: a, library_step: lokup }\n";
    const saved = await scene.api.request("PUT", "workflows/w", { body: { source } });
    expect(saved.status).toBe(422);
    expect(saved.body.problems).toMatchObject([
      { code: "unknown_library_step", path: "steps[0].library_step", line: 3 },
    ]);
    const checked = await scene.post("validate", { source });
    expect(checked.body).toMatchObject({ ok: false, problems: [{ code: "unknown_library_step" }] });
  });

  it("may come in the same stream as the workflow that uses it, before or after", async () => {
    const body = `kind: Workflow
name: w
spec:
  source: |
    name: w
    steps:
      - { id: a, library_step: fresh }
---
kind: LibraryStep
name: fresh
spec: { command: Fresh }
`;
    const applied = await scene.api.request("POST", "apply", { body, headers: { "content-type": "application/yaml" } });
    expect(applied.body.applied).toMatchObject([{ action: "created" }, { action: "created" }]);
    expect(await message(await scene.run("w"), "a")).toBe("Fresh");
    const simulated = await scene.post("simulate", { workflow: "w" });
    expect(simulated.body).toMatchObject({ status: "completed" });
  });

  it("that does not fit is refused when the run would begin, with what is wrong", async () => {
    await scene.save(USES);
    await scene.put("library/lookup", { command: "Look up ${nowhere.stdout}" });
    const { status, body } = await scene.post("runs", { workflow: "uses" });
    expect(status).toBe(422);
    expect(body.problems).toMatchObject([{ code: "unknown_step" }]);
    expect((await scene.get("runs")).data).toEqual([]);
  });
});
