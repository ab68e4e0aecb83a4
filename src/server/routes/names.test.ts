import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, ORG } from "../../../test/api/fixture.ts";
import { digestText } from "../../core/base/index.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
});
afterAll(() => api.close());

const SOURCE =
  "name: older\nsteps:\n  - { id: c, command: x, outputs: { verdict: string } }\n  - { id: d, command: y, condition: c.verdcit == 'PASS' }\n";

describe("a name that nothing has", () => {
  it("is refused when a workflow is checked and saved", async () => {
    const hint = 'Did you mean "verdict"?';
    const problem = { code: "unknown_field", path: "steps[1].condition", line: 4, column: 37, hint };
    const checked = await api.request("POST", "validate", { body: { source: SOURCE } });
    expect(checked.body).toMatchObject({ ok: false, problems: [problem] });
    const saved = await api.request("PUT", "workflows/older", { body: { source: SOURCE } });
    expect(saved).toMatchObject({ status: 422, body: { code: "invalid_definition", problems: [problem] } });
  });

  it("is a warning when a version that was saved before is started", async () => {
    await api.store.saveWorkflow(ORG, {
      name: "older",
      hash: digestText(SOURCE),
      definitionHash: null,
      format: "lobsterx",
      origin: "file",
      source: SOURCE,
      catalog: null,
      savedAt: 0,
      savedBy: "ann",
    });
    for (const attempt of ["first", "second"]) {
      const { status, body } = await api.request("POST", "runs", { body: { workflow: "older" } });
      expect([attempt, status]).toEqual([attempt, 201]);
      expect(body.warnings).toMatchObject([{ code: "unknown_field", path: "steps[1].condition" }]);
    }
    const { body } = await api.request("GET", "workflows/older/versions/1");
    expect(body.plan.nodes).toHaveLength(2);
  });

  it("is refused in the condition of a policy", async () => {
    const policy = { category: "budget", condition: "node.estimated_cost > 1", action: "block" };
    const { status, body } = await api.request("PUT", "policies/costly", { body: policy });
    expect(status).toBe(422);
    expect(body.problems).toMatchObject([{ code: "unknown_fact", hint: 'Did you mean "estimatedUsd"?' }]);
  });
});

describe("a text that looks like a secret", () => {
  const token = "ghp_0123456789abcdefghijABCDEFGHIJ0123456789";

  it("is refused in workflows and manifests, unless it is said to be none", async () => {
    const source = `name: leaky\nsteps:\n  - { id: a, command: use ${token} }\n`;
    const saved = await api.request("PUT", "workflows/leaky", { body: { source } });
    expect(saved).toMatchObject({ status: 422, body: { problems: [{ code: "secret_literal" }] } });
    expect(JSON.stringify(saved.body)).not.toContain(token);
    const allowed = await api.request("PUT", "workflows/leaky", {
      body: { source: `${source}allow_secret_literals: true\n` },
    });
    expect(allowed.status).toBe(201);
    const agent = { trust_level: 3, system_prompt: `Use ${token}.` };
    const refused = await api.request("PUT", "agents/leaky", { body: agent });
    expect(refused).toMatchObject({
      status: 422,
      body: { problems: [{ code: "secret_literal", path: "system_prompt" }] },
    });
    const kept = await api.request("PUT", "agents/leaky", { body: { ...agent, allow_secret_literals: true } });
    expect(kept.status).toBeLessThan(300);
  });
});
