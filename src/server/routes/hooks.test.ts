import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ADMIN, type Answer, type Api, createApi, HELLO, STRANGER } from "../../../test/api/fixture.ts";

const NOW = 1_900_000_000_000;
const PAYLOAD = `name: intake
args:
  payload: { type: object, required: true }
steps:
  - { id: take, command: "Take it" }
`;

let api: Api;
let now = NOW;
let sent = 0;
let secret: string;
beforeAll(async () => {
  api = await createApi({ now: () => now });
  await api.save(HELLO);
  await api.save(PAYLOAD);
});
afterAll(() => api.close());
beforeEach(async () => {
  now = NOW;
  await api.request("DELETE", "hooks/hello");
  secret = (await api.request("PUT", "hooks/hello", { body: {} })).body.secret;
});

interface Sending {
  readonly id?: string;
  readonly at?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secret?: string;
  readonly path?: string;
  readonly key?: string | null;
}

const nextId = (): string => `msg_${(sent += 1)}`;

function post(body: unknown, parts: Sending = {}): Promise<Answer> {
  const { id = nextId(), at = now, secret: by = secret, path = "hooks/hello", key = null } = parts;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1_000)),
    "webhook-signature": new Webhook(by).sign(id, new Date(at), text),
    ...parts.headers,
  };
  return api.request("POST", path, { key, body: text, headers });
}

const replied = ({ status, body }: Answer): readonly unknown[] => [status, body.code];

describe("a signed message", () => {
  it("starts a run, known by its secret and by no key", async () => {
    const { status, body, headers } = await post({ who: "ann" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ workflow: "hello", trigger: "hook", args: { who: "ann", times: 1 } });
    expect(headers.get("location")).toBe(`/api/v1/runs/${body.id}`);
    expect(await api.settle(body.id)).toBe("completed");
    const run = await api.store.getRun("default", body.id);
    expect(run?.startedBy).toBe("hook:hello");
  });

  it("means args by their names, under args, or as a payload", async () => {
    expect((await post({ args: { who: "bob" } })).body.args).toMatchObject({ who: "bob" });
    const { body } = await api.request("PUT", "hooks/intake", { body: { secret: "whsec_c2VjcmV0LXNlY3JldA==" } });
    expect(body).not.toHaveProperty("secret");
    const given = { path: "hooks/intake", secret: "whsec_c2VjcmV0LXNlY3JldA==" };
    const order = { order: 7, lines: [{ sku: "a" }] };
    expect((await post(order, given)).body.args).toEqual({ payload: order });
    expect((await post({ args: { payload: order } }, given)).body.args).toEqual({ payload: order });
  });

  it("that does not fit is refused as any start is", async () => {
    const unknown = await post({ who: "ann", what: 1 });
    expect(replied(unknown)).toEqual([422, "invalid_args"]);
    expect(unknown.body.problems).toMatchObject([{ code: "unknown_key", path: "args.what" }]);
    expect(replied(await post({}))).toEqual([422, "invalid_args"]);
    expect(replied(await post("[1]"))).toEqual([422, "invalid_request"]);
    expect(replied(await post('{"who": '))).toEqual([400, "bad_json"]);
    expect(replied(await post('{"who": "a", "who": "b"}'))).toEqual([400, "bad_json"]);
    await api.request("PATCH", "workflows/hello", { body: { status: "paused" } });
    expect(replied(await post({ who: "ann" }))).toEqual([409, "workflow_paused"]);
    await api.request("PATCH", "workflows/hello", { body: { status: "active" } });
  });

  it("sent again starts nothing, and with another body is a conflict", async () => {
    const first = await post({ who: "ann" }, { id: "msg_same" });
    const again = await post({ who: "ann" }, { id: "msg_same", at: now + 60_000 });
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(replied(await post({ who: "bob" }, { id: "msg_same" }))).toEqual([409, "idempotency_conflict"]);
  });

  it("that is refused is recorded in the audit, once for a flood", async () => {
    await api.request("PUT", "hooks/intake", { body: {} });
    const wrong = { path: "hooks/intake", secret: "whsec_b3RoZXItc2VjcmV0" };
    for (let time = 0; time < 20; time += 1) expect(replied(await post({}, wrong))).toEqual([401, "bad_signature"]);
    expect(replied(await post({}, { ...wrong, headers: { "webhook-signature": "" } }))).toEqual([401, "bad_signature"]);
    expect(replied(await post({}, { path: "hooks/missing" }))).toEqual([404, "unknown_hook"]);
    const { body } = await api.request("GET", "audit?type=auth.failed&limit=100");
    const found = body.data.filter(({ resource }: { resource: string }) => resource === "hook/intake");
    expect(found).toMatchObject([
      { type: "auth.failed", actor: "hook:intake", detail: { reason: "bad_signature", count: 1 } },
    ]);
  });

  it("that was changed, or is not signed, is refused", async () => {
    const id = nextId();
    const good = new Webhook(secret).sign(id, new Date(now), '{"who":"ann"}');
    const signed = { id, headers: { "webhook-signature": good } };
    expect(replied(await post({ who: "eve" }, signed))).toEqual([401, "bad_signature"]);
    expect(replied(await post({ who: "ann" }, { ...signed, id: "msg_other" }))).toEqual([401, "bad_signature"]);
    expect(replied(await post({ who: "ann" }, { ...signed, at: now + 1_000 }))).toEqual([401, "bad_signature"]);
    expect(replied(await post({ who: "ann" }, { secret: "whsec_b3RoZXItc2VjcmV0" }))).toEqual([401, "bad_signature"]);
    for (const header of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      expect(replied(await post({ who: "ann" }, { headers: { [header]: "" } }))).toEqual([401, "bad_signature"]);
    }
    expect(replied(await post({ who: "ann" }, { id: "x".repeat(256) }))).toEqual([401, "bad_signature"]);
    expect(replied(await post({ who: "eve" }, { ...signed, key: ADMIN }))).toEqual([401, "bad_signature"]);
    expect((await post({ who: "ann" }, signed)).status).toBe(201);
  });

  it("is good for five minutes", async () => {
    for (const at of [now - 300_000, now + 300_000]) expect((await post({ who: "ann" }, { at })).status).toBe(201);
    for (const at of [now - 301_000, now + 301_000]) {
      expect(replied(await post({ who: "ann" }, { at }))).toEqual([401, "bad_timestamp"]);
    }
  });

  it("may be signed with the secret before for a day after it was replaced", async () => {
    const before = secret;
    const rotated = await api.request("PUT", "hooks/hello", { body: {} });
    expect(rotated.status).toBe(200);
    expect(rotated.body.previousUntil).toBe(new Date(NOW + 86_400_000).toISOString());
    for (const by of [before, rotated.body.secret]) expect((await post({ who: "a" }, { secret: by })).status).toBe(201);
    now += 86_400_000;
    expect(replied(await post({ who: "a" }, { secret: before }))).toEqual([401, "bad_signature"]);
    expect((await post({ who: "a" }, { secret: rotated.body.secret })).status).toBe(201);
  });

  it("has to be small, of JSON, and for something that is there", async () => {
    expect(replied(await post({ who: "x".repeat(1_048_576) }))).toEqual([413, "body_too_large"]);
    expect(replied(await post({ who: "a" }, { headers: { "content-type": "text/plain" } }))).toEqual([
      415,
      "unsupported_media_type",
    ]);
    expect(replied(await post({}, { path: "hooks/nothing" }))).toEqual([404, "unknown_hook"]);
    expect(replied(await post({}, { path: "hooks/%zz" }))).toEqual([404, "unknown_hook"]);
    expect((await api.request("DELETE", "hooks/hello")).status).toBe(204);
    expect(replied(await post({ who: "a" }))).toEqual([404, "unknown_hook"]);
    expect(replied(await api.request("DELETE", "hooks/hello"))).toEqual([404, "unknown_hook"]);
  });

  it("finds the organisation whose secret it is signed with", async () => {
    await api.request("PUT", "workflows/hello", { key: STRANGER, body: { source: HELLO } });
    const theirs = await api.request("PUT", "hooks/hello", { key: STRANGER, body: {} });
    const { body } = await post({ who: "ann" }, { secret: theirs.body.secret });
    expect(await api.store.getRun("other", body.id)).toBeDefined();
    expect((await post({ who: "ann" })).status).toBe(201);
    const narrowed = { secret: theirs.body.secret, path: "hooks/hello?org=default" };
    expect(replied(await post({ who: "ann" }, narrowed))).toEqual([401, "bad_signature"]);
    expect(theirs.body.url).toMatch(/\/api\/v1\/hooks\/hello\?org=other$/);
    expect((await post({ who: "ann" }, { ...narrowed, path: "hooks/hello?org=other" })).status).toBe(201);
  });
});

describe("the secret of a hook", () => {
  it("is kept sealed, and shown only when it was made", async () => {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await api.store.getHook("default", "hello"))?.secret).not.toContain(secret);
    const { body } = await api.request("GET", "hooks/hello");
    expect(body).toMatchObject({ workflow: "hello", set: true });
    expect(body).not.toHaveProperty("secret");
    await api.request("DELETE", "hooks/hello");
    expect((await api.request("GET", "hooks/hello")).body).toMatchObject({ set: false, createdAt: null });
    expect((await api.request("PUT", "hooks/hello")).status).toBe(201);
  });

  it("is for a workflow that exists, long enough and printable", async () => {
    expect(replied(await api.request("PUT", "hooks/nothing", { body: {} }))).toEqual([404, "unknown_workflow"]);
    for (const [value, status] of [
      ["1234567", 422],
      ["12345678", 200],
      ["x".repeat(500), 200],
      ["x".repeat(501), 422],
      ["tab\tand more", 422],
    ] as const) {
      expect([value.length, (await api.request("PUT", "hooks/hello", { body: { secret: value } })).status]).toEqual([
        value.length,
        status,
      ]);
    }
  });
});
