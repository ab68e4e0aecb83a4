import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi, GATED, HELLO } from "../../../test/api/fixture.ts";

let api: Api;
beforeEach(async () => {
  api = await createApi();
});
afterEach(() => api.close());

const simulate = (body: object, key?: string) =>
  api.request("POST", "simulate", { body, ...(key === undefined ? {} : { key }) });

const SPENDING = `name: spending
steps:
  - { id: a, command: A, estimated_cost: 0.04 }
  - { id: b, command: B, estimated_cost: 0.04, depends_on: [a] }
`;

describe("a simulation", () => {
  it("shows plan, verdicts, events and forecast of a text, and keeps nothing", async () => {
    const { status, body } = await simulate({ source: HELLO, args: { who: "Ada" } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      workflow: "hello",
      governance: "live",
      status: "completed",
      plan: { layers: [["greet"], ["thank"]] },
      launch: { disposition: "allow", explanation: null },
      nodes: [
        { nodeId: "greet", verdict: "allow", status: "completed" },
        { nodeId: "thank", verdict: "allow", status: "completed" },
      ],
      forecast: { costMicros: 0, costUsd: "0.00", criticalPath: ["greet", "thank"] },
    });
    expect(body.verdicts.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(["greet", "thank"]);
    expect(body.events[0]).toMatchObject({ eventId: 1, type: "run.started" });
    expect((await api.request("GET", "runs")).body.data).toEqual([]);
    expect((await api.request("GET", "workflows")).body.data).toEqual([]);
    expect((await api.request("GET", "usage")).body.totals.count).toBe(0);
    expect(await api.store.listVerdicts("default", 0, { limit: 10, cursor: null })).toEqual({
      data: [],
      nextCursor: null,
    });
  });

  it("takes a saved workflow by its name and version", async () => {
    await api.save(HELLO);
    await api.save(HELLO.replace("Thank", "Praise"));
    const { body } = await simulate({ workflow: "hello", version: 1, args: { who: "Ada" }, script: "default: echo" });
    expect(body.status).toBe("completed");
    expect(JSON.stringify(body.events)).toContain("Thank Ada");
    expect((await simulate({ workflow: "hello", version: 3, args: { who: "A" } })).body.code).toBe("unknown_version");
    expect((await simulate({ workflow: "missing" })).body.code).toBe("unknown_workflow");
  });

  it("goes by what is registered and spent now, without spending it", async () => {
    await api.request("PUT", "budgets/cap", { body: { scope: "global", period: "monthly", amount_usd: 0.06 } });
    await api.save(SPENDING);
    const script = { nodes: { a: { stdout: "x", cost_usd: 0.04 } } };
    for (let times = 0; times < 2; times += 1) {
      const { body } = await simulate({ workflow: "spending", script });
      expect(body.status).toBe("failed");
      expect(body.nodes).toMatchObject([
        { nodeId: "a", verdict: "allow", reservedMicros: 40_000, costMicros: 40_000 },
        { nodeId: "b", verdict: "block", gate: "budget_envelopes", code: "budget_exceeded" },
      ]);
    }
    expect((await api.store.readCounters("default", 0)).envelopes).toEqual([]);
  });

  it("shows who would be asked, and goes on as they are taken to answer", async () => {
    const yes = await simulate({ source: GATED });
    expect(yes.body).toMatchObject({
      status: "completed",
      approvals: [{ nodeId: "decide", source: "gate", decision: "approve" }],
    });
    expect((await simulate({ source: GATED, approve: "reject" })).body.status).toBe("failed");
  });

  it("shows a launch that would be refused", async () => {
    await api.request("PUT", "platform", { body: { open: false, reason: "fire" } });
    const { status, body } = await simulate({ source: HELLO, args: { who: "Ada" } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "refused", launch: { explanation: { code: "platform_closed" } } });
    const open = await simulate({ source: HELLO, args: { who: "Ada" }, governance: "none" });
    expect(open.body).toMatchObject({ status: "completed", governance: "none", verdicts: [] });
  });

  it("passes the gates a saved workflow of the same name passes", async () => {
    await api.save(HELLO);
    await api.request("PATCH", "workflows/hello", { body: { status: "paused" } });
    expect((await simulate({ source: HELLO, args: { who: "Ada" } })).body.status).toBe("refused");
  });

  it.each<[string, object, string, string]>([
    ["neither text nor name", {}, "invalid_request", "source"],
    ["both", { source: HELLO, workflow: "hello" }, "invalid_request", "source"],
    ["a text that is not valid", { source: "name: x\nsteps: []\n" }, "invalid_definition", "steps"],
    ["args that do not fit", { source: HELLO, args: { who: 1 } }, "invalid_args", "args.who"],
    ["a script that is not valid", { source: GATED, script: { nodes: { a: 1 } } }, "invalid_request", "script.nodes.a"],
    ["a script that is no YAML", { source: GATED, script: "a: [" }, "invalid_request", "script"],
    ["an unknown way", { source: GATED, governance: "some" }, "invalid_request", "governance"],
  ])("refuses %s", async (_, body, code, path) => {
    const refused = await simulate(body);
    expect(refused).toMatchObject({ status: 422, body: { code } });
    expect(refused.body.problems[0].path).toBe(path);
  });

  it("with live rules is for those who may read them", async () => {
    const key = await api.key(["workflow:read"]);
    expect((await simulate({ source: GATED }, key)).status).toBe(403);
    expect((await simulate({ source: GATED, governance: "none" }, key)).status).toBe(200);
    expect((await simulate({ source: GATED }, await api.key("author"))).status).toBe(200);
    expect((await simulate({ source: GATED }, await api.key(["run:read"]))).status).toBe(403);
  });

  it("is one of a few at a time", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => simulate({ source: GATED })));
    const statuses = answers.map(({ status }) => status).sort((left, right) => left - right);
    expect(statuses).toEqual([200, 200, 200, 200, 503, 503]);
    expect(answers.find(({ status }) => status === 503)?.headers.get("retry-after")).toBe("2");
    expect((await simulate({ source: GATED })).status).toBe(200);
  });
});
