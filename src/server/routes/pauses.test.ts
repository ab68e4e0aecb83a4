import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, ORG, STRANGER } from "../../../test/api/fixture.ts";

const LINE = `name: line
steps:
  - { id: first, command: First }
  - { id: second, command: Second, depends_on: [first] }
  - { id: third, command: Third, depends_on: [second] }
`;
const HELD = LINE.replace("name: line", "name: held").replace(
  "depends_on: [first]",
  "depends_on: [first], approval: required",
);
const FAMILY = `name: family
steps:
  - { id: before, command: Before }
  - id: inside
    depends_on: [before]
    steps:
      - { id: ask, command: Ask, approval: required }
      - { id: act, command: Act, depends_on: [ask] }
  - { id: after, command: After, depends_on: [inside] }
`;

let api: Api;
beforeAll(async () => {
  api = await createApi();
  for (const source of [LINE, HELD, FAMILY]) await api.save(source);
});
afterAll(() => api.close());

const post = (path: string, body: object = {}) => api.request("POST", path, { body });
const read = async (path: string) => (await api.request("GET", path)).body;
const nodesOf = async (runId: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await read(`runs/${runId}/state`)).nodeResults.map((node: { nodeId: string; status: string }) => [
      node.nodeId,
      node.status,
    ]),
  );
const approve = async (): Promise<void> => {
  for (const { id, digest } of (await read("approvals?status=pending")).data)
    expect((await post(`approvals/${id}/resolve`, { decision: "approve", digest })).status).toBe(200);
};

describe("a run", () => {
  it("is paused with who and why, dispatches nothing, keeps answers, and continues", async () => {
    const runId = await api.run("held");
    const paused = await post(`runs/${runId}/pause`, { reason: "legal has to look" });
    expect(paused.status).toBe(200);
    expect(paused.body).toMatchObject({
      status: "running",
      paused: { by: "admin", reason: "legal has to look", scope: "run" },
    });
    expect((await read(`runs/${runId}`)).paused).toEqual(paused.body.paused);
    expect((await read("runs?workflow=held")).data).toMatchObject([{ id: runId, paused: { scope: "run" } }]);
    await approve();
    expect(await nodesOf(runId)).toMatchObject({ first: "completed", second: "queued" });
    const resumed = await post(`runs/${runId}/resume`);
    expect([resumed.status, resumed.body.paused]).toEqual([200, null]);
    await api.settle(runId);
    expect(await read(`runs/${runId}`)).toMatchObject({ status: "completed", paused: null });
    const { data } = await read(`runs/${runId}/events`);
    const pauses = data.filter(({ type }: { type: string }) => type.startsWith("run.paused") || type === "run.resumed");
    expect(pauses).toHaveLength(2);
    expect((await post(`runs/${runId}/pause`)).body).toMatchObject({ status: 409, code: "run_finished" });
  });

  it("is paused with its blocks, which cannot be resumed alone", async () => {
    const runId = (await post("runs", { workflow: "family" })).body.id;
    await expect.poll(async () => (await read("approvals?status=pending")).data.length).toBe(1);
    const [{ runId: block }] = (await read("approvals?status=pending")).data;
    await post(`runs/${runId}/pause`, {});
    await expect.poll(async () => (await api.store.getRun(ORG, block))?.paused?.scope).toBe("parent");
    await approve();
    expect(await nodesOf(block)).toEqual({ ask: "queued", act: "awaiting_dependency" });
    await post(`runs/${runId}/resume`);
    await expect.poll(async () => (await read(`runs/${runId}`)).status).toBe("completed");
  });

  it("is in the audit, and belongs to its organisation", async () => {
    const runId = await api.run("held");
    expect((await api.request("POST", `runs/${runId}/pause`, { key: STRANGER })).status).toBe(404);
    const viewer = await api.key("viewer");
    expect((await api.request("POST", `runs/${runId}/pause`, { key: viewer })).status).toBe(403);
    expect((await post(`runs/${runId}/pause`, { reason: 7 })).status).toBe(422);
    await post(`runs/${runId}/pause`, { reason: "why not" });
    await post(`runs/${runId}/pause`, { reason: "again" });
    const { data } = await read(`audit?run=${runId}&type=run.paused`);
    expect(data).toMatchObject([{ type: "run.paused", reason: "why not", detail: { by: "admin" } }]);
    await post(`runs/${runId}/cancel`);
    expect(await read(`runs/${runId}`)).toMatchObject({ status: "cancelled", paused: null });
  });
});

describe("a workflow", () => {
  it("is paused with its runs, takes no new ones, and continues", async () => {
    const runId = await api.run("held");
    const { status, body } = await post("workflows/held/pause", { reason: "CRM is down" });
    expect([status, body.status, body.paused.reason]).toEqual([200, "paused", "CRM is down"]);
    expect((await post("runs", { workflow: "held" })).body).toMatchObject({ status: 409, code: "workflow_paused" });
    expect((await read(`runs/${runId}`)).paused).toMatchObject({
      scope: "workflow",
      by: "admin",
      reason: "CRM is down",
    });
    expect((await read("workflows/held")).paused).toMatchObject({ by: "admin" });
    await approve();
    expect((await nodesOf(runId))["second"]).toBe("queued");
    expect((await post("workflows/held/resume")).body).toMatchObject({ status: "active", paused: null });
    await expect.poll(async () => (await read(`runs/${runId}`)).status).toBe("completed");
    expect((await post("workflows/nothing/pause")).body.code).toBe("unknown_workflow");
  });

  it("holds the child runs that others start meanwhile, and does not fail them", async () => {
    await api.save("name: caller\nsteps:\n  - { id: call, workflow_ref: line }\n");
    await post("workflows/line/pause", { reason: "CRM is down" });
    const { id } = (await post("runs", { workflow: "caller" })).body;
    const childOf = async () => (await read(`runs?parent=${id}`)).data[0];
    await expect.poll(childOf).toMatchObject({ workflow: "line", paused: { scope: "workflow" } });
    await post("workflows/line/resume");
    await expect.poll(async () => (await read(`runs/${id}`)).status).toBe("completed");
    expect((await childOf()).status).toBe("completed");
  });

  it("that is made active is not paused either", async () => {
    const runId = await api.run("held");
    await post("workflows/held/pause");
    await approve();
    await api.request("PATCH", "workflows/held", { body: { status: "active" } });
    await expect.poll(async () => (await read(`runs/${runId}`)).status).toBe("completed");
  });
});

describe("an organisation", () => {
  it("is paused with all its runs; those that are started meanwhile wait", async () => {
    const { status, body } = await post(`organisations/${ORG}/pause`, { reason: "maintenance" });
    expect([status, body]).toMatchObject([200, { id: ORG, paused: { by: "admin", reason: "maintenance" } }]);
    const started = await post("runs", { workflow: "line" });
    expect([started.status, (await read(`runs/${started.body.id}`)).paused.scope]).toEqual([201, "organisation"]);
    expect((await nodesOf(started.body.id))["first"]).toBe("queued");
    expect((await post(`organisations/${ORG}/resume`)).body).toEqual({ id: ORG, paused: null });
    await expect.poll(async () => (await read(`runs/${started.body.id}`)).status).toBe("completed");
    expect((await post("organisations/other/pause")).status).toBe(404);
  });
});

describe("the priority of a run", () => {
  it("is that of its start, else of its workflow, else normal", async () => {
    await api.save(LINE.replace("name: line", "name: urgent\npriority: high"));
    const start = async (body: object) => (await post("runs", body)).body.priority;
    expect(await start({ workflow: "line" })).toBe("normal");
    expect(await start({ workflow: "urgent" })).toBe("high");
    expect(await start({ workflow: "urgent", priority: "low" })).toBe("low");
    expect((await post("runs", { workflow: "line", priority: "urgent" })).body).toMatchObject({ status: 422 });
    expect((await read("runs?workflow=urgent")).data.map((run: { priority: string }) => run.priority).sort()).toEqual([
      "high",
      "low",
    ]);
  });
});
