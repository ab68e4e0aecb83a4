import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Api, createApi } from "../../test/api/fixture.ts";

const PAY = `name: pay
args: { to: acme }
steps:
  - { id: quote, command: Quote it, outputs: { price: { type: number } } }
  - id: agree
    name: Pay \${quote.price} to \${to}?
    approval: required
    approvers: ["key:Finance"]
    quorum: 2
    show: [quote.price]
    form: { amount: { type: number, min: 1, max: 9, label: Amount } }
  - { id: pay, command: "Pay \${agree.amount}", depends_on: [agree] }
`;
const OPEN = `name: open
steps:
  - { id: agree, approval: required, approvers: ["key:key_of_no_one"] }
`;
const SEND = `name: send
args: { to: acme }
steps:
  - { id: post, command: "Post to \${to}", approval: required }
`;

const SCRIPT = "default: echo\nnodes:\n  pay/quote: [{ outputs: { price: 7 } }]\n";

let api: Api;
let finance: readonly string[];
let other: string;

beforeAll(async () => {
  api = await createApi({}, SCRIPT);
  for (const source of [PAY, OPEN, SEND]) await api.save(source);
  const mint = async (): Promise<string> =>
    (await api.request("POST", "keys", { body: { label: "Finance", role: "approver" } })).body.key;
  finance = [await mint(), await mint()];
  other = await api.key("approver");
});
afterAll(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

const replied = ({ status, body }: Answer): unknown => [status, body.code];

async function asked(workflow: string): Promise<{ readonly id: string; readonly runId: string }> {
  const runId = await api.run(workflow);
  const { body } = await api.request("GET", "approvals?status=pending&limit=100");
  return body.data.find((approval: { runId: string }) => approval.runId === runId);
}

const answer = (id: string, key: string, body: object = {}): Promise<Answer> =>
  api.request("POST", `approvals/${id}/resolve`, { key, body: { decision: "approve", ...body } });
const shown = async (id: string): Promise<Answer["body"]> => (await api.request("GET", `approvals/${id}`)).body;

describe("an answer over the API", () => {
  it("is taken from those who are asked, counted, and entered into what follows", async () => {
    const { id, runId } = await asked("pay");
    const [ann = "", bob = ""] = finance;
    const before = await shown(id);
    expect(before).toMatchObject({
      title: "Pay 7 to acme?",
      workflow: "pay",
      quorum: 2,
      answers: [],
      hop: 0,
      form: { amount: { type: "number", label: "Amount" } },
      subject: { request: null, shown: [{ label: "quote.price", value: 7 }], parents: { quote: { price: 7 } } },
    });
    expect((await api.request("GET", `runs/${runId}`)).body.waitingFor).toBe("person");
    expect((await api.request("GET", "runs?waiting_for=person")).body.data).toContainEqual(
      expect.objectContaining({ id: runId }),
    );

    const refused = await answer(id, other, { form: { amount: 5 } });
    expect(replied(refused)).toEqual([403, "not_an_approver"]);
    expect(refused.body.detail).toContain("key:Finance");
    const wrong = await answer(id, ann, { form: { amount: 50 } });
    expect(replied(wrong)).toEqual([422, "form_invalid"]);
    expect(wrong.body.problems).toMatchObject([{ path: "amount", message: "amount 50 is above the maximum 9" }]);

    const first = await answer(id, ann, { form: { amount: 5 }, subjectDigest: before.subjectDigest });
    expect(first).toMatchObject({
      status: 200,
      body: { status: "pending", answers: [{ by: "Finance", decision: "approve" }], entered: { amount: 5 } },
    });
    expect(replied(await answer(id, ann))).toEqual([409, "already_answered"]);
    expect(replied(await answer(id, bob, { subjectDigest: before.subjectDigest }))).toEqual([409, "content_changed"]);
    const { subjectDigest } = await shown(id);
    const last = await answer(id, bob, { subjectDigest });
    expect(last.body).toMatchObject({ status: "approved", decision: "approve", answers: [{}, {}] });
    expect(last.body).toEqual(await shown(id));
    expect(await api.settle(runId)).toBe("completed");
    expect((await api.request("GET", `runs/${runId}`)).body.waitingFor).toBeNull();
    const { body } = await api.request("GET", `runs/${runId}/state`);
    expect(JSON.stringify(body)).toContain("Pay 5");
  });

  it("of a person who is not asked is audited, and one who may override says why", async () => {
    const { id, runId } = await asked("open");
    expect(replied(await answer(id, other))).toEqual([403, "not_an_approver"]);
    const admin = await api.key("admin");
    expect(replied(await answer(id, other, { override: true, reason: "x" }))).toEqual([403, "forbidden"]);
    expect(replied(await answer(id, admin, { override: true }))).toEqual([422, "reason_required"]);
    expect((await answer(id, admin, { override: true, reason: "they left" })).body).toMatchObject({
      status: "approved",
      reason: "they left",
    });
    expect(await api.settle(runId)).toBe("completed");
    const { data } = (await api.request("GET", "audit?type=approval.refused&limit=100")).body;
    expect(data).toContainEqual(
      expect.objectContaining({
        resource: `approval/${id}`,
        detail: expect.objectContaining({ code: "not_an_approver" }),
      }),
    );
    const [resolved] = (await api.request("GET", `audit?type=approval.resolved&run=${runId}`)).body.data;
    expect(resolved).toMatchObject({ reason: "they left", detail: { isOverride: true } });
  });

  it("may change what is sent, and what does not fit is refused by field", async () => {
    const { id, runId } = await asked("send");
    const bad = await answer(id, other, { modifications: { inputs: { to: 5, form: "x" } } });
    expect(replied(bad)).toEqual([422, "modifications_invalid"]);
    expect(bad.body.problems.map(({ path }: { path: string }) => path)).toEqual(["inputs.to", "inputs.form"]);
    expect((await answer(id, other, { modifications: { inputs: { to: "bob" } } })).status).toBe(200);
    expect(await api.settle(runId)).toBe("completed");
    expect(JSON.stringify((await api.request("GET", `runs/${runId}/state`)).body)).toContain("Post to bob");
  });

  it("is taken from any key that may approve where the operator has set it so, and the session says so", async () => {
    expect((await api.request("GET", "session")).body.approvers).toBe("enforced");
    const lenient = await createApi({ approvers: "advisory" }, SCRIPT);
    await lenient.save(OPEN);
    expect((await lenient.request("GET", "session")).body.approvers).toBe("advisory");
    await lenient.run("open");
    const [{ id }] = (await lenient.request("GET", "approvals")).body.data;
    const body = { decision: "approve" };
    expect((await lenient.request("POST", `approvals/${id}/resolve`, { body })).status).toBe(200);
    await lenient.close();
  });
});
