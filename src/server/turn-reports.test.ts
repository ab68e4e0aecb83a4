import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Desk, replied } from "../../test/api/turn-desk.ts";
import type { DispatchBody } from "../bridge/index.ts";

/** What is here is written by one who has read the description of this wire and nothing else. */
let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});
afterAll(() => desk.close());

const post: Desk["post"] = (path, body) => desk.post(path, body);
const begun = (): Promise<DispatchBody> => desk.begin();
const typesOf = async (runId: string): Promise<string[]> => (await desk.eventsOf(runId)).map(({ type }) => type);

/** A round as model APIs spell it. */
const asking = (dispatch: DispatchBody, round: number, ...calls: (readonly [string, object])[]): object => ({
  dispatch_id: dispatch.dispatchId,
  round,
  text: "Let me see.",
  tool_calls: calls.map(([name, args]) => ({ name, arguments: JSON.stringify(args) })),
  finish_reason: "tool-calls",
  input_tokens: 40,
  output_tokens: 4,
  cost_micros: 1_500,
});

describe("a Bridge of someone else", () => {
  it("reports a whole turn in its own spelling", async () => {
    const dispatch = await begun();
    const { runId, dispatchId, idempotencyKey } = dispatch;
    const first = await post("round-complete", asking(dispatch, 0, ["find_order", { id: 7 }]));
    const callId = `${idempotencyKey}/0/0`;
    expect(replied(first)).toEqual([200, { next: "go", rulings: [{ disposition: "allow", callId, args: { id: 7 } }] }]);
    const done = { dispatchId, call_id: callId, output: { paid: 900 }, duration_ms: 12 };
    expect(replied(await post("tool-complete", done))).toEqual([200, { received: true }]);
    const answer = { dispatchId, runId, stepId: "help", attempt: 1, segment: 0, round: 1, text: "Nothing is owed." };
    expect(replied(await post("round-complete", answer))).toEqual([200, { next: "go", rulings: [] }]);
    const end = { dispatchId, status: "completed", stdout: "Nothing is owed." };
    expect(replied(await post("step-complete", end))).toEqual([200, { received: true }]);
    await desk.ended(runId);
    const { body } = await desk.api.request("GET", `runs/${runId}/nodes/help/turn`);
    expect(body).toMatchObject({
      costMicros: 1_500,
      rounds: [
        {
          finish: "tool_calls",
          inputTokens: 40,
          calls: [{ callId, result: { value: { paid: 900 }, durationMs: 12 } }],
        },
        { finish: "stop", text: "Nothing is owed.", calls: [] },
      ],
    });
  });

  it("gets the names of fields that have no meaning here, in the reply and in the log of the node", async () => {
    const dispatch = await begun();
    const { runId, dispatchId, idempotencyKey } = dispatch;
    const call = { tool: "find_order", args: { id: 7 }, mood: "good" };
    const round = { dispatchId, round: 0, spark: 1, calls: [call] };
    const one = await post("round-complete", round);
    expect(one.body.warnings).toEqual([expect.stringContaining('left out: "spark", "calls[0].mood"')]);
    expect((await post("round-complete", round)).body.warnings).toHaveLength(1);
    const callId = `${idempotencyKey}/0/0`;
    const asked = await post("tool-call", { dispatchId, callId, tool: "find_order", args: { id: 7 }, colour: "red" });
    expect(asked).toMatchObject({
      status: 200,
      body: { disposition: "allow", warnings: [expect.stringContaining("colour")] },
    });
    const said = await post("tool-complete", { dispatchId, callId, result: "found", smell: 1 });
    expect(said.body).toEqual({ received: true, warnings: [expect.stringContaining("smell")] });
    const logged = (await desk.eventsOf(runId)).flatMap((event) =>
      event.type === "node.log" ? [event.payload.message] : [],
    );
    expect(logged).toEqual([expect.stringContaining("spark"), expect.stringContaining("smell")]);
  });

  it("gets the same answer to the same question, and nothing is kept twice", async () => {
    const dispatch = await begun();
    const { runId, dispatchId, idempotencyKey } = dispatch;
    const round = asking(dispatch, 0, ["find_order", { id: 7 }], ["refund", { amount: 900 }]);
    const first = await post("round-complete", round);
    expect(first.body.rulings).toMatchObject([{ disposition: "allow" }, { disposition: "suspend" }]);
    const before = await typesOf(runId);
    expect((await post("round-complete", round)).body).toEqual(first.body);
    const question = { dispatchId, callId: `${idempotencyKey}/0/1`, tool: "refund", args: { amount: 900 } };
    expect(replied(await post("tool-call", question))).toMatchObject([200, { disposition: "suspend" }]);
    expect(await typesOf(runId)).toEqual(before);
    const done = { dispatchId, callId: `${idempotencyKey}/0/0`, result: 1 };
    for (let time = 0; time < 2; time += 1) expect((await post("tool-complete", done)).status).toBe(200);
    expect(await typesOf(runId)).toEqual([...before, "tool.completed"]);
  });

  it("may ask about each call of a round by itself, and gets all of them when it continues", async () => {
    const { runId, dispatchId, idempotencyKey } = await begun();
    const round = { dispatchId, round: 0, finish: "tool_calls", message: { tool_calls: ["c1", "c2", "c3"] } };
    expect(replied(await post("round-complete", round))).toEqual([200, { next: "go", rulings: [] }]);
    const ask = async (position: number, tool: string, args: object) =>
      (await post("tool-call", { dispatchId, callId: `${idempotencyKey}/0/${position}`, tool, args })).body.disposition;
    expect(await ask(0, "find_order", { id: 7 })).toBe("allow");
    expect(await ask(1, "refund", { amount: 900 })).toBe("suspend");
    expect(await ask(2, "rob_bank", {})).toBe("deny");
    await post("tool-complete", { dispatchId, callId: `${idempotencyKey}/0/0`, result: { paid: 900 } });
    await post("step-complete", { dispatchId, status: "suspended" });
    const { body } = await desk.api.request("GET", `approvals?status=pending&run=${runId}`);
    const answer = { body: { decision: "approve", modifications: { args: { amount: 450 } } } };
    expect((await desk.api.request("POST", `approvals/${body.data[0].id}/resolve`, answer)).status).toBe(200);
    const { resume } = await desk.dispatched(runId, 1);
    expect(resume?.rounds).toMatchObject([
      {
        message: { tool_calls: ["c1", "c2", "c3"] },
        calls: [
          { callId: `${idempotencyKey}/0/0`, tool: "find_order", ruling: { disposition: "allow" } },
          { callId: `${idempotencyKey}/0/1`, ruling: { disposition: "allow", args: { amount: 450 } } },
          { callId: `${idempotencyKey}/0/2`, ruling: { disposition: "deny", code: "tool_not_allowed" } },
        ],
      },
    ]);
    expect(Object.keys(resume?.results ?? {})).toEqual([`${idempotencyKey}/0/0`]);
  });

  it("may send what its turns report in the batch of its callbacks, in their order", async () => {
    const [one, two] = [await begun(), await begun()];
    const batch = [
      asking(one, 0, ["find_order", { id: 7 }]),
      { type: "tool-complete", dispatchId: one.dispatchId, callId: `${one.idempotencyKey}/0/0`, result: {} },
      {
        dispatchId: two.dispatchId,
        callId: `${two.idempotencyKey}/0/0`,
        tool: "refund",
        args: { amount: 900 },
        waits: true,
      },
      { dispatchId: one.dispatchId, round: 5, text: "Too early." },
      { dispatchId: one.dispatchId, status: "completed", stdout: "Done." },
    ];
    const { status, body } = await post("step-complete/batch", { callbacks: batch });
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { status: 200, body: { next: "go", rulings: [{ disposition: "allow" }] } },
      { status: 200, body: { received: true } },
      { status: 200, body: { disposition: "wait" } },
      { status: 409, body: { code: "round_out_of_order" } },
      { status: 200, body: { received: true } },
    ]);
    await desk.ended(one.runId);
  });

  it("waits until the chain approves by default, which the gates judge like an answer", async () => {
    await desk.put("policies/small", {
      category: "tool",
      condition: "tool.name == 'refund' and tool.args.amount < 50",
      action: "require_approval",
      approvers: [{ who: "user:lead", within: "1s" }],
      otherwise: "approve",
      reason: "a look first",
    });
    const { runId, dispatchId, idempotencyKey } = await begun();
    const callId = `${idempotencyKey}/0/0`;
    const call = { dispatchId, callId, tool: "refund", args: { amount: 5 }, waits: true };
    expect((await post("tool-call", call)).body).toMatchObject({ disposition: "allow", args: { amount: 5 } });
    const { body } = await desk.api.request("GET", `runs/${runId}/verdicts`);
    const about = (body.data as { callId?: string; disposition: string }[]).filter((one) => one.callId === callId);
    expect(about.map(({ disposition }) => disposition).toSorted()).toEqual(["allow", "hold"]);
  });

  it("gets the reason when a report is refused", async () => {
    const dispatch = await begun();
    const { runId, dispatchId, idempotencyKey } = dispatch;
    await post("round-complete", asking(dispatch, 0, ["rob_bank", {}]));
    const own = { dispatchId, tool: "refund", args: {} };
    const said = async (path: string, body: object): Promise<unknown> => replied(await post(path, body));
    expect(await said("tool-call", { ...own, callId: "call_1" })).toEqual([422, "wrong_call_id"]);
    expect(await said("tool-call", { ...own, callId: "run_2/help/0/0/1" })).toEqual([422, "wrong_call_id"]);
    expect(await said("tool-call", { ...own, callId: `${idempotencyKey}/0/1`, args: "{" })).toEqual([
      422,
      "invalid_request",
    ]);
    expect(await said("tool-call", own)).toEqual([422, "invalid_request"]);
    expect(await said("tool-complete", { dispatchId, callId: `${idempotencyKey}/4/4`, result: 1 })).toEqual([
      422,
      "unknown_call",
    ]);
    expect(await said("tool-complete", { dispatchId, callId: `${idempotencyKey}/0/0`, result: 1 })).toEqual([
      409,
      "call_not_allowed",
    ]);
    expect(await said("round-complete", { dispatchId, round: 9 })).toEqual([409, "round_out_of_order"]);
    expect(
      await said("round-complete", {
        dispatchId,
        round: 1,
        calls: [{ tool: "refund", callId: `${idempotencyKey}/0/7` }],
      }),
    ).toEqual([422, "wrong_call_id"]);
    expect(await said("round-complete", { dispatchId, runId: "run_2", round: 1 })).toEqual([409, "stale_attempt"]);
    expect(await said("round-complete", { dispatchId, segment: 3, round: 1 })).toEqual([409, "attempt_over"]);
    expect(await said("round-complete", { dispatchId: `${runId}/no/1`, round: 0 })).toEqual([404, "unknown_dispatch"]);
    expect(await said("round-complete", { dispatchId, round: 1, cost_usd: -1 })).toEqual([422, "usage_range"]);
    expect(await said("round-complete", [])).toEqual([422, "invalid_request"]);
    const { body } = await post("round-complete", { dispatchId, segment: 3, round: 1 });
    expect(body.detail).toBe("Help does not run any more, or continues in another execution.");
  });
});
