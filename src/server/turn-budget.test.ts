import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ORG } from "../../test/api/fixture.ts";
import { Desk } from "../../test/api/turn-desk.ts";

const COSTLY = `name: costly
steps:
  - {id: help, agent: clerk, command: "Look.", estimated_cost: 0.1, tools: [{name: find_order, action: read}]}
`;
const BUDGET = { scope: "agent", scope_id: "clerk", period: "monthly", amount_usd: 0.75 };

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
  await desk.put("budgets/clerk", BUDGET);
  await desk.api.save(COSTLY);
});
afterAll(() => desk.close());

interface Spending {
  readonly spentMicros: number;
  readonly reservedMicros: number;
}
async function spending(): Promise<Spending> {
  const { body } = await desk.api.request("GET", "budgets/clerk");
  return body.spending ?? body;
}

/** Lets the stopped turn continue, as its one open approval offers. */
async function retry(runId: string, before: () => Promise<void> = () => Promise.resolve()): Promise<void> {
  const approvals = (await desk.api.request("GET", `approvals?status=pending&run=${runId}`)).body.data;
  expect(approvals).toMatchObject([{ choices: ["retry", "abort"] }]);
  await before();
  const answer = { body: { decision: "retry" } };
  expect((await desk.api.request("POST", `approvals/${approvals[0].id}/resolve`, answer)).status).toBe(200);
}

describe("a budget that runs out in round 7", () => {
  it("stops the turn before its tools run, overspends nothing, and the turn continues where it was", async () => {
    const first = await desk.begin("costly");
    const { runId, dispatchId, idempotencyKey } = first;
    const round = (number: number, sender: object) =>
      desk.post("round-complete", {
        ...sender,
        round: number,
        costUsd: 0.1,
        calls: [{ tool: "find_order", args: { number } }],
      });
    for (let number = 0; number < 6; number += 1) {
      const { body } = await round(number, { dispatchId });
      expect(body, `round ${number}`).toMatchObject({ next: "go", rulings: [{ disposition: "allow" }] });
      await desk.post("tool-complete", { dispatchId, callId: `${idempotencyKey}/${number}/0`, result: number });
    }
    const stopped = (await round(6, { dispatchId })).body;
    expect(stopped).toMatchObject({ next: "stop", code: "budget_exceeded" });
    expect(stopped.reason).toContain("0.75");
    // Asked once more, it is the same answer.
    expect((await round(6, { dispatchId })).body).toEqual(stopped);
    expect(await spending()).toMatchObject({ spentMicros: 700_000, reservedMicros: 0 });
    const types = (await desk.eventsOf(runId)).map(({ type }) => type);
    expect(types.filter((type) => type === "tool.requested")).toHaveLength(6);
    const { data } = (await desk.api.request("GET", `audit?run=${runId}&type=gate.rejected`)).body;
    expect(data).toMatchObject([{ node: "help", detail: { gate: "budgets", code: "budget_exceeded" } }]);
    const verdicts = (await desk.api.request("GET", `runs/${runId}/verdicts?limit=100`)).body.data;
    expect(verdicts.find(({ gate }: { gate: string | null }) => gate === "budgets")).toMatchObject({
      explanation: { code: "budget_exceeded", unblock: expect.arrayContaining([]) },
    });
    await desk.post("step-complete", { dispatchId, status: "suspended" });

    await retry(runId);
    // Nothing has changed, so it stops again, and its work is not lost.
    await retry(runId, () => desk.put("budgets/clerk", { ...BUDGET, amount_usd: 2 }));
    const next = await desk.dispatched(runId, 1);
    expect(next.attempt).toBe(1);
    expect(next.resume?.rounds).toHaveLength(7);
    expect(Object.keys(next.resume?.results ?? {})).toHaveLength(6);
    expect(next.resume?.rounds[6]?.calls[0]?.ruling).toBeUndefined();
    const callId = `${idempotencyKey}/6/0`;
    const asked = { dispatchId: next.dispatchId, callId, tool: "find_order", args: { number: 6 } };
    expect((await desk.post("tool-call", asked)).body).toMatchObject({ disposition: "allow", args: { number: 6 } });
    await desk.post("tool-complete", { dispatchId: next.dispatchId, callId, result: 6 });
    const last = { dispatchId: next.dispatchId, round: 7, costUsd: 0.1, text: "Done." };
    expect((await desk.post("round-complete", last)).body).toMatchObject({ next: "go" });
    await desk.post("step-complete", { dispatchId: next.dispatchId, status: "completed", stdout: "Done." });
    await desk.ended(runId);
    expect(await spending()).toMatchObject({ spentMicros: 800_000, reservedMicros: 0 });
    expect((await desk.api.store.getRun(ORG, runId))?.costMicros).toBe(800_000);
  });
});
