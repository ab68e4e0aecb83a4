import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, ORG } from "../../test/api/fixture.ts";

const REFUND = `name: refund
args: { amount: { type: integer, required: true } }
steps:
  - id: pay
    provider: mcp
    command: pay/refund
    inputs: { amount: "\${amount}", card: { number: "4111 1111" } }
`;
const NOTIFY = `name: notify
steps:
  - { id: call, provider: http, command: "POST crm", stdin: hello, timeout: 600 }
`;
const REPORT = `name: report
steps:
  - { id: make, provider: process, command: report 2026, action: read }
`;

const put = async (api: Api, path: string, body: object): Promise<void> => {
  const { status, body: said } = await api.request("PUT", path, { body });
  if (status !== 201 && status !== 200) throw new Error(JSON.stringify(said));
};

describe("a node that is a tool call itself", () => {
  let api: Api;
  beforeAll(async () => {
    api = await createApi({}, "default: echo\n");
    await put(api, "agents/default", { trust_level: 8, autonomy: "bounded" });
    const rate = { count: 3, per_seconds: 3600 };
    await put(api, "tools/refunds", {
      name: "pay/*",
      action: "financial",
      approval: "required",
      redact: ["card.number"],
      rate,
    });
    await put(api, "tools/crm", { name: "crm", timeout: "30s", effects: "at_most_once" });
    await put(api, "tools/reports", { name: "report", action: "write" });
    await put(api, "policies/small", {
      category: "tool",
      condition: "tool.name == 'pay/refund' && tool.args.amount > 1000",
      action: "block",
      reason: "too much",
    });
    await put(api, "policies/seen", {
      category: "tool",
      condition: "tool.server == 'pay' && tool.action == 'financial' && tool.args.amount > 100 && tool.calls == 0",
      action: "require_approval",
    });
    for (const source of [REFUND, NOTIFY, REPORT]) await api.save(source);
  });
  afterAll(async () => {
    await api.close();
    expect(api.troubles).toEqual([]);
  });

  const started = async (workflow: string, args: object = {}): Promise<string> => {
    const { status, body } = await api.request("POST", "runs", { body: { workflow, args } });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.id;
  };
  const eventsOf = (runId: string) => api.store.readEvents(ORG, runId, 0, 1_000);
  const statusOf = async (runId: string) =>
    ((await api.request("GET", `runs/${runId}`)).body as { status: string }).status;
  const ends = async (runId: string, status: string) => expect.poll(() => statusOf(runId)).toBe(status);
  const failureOf = async (runId: string) =>
    (await eventsOf(runId)).flatMap((event) => (event.type === "node.failed" ? [event.payload.errorCode] : []));
  const verdictsOf = async (runId: string) =>
    (await api.request("GET", `runs/${runId}/verdicts`)).body as unknown as { data: { disposition: string }[] };
  const pending = async (): Promise<{ id: string; summary: string }[]> =>
    ((await api.request("GET", "approvals?status=pending")).body as { data: { id: string; summary: string }[] }).data;

  it("is held once for everything that asks about node and tool, and one answer lets it through", async () => {
    const runId = await started("refund", { amount: 900 });
    await expect.poll(async () => (await pending()).length).toBe(1);
    const [asked] = await pending();
    expect(asked?.summary).toMatch(/policy seen@1.*Tool\/refunds asks for one/);
    const { status } = await api.request("POST", `approvals/${asked?.id}/resolve`, { body: { decision: "approve" } });
    expect(status).toBe(200);
    await ends(runId, "completed");
    const { data } = await verdictsOf(runId);
    expect(data.map(({ disposition }) => disposition).toSorted()).toEqual(["allow", "hold"]);
    const kept = JSON.stringify(data);
    expect(kept).toContain('"name":"pay/refund"');
    // A digest cannot contain the space.
    expect(kept).not.toContain("4111 1111");
    const audit = JSON.stringify((await api.request("GET", `audit?run=${runId}`)).body);
    expect(audit).toContain("tool.decided");
    expect(audit).not.toContain("4111 1111");
  });

  it("is refused by a policy about its args", async () => {
    const runId = await started("refund", { amount: 5_000 });
    await ends(runId, "failed");
    expect(await failureOf(runId)).toEqual(["policy_blocked"]);
  });

  it("needs no answer where a grant covers the call, and is counted in the window of its tool", async () => {
    const until = "2031-01-01T00:00:00Z";
    await put(api, "grants/small", { tool: "pay/refund", where: "tool.args.amount <= 50", agent: "default", until });
    for (const amount of [10, 20]) await ends(await started("refund", { amount }), "completed");
    // With the one that was approved these are three.
    const fourth = await started("refund", { amount: 30 });
    await ends(fourth, "failed");
    expect(await failureOf(fourth)).toEqual(["tool_rate_limited"]);
    expect(await pending()).toEqual([]);
  });

  it("has the shorter of the times that its step and its tool give it", async () => {
    const runId = await started("notify");
    await ends(runId, "completed");
    const [begun] = (await eventsOf(runId)).flatMap((event) => (event.type === "node.started" ? [event] : []));
    expect((begun?.payload.deadlineAt ?? 0) - (begun?.at ?? 0)).toBe(30_000);
  });

  it("is as strict an act as the stricter of step and manifest", async () => {
    await put(api, "agents/default", { trust_level: 8, autonomy: "retrieval" });
    const runId = await started("report");
    await ends(runId, "failed");
    expect(await failureOf(runId)).toEqual(["autonomy_insufficient"]);
    await put(api, "agents/default", { trust_level: 8, autonomy: "bounded", tools: { deny: ["rep*"] } });
    const denied = await started("report");
    await ends(denied, "failed");
    expect(await failureOf(denied)).toEqual(["tool_not_allowed"]);
  });

  it("is what a draft of a policy about tools is tried on", async () => {
    const draft = { category: "tool", condition: "tool.args.amount >= 20", action: "block" };
    const { status, body } = await api.request("POST", "policies/backtest", { body: { policy: draft } });
    expect(status).toBe(200);
    expect(body.changed).toBeGreaterThan(0);
  });
});
