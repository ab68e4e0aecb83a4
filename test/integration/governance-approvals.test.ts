import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StoredEvent } from "../../src/store/index.ts";
import { type Answer, type Api, createApi, ORG } from "../api/fixture.ts";

const HELD = `name: held
steps:
  - { id: draft, command: Draft it }
  - { id: publish, command: "Publish \${draft.stdout}", estimated_cost: 0.01 }
  - { id: after, command: Tell them, depends_on: [publish] }
`;
const ENDLESS = HELD.replace("name: held", "name: endless");
const SPENDER = "name: spender\nsteps: [{ id: spend, command: Spend it, estimated_cost: 0.02 }]\n";
const WIDE = `name: wide
steps: [${["a", "b", "c", "d"].map((id) => `{ id: ${id}, command: go }`).join(", ")}]
`;
const AGAIN = `name: again
steps:
  - { id: work, command: go, estimated_cost: 0.01, on_failure: retry, retry: { attempts: 3, backoff_ms: 0 } }
`;

const SCRIPT = `default: echo
nodes:
  endless/publish: { hang: true }
  spender/spend: { stdout: done, cost_usd: 0.02 }
  again/work: { fail: provider_error, cost_usd: 0.02 }
`;

const POLICY = {
  category: "guardrail",
  condition: "node.id == 'publish' or run.workflow == 'wide'",
  action: "require_approval",
  reason: "people publish",
};

let api: Api;
beforeEach(async () => {
  api = await createApi({}, SCRIPT);
  for (const source of [HELD, ENDLESS, SPENDER, WIDE, AGAIN]) await api.save(source);
  await put("policies/ask-first", POLICY);
});
afterEach(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

async function put(path: string, body: object): Promise<void> {
  const { status, body: said } = await api.request("PUT", path, { body });
  if (status > 201) throw new Error(`${path}: ${JSON.stringify(said)}`);
}

const answer = (approvalId: string, decision: string, options: { key?: string; digest?: string } = {}) =>
  api.request("POST", `approvals/${approvalId}/resolve`, {
    body: {
      decision,
      reason: "looked at it",
      ...(options.digest === undefined ? {} : { digest: options.digest }),
    },
    ...(options.key === undefined ? {} : { key: options.key }),
  });

async function pending(runId: string): Promise<readonly { readonly id: string; readonly nodeId: string }[]> {
  const { body } = await api.request("GET", "approvals?status=pending&limit=100");
  return body.data.filter((approval: { runId: string }) => approval.runId === runId);
}

async function pendingOne(runId: string): Promise<string> {
  const [approval] = await pending(runId);
  if (approval === undefined) throw new Error(`no person is asked about ${runId}`);
  return approval.id;
}

const log = (runId: string): Promise<readonly StoredEvent[]> => api.store.readEvents(ORG, runId, 0, 1_000);

async function started(runId: string): Promise<readonly string[]> {
  return (await log(runId)).flatMap((event) =>
    event.type === "node.started" ? [(event.payload as { nodeId: string }).nodeId] : [],
  );
}

/** The answer, and what kind of refusal it was, if any. */
const said = ({ status, body }: Answer): readonly [number, unknown] => [status, status < 300 ? null : body.code];
const CLOSED = [409, "approval_closed"];

describe("a policy's hold", () => {
  it("approved continues with the right node of the right run, once, and does nothing before it again", async () => {
    const runs = [await api.run("held"), await api.run("held"), await api.run("held")];
    const [first = "", second = "", third = ""] = runs;
    expect(await started(second)).toEqual(["draft"]);
    expect(said(await answer(await pendingOne(second), "approve"))).toEqual([200, null]);
    expect(await api.settle(second)).toBe("completed");
    expect(await started(second)).toEqual(["draft", "publish", "after"]);
    for (const other of [first, third]) {
      expect(await started(other)).toEqual(["draft"]);
      expect(await pending(other)).toHaveLength(1);
    }
  });

  it("rejected fails its node, and no person is asked any more", async () => {
    const runId = await api.run("held");
    await answer(await pendingOne(runId), "reject");
    expect(await api.settle(runId)).toBe("failed");
    expect(await pending(runId)).toEqual([]);
    expect(await started(runId)).toEqual(["draft"]);
  });

  it("of several nodes takes as many answers, all at once and in any order", async () => {
    const runId = await api.run("wide");
    const asked = await pending(runId);
    expect(asked.map(({ nodeId }) => nodeId).toSorted()).toEqual(["a", "b", "c", "d"]);
    const answers = await Promise.all(asked.toReversed().map(({ id }) => answer(id, "approve")));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await api.settle(runId)).toBe("completed");
    expect((await started(runId)).toSorted()).toEqual(["a", "b", "c", "d"]);
  });

  it("holds no slot and no money while it waits", async () => {
    await put("budgets/cap", { scope: "global", period: "daily", amount_usd: 1 });
    await api.run("held");
    const { agents, envelopes } = await api.store.readCounters(ORG, 0);
    expect(agents).toMatchObject([{ agentId: "default", open: 0 }]);
    expect(envelopes).toMatchObject([{ reserved: 0 }]);
  });
});

describe("answers at the same moment", () => {
  const cancel = (runId: string): Promise<Answer> => api.request("POST", `runs/${runId}/cancel`, { body: {} });
  const expire = (runId: string, approvalId: string) =>
    api.runtime.submit(ORG, runId, { type: "timer", timer: { kind: "approval-expiry", approvalId } });

  const statusOf = async (approvalId: string): Promise<string> =>
    (await api.request("GET", `approvals/${approvalId}`)).body.status;

  it.each([
    [["approve", "reject"], "approved"],
    [["reject", "approve"], "rejected"],
    [["approve", "approve"], "approved"],
    [["reject", "reject"], "rejected"],
  ])("%j: the first counts, and the second learns that it came too late", async (decisions, status) => {
    const runId = await api.run("endless");
    const approvalId = await pendingOne(runId);
    const answers = await Promise.all(decisions.map((decision) => answer(approvalId, decision)));
    expect(answers.map(said)).toEqual([[200, null], CLOSED]);
    expect(await statusOf(approvalId)).toBe(status);
    const resolved = (await log(runId)).filter(({ type }) => type === "approval.resolved");
    expect(resolved).toHaveLength(1);
    await cancel(runId);
  });

  it.each(["cancel", "expiry"])("a %s and an approval have one winner, and the other learns it", async (rival) => {
    const runId = await api.run("endless");
    const approvalId = await pendingOne(runId);
    const other = rival === "cancel" ? cancel(runId) : expire(runId, approvalId);
    const [given] = await Promise.all([answer(approvalId, "approve"), other]);
    const status = await statusOf(approvalId);
    expect(said(given)).toEqual(status === "approved" ? [200, null] : CLOSED);
    expect(["approved", rival === "cancel" ? "cancelled" : "expired"]).toContain(status);
    expect((await log(runId)).filter(({ type }) => type === "approval.resolved")).toHaveLength(1);
    await cancel(runId);
    expect(await pending(runId)).toEqual([]);
  });

  it("a cancel before an approval closes it, and the approval learns it", async () => {
    const runId = await api.run("endless");
    const approvalId = await pendingOne(runId);
    await cancel(runId);
    const late = await answer(approvalId, "approve");
    expect(said(late)).toEqual(CLOSED);
    expect(await statusOf(approvalId)).toBe("cancelled");
    expect([await api.settle(runId), await pending(runId)]).toEqual(["cancelled", []]);
    expect(await started(runId)).toEqual(["draft"]);
    expect(said(await answer(approvalId, "approve"))).toEqual(CLOSED);
  });

  it("a cancel after an approval ends what was approved", async () => {
    const runId = await api.run("endless");
    const approvalId = await pendingOne(runId);
    expect(said(await answer(approvalId, "approve"))).toEqual([200, null]);
    await cancel(runId);
    expect(await statusOf(approvalId)).toBe("approved");
    expect(await api.settle(runId)).toBe("cancelled");
    expect((await api.store.readCounters(ORG, 0)).agents).toMatchObject([{ open: 0 }]);
  });

  it("an expiry before an approval closes it", async () => {
    const runId = await api.run("endless");
    const approvalId = await pendingOne(runId);
    await expire(runId, approvalId);
    const late = await answer(approvalId, "approve");
    expect(said(late)).toEqual(CLOSED);
    expect([await statusOf(approvalId), await api.settle(runId)]).toEqual(["expired", "failed"]);
  });

  it("an expiry after an approval changes nothing", async () => {
    const runId = await api.run("held");
    const approvalId = await pendingOne(runId);
    expect(said(await answer(approvalId, "approve"))).toEqual([200, null]);
    await expire(runId, approvalId);
    expect([await statusOf(approvalId), await api.settle(runId)]).toEqual(["approved", "completed"]);
  });
});

describe("an approval", () => {
  it("given to one version of a policy is asked for again under the next", async () => {
    const runId = await api.run("held");
    const first = await pendingOne(runId);
    await put("policies/ask-first", { ...POLICY, reason: "people publish, twice" });
    expect(said(await answer(first, "approve"))).toEqual([200, null]);
    await api.settle(runId);
    expect(await started(runId)).toEqual(["draft"]);
    const second = await pendingOne(runId);
    expect(second).not.toBe(first);
    // The old question has its answer, and cannot give another.
    expect(said(await answer(first, "approve"))).toEqual(CLOSED);
    await answer(second, "approve");
    expect(await api.settle(runId)).toBe("completed");
    expect(await started(runId)).toEqual(["draft", "publish", "after"]);
  });

  it("is not needed any more when the policy is gone, but the gates are asked", async () => {
    const runId = await api.run("held");
    const approvalId = await pendingOne(runId);
    await api.request("DELETE", "policies/ask-first");
    await answer(approvalId, "approve");
    expect(await api.settle(runId)).toBe("completed");
  });

  it("cannot be given by the agent's own key, and can by another's", async () => {
    const runId = await api.run("held");
    const approvalId = await pendingOne(runId);
    const own = await api.key(["governance:approve", "governance:read"], { agent: "default" });
    expect(said(await answer(approvalId, "approve", { key: own }))).toEqual([403, "self_approval"]);
    expect(await pending(runId)).toHaveLength(1);
    const other = await api.key(["governance:approve", "governance:read"], { agent: "reviewer" });
    expect(said(await answer(approvalId, "approve", { key: other }))).toEqual([200, null]);
  });

  it("counts only for what was seen", async () => {
    const runId = await api.run("held");
    const approvalId = await pendingOne(runId);
    const wrong = await answer(approvalId, "approve", { digest: "sha256:something-else" });
    expect(said(wrong)).toEqual([409, "content_changed"]);
    expect(await pending(runId)).toHaveLength(1);
  });
});

describe("gates are asked again", () => {
  const CAP = { scope: "global", period: "daily", amount_usd: 0.02 };

  it("when a held node resumes: money that is gone meanwhile blocks it", async () => {
    await put("budgets/cap", CAP);
    const runId = await api.run("held");
    expect(await api.settle(await api.run("spender"))).toBe("completed");
    await answer(await pendingOne(runId), "approve");
    expect(await api.settle(runId)).toBe("failed");
    const failed = (await log(runId)).find(({ type }) => type === "node.failed");
    expect(failed?.payload).toMatchObject({ nodeId: "publish", errorCode: "budget_exceeded" });
    expect(await started(runId)).toEqual(["draft"]);
  });

  it("when a node is tried again: its own first try may have spent what was left", async () => {
    await put("budgets/cap", CAP);
    const runId = await api.run("again");
    expect(await api.settle(runId)).toBe("failed");
    expect(await started(runId)).toEqual(["work"]);
    const { agents, envelopes } = await api.store.readCounters(ORG, 0);
    expect(agents).toMatchObject([{ agentId: "default", open: 0 }]);
    expect(envelopes).toMatchObject([{ spent: 20_000, reserved: 0 }]);
  });
});
