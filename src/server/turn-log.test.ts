import { expect, it } from "vitest";
import type { RunEvent } from "../core/event/index.ts";
import { TurnLog } from "./turn-log.ts";

it("shows no open question about a call whose result is known", () => {
  const log = new TurnLog("run_1", { id: "help", epoch: 0 });
  const callId = "run_1/help/0/0/0";
  const take = (type: string, payload: object): void =>
    log.take({ type, at: 0, payload: { nodeId: "help", callId, ...payload } } as unknown as RunEvent);
  take("tool.requested", { round: 0, tool: "refund", args: { amount: 900 }, action: "write", effects: "at_most_once" });
  take("tool.decided", { disposition: "allow", verdictId: null, args: { amount: 450 } });
  take("tool.decided", { disposition: "hold", verdictId: null, approvalId: "apr_1", isUnknown: true });
  expect(log.rounds()[0]?.calls).toMatchObject([{ isUnknown: true, verdict: { disposition: "hold" } }]);
  take("tool.completed", { result: "paid", isError: false, durationMs: 0, by: "ann" });
  expect(log.rounds()[0]?.calls).toMatchObject([
    { isUnknown: false, verdict: { disposition: "allow" }, askedArgs: { amount: 900 }, result: { by: "ann" } },
  ]);
});
