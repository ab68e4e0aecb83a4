import { describe, expect, it } from "vitest";
import { type Scene, sceneForEach } from "./scene.ts";

/** Stops for a person, so that something can be changed while it runs. */
const WAITING = `name: w
steps:
  - { id: before, role: editor, command: Write }
  - { id: stop, approval: required, depends_on: [before] }
  - { id: after, role: editor, command: Write more, depends_on: [stop] }
`;

let scene: Scene;

sceneForEach(undefined, async (opened) => {
  scene = opened;
  await scene.agents("ann", "ben", "cy");
  await scene.save(WAITING);
});

const bind = (agent: string, more: object = {}) => scene.put("bindings/editors", { role: "editor", agent, ...more });

/** What is put takes effect within a second; nothing reports when. */
const known = async (isKnown: (run: { roleBindings: object; gateway: string | null }) => boolean): Promise<string> => {
  for (;;) {
    const runId = await scene.run("w");
    if (isKnown(await scene.get(`runs/${runId}`))) return runId;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const boundTo = (agent: string) => known(({ roleBindings }) => JSON.stringify(roleBindings).includes(`"${agent}"`));

describe("a run", () => {
  it("keeps the agents its roles were bound to when it started; a later run has the new ones", async () => {
    await bind("ann");
    const runId = await boundTo("ann");
    expect(await scene.get(`runs/${runId}`)).toMatchObject({ roleBindings: { editor: "ann" } });
    await bind("ben");
    const later = await boundTo("ben");
    await scene.answer(runId, "approve");
    await scene.answer(later, "approve");
    expect(await scene.takers(runId, "after")).toEqual(["ann"]);
    expect(await scene.takers(later, "after")).toEqual(["ben"]);
    const [started] = await scene.events(runId, "run.started");
    expect(started?.payload.placement).toMatchObject({ roleBindings: { editor: "ann" } });
  });

  it("started before anything was bound is not touched by a binding that comes later", async () => {
    const runId = await scene.run("w");
    await bind("ann");
    await boundTo("ann");
    await scene.answer(runId, "approve");
    expect(await scene.takers(runId, "after")).toEqual(["default"]);
    expect((await scene.get(`runs/${runId}`)).roleBindings).toEqual({});
  });

  it("shows the gateway of its deployment, and stays with it when the deployment changes or goes", async () => {
    const deploy = (spec: object) =>
      scene.put("deployments/here", { workflow: "w", gateway: "local", role_bindings: { editor: "cy" }, ...spec });
    await deploy({});
    const runId = await boundTo("cy");
    expect(await scene.get(`runs/${runId}`)).toMatchObject({ gateway: "local", roleBindings: { editor: "cy" } });
    await deploy({ active: false });
    await known(({ gateway }) => gateway === null);
    await scene.answer(runId, "approve");
    const [after] = await scene.events(runId, "node.started", "after");
    expect(after?.payload).toMatchObject({ gatewayId: "local", agentId: "cy" });
  });

  it("is bound anew when it is restarted, except for what its starter named", async () => {
    await bind("ann");
    const runId = await boundTo("ann");
    const named = await scene.run("w", { roleBindings: { editor: "cy" } });
    await bind("ben");
    await boundTo("ben");
    for (const [id, agent] of [
      [runId, "ben"],
      [named, "cy"],
    ] as const) {
      await scene.answer(id, "reject", { reason: "again" });
      const { body } = await scene.post(`runs/${id}/restart`);
      expect(body.roleBindings).toEqual({ editor: agent });
    }
  });

  it("hands what its starter named on to its child runs, which are bound by themselves otherwise", async () => {
    await bind("ann", { workflow: "w" });
    await boundTo("ann");
    await scene.save("name: kid\nsteps:\n  - { id: work, role: editor, command: Work }\n");
    await scene.save(
      "name: w\nsteps:\n  - { id: own, role: editor, command: Go }\n  - { id: kid, workflow_ref: kid }\n",
    );
    const childOf = async (runId: string) => (await scene.get(`runs?parent=${runId}`)).data[0];
    expect((await childOf(await scene.run("w"))).roleBindings).toEqual({});
    const named = await scene.run("w", { roleBindings: { editor: "cy" } });
    expect((await childOf(named)).roleBindings).toEqual({ editor: "cy" });
  });
});
