import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Desk, replied } from "../../test/api/turn-desk.ts";
import { until } from "../../test/gateway/fake-bridge.ts";
import type { DispatchBody } from "../bridge/index.ts";
import { digestJson, type JsonObject } from "../core/base/index.ts";

/** Whatever is refused has a code, an explanation and an entry in the audit. */
let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});
afterAll(() => desk.close());

type Row = { readonly type: string; readonly detail: JsonObject };
/** The oldest first. */
async function audit(runId: string, type: string): Promise<readonly JsonObject[]> {
  const { body } = await desk.api.request("GET", `audit?run=${runId}&type=${type}&limit=100`);
  return (body.data as Row[]).map(({ detail }) => detail).toReversed();
}

/** The explanation that is kept with the last verdict on a call. */
async function explained(runId: string, callId: string): Promise<JsonObject> {
  const { body } = await desk.api.request("GET", `runs/${runId}/verdicts?limit=100`);
  const verdicts = body.data as { callId: string; explanation: JsonObject }[];
  return verdicts.findLast((one) => one.callId === callId)?.explanation ?? {};
}

type Asked = readonly [tool: string, args: JsonObject];

async function report({ dispatchId }: DispatchBody, round: number, calls: readonly Asked[], more: object = {}) {
  const asked = calls.map(([tool, args]) => ({ tool, args }));
  return (await desk.post("round-complete", { dispatchId, round, calls: asked, ...more })).body;
}

async function held(dispatch: DispatchBody, args: JsonObject): Promise<string> {
  const { rulings } = await report(dispatch, 0, [["refund", args]]);
  expect(rulings).toMatchObject([{ disposition: "suspend" }]);
  await desk.post("step-complete", { dispatchId: dispatch.dispatchId, status: "suspended" });
  const { body } = await desk.api.request("GET", `approvals?status=pending&run=${dispatch.runId}`);
  return body.data[0].id as string;
}

const resolve = (approvalId: string, body: object) =>
  desk.api.request("POST", `approvals/${approvalId}/resolve`, { body });

describe("refused, explained and audited:", () => {
  it("a call whose args changed after its approval, which counts for what was approved alone", async () => {
    const first = await desk.begin();
    const { runId, idempotencyKey } = first;
    const callId = `${idempotencyKey}/0/0`;
    const approvalId = await held(first, { amount: 900 });
    const changed = { decision: "approve", modifications: { args: { amount: 450 } } };
    expect((await resolve(approvalId, changed)).status).toBe(200);
    const { dispatchId } = await desk.dispatched(runId, 1);
    const ask = async (args: JsonObject, more: object = {}) =>
      (await desk.post("tool-call", { dispatchId, callId, tool: "refund", args, ...more })).body;
    const refused = {
      disposition: "deny",
      callId,
      code: "args_changed",
      reason: expect.stringContaining("other args"),
    };
    expect(await ask({ amount: 9_000 })).toEqual(refused);
    expect(await ask({ amount: 9_000 })).toEqual(refused);
    expect(await ask({ amount: 450 }, { tool: "find_order" })).toEqual(refused);
    // What was approved is allowed still, also to one that asks with what the model wanted.
    for (const amount of [450, 900]) {
      expect(await ask({ amount })).toMatchObject({ disposition: "allow", args: { amount: 450 } });
    }
    const denied = (await audit(runId, "tool.decided")).filter(({ code }) => code === "args_changed");
    expect(denied.map(({ argsDigest, disposition }) => [argsDigest, disposition])).toEqual([
      [digestJson({ amount: 9_000 }), "deny"],
      [digestJson({ amount: 450 }), "deny"],
    ]);
    const { body } = await desk.api.request("GET", `runs/${runId}/nodes/help/turn`);
    expect(body.rounds[0].calls).toMatchObject([{ args: { amount: 450 }, verdict: { disposition: "allow" } }]);
  });

  it("an approval that was used, whatever is answered then", async () => {
    const first = await desk.begin();
    const { runId } = first;
    const approvalId = await held(first, { amount: 900 });
    expect((await resolve(approvalId, { decision: "reject", reason: "sold as broken" })).status).toBe(200);
    expect(replied(await resolve(approvalId, { decision: "approve" }))).toEqual([409, "approval_closed"]);
    expect(await audit(runId, "approval.refused")).toMatchObject([
      { approvalId, code: "approval_closed", decision: "approve" },
    ]);
    const digest = digestJson({ amount: 900 });
    expect(await audit(runId, "tool.decided")).toMatchObject([
      { disposition: "hold", argsDigest: digest, tool: "refund" },
      { disposition: "deny", argsDigest: digest, code: "approval_rejected", approvalId },
    ]);
    const { dispatchId, idempotencyKey, resume } = await desk.dispatched(runId, 1);
    expect(resume?.rounds[0]?.calls).toMatchObject([
      { ruling: { disposition: "deny", code: "approval_rejected", reason: expect.stringContaining("sold as broken") } },
    ]);
    // It was for one call: the same args under another id are another question.
    const again = { dispatchId, round: 1, calls: [{ tool: "refund", args: { amount: 900 } }] };
    expect((await desk.post("round-complete", again)).body.rulings).toEqual([
      { disposition: "suspend", callId: `${idempotencyKey}/1/0` },
    ]);
  });

  it("an approval whose changed args a gate does not allow, which stays open", async () => {
    await desk.put("policies/never", {
      category: "tool",
      condition: "tool.name == 'refund' and tool.args.amount > 5000",
      action: "block",
      reason: "refunds are closed",
    });
    const first = await desk.begin();
    const approvalId = await held(first, { amount: 900 });
    const refused = await resolve(approvalId, { decision: "approve", modifications: { args: { amount: 9_000 } } });
    expect(replied(refused)).toEqual([409, "tool_denied"]);
    expect(refused.body.detail).toContain("refunds are closed");
    expect(await audit(first.runId, "approval.refused")).toMatchObject([{ code: "tool_denied" }]);
    expect((await resolve(approvalId, { decision: "approve" })).status).toBe(200);
  });

  it("a tool outside the list", async () => {
    const first = await desk.begin();
    const { rulings } = await report(first, 0, [["rob_bank", { all: true }]]);
    const callId = `${first.idempotencyKey}/0/0`;
    expect(rulings).toMatchObject([{ disposition: "deny", callId, code: "tool_not_allowed" }]);
    expect(await explained(first.runId, callId)).toMatchObject({
      gate: "tool_allowed",
      code: "tool_not_allowed",
      message: "rob_bank is not among the tools of help",
      unblock: [{ action: "change_step", target: "help" }],
    });
    expect(await audit(first.runId, "tool.decided")).toMatchObject([
      {
        callId,
        disposition: "deny",
        gate: "tool_allowed",
        code: "tool_not_allowed",
        argsDigest: digestJson({ all: true }),
      },
    ]);
  });

  it("a call beyond the rate of its tool, with the time to try again", async () => {
    await desk.put("tools/seldom", { name: "find_*", action: "read", rate: { count: 1, per_seconds: 3_600 } });
    const first = await desk.begin();
    const { runId, idempotencyKey } = first;
    const { rulings } = await report(first, 0, [
      ["find_order", { id: 1 }],
      ["find_order", { id: 2 }],
    ]);
    const callId = `${idempotencyKey}/0/1`;
    const denied = { disposition: "deny", callId, code: "tool_rate_limited" };
    expect(rulings).toMatchObject([{ disposition: "allow" }, denied]);
    expect(rulings[1].retryAfterMs).toBeGreaterThan(0);
    expect(rulings[1].retryAfterMs).toBeLessThanOrEqual(3_600_000);
    expect(await explained(runId, callId)).toMatchObject({ gate: "tool_rate", code: "tool_rate_limited" });
    expect((await audit(runId, "tool.decided"))[1]).toMatchObject({ callId, code: "tool_rate_limited" });
    expect((await desk.api.request("DELETE", "tools/seldom")).status).toBe(204);
  });

  it("the 51st call and the 4th repeat", async () => {
    const first = await desk.begin();
    const { runId, idempotencyKey } = first;
    const looks = Array.from({ length: 47 }, (_, id): Asked => ["find_order", { id }]);
    const { rulings } = await report(first, 0, looks);
    expect(new Set((rulings as { disposition: string }[]).map(({ disposition }) => disposition))).toEqual(
      new Set(["allow"]),
    );
    const same = Array.from({ length: 4 }, (): Asked => ["find_order", { id: 1_000 }]);
    const repeated = (await report(first, 1, same)).rulings;
    // The fourth of the same is the 51st of all as well, and that is asked first.
    expect(repeated).toMatchObject([{}, {}, {}, { disposition: "deny", code: "turn_limits" }]);
    const message = "this turn has made 50 tool calls, and may make 50";
    expect(await explained(runId, `${idempotencyKey}/1/3`)).toMatchObject({ gate: "turn_limits", message });
    const other = await desk.begin();
    const fourth = (await report(other, 0, same)).rulings;
    expect(fourth).toMatchObject([{}, {}, {}, { disposition: "deny", code: "turn_limits" }]);
    expect((fourth as { disposition: string }[]).slice(0, 3).every(({ disposition }) => disposition === "allow")).toBe(
      true,
    );
    expect(await explained(other.runId, `${other.idempotencyKey}/0/3`)).toMatchObject({
      message: "find_order was called 3 times with the same args, and may be called so 3 times",
      unblock: [{ action: "raise_limit", target: "help" }],
    });
    for (const [run, last] of [
      [runId, `${idempotencyKey}/1/3`],
      [other.runId, `${other.idempotencyKey}/0/3`],
    ] as const) {
      const denied = (await audit(run, "tool.decided")).filter(({ disposition }) => disposition === "deny");
      expect(denied).toMatchObject([{ callId: last, gate: "turn_limits", code: "turn_limits" }]);
    }
  });

  it("a call that a grant covered, once that is revoked", async () => {
    await desk.put("grants/small", {
      tool: "refund",
      where: "tool.args.amount <= 500",
      agent: "clerk",
      until: "2031-06-01T00:00:00Z",
    });
    const first = await desk.begin();
    const { runId, idempotencyKey } = first;
    expect((await report(first, 0, [["refund", { amount: 400 }]])).rulings).toMatchObject([{ disposition: "allow" }]);
    await desk.post("tool-complete", { dispatchId: first.dispatchId, callId: `${idempotencyKey}/0/0`, result: 1 });
    expect((await desk.api.request("DELETE", "grants/small")).status).toBe(204);
    expect((await report(first, 1, [["refund", { amount: 300 }]])).rulings).toMatchObject([{ disposition: "suspend" }]);
    expect(await audit(runId, "tool.decided")).toMatchObject([
      { disposition: "allow" },
      { disposition: "hold", gate: "approval_required", argsDigest: digestJson({ amount: 300 }) },
    ]);
    const { body } = await desk.api.request("GET", `approvals?status=pending&run=${runId}`);
    expect(body.data[0].summary).toContain("much money");
  });

  it("an approval that has expired, which fails the node", async () => {
    await desk.put("policies/soon", {
      category: "tool",
      condition: "tool.args.slow == true",
      action: "require_approval",
      reason: "soon",
      expires: "1s",
    });
    const first = await desk.begin();
    const { runId } = first;
    const approvalId = await held(first, { amount: 900, slow: true });
    await until(async () => (await desk.statusOf(runId)) === "failed");
    expect(replied(await resolve(approvalId, { decision: "approve" }))).toEqual([409, "approval_closed"]);
    expect(await audit(runId, "approval.refused")).toMatchObject([{ approvalId, code: "approval_closed" }]);
    expect(await audit(runId, "approval.resolved")).toMatchObject([{ approvalId, status: "expired" }]);
    expect(await audit(runId, "node.failed")).toMatchObject([{ errorCode: "approval_expired" }]);
    const { body } = await desk.api.request("GET", `runs/${runId}/nodes/help`);
    expect(body.node).toMatchObject({ status: "failed", errorCode: "approval_expired" });
  });
});
