import { afterAll, beforeAll, it } from "vitest";
import { type Api, createApi, ADMIN } from "./api/fixture.ts";
let api: Api;
beforeAll(async () => { api = await createApi(); });
afterAll(async () => { console.log("TROUBLES", api.troubles); await api.close(); });
const show = (label: string, x: unknown) => console.log(label, JSON.stringify(x)?.slice(0, 700));
async function open(run: string) { const { body } = await api.request("GET", `approvals?run=${run}&status=pending&include=subject`); return body.data[0]; }
async function answer(id: string, body: object, key?: string) { const r = await api.request("POST", `approvals/${id}/resolve`, { body, ...(key ? { key } : {}) }); return [r.status, r.body.code ?? r.body.status, r.body.detail, r.body.problems ?? r.body.errors]; }
it("probe", async () => {
  const k1 = await api.key("approver"); const k2 = await api.key("approver");
  await api.save(`name: q
args: { amount: { type: integer, default: 420 }, who: { type: string, default: Tide } }
steps:
  - id: pay
    approval: required
    quorum: 2
    command: "Pay \${amount} to \${who}"
    outputs: { ref: string, n: integer }
`);
  let run = await api.run("q"); let a = await open(run);
  show("empty mods 1", await answer(a.id, { decision: "approve" }, k1));
  show("empty mods 2", await answer(a.id, { decision: "approve", modifications: {} }, k2));
  run = await api.run("q"); a = await open(run);
  show("wrong type", await answer(a.id, { decision: "approve", modifications: { inputs: { amount: "x" } } }, k1));
  show("null", await answer(a.id, { decision: "approve", modifications: { inputs: { amount: null } } }, k1));
  show("unknown", await answer(a.id, { decision: "approve", modifications: { inputs: { amont: 1 } } }, k1));
  show("outputs partial", await answer(a.id, { decision: "approve", modifications: { outputs: { ref: "x" } } }, k1));
  show("outputs wrong", await answer(a.id, { decision: "approve", modifications: { outputs: { ref: 1, n: "x" } } }, k1));
  show("mods array", await answer(a.id, { decision: "approve", modifications: [] }, k1));
  show("inputs array", await answer(a.id, { decision: "approve", modifications: { inputs: [] } }, k1));
  show("form none", await answer(a.id, { decision: "approve", form: { a: 1 } }, k1));
  show("reject w/ mods", await answer(a.id, { decision: "reject", reason: "x", modifications: { inputs: { amount: "x" } }, form: {z: 1} }, k1));
  run = await api.run("q"); a = await open(run);
  const old = a.subjectDigest;
  show("change", await answer(a.id, { decision: "approve", subjectDigest: old, modifications: { inputs: { amount: 7 } } }, k1));
  a = await open(run);
  show("subject", a.subject.request);
  show("same again", await answer(a.id, { decision: "approve" }, k1));
  show("old digest", await answer(a.id, { decision: "approve", subjectDigest: old }, k2));
  show("digest old", await answer(a.id, { decision: "approve", digest: "sha256:0" }, k2));
  show("new digest", await answer(a.id, { decision: "approve", subjectDigest: a.subjectDigest }, k2));
  await api.settle(run);
  show("node", (await api.request("GET", `runs/${run}/nodes/pay`)).body.attempts?.[0]);
  await api.save(`name: f
args: { list: { type: array, default: [1, 2] } }
steps:
  - { id: each, approval: required, for_each: list, command: "Do \${item}" }
  - { id: total, approval: required, set: { sum: { expr: "1 + 1" } }, depends_on: [each] }
  - { id: g, approval: required, form: { n: { type: integer, max: 5 }, d: date, e: { enum: [1, 2] }, s: { type: string, required: false, pattern: "^a+$" }, b: { type: boolean, default: true } }, depends_on: [total] }
  - { id: h, command: "\${g.n} \${g.d} \${g.e} \${g.b}" }
`);
  run = await api.run("f"); a = await open(run);
  show("each subject", [a.subject.request, a.subject.shown]);
  show("list wrong", await answer(a.id, { decision: "approve", modifications: { inputs: { list: "x" } } }));
  show("outputs of each", await answer(a.id, { decision: "approve", modifications: { outputs: { items: [] } } }));
  show("list", await answer(a.id, { decision: "approve", modifications: { inputs: { list: [9] } } }));
  await api.settle(run); a = await open(run);
  show("set subject", [a.nodeId, a.subject.request, a.subject.shown, a.subject.answers]);
  show("set change", await answer(a.id, { decision: "approve", modifications: { inputs: { sum: 5 } } }));
  await api.settle(run); a = await open(run);
  for (const form of [{}, { n: "3", d: "2026-01-01", e: 1 }, { n: 6, d: "2026-02-30", e: 3 }, { n: 1.5, d: 5, e: "1", s: "b", b: "yes" }, { n: 1, d: "2026-01-01", e: 1, x: 1 }, [] , "x", { n: 1, d: "2026-01-01", e: 1, s: null }])
    show("form " + JSON.stringify(form), await answer(a.id, { decision: "approve", form }));
  await api.settle(run);
  show("out", (await api.request("GET", `runs/${run}`)).body.status);
  show("h", JSON.stringify((await api.request("GET", `runs/${run}/nodes/h`)).body).match(/"message":"[^"]*"/)?.[0]);
  show("list", (await api.request("GET", `approvals?run=${run}`)).body.data.map((x: any) => [x.nodeId, x.status, x.modifications, x.entered]));
});
