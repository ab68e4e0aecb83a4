import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, STRANGER } from "../../../test/api/fixture.ts";

const SOURCE = `name: diary
steps:
  - { id: a, command: A, agent: ada }
  - { id: b, command: B, agent: ada, depends_on: [a] }
`;
const SCRIPT = "default: echo\nnodes:\n  a: { stdout: 'the tide is rising' }\n";

let api: Api;
let runId: string;

beforeAll(async () => {
  api = await createApi({}, SCRIPT);
  await api.request("PUT", "agents/ada", { body: { memory_profile: { name: "log", entries: 5 } } });
  await api.request("PUT", "agents/bob", { body: {} });
  await api.save(SOURCE);
  runId = await api.run("diary");
});
afterAll(() => api.close());

describe("the memory of an agent", () => {
  it("is listed newest first, page by page, with where each entry comes from", async () => {
    const { status, body } = await api.request("GET", "agents/ada/memory");
    expect(status).toBe(200);
    const from = { profile: "log", workflow: "diary", runId, attempt: 1, at: expect.stringMatching(/Z$/) };
    expect(body.data).toEqual([
      { ...from, nodeId: "b", text: "B" },
      { ...from, nodeId: "a", text: "the tide is rising" },
    ]);
    const first = await api.request("GET", "agents/ada/memory?limit=1");
    expect(first.body.data).toEqual(body.data.slice(0, 1));
    const second = await api.request("GET", `agents/ada/memory?limit=1&cursor=${first.body.nextCursor}`);
    expect(second.body).toEqual({ data: body.data.slice(1) });
    expect((await api.request("GET", "agents/bob/memory")).body).toEqual({ data: [] });
    expect((await api.request("GET", "agents/default/memory")).status).toBe(200);
  });

  it("is part of what its node was sent, in the order of layers", async () => {
    const { body } = await api.request("GET", `runs/${runId}/nodes/b`);
    const [attempt] = body.attempts;
    expect(attempt.instructions.map(({ layer }: { layer: number }) => layer)).toEqual([6, 9]);
    expect(attempt.instructions[1]).toMatchObject({ source: "memory log of ada" });
    expect(attempt.instructions[1].text).toMatch(/^- \S+Z run_\S+ a: the tide is rising$/);
  });

  it("is not shown to another organisation, and only those may wipe it who may change the agent", async () => {
    for (const method of ["GET", "DELETE"]) {
      const stranger = await api.request(method, "agents/ada/memory", { key: STRANGER });
      expect([stranger.status, stranger.body.code]).toEqual([404, "unknown_agent"]);
      expect((await api.request(method, "agents/missing/memory")).body.code).toBe("unknown_agent");
    }
    const viewer = await api.key("viewer");
    expect((await api.request("GET", "agents/ada/memory", { key: viewer })).status).toBe(200);
    expect((await api.request("DELETE", "agents/ada/memory", { key: viewer })).status).toBe(403);
    expect((await api.request("GET", "agents/ada/memory?cursor=x")).body.code).toBe("bad_cursor");
  });

  it("is forgotten at once and for good, which the audit records once", async () => {
    for (let times = 0; times < 2; times += 1) expect((await api.ask("DELETE", "agents/ada/memory")).status).toBe(204);
    expect((await api.request("GET", "agents/ada/memory")).body.data).toEqual([]);
    const next = await api.run("diary");
    const { body } = await api.request("GET", `runs/${next}/nodes/a`);
    expect(JSON.stringify(body.attempts[0].instructions)).not.toContain("memory");
    const replied: string[] = [];
    await api.store.seal("default", 1_000, (head, pending) => {
      replied.push(...pending.flatMap(({ entries }) => JSON.stringify(entries).match(/"action":"forgotten"/g) ?? []));
      return { head, records: [], segments: [] };
    });
    expect(replied).toHaveLength(1);
  });
});
