import { describe, expect, it } from "vitest";
import { ALLOWED, call, HELD, TurnRig, turnOf } from "../../../test/conformance/turn-rig.ts";
import { runOf, workflow } from "../../../test/conformance/rig.ts";
import type { RequestToolVerdict, ToolVerdict } from "./index.ts";

const BY_DEFAULT: ToolVerdict = {
  ...HELD,
  rule: { ...HELD.rule, approvers: [{ who: "role:lead", withinMs: 1_000 }], otherwise: "approve" },
};
const CLOSED: ToolVerdict = {
  ...ALLOWED,
  disposition: "deny",
  gate: "platform_open",
  code: "platform_closed",
  reason: "the platform is closed",
};

/** One call is held by an adapter that waits, until the chain approves it. */
function waitingCall(atLast: ToolVerdict) {
  const seen: RequestToolVerdict[] = [];
  const judgeTool = (request: RequestToolVerdict): ToolVerdict => {
    seen.push(request);
    return request.isApproved ? atLast : BY_DEFAULT;
  };
  const rig = turnOf({ judgeTool });
  rig.ask(0, 0, call("refund", { amount: 9 }), { waits: true });
  return { rig, seen };
}

describe("a held call whose chain approves by default", () => {
  for (const timer of ["approval-hop", "approval-expiry"] as const) {
    it(`is judged again where its adapter waits, and made when the gates let it pass (${timer})`, () => {
      const { rig, seen } = waitingCall(ALLOWED);
      rig.fire(timer);
      expect(seen.at(-1)).toMatchObject({ isApproved: true, callsBefore: 0, repeatsBefore: 0 });
      expect(rig.rulings()).toEqual(["refund allow"]);
      expect(rig.of("approval.resolved")[0]).toMatchObject({ status: "approved", decision: "approve" });
    });

    it(`is denied, and the model gets the reason, when a gate has closed since (${timer})`, () => {
      const { rig } = waitingCall(CLOSED);
      rig.fire(timer);
      expect(rig.rulings()).toEqual(["refund deny"]);
      expect(rig.of("tool.decided").at(-1)).toMatchObject({
        disposition: "deny",
        reason: expect.stringContaining("the platform is closed") as string,
      });
      expect(rig.of("approval.resolved")[0]).toMatchObject({ status: "rejected", decision: "reject" });
      expect(rig.result(0, 0, "paid").refusal?.code).toBe("call_not_allowed");
      expect(rig.status("a")).toBe("running");
    });
  }

  it("is left to the gates of the dispatch where the agent has suspended", () => {
    const seen: RequestToolVerdict[] = [];
    const judgeTool = (request: RequestToolVerdict): ToolVerdict => {
      seen.push(request);
      return BY_DEFAULT;
    };
    const rig = turnOf({ judgeTool });
    rig.round(0, [call("refund")]);
    rig.suspend();
    rig.fire("approval-hop");
    expect(seen).toHaveLength(1);
    expect(rig.rulings()).toEqual(["refund allow"]);
    expect(rig.dispatches).toHaveLength(2);
  });
});

describe("a call that may have been made, and whose step approves by default", () => {
  it("is not taken to have been made: the node fails when its time is over", () => {
    const source = workflow(["a {command: help, approvers: [{who: 'role:lead', within: 1h}], otherwise: approve}"]);
    const judgeTool = (): ToolVerdict => ({ ...ALLOWED, effects: "at_most_once" });
    const rig = new TurnRig(source, { judgeTool }).start();
    rig.round(0, [call("refund")]);
    rig.lose();
    expect(rig.node("a").now).toMatchObject({ status: "blocked", errorCode: "outcome_unknown" });
    rig.fire("approval-hop");
    expect(rig.of("node.failed")[0]).toMatchObject({ errorCode: "approval_expired" });
    expect(rig.of("tool.completed").map(({ isError }) => isError)).not.toContain(false);
  });
});

describe("an approval of a failed step whose chain approves by default", () => {
  it.each(["approval-hop", "approval-expiry"] as const)("tries again what did not complete (%s)", (timer) => {
    const rule = "approvers: [{who: 'role:lead', within: 1h}], otherwise: approve";
    const rig = runOf(
      workflow(
        [`a {command: 'see \${item}', for_each: list, on_failure: retry_once_then_escalate, ${rule}}`],
        "args: {list: [1, 2]}",
      ),
    );
    rig.complete("a[0]", { stdout: "one" }).fail("a[1]", "provider_auth").fire(timer);
    expect(rig.of("approval.resolved")).toMatchObject([{ status: "approved", decision: "retry", by: "sluice" }]);
    rig.complete("a[1]", { stdout: "two" });
    expect(rig.outputs("a")).toEqual({ items: ["one", "two"], count: 2, failed: 0 });
  });
});
