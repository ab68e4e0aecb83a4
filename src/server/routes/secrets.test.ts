import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Api, createApi, STRANGER } from "../../../test/api/fixture.ts";

const VALUE = "the-first-value";
const SECOND = "the-second-value";

let api: Api;
beforeAll(async () => {
  api = await createApi({}, undefined, { secretKey: "the key of this server" });
});
afterAll(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

const put = (path: string, body: unknown, key?: string): Promise<Answer> =>
  api.request("PUT", path, key === undefined ? { body } : { body, key });
const codes = ({ body }: Answer): readonly string[] =>
  (body.problems as readonly { code: string; path: string }[]).map(({ code, path }) => `${code} ${path}`);

describe("a secret", () => {
  it("is set, rotated and deleted, and never shown", async () => {
    const answers: Answer[] = [];
    const say = async (answer: Promise<Answer>): Promise<Answer> => {
      answers.push(await answer);
      return answer;
    };
    const made = await say(put("secrets/billing", { value: VALUE, scopes: ["gateway:eu"] }));
    expect(made).toMatchObject({
      status: 201,
      body: { id: "billing", version: 1, scopes: ["gateway:eu"], lastUsedAt: null },
    });
    expect(await say(put("secrets/billing", { value: VALUE, scopes: ["gateway:eu"] }))).toMatchObject({
      status: 200,
      body: { version: 1, revision: 1 },
    });
    expect(await say(put("secrets/billing", { scopes: ["gateway:eu", "gateway:us"] }))).toMatchObject({
      body: { version: 1, revision: 2 },
    });
    expect(await say(api.request("POST", "secrets/billing/rotate", { body: { value: SECOND } }))).toMatchObject({
      status: 200,
      body: { version: 2, scopes: ["gateway:eu", "gateway:us"] },
    });
    await api.store.recordSecretUses("default", ["billing"], 1_000, []);
    expect(await say(api.request("GET", "secrets"))).toMatchObject({
      body: { data: [{ id: "billing", version: 2, lastUsedAt: "1970-01-01T00:00:01.000Z" }] },
    });
    await say(api.request("GET", "secrets/billing"));
    const manifest = { kind: "Secret", name: "billing", spec: { value: VALUE, scopes: ["gateway:*"] } };
    const dry = await say(api.request("POST", "apply?dryRun=true", { body: [manifest] }));
    expect(dry.body.applied[0].diff).toContain("+value: (a new value, which is not shown)");
    expect((await say(api.request("POST", "secrets/billing/rotate", { body: { value: "pin42" } }))).status).toBe(422);
    const said = JSON.stringify(answers.map(({ body }) => body));
    for (const value of [VALUE, SECOND, "pin42"]) expect(said).not.toContain(value);
    expect((await api.request("DELETE", "secrets/billing")).status).toBe(204);
    expect(await api.request("GET", "secrets/billing")).toMatchObject({
      status: 404,
      body: { code: "unknown_secret" },
    });
    expect(await api.request("POST", "secrets/billing/rotate", { body: { value: SECOND } })).toMatchObject({
      status: 404,
      body: { code: "unknown_secret" },
    });
    expect(await api.store.entrySecrets("default", "secret", "billing")).toEqual({});
  });

  it("is sealed, and needs a value or a place at first", async () => {
    expect(codes(await put("secrets/new", { scopes: ["gateway:eu"] }))).toEqual(["missing_field value"]);
    await put("secrets/new", { value: VALUE, scopes: ["gateway:eu"] });
    const kept = await api.store.entrySecrets("default", "secret", "new");
    expect(kept["value"]).toMatch(/^v1\./);
    expect(JSON.stringify(kept)).not.toContain(VALUE);
    const moved = await put("secrets/new", { from: { env: "NEW" }, scopes: ["gateway:eu"] });
    expect(moved).toMatchObject({ status: 200, body: { version: 2, from: { env: "NEW" } } });
    expect(await api.request("POST", "secrets/new/rotate", { body: { value: SECOND } })).toMatchObject({
      status: 409,
      body: { code: "secret_elsewhere" },
    });
    const opened = await put("secrets/new", { value: SECOND, scopes: ["gateway:eu"] });
    expect(opened.body).toMatchObject({ version: 3 });
    expect(opened.body.from).toBeUndefined();
  });

  it("needs a permission of its own, and belongs to one organisation", async () => {
    const writer = await api.key(["registry:write", "governance:write", "governance:read"]);
    const denied = await put("secrets/mine", { value: VALUE, scopes: ["gateway:eu"] }, writer);
    expect(denied).toMatchObject({ status: 403, body: { code: "forbidden" } });
    const manifest = { kind: "Secret", name: "mine", spec: { value: VALUE, scopes: ["gateway:eu"] } };
    expect((await api.request("POST", "apply", { body: [manifest], key: writer })).status).toBe(403);
    await put("secrets/mine", { value: VALUE, scopes: ["gateway:eu"] });
    expect((await api.request("GET", "secrets/mine", { key: STRANGER })).status).toBe(404);
  });

  it("is audited by name, with which version, and without its value", async () => {
    await put("secrets/audited", { value: VALUE, scopes: ["gateway:eu"] });
    await api.request("POST", "secrets/audited/rotate", { body: { value: SECOND } });
    const { body } = await api.request("GET", "audit?category=security&limit=100");
    const mine = body.data.filter(({ resource }: { resource: string }) => resource === "secret/audited");
    expect(mine).toMatchObject([
      { type: "secret.changed", detail: { action: "updated", version: 2 } },
      { type: "secret.changed", detail: { action: "created", version: 1 } },
    ]);
    expect(JSON.stringify(body)).not.toContain(VALUE);
  });
});

describe("without SLUICE_SECRET_KEY", () => {
  it("no value is taken, by any way, and a place elsewhere is", async () => {
    const bare = await createApi();
    const body = { value: VALUE, scopes: ["gateway:eu"] };
    const refused = await bare.request("PUT", "secrets/a", { body });
    expect(refused).toMatchObject({ status: 422, body: { problems: [{ code: "secret_key_missing", path: "value" }] } });
    expect(refused.body.problems[0].hint).toContain("SLUICE_SECRET_KEY");
    const applied = await bare.request("POST", "apply", { body: [{ kind: "Secret", name: "a", spec: body }] });
    expect(codes(applied)).toEqual(["secret_key_missing [0].spec.value"]);
    const elsewhere = { from: { file: "a" }, scopes: ["gateway:eu"] };
    expect((await bare.request("PUT", "secrets/a", { body: elsewhere })).status).toBe(201);
    await bare.close();
  });
});

describe("secret:// in what the server itself uses", () => {
  const webhook = { url: "https://example.org/hook", events: ["run.completed"] };

  it("is checked when it is saved", async () => {
    await put("secrets/signing", { value: VALUE, scopes: ["webhook:ops"] });
    expect((await put("webhooks/ops", { ...webhook, secret: "secret://signing" })).status).toBe(201);
    expect(codes(await put("webhooks/other", { ...webhook, secret: "secret://signing" }))).toEqual([
      "secret_out_of_scope secret",
    ]);
    expect(codes(await put("webhooks/ops", { ...webhook, secret: "secret://signings" }))).toEqual([
      "unknown_secret secret",
    ]);
    const channel = { type: "slack", channel: "C1", token: "secret://absent" };
    expect(codes(await put("channels/chat", channel))).toEqual(["unknown_secret token"]);
  });

  it("may name a secret of the same stream", async () => {
    const stream = [
      { kind: "Webhook", name: "both", spec: { ...webhook, secret: "secret://together" } },
      { kind: "Secret", name: "together", spec: { value: VALUE, scopes: ["webhook:both"] } },
    ];
    expect((await api.request("POST", "apply", { body: stream })).status).toBe(200);
    const [first] = stream;
    const alone = { ...first, name: "alone" };
    expect(codes(await api.request("POST", "apply", { body: [alone] }))).toEqual([
      "secret_out_of_scope [0].spec.secret",
    ]);
  });

  it("verifies messages with the value of the moment", async () => {
    await api.save("name: intake\nsteps:\n  - { id: a, command: Take it }\n");
    await put("secrets/hook", { value: "first-user:first-password", scopes: ["trigger:orders"] });
    const on = { hook: { verify: "basic", secret: "secret://hook" } };
    expect((await put("triggers/orders", { workflow: "intake", on })).status).toBe(201);
    const send = async (credential: string): Promise<number> => {
      const authorization = `Basic ${Buffer.from(credential).toString("base64")}`;
      const path = "/api/v1/hooks/orders?org=default";
      return (await api.request("POST", path, { key: null, body: {}, headers: { authorization } })).status;
    };
    expect(await send("first-user:first-password")).toBe(202);
    await api.request("POST", "secrets/hook/rotate", { body: { value: "first-user:second-password" } });
    expect(await send("first-user:first-password")).toBe(401);
    expect(await send("first-user:second-password")).toBe(202);
  });
});
