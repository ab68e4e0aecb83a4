import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../../test/api/fixture.ts";

const WORKFLOW = `name: refunds
steps:
  - {id: help, command: "Refund.", tools: [refund]}
`;

const call = (amount: number, order: number) => ({ tool: "refund", args: { order, amount }, result: { done: order } });
const SCRIPT = {
  nodes: {
    help: {
      rounds: [
        { text: "The first.", calls: [call(900, 1)] },
        { text: "The second.", calls: [call(300, 2)] },
        { text: "The third.", calls: [call(700, 3)] },
        { text: "Done." },
      ],
    },
  },
};

const POLICY = {
  category: "tool",
  scope: "global",
  condition: "tool.name == 'refund' && tool.args.amount > 100",
  action: "require_approval",
  reason: "much money",
};

interface Asked {
  readonly id: string;
  readonly source: string;
  readonly subject: {
    readonly call: { readonly args: { readonly amount: number } };
    readonly shown: readonly object[];
  };
}

let api: Api;
beforeAll(async () => {
  api = await createApi({}, JSON.stringify(SCRIPT));
  await api.request("PUT", "tools/refund", { body: { name: "refund", action: "execute" } });
  expect((await api.request("PUT", "policies/refunds", { body: POLICY })).status).toBe(201);
  await api.save(WORKFLOW);
});
afterAll(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

async function asked(): Promise<Asked> {
  for (;;) {
    const { data } = (await api.request("GET", `approvals?status=pending`)).body as { data: Asked[] };
    if (data[0] !== undefined) return (await api.request("GET", `approvals/${data[0].id}`)).body as Asked;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function statusOf(runId: string): Promise<string> {
  return ((await api.request("GET", `runs/${runId}`)).body as { status: string }).status;
}

describe("the approval of a tool call", () => {
  it("shows the call, takes changed args and a grant, and the grant holds until it is revoked", async () => {
    const runId = await api.run("refunds");
    const first = await asked();
    expect(first).toMatchObject({
      source: "tool",
      subject: { call: { tool: "refund", args: { order: 1, amount: 900 }, words: "The first." } },
    });
    const answer = (id: string, body: object) => api.request("POST", `approvals/${id}/resolve`, { body });
    const bad = await answer(first.id, { decision: "approve", grant: { until: "tomorrow" } });
    expect([bad.status, bad.body.code]).toEqual([422, "grant_invalid"]);
    const grant = { where: "tool.args.amount <= 500", until: "2030-01-01T00:00:00Z" };
    const noYes = await answer(first.id, { decision: "reject", reason: "no", grant });
    expect([noYes.status, noYes.body.code]).toEqual([422, "grant_invalid"]);
    const changed = { decision: "approve", modifications: { args: { order: 1, amount: 450 } }, grant };
    expect((await answer(first.id, changed)).status).toBe(200);
    // The second refund is covered by the grant, the third is not.
    const third = await asked();
    expect(third.subject.call.args).toEqual({ order: 3, amount: 700 });
    expect(third.subject.shown).toEqual([
      { label: "Round 0", kind: "text", value: 'The first.\nrefund {"order":1,"amount":450} → {"done":1}' },
      { label: "Round 1", kind: "text", value: 'The second.\nrefund {"order":2,"amount":300} → {"done":2}' },
    ]);
    const { data } = (await api.request("GET", "grants")).body as { data: { id: string; run: string }[] };
    expect(data).toMatchObject([{ run: runId, where: "tool.args.amount <= 500" }]);
    expect((await api.request("DELETE", `grants/${data[0]?.id}`)).status).toBe(204);
    expect((await answer(third.id, { decision: "reject", reason: "too much" })).status).toBe(200);
    await expect.poll(() => statusOf(runId)).toBe("completed");
    const again = await answer(third.id, { decision: "approve" });
    expect([again.status, again.body.code]).toEqual([409, "approval_closed"]);
  });
});
