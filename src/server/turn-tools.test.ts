import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Api, createApi } from "../../test/api/fixture.ts";
import { EDGE_TOKEN, openEdge } from "../../test/api/edge.ts";
import { type FakeBridge, until } from "../../test/gateway/fake-bridge.ts";

const REFUND = "name: refund\nsteps: [{ id: help, command: go, tools: [refund] }]\n";

async function manifest(api: Api, kind: string, name: string, body: object): Promise<void> {
  const { status, body: said } = await api.request("PUT", `${kind}/${name}`, { body });
  if (status !== 201 && status !== 200) throw new Error(JSON.stringify(said));
}

describe("a tool with a time limit, in this process", () => {
  const SCRIPT = `nodes:
  help:
    rounds:
      - { text: I refund it., calls: [{ tool: refund, args: { amount: 1 }, hang: true }] }
      - { text: It took too long. }
`;
  let api: Api;
  beforeAll(async () => {
    api = await createApi({}, SCRIPT);
    await manifest(api, "tools", "refund", { name: "refund", action: "execute", timeout: "1s" });
    await api.save(REFUND);
  });
  afterAll(() => api.close());

  it("is ended when the time is over, and the agent goes on", async () => {
    const runId = await api.run("refund");
    expect(await api.settle(runId)).toBe("completed");
    const events = await api.store.readEvents("default", runId, 0, 1_000);
    expect(events.flatMap((event) => (event.type === "tool.requested" ? [event.payload.timeoutMs] : []))).toEqual([
      1_000,
    ]);
    expect(events.flatMap((event) => (event.type === "tool.completed" ? [event.payload] : []))).toMatchObject([
      { isError: true, result: expect.stringMatching(/^tool_timeout: refund did not answer within 1000 ms/) as string },
    ]);
  });
});

describe("a tool with a time limit, at a Bridge", () => {
  let api: Api;
  let bridge: FakeBridge;
  beforeAll(async () => {
    ({ api, bridge } = await openEdge());
    await manifest(api, "tools", "refund", { name: "refund", action: "execute", timeout: "30s" });
    await api.save(REFUND);
  });
  afterAll(async () => {
    await api.close();
    await bridge.close();
  });

  it("has the limit in the ruling", async () => {
    const { body } = await api.request("POST", "runs", { body: { workflow: "refund" } });
    await until(() => bridge.asked.some(({ dispatches }) => dispatches.some(({ runId }) => runId === body.id)));
    const round = {
      dispatchId: `${body.id}/help/1`,
      round: 0,
      finish: "tool_calls",
      message: { role: "assistant" },
      calls: [{ tool: "refund", args: { amount: 1 } }],
    };
    const reported: Answer = await api.request("POST", "/api/workflow/round-complete", {
      key: null,
      body: round,
      headers: { "x-gateway-token": EDGE_TOKEN },
    });
    expect([reported.status, reported.body]).toMatchObject([
      200,
      { next: "go", rulings: [{ disposition: "allow", args: { amount: 1 }, timeoutMs: 30_000 }] },
    ]);
  });
});
