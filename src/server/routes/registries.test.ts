import { openSecrets, secretPlace } from "../../seal/index.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Api, createApi, STRANGER } from "../../../test/api/fixture.ts";
import { openApiDocument } from "../openapi.ts";
import { ROUTES } from "../route-table.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
});
afterAll(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

const put = (path: string, body: unknown, key?: string): Promise<Answer> =>
  api.request("PUT", path, key === undefined ? { body } : { body, key });
const get = (path: string, key?: string): Promise<Answer> => api.request("GET", path, key === undefined ? {} : { key });

/** A spec of every registry, and something of what is shown of it. */
const EXAMPLES: readonly (readonly [string, object, object])[] = [
  [
    "agents/analyst",
    { trust_level: 7, rate_limit: { count: 3, per_seconds: 60 }, budget_monthly_usd: 12.5 },
    { trustLevel: 7, rateLimit: { count: 3, perSeconds: 60 }, budgetMonthlyUsd: 12.5, maxConcurrent: 10 },
  ],
  [
    "policies/no-mail",
    {
      category: "guardrail",
      condition: "node.action == 'write'",
      action: "require_approval",
      approvers: [{ who: "role:ops", within: "2h" }],
    },
    { scope: "global", enforcement: "hard", enabled: true, approvers: [{ who: "role:ops", within: "2h" }] },
  ],
  [
    "budgets/team-day",
    { scope: "team", scope_id: "support", period: "daily", amount_usd: 5 },
    { scopeId: "support", amountUsd: 5, alertAt: [0.8, 1], onExhausted: "block" },
  ],
  [
    "lenses/answer",
    {
      versions: [
        {
          id: "v1",
          template_body: "[[q]]",
          input_contract: { kind: "k", fields: { my_label: { type: "string", min_length: 1 } } },
        },
      ],
    },
    {
      versions: [
        {
          id: "v1",
          templateBody: "[[q]]",
          inputContract: { kind: "k", fields: { my_label: { type: "string", minLength: 1 } } },
        },
      ],
    },
  ],
  [
    "teams/support",
    { members: [{ agent: "analyst", sort_order: 2 }], retry_policy: { attempts: 2 } },
    { members: [{ agent: "analyst", sortOrder: 2, lane: 0, isActive: true }], retryPolicy: { attempts: 2 } },
  ],
  ["library/greeting", { command: "Say hello", on_failure: "skip" }, { command: "Say hello", onFailure: "skip" }],
  [
    "schedules/nightly",
    { workflow: "hello", cron: "0 3 * * *", args: { my_arg: { deep_key: 1 } } },
    { timezone: "UTC", overlap: "skip", args: { my_arg: { deep_key: 1 } } },
  ],
  [
    "webhooks/ops",
    { url: "https://example.com/hook", events: ["run.completed"], secret: "whsec_12345678" },
    { url: "https://example.com/hook", enabled: true },
  ],
  ["models/openai:gpt-5", { input_usd_per_mtok: 1.25, output_usd_per_mtok: 10 }, { inputUsdPerMtok: 1.25 }],
  [
    "deployments/prod",
    { workflow: "hello", gateway: "local", role_bindings: { my_role: "analyst" } },
    { roleBindings: { my_role: "analyst" }, active: true },
  ],
  ["bindings/reviewer", { role: "reviewer", agent: "analyst" }, { role: "reviewer", agent: "analyst" }],
  ["alerts/failing", { on: "failure_rate", threshold: 0.2, to: "ops" }, { on: "failure_rate", to: ["ops"] }],
];

describe.each(EXAMPLES)("%s", (path, spec, shown) => {
  const [collection = "", id = ""] = path.split("/");

  it("is created, shown, listed, changed only by changes, and deleted", async () => {
    expect((await get(path)).status).toBe(404);
    const created = await put(path, spec);
    expect([created.status, created.body]).toMatchObject([201, { id, revision: 1, ...shown }]);
    expect(created.headers.get("location")).toBe(`/api/v1/${collection}/${encodeURIComponent(id)}`);
    expect(created.body.createdAt).toMatch(/^\d{4}-/);
    const again = await put(path, spec);
    expect([again.status, again.body]).toEqual([200, created.body]);
    expect((await get(path)).body).toEqual(created.body);
    expect((await get(collection)).body.data).toContainEqual(created.body);
    expect((await get(path, STRANGER)).status).toBe(404);
    expect((await api.request("DELETE", path, { key: STRANGER })).status).toBe(404);
    expect((await api.request("DELETE", path)).status).toBe(204);
    expect((await api.request("DELETE", path)).status).toBe(404);
    expect((await get(path)).body.code).toMatch(/^unknown_/);
  });

  it("refuses what it does not know, with a code and a path", async () => {
    const { status, body } = await put(path, { ...spec, constructor_: 1 });
    expect([status, body.code]).toEqual([422, "invalid_request"]);
    expect(body.problems).toMatchObject([{ code: "unknown_key", path: "constructor_" }]);
    expect((await put(path, [])).status).toBe(422);
    expect((await put(`${collection}/a%20b`, spec)).body.problems[0]).toMatchObject({ code: "bad_name", path: "name" });
    expect((await get(path)).status).toBe(404);
  });
});

describe("registries", () => {
  it("never show what is write-only, and keep it when it is not given again", async () => {
    const spec = { url: "https://example.com/a", events: ["*"] };
    const kept = async () => {
      const sealed = await api.store.entrySecrets("default", "webhook", "hidden");
      expect(JSON.stringify(sealed)).not.toContain("whsec");
      return openSecrets(api.gateways.box, secretPlace("default", "webhook", "hidden"), sealed);
    };
    const first = await put("webhooks/hidden", { ...spec, secret: "whsec_12345678" });
    expect(JSON.stringify([first.body, (await get("webhooks")).body])).not.toContain("whsec");
    await put("webhooks/hidden", { ...spec, url: "https://example.com/b" });
    expect(await kept()).toEqual({ secret: "whsec_12345678" });
    const rotated = await put("webhooks/hidden", { ...spec, url: "https://example.com/b", secret: "whsec_87654321" });
    expect(rotated.status).toBe(200);
    expect(await kept()).toEqual({ secret: "whsec_87654321" });
  });

  it("have an agent to begin with, which can be changed and comes back", async () => {
    const { body } = await get("agents/default");
    expect(body).toMatchObject({
      revision: 0,
      createdAt: null,
      trustLevel: 5,
      autonomy: "supervised",
      maxConcurrent: 50,
    });
    expect((await api.request("DELETE", "agents/default")).body).toMatchObject({ status: 409, code: "built_in" });
    expect(await put("agents/default", { trust_level: 2 })).toMatchObject({ status: 200, body: { revision: 1 } });
    expect((await api.request("DELETE", "agents/default")).status).toBe(204);
    expect((await get("agents/default")).body.trustLevel).toBe(5);
  });

  it.each([1, 2, 3, 4, 100])("list everything once, %i at a time", async (limit) => {
    for (const id of ["alpha", "beta", "epsilon"]) await put(`agents/${id}`, {});
    const found: string[] = [];
    for (let cursor = ""; ;) {
      const { body } = await get(`agents?limit=${limit}${cursor}`);
      expect(body.data.length).toBeLessThanOrEqual(limit);
      found.push(...body.data.map(({ id }: { id: string }) => id));
      if (body.nextCursor === undefined) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(found).toEqual(["alpha", "beta", "default", "epsilon"]);
  });

  it("remember since when a phase lasts", async () => {
    const first = await put("agents/trial", { phase: "poc" });
    expect(first.body.phaseSince).toMatch(/^20/);
    const second = await put("agents/trial", { phase: "poc", trust_level: 2 });
    expect(second.body.phaseSince).toBe(first.body.phaseSince);
  });

  it("let nothing come back from the archive, and no version of a lens change", async () => {
    await put("agents/old", { lifecycle: "archived" });
    expect((await put("agents/old", { lifecycle: "active" })).body.problems).toMatchObject([
      { code: "conflicting_fields", path: "lifecycle" },
    ]);
    const version = { id: "v1", template_body: "Say [[x]]" };
    await put("lenses/fixed", { versions: [version] });
    expect(
      (await put("lenses/fixed", { versions: [{ ...version, template_body: "Shout" }] })).body.problems,
    ).toMatchObject([{ code: "conflicting_fields", path: "versions[0]" }]);
    const more = { versions: [version, { id: "v2", template_body: "Shout" }] };
    expect(await put("lenses/fixed", more)).toMatchObject({ status: 200, body: { revision: 2 } });
  });

  it("take the hands of those who may, and only theirs", async () => {
    const registrar = await api.key(["registry:write"]);
    const governor = await api.key(["governance:write"]);
    const budget = { scope: "global", period: "daily", amount_usd: 1 };
    expect((await put("budgets/own", budget, registrar)).status).toBe(403);
    expect((await put("budgets/own", budget, governor)).status).toBe(201);
    expect((await put("agents/own", {}, governor)).status).toBe(403);
    expect((await put("agents/own", {}, registrar)).status).toBe(201);
    expect((await get("agents/own", registrar)).status).toBe(403);
  });

  it("are in the document, with what may be sent", () => {
    const document = JSON.parse(JSON.stringify(openApiDocument(ROUTES, null)));
    for (const [path] of EXAMPLES) {
      const [collection = ""] = path.split("/");
      const described = document.paths[`/api/v1/${collection}/{id}`];
      expect(Object.keys(described)).toEqual(["get", "put", "delete"]);
      expect(described.put.requestBody.content["application/json"].schema.type).toBe("object");
      expect(document.paths[`/api/v1/${collection}`].get).toBeDefined();
    }
    const agent = document.paths["/api/v1/agents/{id}"].put.requestBody.content["application/json"].schema;
    expect(agent.properties.trust_level).toMatchObject({ minimum: 1, maximum: 10, default: 1 });
    expect(document.paths["/api/v1/apply"].post.requestBody.content["application/yaml"]).toBeDefined();
    expect(document.paths["/api/v1/platform"].put).toBeDefined();
  });
});

describe("the platform", () => {
  it("is open, closed with a reason, and opened again", async () => {
    expect((await get("platform")).body).toEqual({ open: true, reason: null });
    expect((await put("platform", { open: false, reason: "drill" })).body).toEqual({ open: false, reason: "drill" });
    expect((await get("platform")).body).toEqual({ open: false, reason: "drill" });
    expect((await get("platform", STRANGER)).body).toEqual({ open: true, reason: null });
    expect((await put("platform", { open: true })).body).toEqual({ open: true, reason: null });
    for (const wrong of [{}, { open: "no" }, { open: true, reasn: "x" }, { open: false, reason: "x".repeat(1_001) }]) {
      expect((await put("platform", wrong)).status).toBe(422);
    }
    expect((await put("platform", { open: true, reason: "x".repeat(1_000) })).status).toBe(200);
    expect((await put("platform", { open: true }, await api.key("viewer"))).status).toBe(403);
    expect((await get("platform", await api.key("viewer"))).status).toBe(200);
  });
});
