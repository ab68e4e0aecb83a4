import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, GATED, HELLO, ORG, OTHER_ORG } from "../../test/api/fixture.ts";
import { connectCaller, answerOf } from "../../test/mcp/caller.ts";
import { type LocalIssuer, makeKey, signToken, startIssuer } from "../../test/oidc/issuer.ts";
import type { AuditRecord, AuditType } from "../core/audit/index.ts";
import { type OidcSettings, TokenVerifier } from "../oidc/index.ts";
import { PeerAgent } from "../outbound/index.ts";
import type { ApiConfig } from "./config.ts";
import { ROLES } from "../contract/index.ts";
import { permissionsOf } from "./permission.ts";
import { serve } from "./serve.ts";

const KEY = makeKey("ES256", "k1");
const agent = new PeerAgent();
let issuer: LocalIssuer;
beforeAll(async () => {
  issuer = await startIssuer([KEY]);
});
afterAll(async () => {
  agent.close();
  await issuer.close();
});

const opened: Api[] = [];
afterEach(async () => {
  issuer.answer = null;
  issuer.keys = [KEY.jwk];
  for (const api of opened.splice(0)) {
    await api.close();
    expect(api.troubles).toEqual([]);
  }
});

interface Trusting extends Partial<ApiConfig> {
  readonly oidc?: Partial<OidcSettings>;
}

async function start({ oidc = {}, ...config }: Trusting = {}): Promise<Api & { readonly replied: string[] }> {
  const replied: string[] = [];
  const verifier = new TokenVerifier({
    issuer: issuer.url,
    audience: "sluice",
    organisation: { name: ORG },
    roleClaim: "sluice_role",
    now: config.now ?? Date.now,
    agent,
    onTrouble: (what, error) => void replied.push(`${what}: ${String(error)}`),
    ...oidc,
  });
  const api = await createApi(config, undefined, { verifier });
  opened.push(api);
  for (const source of [HELLO, GATED]) await api.save(source);
  return { ...api, replied };
}

function tokenFor(role: unknown, more: object = {}): string {
  const exp = Math.floor(Date.now() / 1_000) + 300;
  return signToken(KEY, { iss: issuer.url, aud: "sluice", sub: "ada", exp, sluice_role: role, ...more });
}

async function audited(api: Api, type: AuditType): Promise<readonly AuditRecord[]> {
  // The audit of a refusal is written after the answer.
  await new Promise((resolve) => setImmediate(resolve));
  const { body } = await api.request("GET", `audit?type=${type}`);
  return body.data;
}

async function failures(api: Api): Promise<unknown[]> {
  const records = await audited(api, "auth.failed");
  return records.map(({ actor, resource, detail }) => ({ actor, resource, detail }));
}

describe("the bearer of a token", () => {
  it("is like a key with the permissions of the role", async () => {
    const api = await start();
    for (const role of ROLES) {
      const { status, body } = await api.request("GET", "session", {
        key: tokenFor(role, { email: "ada@example.com", email_verified: true }),
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({ organisation: ORG, keyId: "oidc:ada", label: "ada@example.com", agent: null });
      expect(body.permissions).toEqual([...permissionsOf(role)]);
      expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now());
    }
  });

  it("has the permissions of all the roles that are known", async () => {
    const api = await start();
    const roles = ["offline_access", "author", "approver"];
    const { body } = await api.request("GET", "session", { key: tokenFor(roles) });
    expect(body.permissions.toSorted()).toEqual(
      [...new Set([...permissionsOf("author"), ...permissionsOf("approver")])].toSorted(),
    );
  });

  it.each([undefined, "", "owner", "Admin", ["owner"], [], { admin: true }, 7])(
    "with the role %j gets in nowhere, and the audit says so once",
    async (role) => {
      const api = await start();
      for (let turn = 0; turn < 3; turn += 1) {
        const { status, body } = await api.request("GET", "runs", { key: tokenFor(role) });
        expect([status, body.code]).toEqual([403, "role_missing"]);
      }
      expect(await failures(api)).toEqual([
        { actor: "oidc:ada", resource: "token/oidc:ada", detail: { code: "role_missing" } },
      ]);
    },
  );

  it("may not do what the role does not allow, which the audit records like that of a key", async () => {
    const api = await start();
    const { status, body } = await api.request("POST", "keys", { key: tokenFor("viewer"), body: { label: "a" } });
    expect([status, body.code]).toEqual([403, "forbidden"]);
    expect(await failures(api)).toEqual([
      { actor: "oidc:ada", resource: "token/oidc:ada", detail: { asked: "POST /api/v1/keys" } },
    ]);
  });

  it("starts runs in its own name, and repeats only its own", async () => {
    const api = await start();
    const start1 = { workflow: "hello", args: { who: "Ada" } };
    const key = tokenFor("operator");
    const headers = { "idempotency-key": "one" };
    const first = await api.request("POST", "runs", { key, body: start1, headers });
    expect(first.status).toBe(201);
    // Another token of the same person is the same caller.
    const again = await api.request("POST", "runs", {
      key: tokenFor("operator", { jti: "2" }),
      body: start1,
      headers,
    });
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    const other = await api.request("POST", "runs", {
      key: tokenFor("operator", { sub: "bob" }),
      body: start1,
      headers,
    });
    expect(other.status).toBe(201);
    expect(other.body.id).not.toBe(first.body.id);
    expect((await api.store.getRun(ORG, first.body.id))?.startedBy).toBe("oidc:ada");
    const actors = (await audited(api, "run.started")).map(({ actor }) => actor);
    expect(actors.toSorted()).toEqual(["oidc:ada", "oidc:bob"]);
  });

  it("does not approve what it started, whatever it is called meanwhile", async () => {
    const api = await start();
    await api.save("name: four-eyes\nsteps:\n  - { id: decide, approval: required, separate_approver: true }\n");
    const started = await api.request("POST", "runs", { key: tokenFor("operator"), body: { workflow: "four-eyes" } });
    await api.settle(started.body.id);
    const { body } = await api.request("GET", "approvals");
    const answer = (key: string) =>
      api.request("POST", `approvals/${body.data[0].id}/resolve`, { key, body: { decision: "approve" } });
    const own = await answer(tokenFor("approver", { email: "someone@example.com" }));
    expect([own.status, own.body.code]).toEqual([403, "self_approval"]);
    const other = await answer(tokenFor("approver", { sub: "bob", name: "Bob" }));
    expect([other.status, other.body.resolvedBy]).toEqual([200, "Bob (bob)"]);
    const [resolved] = await audited(api, "approval.resolved");
    expect(resolved).toMatchObject({ actor: "oidc:bob", detail: { by: "Bob (bob)" } });
  });

  it("is named in the audit of what it changes", async () => {
    const api = await start();
    const key = tokenFor("admin");
    const minted = await api.request("POST", "keys", { key, body: { label: "ci", role: "viewer" } });
    expect(minted.status).toBe(201);
    // What a token makes ends with it.
    expect(Date.parse(minted.body.expiresAt)).toBeLessThan(Date.now() + 301_000);
    await api.request("PUT", "platform", { key, body: { open: true, reason: "tried" } });
    for (const type of ["key.created", "platform.changed"] as const) {
      expect((await audited(api, type)).map(({ actor }) => actor)).toEqual(["oidc:ada"]);
    }
  });

  it("follows a stream until the token has expired", async () => {
    let later = 0;
    const api = await start({ heartbeatMs: 5, now: () => Date.now() + later });
    const id = await api.run("gated");
    const response = await api.ask("GET", `runs/${id}/events/stream`, { key: tokenFor("viewer") });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes(": heartbeat\n\n")) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(text).toContain("event: run.started");
    later = 301_000;
    for (let isDone = false; !isDone;) isDone = (await reader?.read())?.done ?? true;
    expect(api.app.streams().open).toBe(0);
  });

  it("speaks MCP", async () => {
    const api = await start();
    const exposed = [{ kind: "Workflow", name: "hello", spec: { source: HELLO, exposed: true } }];
    await api.request("POST", "apply", { body: exposed });
    const server = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
    try {
      const client = await connectCaller(server.url, tokenFor("operator", { sub: "ada lovelace ü" }));
      const replied = answerOf(
        await client.callTool({ name: "run_workflow", arguments: { workflow: "hello", args: { who: "Ada" } } }),
      );
      expect([replied.isError, replied.text]).toEqual([false, expect.any(String)]);
      await client.close();
      const { data } = await api.store.listRuns(ORG, {}, { limit: 1, cursor: null });
      expect(data[0]?.startedBy).toBe("oidc:ada lovelace ü");
      await expect(connectCaller(server.url, tokenFor("operator", { aud: "x" }))).rejects.toThrow();
    } finally {
      await server.close(100);
    }
  });

  it("may have a token as long as tokens may be, over a socket", async () => {
    const api = await start();
    const server = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
    try {
      const token = tokenFor("viewer", { pad: "x".repeat(11_800) });
      expect(token.length).toBeGreaterThan(16_000);
      const answer = await fetch(`${server.url}/api/v1/session`, { headers: { authorization: `Bearer ${token}` } });
      expect(answer.status).toBe(200);
    } finally {
      await server.close(100);
    }
  });
});

describe("a token that opens nothing", () => {
  const bad: readonly [string, () => string][] = [
    ["token_expired", () => tokenFor("admin", { exp: 1 })],
    ["token_not_yet_valid", () => tokenFor("admin", { nbf: 9_999_999_999 })],
    ["token_invalid", () => tokenFor("admin", { aud: "x" })],
    ["token_invalid", () => `${tokenFor("admin").slice(0, -4)}AAAA`],
    ["token_invalid", () => "not.a.token"],
  ];

  it.each(bad)("is %s, sent as problem+json, audited once, and never repeated", async (code, make) => {
    const api = await start();
    const token = make();
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = await api.request("GET", "runs", { key: token });
      expect([answer.status, answer.body.code]).toEqual([401, code]);
      expect(answer.headers.get("content-type")).toContain("application/problem+json");
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="sluice", error="invalid_token"');
      expect(JSON.stringify(answer.body)).not.toContain(token);
    }
    const written = await failures(api);
    expect(written).toEqual([{ actor: "oidc", resource: "token/oidc", detail: { code } }]);
    expect(JSON.stringify([...api.troubles, ...api.replied])).not.toContain(token);
  });

  it("is no fault of the caller while the issuer is away", async () => {
    const api = await start();
    issuer.answer = { status: 500, body: "" };
    const answer = await api.request("GET", "runs", { key: tokenFor("admin") });
    expect([answer.status, answer.body.code, answer.headers.get("retry-after")]).toEqual([
      503,
      "issuer_unreachable",
      "5",
    ]);
    expect(JSON.stringify(answer.body)).not.toContain("127.0.0.1");
    expect(await failures(api)).toEqual([]);
    expect((await api.request("GET", "runs", { key: ADMIN })).status).toBe(200);
  });

  it("is no cookie", async () => {
    const api = await start();
    const headers = { cookie: `sluice_session=${tokenFor("admin")}` };
    const { status, body } = await api.request("GET", "runs", { key: null, headers });
    expect([status, body.code]).toEqual([401, "unauthenticated"]);
  });

  it("is a bad key where no issuer is trusted", async () => {
    const api = await createApi();
    opened.push(api);
    const { status, body } = await api.request("GET", "runs", { key: tokenFor("admin") });
    expect([status, body.code]).toEqual([401, "unauthenticated"]);
  });
});

describe("an organisation named by a claim", () => {
  it("is all the bearer sees", async () => {
    const api = await start({ oidc: { organisation: { claim: "org" } } });
    const id = await api.run("hello", { who: "Ada" });
    const here = tokenFor("admin", { org: ORG });
    const there = tokenFor("admin", { org: OTHER_ORG });
    expect((await api.request("GET", `runs/${id}`, { key: here })).status).toBe(200);
    expect((await api.request("GET", `runs/${id}`, { key: there })).status).toBe(404);
    const fresh = tokenFor("admin", { org: "fresh" });
    expect((await api.request("PUT", "workflows/hello", { key: fresh, body: { source: HELLO } })).status).toBe(201);
  });

  it("is needed, and a token without one is not audited", async () => {
    const api = await start({ oidc: { organisation: { claim: "org" } } });
    for (const org of [undefined, "a b", [ORG, OTHER_ORG]]) {
      const { status, body } = await api.request("GET", "runs", { key: tokenFor("admin", { org }) });
      expect([status, body.code]).toEqual([403, "organisation_missing"]);
    }
    expect(await failures(api)).toEqual([]);
  });
});
