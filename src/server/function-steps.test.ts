import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../test/api/fixture.ts";

const NUMBERS = { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] };
const RECEIPT = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const CHARGE = { input: NUMBERS, output: RECEIPT, action: "financial", effects: "at_most_once" };

const pay = (name: string, step: string): string => `name: ${name}\nsteps:\n  - ${step}\n`;

describe("functions of workers", () => {
  let api: Api;
  beforeAll(async () => {
    api = await createApi();
    await api.request("PUT", "policies/no-money", {
      body: { category: "guardrail", scope: "global", condition: "node.action == 'financial'", action: "block" },
    });
  });
  afterAll(() => api.close());

  const register = (name: string, body: object, key?: string) =>
    api.request("PUT", `functions/${name}`, key === undefined ? { body } : { body, key });
  const saved = async (name: string, step: string) =>
    (await api.request("PUT", `workflows/${name}`, { body: { source: pay(name, step) } })).body;

  it("are named by a workflow before they are registered, with a warning", async () => {
    const { warnings } = await saved("early", "{ id: a, function: later }");
    expect(warnings).toMatchObject([
      { code: "function_not_registered", line: 3, message: expect.stringContaining("later") },
    ]);
  });

  it("need registry:write to be registered, and a schema of a map", async () => {
    const key = await api.key(["workflow:execute"]);
    expect(await register("charge", CHARGE, key)).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect((await register("charge", { ...CHARGE, input: { type: "string" } })).body.problems).toMatchObject([
      { code: "wrong_type", path: "input" },
    ]);
    expect((await register("charge", CHARGE)).status).toBe(201);
    // A worker that starts again says the same.
    expect((await register("charge", CHARGE)).status).toBe(200);
  });

  it.each([
    ["{ id: a, function: charge }", "missing_field", "cents"],
    ["{ id: a, function: charge, inputs: { cents: many } }", "wrong_type", "cents"],
    [
      "{ id: a, function: charge, inputs: { cents: 3 } }\n  - { id: b, set: { x: '${a.receipt}' } }",
      "unknown_field",
      "receipt",
    ],
  ])("are checked when a workflow is saved: %s", async (step, code, name) => {
    const { problems } = await saved("wrong", step);
    expect(problems).toMatchObject([{ code, message: expect.stringContaining(name) }]);
  });

  it("keep their schemas: the same name with another is refused", async () => {
    const other = { ...CHARGE, input: { ...NUMBERS, required: [] } };
    const { status, body } = await register("charge", other);
    expect([status, body.code]).toEqual([409, "schema_conflict"]);
    expect(body.detail).toContain('"charge" is registered with another input schema');
  });

  it("keep their schemas also when two are registered at the same moment", async () => {
    const other = { ...CHARGE, input: { ...NUMBERS, required: [] } };
    const both = await Promise.all([register("at-once", CHARGE), register("at-once", other)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]));
    const manifests = [CHARGE, other].map((body) => [{ kind: "Function", name: "applied-at-once", spec: body }]);
    const applied = await Promise.all(manifests.map((body) => api.request("POST", "apply", { body })));
    expect(new Set(applied.map(({ status }) => status))).toEqual(new Set([200, 422]));
  });

  it("hold the stricter action of step and worker", async () => {
    await register("count", { input: NUMBERS, output: RECEIPT, action: "read" });
    await saved("by-worker", "{ id: a, function: charge, action: read, inputs: { cents: 1 } }");
    await saved("by-step", "{ id: a, function: count, action: financial, inputs: { cents: 1 } }");
    for (const workflow of ["by-worker", "by-step"]) {
      const runId = await api.run(workflow);
      const { body } = await api.request("GET", `runs/${runId}/state`);
      expect(body.nodeResults).toMatchObject([{ status: "failed", errorCode: "policy_blocked" }]);
    }
  });

  it("are for a run what they were when it was started", async () => {
    // The scripted adapter answers in place of a worker.
    const stock = { input: NUMBERS, output: { type: "object" } };
    await register("stock", { ...stock, action: "read" });
    const look = "{ id: look, function: stock, depends_on: [ask], inputs: { cents: 1 } }";
    await saved("pinned", `{ id: ask, approval: required }\n  - ${look}`);
    const before = await api.request("POST", "runs", { body: { workflow: "pinned" } });
    await register("stock", { ...stock, action: "financial" });
    const later = await api.request("POST", "runs", { body: { workflow: "pinned" } });
    const lookOf = async (runId: string) => {
      const { body } = await api.request("GET", `runs/${runId}/state`);
      return body.nodeResults.find(({ nodeId }: { nodeId: string }) => nodeId === "look");
    };
    const approvals = await api.request("GET", "approvals");
    for (const { id } of approvals.body.data) {
      await api.request("POST", `approvals/${id}/resolve`, { body: { decision: "approve" } });
    }
    await expect.poll(() => lookOf(later.body.id)).toMatchObject({ errorCode: "policy_blocked" });
    await expect.poll(() => lookOf(before.body.id)).toMatchObject({ status: "completed" });
  });

  it("may take a lower action, which is audited", async () => {
    await register("transfer", CHARGE);
    expect((await register("transfer", { ...CHARGE, action: "write" })).status).toBe(200);
    const { body } = await api.request("GET", "audit?type=function.action_lowered");
    expect(body.data).toMatchObject([{ type: "function.action_lowered" }]);
    expect(JSON.stringify(body.data)).toContain("transfer");
  });

  it.each([
    [0, "Upgrade the worker"],
    [2, "Upgrade the server"],
  ])("are not given to a worker of protocol %i", async (protocol, advice) => {
    const worker = { protocol, workerId: "wrk_old", functions: ["charge"] };
    const bodies = { claim: worker, heartbeat: { ...worker, held: [] } };
    for (const [route, body] of Object.entries(bodies)) {
      const reply = await api.request("POST", `/api/v2/work/${route}`, { body });
      expect(reply).toMatchObject({ status: 409, body: { code: "protocol_unsupported" } });
      expect(reply.body.detail).toContain(advice);
    }
  });
});
