import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi, FAILING, HELLO } from "../../test/api/fixture.ts";
import { createSystemClock } from "../clock/index.ts";
import { LAUNCH_STATUSES } from "../core/governance/index.ts";
import { openGovernance } from "../governance/index.ts";
import { createApp } from "./app.ts";
import { API_PROBLEMS, type ApiProblemCode } from "./problem.ts";

let api: Api;
beforeEach(async () => {
  api = await createApi();
  await api.save(HELLO);
  await api.save(FAILING);
});
afterEach(() => api.close());

const ARGS = { who: "Ada" };
const start = (more: object = {}) => api.request("POST", "runs", { body: { workflow: "hello", args: ARGS, ...more } });

async function posture(name: string): Promise<void> {
  const spec = { source: HELLO, posture: name };
  const { status } = await api.request("POST", "apply", { body: [{ kind: "Workflow", name: "hello", spec }] });
  expect(status).toBe(200);
}

async function put(path: string, body: object): Promise<void> {
  const answer = await api.request("PUT", path, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}

const BLOCKING = { category: "run_creation", condition: "run.args.who == 'Ada'", action: "block", reason: "not Ada" };
const BROKE = { scope: "global", period: "monthly", amount_usd: 0 };

describe("a launch", () => {
  it("answers every code of the gates with the status they have", () => {
    for (const [code, status] of Object.entries(LAUNCH_STATUSES)) {
      expect(API_PROBLEMS[code as ApiProblemCode]?.[0], code).toBe(status);
    }
  });

  it.each<[string, number, string, string, () => Promise<unknown>]>([
    [
      "the kill switch",
      503,
      "platform_closed",
      "platform_open",
      () => put("platform", { open: false, reason: "fire" }),
    ],
    [
      "a paused workflow",
      409,
      "workflow_paused",
      "platform_open",
      () => api.request("PATCH", "workflows/hello", { body: { status: "paused" } }),
    ],
    ["its posture", 403, "posture_forbidden", "execution_posture", () => posture("advisory")],
    ["a launch without an approval", 403, "posture_forbidden", "execution_posture", () => posture("approval_required")],
    ["an exhausted budget", 403, "budget_exceeded", "budget_envelopes", () => put("budgets/broke", BROKE)],
    ["a policy", 403, "policy_blocked", "policy_rules", () => put("policies/no-ada", BLOCKING)],
  ])("is refused by %s with %i %s", async (_, status, code, gate, prepare) => {
    await prepare();
    const refused = await start();
    expect(refused.headers.get("content-type")).toContain("application/problem+json");
    expect(refused).toMatchObject({ status, body: { status, code, explanation: { gate, code } } });
    expect(refused.body.explanation.message).not.toBe("");
    expect(refused.body.explanation.unblock.length).toBeGreaterThan(0);
    expect((await api.request("GET", "runs")).body.data).toEqual([]);
  });

  it("is refused when the gateway it is pinned to is not there", async () => {
    const refused = await start({ gateway: "nowhere" });
    expect(refused).toMatchObject({ status: 503, body: { code: "gateway_unreachable" } });
    expect(refused.body.detail).toContain('"nowhere"');
  });

  it("sees the args as they will be, and lets others pass", async () => {
    await put("policies/no-ada", BLOCKING);
    expect((await start({ args: { who: "Bob" } })).status).toBe(201);
    expect((await start({ args: {} })).body.code).toBe("invalid_args");
  });

  it("that was made before is answered again, whatever the gates say now", async () => {
    const once = { body: { workflow: "hello", args: ARGS }, headers: { "idempotency-key": "k1" } };
    const first = await api.request("POST", "runs", once);
    await put("platform", { open: false });
    expect(await api.request("POST", "runs", once)).toMatchObject({ status: 200, body: { id: first.body.id } });
  });

  it("may be made so often by one key, and no more", async () => {
    const { store, runtime, gateways, troubles } = api;
    const governance = openGovernance({
      store,
      directory: gateways.directory,
      clock: createSystemClock(),
      isAlone: true,
      startRate: { count: 2, perSeconds: 60 },
      onTrouble: (what) => troubles.push(what),
    });
    const app = createApp({ store, runtime, gateways, governance });
    const ask = (key: string) =>
      app.request("/api/v1/runs", {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ workflow: "hello", args: ARGS }),
      });
    const [mine, other] = [await api.key("operator"), await api.key("operator")];
    expect((await ask(mine)).status).toBe(201);
    expect((await ask(mine)).status).toBe(201);
    const third = await ask(mine);
    expect(third.status).toBe(429);
    const seconds = Number(third.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(await third.json()).toMatchObject({ code: "rate_limited", explanation: { gate: "start_rate" } });
    expect((await ask(other)).status).toBe(201);
    app.close();
  });
});

describe("a launch that wants an approval", () => {
  const approvals = async (query = "") => (await api.request("GET", `approvals${query}`)).body.data;
  const resolve = (id: string, body: object, key?: string) =>
    api.request("POST", `approvals/${id}/resolve`, { body, ...(key === undefined ? {} : { key }) });

  it("is refused with the approval it wants, and starts once when that is given", async () => {
    await posture("approval_required");
    const refused = await start();
    expect(refused).toMatchObject({ status: 403, body: { code: "posture_forbidden" } });
    const [unblock] = refused.body.explanation.unblock;
    expect(unblock).toMatchObject({ action: "approve_launch", target: expect.stringMatching(/^apr_/) });
    const [pending, ...rest] = await approvals("?status=pending");
    expect(rest).toEqual([]);
    expect(pending).toMatchObject({
      id: unblock.target,
      runId: null,
      nodeId: null,
      source: "policy",
      status: "pending",
    });
    expect(pending.summary).toContain("hello version 1");
    expect(pending.rendered).toContain('"who":"Ada"');
    expect(Object.hasOwn(pending, "requestedBy")).toBe(false);
    // Asked again, it is the same question.
    expect((await start()).body.explanation.unblock[0].target).toBe(pending.id);
    const answered = await resolve(pending.id, { decision: "approve", digest: pending.digest });
    expect(answered).toMatchObject({ status: 200, body: { status: "approved", decision: "approve", runId: null } });
    expect((await start({ args: { who: "Bob" } })).status).toBe(403);
    expect((await start({ model: "other" })).status).toBe(403);
    expect((await start()).status).toBe(201);
    const again = await start();
    expect(again).toMatchObject({ status: 403 });
    expect(again.body.explanation.unblock[0].target).not.toBe(pending.id);
    const records = (await api.request("GET", "audit?category=governance")).body.data;
    const [requested, resolved] = ["approval.requested", "approval.resolved"].map((type) =>
      records.find((record: { type: string }) => record.type === type),
    );
    expect(requested.actor).toMatch(/^key_/);
    expect(resolved).toMatchObject({ actor: requested.actor, detail: { by: answered.body.resolvedBy } });
  });

  it("is answered by the rules for every approval", async () => {
    await posture("approval_required");
    const bot = await api.key(["workflow:execute", "governance:approve", "governance:read"], { agent: "writer" });
    const other = await api.key(["governance:approve", "governance:read"], { agent: "editor" });
    await api.request("POST", "runs", { body: { workflow: "hello", args: ARGS }, key: bot });
    const [{ id, digest }] = await approvals();
    expect(await resolve(id, { decision: "approve" }, bot)).toMatchObject({
      status: 403,
      body: { code: "self_approval" },
    });
    expect(await resolve(id, { decision: "approve", digest: "sha256:0" })).toMatchObject({ status: 409 });
    expect(await resolve(id, { decision: "skip" })).toMatchObject({ status: 422, body: { code: "bad_choice" } });
    expect(await resolve(id, { decision: "reject" })).toMatchObject({ status: 422, body: { code: "reason_required" } });
    expect(await resolve(id, { decision: "approve", modifications: { args: {} } })).toMatchObject({ status: 422 });
    expect(await resolve(id, { decision: "reject", reason: "no", digest }, other)).toMatchObject({
      status: 200,
      body: { status: "rejected", reason: "no" },
    });
    const late = await resolve(id, { decision: "approve" });
    expect(late).toMatchObject({ status: 409, body: { code: "approval_closed" } });
    const anew = await start();
    expect(anew.body.explanation.unblock[0].target).not.toBe(id);
  });

  it("is not asked for where an approval would not help", async () => {
    await posture("approval_required");
    await put("budgets/broke", BROKE);
    expect((await start()).body.code).toBe("budget_exceeded");
    expect(await approvals()).toEqual([]);
  });

  it("keeps its approval when it is refused for another reason after all", async () => {
    await posture("approval_required");
    await start();
    const [{ id }] = await approvals();
    await resolve(id, { decision: "approve" });
    await put("platform", { open: false });
    expect((await start()).body.code).toBe("platform_closed");
    await put("platform", { open: true });
    expect((await start()).status).toBe(201);
  });

  it("by a policy names who answers, and another version of it is another question", async () => {
    const asking = {
      category: "run_creation",
      condition: "run.args.who == 'Ada'",
      action: "require_approval",
      approvers: [{ who: "role:ops", within: "2h" }],
      separate_approver: true,
    };
    const saved = await api.request("PUT", "policies/ask", { body: asking });
    expect(saved.status, JSON.stringify(saved.body)).toBeLessThan(300);
    const refused = await start();
    expect(refused).toMatchObject({
      status: 403,
      body: { code: "policy_blocked", explanation: { gate: "policy_rules" } },
    });
    const [{ id, approvers, isSeparate }] = await approvals();
    expect(refused.body.explanation.unblock[0].target).toBe(id);
    expect(approvers).toMatchObject([{ who: "role:ops" }]);
    expect(isSeparate).toBe(true);
    expect(await resolve(id, { decision: "approve" })).toMatchObject({ status: 403, body: { code: "self_approval" } });
    const person = await api.key("approver");
    expect(await resolve(id, { decision: "approve" }, person)).toMatchObject({
      status: 403,
      body: { code: "not_an_approver", detail: "It asks role:ops, and you are not among them." },
    });
    // A caller that may change the policy may answer in place of those it asks, and says why.
    const override = { decision: "approve", override: true };
    const admin = await api.key("admin");
    expect(await resolve(id, override, person)).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(await resolve(id, override, admin)).toMatchObject({ status: 422, body: { code: "reason_required" } });
    expect((await resolve(id, { ...override, reason: "ops is away" }, admin)).status).toBe(200);
    await put("policies/ask", { ...asking, reason: "new" });
    expect((await start()).status).toBe(403);
    expect(await approvals("?status=pending")).toHaveLength(1);
  });
});

describe("new work of an old run", () => {
  it("passes the same gates: restart, branch, recover", async () => {
    const done = await api.run("hello", ARGS);
    const failed = await api.run("failing");
    await put("platform", { open: false, reason: "fire" });
    for (const [path, body] of [
      [`runs/${done}/restart`, {}],
      [`runs/${done}/branch`, { eventId: 3 }],
      [`runs/${failed}/recover`, {}],
    ] as const) {
      const refused = await api.request("POST", path, { body });
      expect(refused, path).toMatchObject({ status: 503, body: { code: "platform_closed" } });
    }
    await put("platform", { open: true });
    expect((await api.request("POST", `runs/${failed}/recover`, { body: {} })).status).toBe(200);
    expect((await api.request("POST", `runs/${done}/restart`, { body: {} })).status).toBe(201);
  });
});
