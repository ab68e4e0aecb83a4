import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, GATED, HELLO, STRANGER } from "../../test/api/fixture.ts";
import { OPEN_ROUTES } from "./open-routes.ts";
import { PERMISSIONS, ROLES } from "../contract/index.ts";
import { permissionsOf } from "./permission.ts";
import { ROUTES } from "./route-table.ts";

let api: Api;
let names: Readonly<Record<string, string>>;
beforeAll(async () => {
  api = await createApi();
  await api.save(HELLO);
  await api.save(GATED);
  const runId = await api.run("gated");
  const approvals = await api.request("GET", "approvals?status=pending");
  const keys = await api.request("GET", "keys");
  await api.request("PUT", "gateways/edge-1", { body: { url: "http://127.0.0.1:1", providers: ["scripted"] } });
  names = {
    name: "hello",
    version: "1",
    runId,
    eventId: "2",
    nodeId: "draft",
    approvalId: approvals.body.data[0].id,
    hash: `sha256:${"0".repeat(64)}`,
    keyId: keys.body.data[0].id,
    gatewayId: "edge-1",
  };
});
afterAll(() => api.close());

const pathOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? name);
/** A body no route takes, so that asking changes nothing: who may ask is decided before it is read. */
const NOTHING = { body: { "": 0 } };
const bodyOf = (method: string): object => (method === "GET" || method === "DELETE" ? {} : NOTHING);

describe("permissions", () => {
  it("refuses callers without a key, on any route", async () => {
    for (const { method, path } of ROUTES) {
      for (const key of [null, "slk_unknown_key", "garbage", `slk_${"x".repeat(300)}`, "slk_' OR 1=1 --"]) {
        const { status, body, headers } = await api.request(method, pathOf(path), { key, ...bodyOf(method) });
        expect([method, path, status, body.code]).toEqual([method, path, 401, "unauthenticated"]);
        expect(headers.get("www-authenticate")).toContain("Bearer");
      }
    }
  });

  it("lets a key do what its permission says and nothing else", async () => {
    for (const permission of PERMISSIONS) {
      const key = await api.key([permission]);
      for (const { method, path, permission: needed, needsSignedInPerson } of ROUTES) {
        // A stream that may be opened stays open, and a revoked key would spoil the others.
        if (
          needed === permission &&
          (path.includes("stream") || path.endsWith("/live") || path.startsWith("/execute") || method === "DELETE")
        )
          continue;
        const { status, body } = await api.request(method, pathOf(path), { key, ...bodyOf(method) });
        const replied = [permission, method, path, status === 403];
        expect(replied).toEqual([
          permission,
          method,
          path,
          needsSignedInPerson || (needed !== null && needed !== permission),
        ]);
        if (status === 403) expect(body.code).toBe(needsSignedInPerson ? "no_person" : "forbidden");
      }
    }
  });

  it("gives roles what the contract says", () => {
    const reading = ["workflow:read", "run:read", "governance:read", "audit:read"];
    const more: Record<(typeof ROLES)[number], readonly string[]> = {
      viewer: [],
      author: ["workflow:write"],
      operator: ["workflow:execute", "run:cancel"],
      approver: ["governance:approve"],
      admin: PERMISSIONS.filter((permission) => !reading.includes(permission)),
    };
    for (const role of ROLES) expect([...permissionsOf(role)].sort()).toEqual([...reading, ...more[role]].sort());
  });

  it("hides everything of another organisation", async () => {
    const bodies: Record<string, object> = {
      "workflows.update": { status: "paused" },
      "views.update": { name: "mine", query: {} },
      "runs.rewind": { eventId: 1 },
      "runs.branch": { eventId: 1 },
      "runs.previewBranch": { eventId: 1 },
      "runs.resolve": { values: { a: 1 } },
      "approvals.resolve": { decision: "approve" },
      "approvals.comment": { text: "why?" },
      "approvals.assign": { to: null },
      "persons.change": { roles: ["viewer"] },
      "organisations.rename": { name: "Mine" },
      "secrets.rotate": { value: "a new value" },
    };
    for (const { method, path, operation, needsSignedInPerson } of ROUTES) {
      if (!path.includes("{") || operation.endsWith(".save") || needsSignedInPerson) continue;
      const body = bodies[operation] ?? (method === "POST" ? {} : undefined);
      const { status, body: answer } = await api.request(method, pathOf(path), {
        key: STRANGER,
        ...(body === undefined ? {} : { body }),
      });
      expect([operation, status]).toEqual([operation, 404]);
      expect(answer.code).toMatch(/^(?:unknown_\w+|not_found)$/);
    }
    const started = await api.request("POST", "runs", {
      key: STRANGER,
      body: { workflow: "hello", args: { who: "x" } },
    });
    expect([started.status, started.body.code]).toEqual([404, "unknown_workflow"]);
    for (const list of ["workflows", "runs", "approvals"]) {
      expect((await api.request("GET", list, { key: STRANGER })).body).toEqual({ data: [] });
    }
    expect((await api.request("GET", `runs/${names["runId"]}`)).body.status).toBe("running");
  });

  it("leaves open only what shows nothing", () => {
    expect(OPEN_ROUTES.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /healthz",
      "GET /readyz",
      "GET /metrics",
      "GET /openapi.json",
      "GET /docs",
      "GET /sluice.css",
      "GET /",
      "POST /session",
      "GET /session/once",
      "POST /session/end",
      "GET /auth/providers",
      "GET /auth/{provider}/start",
      "GET /auth/{provider}/callback",
      "GET /invite",
      "POST /invite",
    ]);
  });

  it("meets no surprise on the way", () => {
    expect(api.troubles).toEqual([]);
  });
});
