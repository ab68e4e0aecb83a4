import { createHmac, randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ADMIN,
  type Answer,
  type Api,
  createApi,
  ENDLESS,
  FAILING,
  HELLO,
  STRANGER,
} from "../../../test/api/fixture.ts";

const SECRET = "a-secret-of-both-sides";
const ORDER = `name: order
args:
  number: { type: integer, required: true }
  kind: { type: string, default: plain }
  lines: { type: array }
steps:
  - { id: take, command: "Take \${number} \${kind}" }
`;

const CAREFUL = `name: careful
steps:
  - { id: decide, approval: required, separate_approver: true }
`;

let api: Api;
beforeAll(async () => {
  api = await createApi({ respondMs: 300 });
  for (const source of [HELLO, ORDER, ENDLESS, FAILING, CAREFUL]) await api.save(source);
});
afterAll(() => api.close());

let made = 0;
async function trigger(spec: Record<string, unknown>, key?: string): Promise<string> {
  const name = `t${(made += 1)}`;
  const saved = await api.request("PUT", `triggers/${name}`, { body: spec, ...(key === undefined ? {} : { key }) });
  expect([saved.status, saved.body.problems]).toEqual([201, undefined]);
  return name;
}

const github = (body: string, secret = SECRET): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

interface Delivery {
  readonly id?: string;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** As GitHub would. */
function deliver(name: string, body: unknown, { id = randomUUID(), secret, headers, query = "" }: Delivery = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const signed = { "x-hub-signature-256": github(text, secret), "x-github-delivery": id, "x-github-event": "issues" };
  return api.request("POST", `hooks/${name}?org=default${query}`, {
    key: null,
    body: text,
    headers: { "content-type": "application/json", ...signed, ...headers },
  });
}

const HOOK = { hook: { verify: "github", secret: SECRET } };
const ARGS = { number: "${body.issue.number}", kind: "${headers.x-github-event}-${query.from}", lines: ["${body.a}"] };
const replied = ({ status, body }: Answer): readonly unknown[] => [status, body.code];
const problemsOf = ({ body }: Answer): readonly string[] =>
  (body.problems ?? []).map(({ code, path, hint }: Record<string, string>) => `${code} ${path} ${hint ?? ""}`.trim());

describe("a trigger with concurrency", () => {
  const waits = async (runId: string) => (await api.request("GET", `runs/${runId}`)).body;
  const fire = async (name: string, customer: string): Promise<string> => {
    const fired = await api.request("POST", `triggers/${name}/fire`, { body: { body: { customer } } });
    expect(fired.body).toMatchObject({ started: true });
    return fired.body.runId;
  };

  it("lets so many of its runs with the same key be open, and gives the place on", async () => {
    const concurrency = { key: "body.customer", limit: 1 };
    const name = await trigger({ workflow: "careful", on: HOOK, args: {}, concurrency });
    const [first, second, other] = [await fire(name, "ann"), await fire(name, "ann"), await fire(name, "bob")];
    expect([await waits(first), await waits(second), await waits(other)]).toMatchObject([
      { status: "running", waitingFor: "person" },
      { status: "queued", waitingFor: "gate" },
      { status: "running" },
    ]);
    await api.request("POST", `runs/${first}/cancel`);
    await expect.poll(() => waits(second)).toMatchObject({ status: "running" });
    // It holds its place when it is opened again, as a run of a workflow with a limit does.
    expect(replied(await api.request("POST", `runs/${first}/rewind`, { body: { eventId: 1 } }))).toEqual([
      409,
      "concurrency_full",
    ]);
    // A run that is started again from one of its runs counts with them.
    const restarted = (await api.request("POST", `runs/${first}/restart`)).body;
    expect(await waits(restarted.id)).toMatchObject({ status: "queued", waitingFor: "gate" });
  });

  it("counts all its runs together without a key, cancels the new or the old one, and refuses a key without value", async () => {
    const one = await trigger({ workflow: "careful", on: HOOK, args: {}, concurrency: { when_full: "cancel_new" } });
    const [kept, cancelled] = [await fire(one, "ann"), await fire(one, "bob")];
    expect([await waits(kept), await waits(cancelled)]).toMatchObject([{ status: "running" }, { status: "cancelled" }]);
    const rewind = async () => replied(await api.request("POST", `runs/${cancelled}/rewind`, { body: { eventId: 1 } }));
    expect(await rewind()).toEqual([409, "concurrency_full"]);
    await api.request("POST", `runs/${kept}/cancel`);
    await api.settle(kept);
    expect((await rewind())[0]).toBe(200);
    expect(await waits(await fire(one, "bob"))).toMatchObject({ status: "cancelled" });
    const two = await trigger({
      workflow: "careful",
      on: HOOK,
      args: {},
      concurrency: { key: "deploy-${body.customer}", when_full: "cancel_old" },
    });
    const [old, young] = [await fire(two, "ann"), await fire(two, "ann")];
    await expect.poll(() => waits(young)).toMatchObject({ status: "running" });
    expect(await waits(old)).toMatchObject({ status: "cancelled" });
    const three = await trigger({ workflow: "careful", on: HOOK, args: {}, concurrency: { key: "body.customer" } });
    const refused = await api.request("POST", `triggers/${three}/fire`, { body: { body: {} } });
    expect(replied(refused)).toEqual([422, "expression_error"]);
  });

  it("is refused where it cannot be read, and where the workflow limits its runs itself", async () => {
    await api.save("name: limited\nconcurrency: { key: run.workflow }\nsteps:\n  - { id: a, command: go }\n");
    const put = (concurrency: object, workflow = "careful") =>
      api.request("PUT", "triggers/wrong", { body: { workflow, on: HOOK, concurrency } });
    expect(problemsOf(await put({ key: "bodi.customer" }))).toEqual([expect.stringContaining("concurrency.key")]);
    expect(problemsOf(await put({ key: "x-${bodi.customer}" }))).toEqual([expect.stringContaining("concurrency.key")]);
    expect(problemsOf(await put({ limit: 0 }))).toEqual([expect.stringContaining("concurrency.limit")]);
    await api.save(
      "format: lens-graph/v1\nname: limited-graph\nnodes: [{ id: a, config: { template_body: go } }]\nedges: []\nconcurrency: { key: run.workflow }\n",
    );
    for (const workflow of ["limited", "limited-graph"]) {
      expect(problemsOf(await put({ key: "body.a" }, workflow))).toEqual([
        "conflicting_fields concurrency Write concurrency in one of the two.",
      ]);
    }
  });
});

describe("a trigger of the kind hook", () => {
  it("starts a run with args made of body, headers and query, on behalf of who saved it", async () => {
    const saver = await api.key("admin");
    const name = await trigger({ workflow: "order", on: HOOK, args: ARGS, respond: "accepted" }, saver);
    const answer = await deliver(name, { issue: { number: 7 } }, { query: "&from=web" });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ started: true, runId: expect.any(String) });
    const run = await api.store.getRun("default", answer.body.runId);
    const entry = await api.store.getEntry("default", "trigger", name);
    expect(run).toMatchObject({
      args: { number: 7, kind: "issues-web", lines: [null] },
      trigger: "hook",
      startedBy: `trigger:${name}`,
      requestedBy: entry?.savedBy,
    });
    expect(entry?.savedBy).toMatch(/^key_/);
  });

  it("calculates its args, and refuses what cannot be calculated", async () => {
    const args = { number: "${body.price * 2}", kind: "${upper(body.kind ?? 'none')}: ${body.lines.length}" };
    const name = await trigger({ workflow: "order", on: HOOK, args });
    const { body } = await deliver(name, { price: 3, lines: [1] });
    expect((await api.store.getRun("default", body.runId))?.args).toMatchObject({ number: 6, kind: "NONE: 1" });
    const refused = await deliver(name, { price: "three" });
    expect(replied(refused)).toEqual([422, "expression_error"]);
    expect(refused.body.detail).toContain('The arg "number"');
  });

  it("has the caller who saved it as the requester of its runs", async () => {
    const saver = await api.key("admin");
    const name = await trigger({ workflow: "careful", on: HOOK, args: {} }, saver);
    const { runId } = (await deliver(name, {})).body;
    await api.settle(runId);
    const [approval] = (await api.request("GET", "approvals?status=pending")).body.data;
    const answer = (key: string) =>
      api.request("POST", `approvals/${approval.id}/resolve`, { key, body: { decision: "approve" } });
    expect(replied(await answer(saver))).toEqual([403, "self_approval"]);
  });

  it("starts one run for one delivery, however often it is sent", async () => {
    const name = await trigger({ workflow: "order", on: HOOK, args: { number: "${body.n}" } });
    const first = await deliver(name, { n: 1 }, { id: "d-1" });
    const again = await deliver(name, { n: 1 }, { id: "d-1" });
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ started: true, runId: first.body.runId, repeated: true });
    const both = await Promise.all([1, 2, 3].map(() => deliver(name, { n: 2 }, { id: "d-2" })));
    expect(new Set(both.map(({ body }) => body.runId)).size).toBe(1);
    expect((await deliver(name, { n: 1 }, { id: "d-3" })).body.runId).not.toBe(first.body.runId);
    const { body } = await api.request("GET", `triggers/${name}/deliveries`);
    expect(body.data.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`)).toEqual([
      "d-3 started",
      "d-2 started",
      "d-1 started",
    ]);
  });

  describe("of every scheme that signs", () => {
    const hex = (text: string): string => createHmac("sha256", SECRET).update(text).digest("hex");
    const key = Buffer.from(SECRET).toString("base64");
    type Signer = (body: string, seconds: number) => Record<string, string>;
    const SIGNERS: readonly (readonly [string, boolean, Signer])[] = [
      [
        "standard",
        true,
        (body, at) => ({
          "webhook-id": "msg_1",
          "webhook-timestamp": String(at),
          "webhook-signature": new Webhook(key).sign("msg_1", new Date(at * 1_000), body),
        }),
      ],
      ["github", false, (body) => ({ "x-hub-signature-256": github(body), "x-github-delivery": "d-1" })],
      ["stripe", true, (body, at) => ({ "stripe-signature": `t=${at},v1=${hex(`${at}.${body}`)}` })],
      [
        "slack",
        true,
        (body, at) => ({
          "x-slack-request-timestamp": String(at),
          "x-slack-signature": `v0=${hex(`v0:${at}:${body}`)}`,
        }),
      ],
      ["hmac", false, (body) => ({ "x-signature": hex(body) })],
    ];

    it.each(SIGNERS)(
      "%s starts one run for a message that is replayed, and none for a late one",
      async (verify, isTimed, sign) => {
        const hook = { verify, secret: SECRET, ...(verify === "hmac" ? { header: "x-signature" } : {}) };
        const name = await trigger({ workflow: "order", on: { hook }, args: { number: "${body.n}" } });
        const send = (body: string, headers: Record<string, string>) =>
          api.request("POST", `hooks/${name}?org=default`, {
            key: null,
            body,
            headers: { "content-type": "application/json", ...headers },
          });
        const now = Math.floor(Date.now() / 1_000);
        const body = JSON.stringify({ id: "evt_1", n: 1 });
        const signed = sign(body, now);
        const first = await send(body, signed);
        expect(first.body).toMatchObject({ started: true });
        expect((await send(body, signed)).body).toEqual({ started: true, runId: first.body.runId, repeated: true });
        const late = await send(body, sign(body, now - 301));
        if (isTimed) expect(late.status).toBe(401);
        else expect(late.body).toMatchObject({ repeated: true });
        expect((await send(body.replace("1", "2"), signed)).status).toBe(401);
      },
    );
  });

  it("starts nothing when its filter does not hold", async () => {
    const filter = "body.action == 'opened' and headers.x_github_event == 'issues'";
    const name = await trigger({ workflow: "order", on: HOOK, filter, args: { number: 1 } });
    const answer = await deliver(name, { action: "closed" });
    expect([answer.status, answer.body]).toEqual([202, { started: false }]);
    expect((await deliver(name, { action: "opened" })).body.started).toBe(true);
    expect(replied(await deliver(name, { action: 7 }))).toEqual([422, "expression_error"]);
    const { body } = await api.request("GET", `triggers/${name}/deliveries`);
    expect(body.data.map(({ state }: { state: string }) => state)).toEqual(["refused", "started", "filtered"]);
  });

  it("refuses args that do not fit, records it, and takes the same delivery once it fits", async () => {
    const name = await trigger({ workflow: "order", on: HOOK, args: { number: "${body.n}" } });
    const refused = await deliver(name, { n: "seven" }, { id: "d-1" });
    expect(replied(refused)).toEqual([422, "invalid_args"]);
    expect(refused.body.problems).toMatchObject([{ path: "args.number" }]);
    const { body } = await api.request("GET", `triggers/${name}/deliveries`);
    expect(body.data).toMatchObject([{ id: "d-1", state: "refused", code: "invalid_args", runId: null }]);
    await api.request("PUT", `triggers/${name}`, { body: { workflow: "order", on: HOOK, args: { number: 8 } } });
    expect((await deliver(name, { n: "seven" }, { id: "d-1" })).body.started).toBe(true);
  });

  it.each([
    ["tampered", (text: string) => ({ "x-hub-signature-256": github(`${text} `) })],
    ["signed with another secret", (text: string) => ({ "x-hub-signature-256": github(text, "another-secret") })],
    ["unsigned", () => ({ "x-hub-signature-256": "" })],
  ])("does not believe what is %s", async (_how, headers) => {
    const name = await trigger({ workflow: "order", on: HOOK, args: { number: 1 } });
    const answer = await deliver(name, { a: 1 }, { headers: headers('{"a":1}') });
    expect(replied(answer)).toEqual([401, "bad_signature"]);
    expect((await api.request("GET", `triggers/${name}/deliveries`)).body.data).toEqual([]);
    await expect
      .poll(async () => (await api.request("GET", "audit?type=auth.failed")).body.data)
      .toContainEqual(expect.objectContaining({ actor: `trigger:${name}`, resource: `trigger/${name}` }));
  });

  it("reads no body before it is believed, and answers to hostile ones", async () => {
    const name = await trigger({ workflow: "order", on: HOOK, args: { number: 1 } });
    const bad = await deliver(name, "{", { headers: { "x-hub-signature-256": github("x") } });
    expect(replied(bad)).toEqual([401, "bad_signature"]);
    for (const body of ["{", '{"a":1,"a":2}', '{"__proto__":1}', "[".repeat(30) + "]".repeat(30), "\0", "nul"]) {
      const answer = await deliver(name, body);
      expect([answer.status, body]).toEqual([expect.any(Number), body]);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
    expect((await deliver(name, JSON.stringify("x".repeat(1_100_000)))).status).toBe(413);
    expect((await deliver(name, "a", { headers: { "content-type": "text/plain" } })).status).toBe(415);
    expect((await deliver(name, [1, 2])).body.started).toBe(true);
    expect((await deliver(name, "null")).body.started).toBe(true);
    expect(api.troubles).toEqual([]);
  });

  it("is found by its name in any organisation, and answers to no other", async () => {
    const name = await trigger({ workflow: "order", on: HOOK, args: { number: 1 } });
    const text = "{}";
    const headers = { "x-hub-signature-256": github(text), "content-type": "application/json" };
    const at = (path: string) => api.request("POST", `hooks/${path}`, { key: null, body: text, headers });
    expect((await at(name)).status).toBe(202);
    expect(replied(await at(`${name}?org=other`))).toEqual([404, "unknown_hook"]);
    expect(replied(await at(`${name}/guess?org=default`))).toEqual([404, "unknown_hook"]);
    expect(replied(await at("nothing"))).toEqual([404, "unknown_hook"]);
    await api.request("PUT", `triggers/${name}`, { body: { workflow: "order", on: HOOK, enabled: false } });
    expect(replied(await at(name))).toEqual([409, "trigger_disabled"]);
  });

  it("has an address that cannot be guessed when nothing else proves the sender", async () => {
    const name = await trigger({ workflow: "order", on: { hook: { verify: "none" } }, args: { number: "${body.n}" } });
    const { hookUrl } = (await api.request("GET", `triggers/${name}`)).body;
    const path = new URL(hookUrl, "http://sluice").pathname.split("/").at(-1) ?? "";
    expect(Buffer.from(path, "base64url").length).toBeGreaterThanOrEqual(16);
    const send = (where: string) => api.request("POST", where, { key: null, body: { n: 1 } });
    expect((await send(`hooks/${name}/${path}?org=default`)).status).toBe(202);
    expect((await send(`hooks/${name}/${path}`)).status).toBe(202);
    for (const wrong of [name, `${name}/`, `${name}/${path.slice(1)}`, `${name}/${path}x`, `${name}/%00`]) {
      expect((await send(`hooks/${wrong}`)).status).toBe(404);
    }
    const viewer = await api.key("viewer");
    expect((await api.request("GET", `triggers/${name}`, { key: viewer })).body.hookUrl).toBeNull();
    expect(JSON.stringify((await api.request("GET", "triggers", { key: viewer })).body)).not.toContain(path);
    await api.request("PUT", `triggers/${name}`, { body: { workflow: "order", on: { hook: { verify: "none" } } } });
    expect((await api.request("GET", `triggers/${name}`)).body.hookUrl).toBe(hookUrl);
  });

  it("takes the id of a delivery from where it is named", async () => {
    const on = { hook: { verify: "bearer", secret: SECRET, id_from: "body.meta.id" } };
    const name = await trigger({ workflow: "order", on, args: { number: 1 } });
    const headers = { authorization: `Bearer ${SECRET}` };
    const send = (body: unknown) => api.request("POST", `hooks/${name}`, { key: null, body, headers });
    const first = await send({ meta: { id: 42 } });
    expect((await send({ meta: { id: "42" }, attempt: 2 })).body).toMatchObject({
      runId: first.body.runId,
      repeated: true,
    });
    expect(replied(await send({ meta: {} }))).toEqual([422, "invalid_request"]);
    expect(replied(await send({ meta: { id: "x".repeat(256) } }))).toEqual([422, "invalid_request"]);
  });

  it("answers the challenge of Slack, and reads its forms", async () => {
    const on = { hook: { verify: "slack", secret: SECRET } };
    const name = await trigger({ workflow: "order", on, args: { number: 1, kind: "${body.command}" } });
    const send = (body: string, type: string) => {
      const at = String(Math.floor(Date.now() / 1_000));
      const signature = `v0=${createHmac("sha256", SECRET).update(`v0:${at}:${body}`).digest("hex")}`;
      const headers = { "x-slack-request-timestamp": at, "x-slack-signature": signature, "content-type": type };
      return api.request("POST", `hooks/${name}`, { key: null, body, headers });
    };
    const challenge = await send('{"type":"url_verification","challenge":"abc"}', "application/json");
    expect([challenge.status, challenge.body]).toEqual([200, { challenge: "abc" }]);
    const { body } = await send("command=%2Fgo&text=a&text=b", "application/x-www-form-urlencoded");
    expect((await api.store.getRun("default", body.runId))?.args).toMatchObject({ kind: "/go" });
  });

  it("answers as its manifest says: nothing, the outputs, or the run when it takes long", async () => {
    const args = { number: 1 };
    const none = await deliver(await trigger({ workflow: "order", on: HOOK, args, respond: "none" }), {});
    expect([none.status, none.body]).toEqual([204, ""]);
    /** Sent again where a slow machine has not ended the run in the time that an answer waits. */
    const answered = async (name: string) => {
      for (;;) {
        const reply = await deliver(name, {});
        if (reply.status !== 202) return reply;
      }
    };
    const outputs = await answered(await trigger({ workflow: "order", on: HOOK, args, respond: "outputs" }));
    expect(outputs.status).toBe(200);
    expect(outputs.body).toEqual({ take: { stdout: "Take 1 plain" } });
    expect(outputs.headers.get("sluice-run-id")).toMatch(/^run_/);
    const long = await deliver(await trigger({ workflow: "endless", on: HOOK, args: {}, respond: "outputs" }), {});
    expect([long.status, long.body.started]).toEqual([202, true]);
    const failed = await answered(await trigger({ workflow: "failing", on: HOOK, args: {}, respond: "outputs" }));
    expect(replied(failed)).toEqual([502, "run_failed"]);
    expect(failed.body.runId).toMatch(/^run_/);
  });

  it("takes so many deliveries a minute and no more", async () => {
    const name = await trigger({ workflow: "order", on: HOOK, filter: "false", args: { number: 1 } });
    const outcome = { state: "filtered", runId: null, code: null, reason: null } as const;
    for (let count = 0; count < 1_199; count += 1) {
      const key = { orgId: "default", triggerId: `trigger/${name}`, deliveryId: `d${count}` };
      await api.store.recordDelivery(key, outcome);
    }
    expect((await deliver(name, {})).status).toBe(202);
    const limited = await deliver(name, {});
    expect(replied(limited)).toEqual([429, "rate_limited"]);
    expect(limited.headers.get("retry-after")).toBe("60");
  });
});

describe("what is wrong with a trigger", () => {
  const put = (spec: Record<string, unknown>) => api.request("PUT", "triggers/bad", { body: spec });
  it.each([
    [{ workflow: "ordr", on: HOOK }, ['unknown_workflow workflow Did you mean "order"?']],
    [{ workflow: "order", on: HOOK, args: { numbr: 1 } }, ['unknown_key args.numbr Did you mean "number"?']],
    [{ workflow: "order", on: HOOK, filter: "bdy.a == 1" }, ['unknown_fact filter Did you mean "body"?']],
    [{ workflow: "order", on: HOOK, filter: "body.a ==" }, [expect.stringMatching(/^bad_expression filter/)]],
    [
      { workflow: "order", on: HOOK, args: { number: "${boddy.n}" } },
      ['unknown_fact args.number Did you mean "body"?'],
    ],
    [
      { workflow: "order", on: HOOK, args: { number: "${body.n" } },
      [expect.stringMatching(/^bad_template args.number/)],
    ],
    [{ workflow: "order", on: {} }, [expect.stringMatching(/^missing_field on/)]],
    [{ workflow: "order", on: { ...HOOK, form: {} } }, ["conflicting_fields on.form Write a trigger for each."]],
    [
      { workflow: "order", on: { hook: { verify: "github" } } },
      [expect.stringMatching(/^missing_field on.hook.secret/)],
    ],
    [
      { workflow: "order", on: { hook: { verify: "gitub", secret: SECRET } } },
      ['bad_enum on.hook.verify Did you mean "github"?'],
    ],
    [
      { workflow: "order", on: { hook: { verify: "none", secret: SECRET } } },
      ["conflicting_fields on.hook.secret Remove it."],
    ],
    [
      { workflow: "order", on: { hook: { verify: "basic", secret: SECRET } } },
      ["wrong_type on.hook.secret Write it as user:password."],
    ],
    [
      { workflow: "order", on: { hook: { ...HOOK.hook, header: "x" } } },
      ["conflicting_fields on.hook.header Remove it."],
    ],
    [
      { workflow: "order", on: { hook: { ...HOOK.hook, id_from: "id" } } },
      [expect.stringMatching(/^bad_expression on.hook.id_from/)],
    ],
    [
      { workflow: "order", on: { schedule: { cron: "0 9" } } },
      [expect.stringMatching(/^bad_expression on.schedule.cron/)],
    ],
    [
      { workflow: "order", on: { schedul: { cron: "0 9 * * *" } } },
      expect.arrayContaining(['unknown_key on.schedul Did you mean "schedule"?']),
    ],
    [
      { workflow: "order", on: { event: { type: "order/paid" } } },
      [expect.stringMatching(/^bad_name on.event.type Write a type such as order.paid/)],
    ],
    [
      { workflow: "order", on: HOOK, concurrency: { key: "boy.a" } },
      ['unknown_fact concurrency.key Did you mean "body"?'],
    ],
  ])("%j is reported", async (spec, problems) => {
    const answer = await put(spec);
    expect(answer.status).toBe(422);
    expect(problemsOf(answer)).toEqual(problems);
  });

  it("is reported the same when it is applied, and a workflow may come with it", async () => {
    const manifest = (workflow: string) => ({
      kind: "Trigger",
      name: "applied",
      spec: { workflow, on: HOOK, args: { n: 1 } },
    });
    const refused = await api.request("POST", "apply", { body: [manifest("order")] });
    expect(problemsOf(refused)).toEqual([expect.stringMatching(/^unknown_key \[0\].spec.args.n/)]);
    const source = "name: beside\nargs: { n: { type: integer } }\nsteps:\n  - { id: a, command: A }\n";
    const both = [manifest("beside"), { kind: "Workflow", name: "beside", spec: { source } }];
    expect((await api.request("POST", "apply", { body: both })).status).toBe(200);
    expect((await deliver("applied", {})).body.started).toBe(true);
    expect((await api.request("POST", "apply", { body: both })).body.applied[0].action).toBe("unchanged");
  });

  it("is never its secret: that is kept apart and not shown", async () => {
    const name = await trigger({ workflow: "order", on: HOOK, args: { number: 1 } });
    const { body } = await api.request("GET", `triggers/${name}`);
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(body.on).toEqual({ hook: { verify: "github" } });
    expect(body.hookUrl).toContain(`/api/v1/hooks/${name}?org=default`);
    const kept = { workflow: "order", on: { hook: { verify: "github" } }, args: { number: 2 } };
    expect((await api.request("PUT", `triggers/${name}`, { body: kept })).status).toBe(200);
    expect((await deliver(name, {})).status).toBe(202);
    expect((await api.request("GET", `triggers/${name}`, { key: STRANGER })).status).toBe(404);
  });
});

describe("a sample", () => {
  it("shows what a delivery would do, and starts nothing", async () => {
    const name = await trigger({
      workflow: "order",
      on: HOOK,
      filter: "body.go == true",
      args: { number: "${body.n}" },
    });
    const test = async (body: unknown) => (await api.request("POST", `triggers/${name}/test`, { body: { body } })).body;
    expect(await test({ go: true, n: 3 })).toEqual({
      starts: true,
      filter: true,
      args: { number: 3, kind: "plain" },
      problems: [],
    });
    expect(await test({ go: false })).toEqual({ starts: false, filter: false, args: null, problems: [] });
    expect(await test({ go: 1 })).toMatchObject({ starts: false, problems: [{ code: "expression_error" }] });
    expect(await test({ go: true, n: "x" })).toMatchObject({ starts: false, problems: [{ path: "args.number" }] });
    expect((await api.request("GET", `triggers/${name}/deliveries`)).body.data).toEqual([]);
  });

  it("that is fired starts a run on behalf of the caller", async () => {
    const name = await trigger({
      workflow: "order",
      on: HOOK,
      args: { number: "${body.n}", kind: "${headers.x-kind}" },
    });
    const operator = await api.key("operator");
    const headers = { "idempotency-key": "once" };
    const fire = () =>
      api.request("POST", `triggers/${name}/fire`, {
        key: operator,
        headers,
        body: { body: { n: 3 }, headers: { "X-Kind": "k" } },
      });
    const fired = await fire();
    expect(fired.status).toBe(202);
    const run = await api.store.getRun("default", fired.body.runId);
    expect(run).toMatchObject({
      args: { number: 3, kind: "k" },
      startedBy: expect.stringMatching(/^key_/),
      requestedBy: null,
    });
    expect((await fire()).body).toEqual({ started: true, runId: fired.body.runId, repeated: true });
    expect(replied(await api.request("POST", "triggers/none/fire", { key: ADMIN, body: {} }))).toEqual([
      404,
      "unknown_trigger",
    ]);
  });

  it("of a schedule is its run, now", async () => {
    await api.request("PUT", "schedules/nightly", {
      body: { workflow: "hello", cron: "0 3 * * *", args: { who: "${x}" } },
    });
    const { status, body } = await api.request("POST", "schedules/nightly/run-now");
    expect(status).toBe(202);
    const run = await api.store.getRun("default", body.runId);
    expect(run).toMatchObject({ workflow: "hello", trigger: "schedule", args: { who: "${x}" } });
    expect(replied(await api.request("POST", "schedules/none/run-now"))).toEqual([404, "unknown_schedule"]);
  });
});
