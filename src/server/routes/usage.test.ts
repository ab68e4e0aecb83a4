import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, createNoonClock, STRANGER } from "../../../test/api/fixture.ts";

const SOURCE = `name: billed
steps:
  - { id: a, command: A, agent: ada }
  - { id: b, command: B, depends_on: [a] }
`;
const SCRIPT = `default: echo
nodes:
  a: { stdout: x, cost_usd: 0.25, tokens: { input: 10, output: 5, thinking: 2, cached: 1 } }
  b: { stdout: y, cost_usd: 0.05 }
`;

let api: Api;
const asked = (query: string) => api.request("GET", `usage${query}`);

beforeAll(async () => {
  api = await createApi({}, SCRIPT, { clock: createNoonClock() });
  await api.request("PUT", "agents/ada", { body: {} });
  await api.save(SOURCE);
  await api.run("billed");
});
afterAll(() => api.close());

describe("usage", () => {
  it("counts tokens and cost, a row per bucket, and adds up", async () => {
    const { status, body } = await asked("");
    expect(status).toBe(200);
    expect(body).toMatchObject({ bucket: "day", by: null });
    expect(body.data).toMatchObject([{ group: null, count: 2, inputTokens: 10, costMicros: 300_000, costUsd: "0.30" }]);
    expect(body.data[0].bucketStart).toBe("2026-11-18T00:00:00.000Z");
    expect(body.totals).toEqual({
      count: 2,
      inputTokens: 10,
      outputTokens: 5,
      thinkingTokens: 2,
      cachedTokens: 1,
      costMicros: 300_000,
      costUsd: "0.30",
    });
  });

  it.each([
    ["agent", ["ada", "default"]],
    ["workflow", ["billed"]],
    ["gateway", ["local"]],
    ["model", [null]],
  ])("is counted by %s", async (by, groups) => {
    const { body } = await asked(`?by=${by}&bucket=month`);
    expect(body.data.map(({ group }: { group: string | null }) => group)).toEqual(groups);
    expect(body.totals.costMicros).toBe(300_000);
  });

  it.each(["hour", "week"])("is counted by the %s", async (bucket) => {
    expect((await asked(`?bucket=${bucket}`)).body.totals.count).toBe(2);
  });

  it("minds where it begins and ends", async () => {
    expect((await asked("?since=1h")).body.totals.count).toBe(2);
    expect((await asked("?until=1h")).body.totals).toMatchObject({ count: 0, costUsd: "0.00" });
    const { body } = await asked("?since=2020-01-01&until=2020-02-01T00:00:00Z");
    expect(body).toMatchObject({ since: "2020-01-01T00:00:00.000Z", until: "2020-02-01T00:00:00.000Z", data: [] });
  });

  it.each([
    "?since=yesterday",
    "?since=2020-13-01",
    "?until=7y",
    "?since=2021-01-01&until=2020-01-01",
    "?bucket=year",
    "?by=colour",
  ])("refuses %s", async (query) => {
    expect(await asked(query)).toMatchObject({ status: 422, body: { code: "invalid_request" } });
  });

  it("is an organisation's own, and needs governance:read", async () => {
    expect((await api.request("GET", "usage", { key: STRANGER })).body.data).toEqual([]);
    const key = await api.key(["run:read"]);
    expect((await api.request("GET", "usage", { key })).status).toBe(403);
  });
});
