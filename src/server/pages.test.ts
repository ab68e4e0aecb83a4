import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, HELLO, ORG, STRANGER } from "../../test/api/fixture.ts";
import { readExposition } from "../../test/telemetry/exposition.ts";
import { createApp } from "./app.ts";
import { API_PROBLEMS } from "./problem.ts";
import { ROUTES } from "./route-table.ts";
import { adminKey } from "./secret.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
  await api.save(HELLO);
  await api.run("hello", { who: "<script>alert(1)</script>" });
});
afterAll(() => api.close());

const ORIGIN = "http://localhost";
const FORM = { "content-type": "application/x-www-form-urlencoded", origin: ORIGIN };

async function signIn(secret: string): Promise<string> {
  const body = new URLSearchParams({ key: secret }).toString();
  const headers = { ...FORM, "content-length": String(body.length) };
  const { status, headers: answered } = await api.request("POST", "/session", { key: null, body, headers });
  expect([status, answered.get("location")]).toEqual([303, "/"]);
  return answered.get("set-cookie") ?? "";
}

describe("health", () => {
  it("is alive, and ready while the database is there", async () => {
    expect(await api.request("GET", "/healthz", { key: null })).toMatchObject({
      status: 200,
      body: { status: "alive" },
    });
    expect(await api.request("GET", "/readyz", { key: null })).toMatchObject({
      status: 200,
      body: { status: "ready" },
    });
    const away = { ...api.store, ping: () => Promise.reject(new Error("no route to host 10.0.0.7")) };
    const troubles: string[] = [];
    const app = createApp({
      store: away,
      runtime: api.runtime,
      gateways: api.gateways,
      governance: api.governance,
      config: { onTrouble: (what) => troubles.push(what) },
    });
    const response = await app.request("/readyz");
    const answer = { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
    expect([answer.status, answer.body.code, answer.headers.get("retry-after")]).toEqual([503, "not_ready", "2"]);
    expect(JSON.stringify(answer.body)).not.toContain("10.0.0.7");
    expect(troubles).toEqual(["the database is not ready"]);
    app.close();
  });

  it("counts in the format of Prometheus, without ids", async () => {
    await api.request("GET", `runs/run_not_in_labels`);
    const { body, headers } = await api.request("GET", "/metrics", { key: null });
    expect(headers.get("content-type")).toContain("version=0.0.4");
    expect(body).toMatch(/^sluice_runs_started_total 1$/m);
    expect(body).toMatch(/^sluice_runs_total\{status="completed"\} 1$/m);
    expect(body).toMatch(/^sluice_commits_total [1-9]/m);
    expect(body).toMatch(/^sluice_sse_clients 0$/m);
    expect(body).toContain('sluice_http_requests_total{method="GET",route="/api/v1/runs/{runId}",status="404"} 1');
    expect(body).not.toContain("run_");
    const families = readExposition(body);
    expect([...families.keys()]).toEqual(
      expect.arrayContaining([
        "sluice_node_duration_seconds",
        "sluice_gate_decisions_total",
        "sluice_queue_lag_seconds",
        "sluice_open_attempts",
        "sluice_waiting_nodes",
        "sluice_pending_approvals",
        "sluice_pending_deliveries",
      ]),
    );
    expect(families.get("sluice_node_duration_seconds")?.type).toBe("histogram");
  });

  it("echoes a request id that is one, and makes one otherwise", async () => {
    expect(
      (await api.request("GET", "/healthz", { headers: { "x-request-id": "abc-1.2" } })).headers.get("x-request-id"),
    ).toBe("abc-1.2");
    for (const id of ["a b", "x".repeat(129), "<b>"]) {
      const { headers } = await api.request("GET", "/nowhere", { headers: { "x-request-id": id } });
      expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{24}$/);
    }
  });
});

describe("the OpenAPI document", () => {
  it("says what the table of routes says", async () => {
    const { body } = await api.request("GET", "/openapi.json", { key: null });
    expect(body.openapi).toBe("3.1.0");
    const found = Object.entries<Record<string, { operationId: string }>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    );
    expect(found.sort()).toEqual(ROUTES.map(({ method, path, operation }) => `${method} ${path} ${operation}`).sort());
    expect(new Set(ROUTES.map(({ operation }) => operation)).size).toBe(ROUTES.length);
    const start = body.paths["/api/v1/runs"].post;
    expect(start.requestBody.content["application/json"].schema).toMatchObject({
      type: "object",
      required: ["workflow"],
      additionalProperties: false,
    });
    const names = (parameters: readonly { name?: string; $ref?: string }[]) =>
      parameters.map(({ name, $ref = "" }) => name ?? body.components.parameters[$ref.split("/").at(-1) ?? ""].name);
    expect(names(start.parameters)).toEqual(["wait", "Idempotency-Key", "X-Sluice-Organisation", "X-Sluice-CSRF"]);
    const list = body.paths["/api/v1/runs"].get;
    expect(names(list.parameters)).toEqual([
      "limit",
      "cursor",
      "status",
      "workflow",
      "version",
      "parent",
      "waiting_for",
      "trigger",
      "agent",
      "model",
      "label",
      "error",
      "min_cost",
      "max_cost",
      "min_duration",
      "max_duration",
      "since",
      "until",
      "q",
      "X-Sluice-Organisation",
    ]);
    expect(body.components.schemas.Problem.required).toEqual([
      "type",
      "title",
      "status",
      "code",
      "detail",
      "requestId",
    ]);
    const references = JSON.stringify(body).match(/"\$ref":"[^"]*"/g);
    const known = ["responses", "schemas"].map((kind) => `"$ref":"#/components/${kind}/Problem"`);
    const parameters = Object.keys(body.components.parameters).map(
      (name) => `"$ref":"#/components/parameters/${name}"`,
    );
    expect(new Set(references)).toEqual(new Set([...known, ...parameters]));
  });

  it("reads as a page without a script, with every code", async () => {
    const { body, headers } = await api.request("GET", "/docs", { key: null });
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(body).not.toMatch(/<script|style=|\son\w+=/i);
    for (const { path } of ROUTES) expect(body).toContain(`<td>${path}</td>`);
    for (const code of Object.keys(API_PROBLEMS)) expect(body).toContain(`<td>${code}</td>`);
  });
});

describe("the front page", () => {
  it("shows strangers how to start, and nothing else", async () => {
    const { body, headers } = await api.request("GET", "/", { key: null });
    expect(body).toContain("Sign in");
    expect(body).not.toContain("hello<");
    expect(headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/);
    expect((await api.request("GET", "/sluice.css", { key: null })).headers.get("content-type")).toContain("text/css");
  });

  it("shows an organisation its own, escaped", async () => {
    const secret = "slk_key_with_a_label";
    await api.store.putKey({ ...adminKey(ORG, secret, 0), label: "<img src=x onerror=alert(1)>" });
    const cookie = await signIn(secret);
    expect(cookie).toMatch(/^sluice_session=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=604800$/);
    const { body } = await api.request("GET", "/", { key: null, headers: { cookie: cookie.split(";")[0] ?? "" } });
    expect(body).toContain("<td>hello</td>");
    expect(body).toContain("&lt;img src=x");
    expect(body).not.toContain("<img");
    const other = (await signIn(STRANGER)).split(";")[0] ?? "";
    expect((await api.request("GET", "/", { key: null, headers: { cookie: other } })).body).not.toContain(
      "<td>hello</td>",
    );
  });

  it("takes no sign-in from another site, and none that is no key", async () => {
    for (const origin of ["http://evil.example", "null", "http://localhost.evil.example"]) {
      const { status, body } = await api.request("POST", "/session", {
        key: null,
        body: "key=x",
        headers: { ...FORM, origin },
      });
      expect([status, body.code]).toEqual([403, "bad_origin"]);
    }
    for (const key of ["", "nothing", "slk_unknown_key"]) {
      const body = `key=${key}`;
      const headers = { ...FORM, "content-length": String(body.length) };
      expect((await api.request("POST", "/session", { key: null, body, headers })).status).toBe(401);
    }
    const long = await api.request("POST", "/session", {
      key: null,
      body: `key=${"x".repeat(2_000)}`,
      headers: { ...FORM, "content-length": "2004" },
    });
    expect(long.status).toBe(413);
    expect((await api.request("POST", "/session", { key: null, body: "{}", headers: { origin: ORIGIN } })).status).toBe(
      415,
    );
    const out = await api.request("POST", "/session/end", { key: null, headers: { origin: ORIGIN } });
    expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
  });
});

describe("the session in the API", () => {
  it("reads by itself, and changes only what its own pages ask for", async () => {
    const cookie = `a=b; ${(await signIn(ADMIN)).split(";")[0] ?? ""}`;
    expect((await api.request("GET", "runs", { key: null, headers: { cookie } })).status).toBe(200);
    const body = { source: "name: x" };
    for (const origin of [{}, { origin: "http://evil.example" }, { origin: "null" }]) {
      const refused = await api.request("POST", "validate", { key: null, body, headers: { cookie, ...origin } });
      expect([refused.status, refused.body.code]).toEqual([403, "bad_origin"]);
    }
    const { csrfToken } = (await api.request("GET", "session", { key: null, headers: { cookie } })).body;
    const { csrfToken: other } = (
      await api.request("GET", "session", { key: null, headers: { cookie: (await signIn(ADMIN)).split(";")[0] ?? "" } })
    ).body;
    const own = { cookie, origin: ORIGIN };
    for (const token of [{}, { "x-sluice-csrf": "" }, { "x-sluice-csrf": other }]) {
      const refused = await api.request("POST", "validate", { key: null, body, headers: { ...own, ...token } });
      expect([refused.status, refused.body.code]).toEqual([403, "bad_csrf_token"]);
    }
    const headers = { ...own, "x-sluice-csrf": csrfToken };
    expect((await api.request("POST", "validate", { key: null, body, headers })).status).toBe(200);
    const both = await api.request("GET", "runs", { key: "slk_unknown_key", headers: { cookie } });
    expect(both.status).toBe(401);
  });
});
