import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, createNoonClock } from "../../../test/api/fixture.ts";

const SOURCE = `name: refund
steps:
  - { id: decide, command: decide, agent: ada, model: m-1 }
`;
const FAILING = `name: failing
steps:
  - { id: a, fail: { code: out_of_stock, message: "Nothing left" } }
`;
const SCRIPT = `default: echo
nodes:
  decide: { stdout: granted, cost_usd: 0.25 }
`;

let api: Api;
beforeAll(async () => {
  api = await createApi({}, SCRIPT, { clock: createNoonClock() });
  await api.request("PUT", "agents/ada", { body: {} });
  for (const source of [SOURCE, FAILING]) await api.save(source);
  for (const workflow of ["refund", "refund", "failing"]) await api.run(workflow);
});
afterAll(() => api.close());

const asked = (query: string) => api.request("GET", `trends${query}`);

describe("trends", () => {
  it("count runs that have ended", async () => {
    const { status, body } = await asked("");
    expect([status, body.bucket, body.by, body.data.length]).toEqual([200, "day", null, 1]);
    expect(body.data[0]).toMatchObject({
      group: null,
      runs: 3,
      completed: 2,
      failed: 1,
      cancelled: 0,
      timedOut: 0,
      successRate: 2 / 3,
      costMicros: 500_000,
      costUsd: "0.50",
    });
    expect(body.data[0].p50Ms).toBeLessThanOrEqual(body.data[0].p95Ms);
  });

  it.each([
    ["workflow", ["failing", "refund"]],
    ["version", ["failing@1", "refund@1"]],
    ["agent", ["ada"]],
    ["model", ["m-1"]],
  ])("are counted by %s, and every point lists its runs", async (by, groups) => {
    const { body } = await asked(`?by=${by}&bucket=hour`);
    expect(body.data.map(({ group }: { group: string }) => group)).toEqual(groups);
    for (const { filter, runs } of body.data) {
      const listed = await api.request("GET", `runs?${new URLSearchParams(filter).toString()}`);
      expect([filter, listed.body.data.length]).toEqual([filter, runs]);
    }
    const one = await asked(`?by=${by}&group=${encodeURIComponent(groups[0] ?? "")}`);
    expect(one.body.data.map(({ group }: { group: string }) => group)).toEqual([groups[0]]);
  });

  it.each([
    ["?group=ada", "by"],
    ["?since=2021-01-01&until=2020-01-01", "since"],
    ["?bucket=hour&since=60d", "since"],
    ["?since=5000d", "since"],
    ["?since=soon", "since"],
    ["?bucket=week", "bucket"],
    ["?by=team", "by"],
  ])("refuse %s", async (query, path) => {
    const { status, body } = await asked(query);
    expect([status, body.code, body.problems[0].path]).toEqual([422, "invalid_request", path]);
  });
});

describe("saved views", () => {
  const view = { name: "Failed refunds", query: { status: "failed", label: ["team:vip"], since: "7d" } };

  it("are saved, listed, changed and deleted", async () => {
    const { status, body: saved } = await api.request("POST", "views", { body: view });
    expect([status, saved]).toEqual([
      201,
      { ...saved, ...view, shared: false, isOwn: true, id: expect.stringMatching(/^view_/) },
    ]);
    expect((await api.request("GET", "views")).body.data).toEqual([saved]);
    const changed = await api.request("PUT", `views/${saved.id}`, { body: { name: "Other", query: { q: "wool" } } });
    expect(changed.body).toMatchObject({ id: saved.id, name: "Other", query: { q: "wool" } });
    expect((await api.request("DELETE", `views/${saved.id}`)).status).toBe(204);
    expect((await api.request("DELETE", `views/${saved.id}`)).body.code).toBe("unknown_view");
    expect((await api.request("GET", "views")).body).toEqual({ data: [] });
  });

  it("are seen by others once they are shared, and changed by those who may", async () => {
    const { body: own } = await api.request("POST", "views", { body: view });
    const key = await api.key(["run:read"]);
    expect((await api.request("GET", "views", { key })).body.data).toEqual([]);
    expect((await api.request("PUT", `views/${own.id}`, { key, body: view })).body.code).toBe("unknown_view");
    await api.request("PUT", `views/${own.id}`, { body: { ...view, shared: true } });
    expect((await api.request("GET", "views", { key })).body.data).toMatchObject([{ id: own.id, isOwn: false }]);
    expect((await api.request("DELETE", `views/${own.id}`, { key })).body.code).toBe("forbidden");
    const editor = await api.key(["run:read", "registry:write"]);
    expect((await api.request("PUT", `views/${own.id}`, { key: editor, body: view })).status).toBe(200);
    expect((await api.request("GET", "views")).body.data).toMatchObject([{ id: own.id, isOwn: true, shared: false }]);
    await api.request("DELETE", `views/${own.id}`);
  });

  it.each([
    [{ name: "", query: {} }, "name"],
    [{ name: "a", query: { stauts: "failed" } }, "query.stauts"],
    [{ name: "a", query: { status: "broken" } }, "query.status"],
    [{ name: "a", query: { limit: 5 } }, "query.limit"],
    [{ name: "a", query: { since: "soon" } }, "since"],
  ])("refuse %j", async (body, path) => {
    const { status, body: problem } = await api.request("POST", "views", { body });
    expect([status, problem.code, problem.problems[0].path]).toEqual([422, "invalid_request", path]);
  });
});
