import { afterEach, describe, expect, it } from "vitest";
import { createSystemClock } from "../../clock/index.ts";
import { type Api, type ApiParts, createApi, ORG, SCRIPT, STRANGER } from "../../../test/api/fixture.ts";

const ONE = "name: one\nsteps:\n  - { id: work, command: Work }\n";
const WIDE = `name: wide
steps:
${[1, 2, 3, 4, 5].map((n) => `  - { id: n${n}, command: Work }\n`).join("")}`;
const HELD = "name: held\nsteps:\n  - { id: ask, command: Ask, approval: required }\n";

let opened: Api | null = null;
afterEach(async () => {
  await opened?.close();
  opened = null;
});

async function limited(limits: NonNullable<ApiParts["limits"]>, parts: ApiParts = {}): Promise<Api> {
  opened = await createApi({}, SCRIPT, { ...parts, limits });
  for (const source of [ONE, WIDE, HELD]) await opened.save(source);
  return opened;
}

async function start(api: Api, workflow: string, key?: string) {
  const { status, headers, body } = await api.request("POST", "runs", {
    body: { workflow },
    ...(key === undefined ? {} : { key }),
  });
  return { status, code: body.code, wait: headers.get("retry-after"), id: body.id, body };
}

async function shown(api: Api): Promise<Record<string, { limit: number | null; used: number }>> {
  const { body } = await api.request("GET", `organisations/${ORG}/limits`);
  return Object.fromEntries(body.limits.map(({ name, ...rest }: { name: string }) => [name, rest]));
}

describe("what an organisation may take", () => {
  it("is shown with what it has taken, and to no other organisation", async () => {
    const api = await limited({ openRuns: 7 });
    await start(api, "held");
    expect(await shown(api)).toEqual({
      starts_per_minute: { limit: null, used: 0 },
      starts_per_minute_per_key: { limit: null, used: 0 },
      open_runs: { limit: 7, used: 1 },
      nodes_per_second: { limit: null, used: 0 },
      storage_bytes: { limit: null, used: expect.any(Number) },
      streams: { limit: null, used: 0 },
    });
    const other = await api.request("GET", `organisations/${ORG}/limits`, { key: STRANGER });
    expect([other.status, other.body.code]).toEqual([404, "unknown_organisation"]);
  });

  it.each([
    [1, [201, 429, 429]],
    [2, [201, 201, 429]],
    [3, [201, 201, 201]],
  ])("is %i starts a minute, by any key: %j", async (startsPerMinute, expected) => {
    // However long this takes, it is one moment.
    const at = Date.now();
    const api = await limited({ startsPerMinute }, { clock: { ...createSystemClock(), now: () => at } });
    const second = (await api.request("POST", "keys", { body: { label: "two", permissions: ["workflow:execute"] } }))
      .body.key;
    const tries = [await start(api, "one"), await start(api, "one", second), await start(api, "one")];
    expect(tries.map(({ status }) => status)).toEqual(expected);
    for (const { status, code, wait, body } of tries) {
      if (status === 201) continue;
      expect(code).toBe("rate_limited");
      expect(wait).toBe("60");
      expect(body.detail).toContain("organisation has made");
    }
    expect((await shown(api))["starts_per_minute"]).toMatchObject({ used: Math.min(3, startsPerMinute) });
  });

  it("is runs that are open", async () => {
    const api = await limited({ openRuns: 1 });
    expect((await start(api, "held")).status).toBe(201);
    expect(await start(api, "held")).toMatchObject({ status: 429, code: "too_many_open_runs", wait: "5" });
  });

  it("is nodes a second: those beyond wait, and all of them are done", async () => {
    const api = await limited({ nodesPerSecond: 2 });
    const { id } = await start(api, "wide");
    expect(await api.settle(id)).toBe("completed");
    const { data } = (await api.request("GET", `runs/${id}/events?limit=100`)).body;
    const codes = data.flatMap(({ payload }: { payload: { code?: string } }) => payload.code ?? []);
    expect(codes).toContain("rate_limited");
    const begun = data
      .filter(({ type }: { type: string }) => type === "node.started")
      .map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp));
    expect(begun).toHaveLength(5);
    expect(begun[4] - begun[0]).toBeGreaterThanOrEqual(2_000);
  });

  it("is what it keeps: no run is started and no file taken beyond", async () => {
    const api = await limited({ storageBytes: 1 });
    expect((await start(api, "one")).status).toBe(201);
    const upload = { name: "a.txt", mime: "text/plain", size: 100 };
    const refused = await api.request("POST", "files/uploads", { body: upload });
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
      429,
      "storage_limit",
      "60",
    ]);
  });
});
