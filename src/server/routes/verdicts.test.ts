import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, STRANGER } from "../../../test/api/fixture.ts";

const SOURCE = `name: judged
steps:
  - { id: draft, command: Draft it }
  - { id: send, command: Send it, agent: missing, on_failure: skip, depends_on: [draft] }
  - { id: file, command: File it, depends_on: [draft] }
`;

let api: Api;
let runId: string;
beforeAll(async () => {
  api = await createApi();
  const hold = { category: "guardrail", condition: "node.id == 'file'", action: "require_approval", reason: "ask" };
  expect((await api.request("PUT", "policies/ask-first", { body: hold })).status).toBe(201);
  await api.save(SOURCE);
  runId = await api.run("judged");
});
afterAll(() => api.close());

describe("the verdicts of a run", () => {
  it("are listed in order, with trail, explanation, facts, policies and hash", async () => {
    const { status, body } = await api.request("GET", `runs/${runId}/verdicts`);
    expect(status).toBe(200);
    expect(body.data[0]).toMatchObject({
      nodeId: "draft",
      attempt: 1,
      disposition: "allow",
      gate: null,
      code: null,
      explanation: null,
      policies: ["ask-first@1"],
      facts: { agentId: "default", node: { id: "draft" }, run: { runId } },
    });
    expect(body.data[0].trail.map(({ gate }: { gate: string }) => gate)).toContain("budget_envelopes");
    const byNode = new Map(body.data.map((one: { nodeId: string }) => [one.nodeId, one]));
    expect(byNode.get("send")).toMatchObject({
      attempt: null,
      disposition: "block",
      gate: "agent_status",
      code: "agent_disabled",
      explanation: { gate: "agent_status", code: "agent_disabled" },
    });
    expect(byNode.get("file")).toMatchObject({
      disposition: "hold",
      gate: "approval_required",
      explanation: { code: "approval_required", unblock: [{ action: "approve" }] },
      matched: [{ name: "ask-first", isSatisfied: false }],
    });
    for (const { hash, at } of body.data) {
      expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(at).toBe(new Date(at).toISOString());
    }
  });

  it("come a page at a time", async () => {
    const all = (await api.request("GET", `runs/${runId}/verdicts`)).body.data;
    const first = await api.request("GET", `runs/${runId}/verdicts?limit=1`);
    expect(first.body.data).toEqual(all.slice(0, 1));
    const rest = await api.request("GET", `runs/${runId}/verdicts?cursor=${first.body.nextCursor}`);
    expect(rest.body).toEqual({ data: all.slice(1) });
    const last = await api.request("GET", `runs/${runId}/verdicts?limit=${all.length}`);
    expect(last.body.nextCursor).toBeUndefined();
    expect((await api.request("GET", `runs/${runId}/verdicts?cursor=x`)).body.code).toBe("bad_cursor");
  });

  it("are listed of one node, a page at a time as well", async () => {
    const all: readonly { readonly nodeId: string }[] = (await api.request("GET", `runs/${runId}/verdicts`)).body.data;
    const ofFile = all.filter(({ nodeId }) => nodeId === "file");
    expect(ofFile.length).toBeGreaterThan(0);
    const { body } = await api.request("GET", `runs/${runId}/verdicts?node=file`);
    expect(body).toEqual({ data: ofFile });
    const past = await api.request("GET", `runs/${runId}/verdicts?node=file&cursor=${ofFile.length}`);
    expect(past.body).toEqual({ data: [] });
    expect((await api.request("GET", `runs/${runId}/verdicts?node=nothing`)).body).toEqual({ data: [] });
    expect((await api.request("GET", `runs/${runId}/verdicts?node=`)).status).toBe(422);
  });

  it("are not shown to another organisation", async () => {
    const there = await api.request("GET", `runs/${runId}/verdicts`, { key: STRANGER });
    expect(there).toMatchObject({ status: 404, body: { code: "unknown_run" } });
  });

  it("explain themselves at the node", async () => {
    const { body } = await api.request("GET", `runs/${runId}/nodes/send`);
    expect(body.verdicts).toMatchObject([{ disposition: "block", explanation: { code: "agent_disabled" } }]);
    const draft = await api.request("GET", `runs/${runId}/nodes/draft`);
    expect(draft.body.verdicts).toMatchObject([{ disposition: "allow", explanation: null }]);
  });
});
