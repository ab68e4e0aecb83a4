import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Api, createApi, ORG, STRANGER } from "../../../test/api/fixture.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
});
afterAll(() => api.close());

const replied = ({ status, body }: Answer): unknown => [status, body.code];
const put = (id: string, body: object, key?: string): Promise<Answer> =>
  api.request("PUT", `gateways/${id}`, key === undefined ? { body } : { body, key });
const registration = (more: object = {}): object => ({
  id: "bridge",
  url: "http://127.0.0.1:4000/",
  instanceId: "one",
  instanceStartedAt: "2026-01-01T00:00:00Z",
  providers: ["ai-sdk"],
  ...more,
});
const register = (more: object = {}, key?: string): Promise<Answer> =>
  api.request(
    "POST",
    "gateways/register",
    key === undefined ? { body: registration(more) } : { body: registration(more), key },
  );

describe("a gateway by hand", () => {
  it("is written, read, and written anew", async () => {
    const { status, body } = await put("edge", {
      name: "Edge",
      url: "https://bridge.example.org/",
      environment: "prod",
      default: true,
      min_trust_level: 3,
      cost_rank: 12,
      capabilities: ["gpu"],
      providers: ["ai-sdk", "http"],
      default_provider: "ai-sdk",
    });
    const edge = {
      id: "edge",
      name: "Edge",
      url: "https://bridge.example.org",
      environment: "prod",
      default: true,
      minTrustLevel: 3,
      costRank: 12,
      capabilities: ["gpu"],
      providers: ["ai-sdk", "http"],
      defaultProvider: "ai-sdk",
      status: "unknown",
      instanceId: null,
      seenAt: null,
    };
    expect([status, body]).toEqual([200, edge]);
    expect((await api.request("GET", "gateways")).body.data).toContainEqual(edge);
    expect((await put("edge", {})).body).toMatchObject({ name: null, default: false, url: null, status: "offline" });
  });

  it("shows the history of its health, newest first", async () => {
    await put("sick", { url: "http://127.0.0.1:9" });
    await api.store.setGatewayStatus(ORG, "sick", "offline", 1_000);
    const { body } = await api.request("GET", "gateways/sick");
    expect(body).toMatchObject({ status: "offline" });
    expect(body.history).toMatchObject([{ status: "offline", at: "1970-01-01T00:00:01.000Z" }, { status: "unknown" }]);
  });

  it("has a callback token of its own: another gateway's is refused", async () => {
    const url = "http://127.0.0.1:9";
    expect((await put("first", { url, callback_token: "cbt_shared" })).status).toBe(200);
    expect((await put("first", { url, callback_token: "cbt_shared" })).status).toBe(200);
    expect(await put("second", { url, callback_token: "cbt_shared" })).toMatchObject({
      status: 409,
      body: { code: "token_in_use" },
    });
    expect((await api.request("GET", "gateways/second")).status).toBe(404);
    const manifest = (name: string, token: string) => ({ kind: "Gateway", name, spec: { url, callback_token: token } });
    for (const body of [
      [manifest("third", "cbt_shared")],
      [manifest("third", "cbt_of_two"), manifest("fourth", "cbt_of_two")],
    ]) {
      const yaml = body.map((one) => `---\n${JSON.stringify(one)}\n`).join("");
      const headers = { "content-type": "application/yaml" };
      expect(await api.request("POST", "apply", { body: yaml, headers })).toMatchObject({
        status: 409,
        body: { code: "token_in_use" },
      });
    }
    expect((await api.request("GET", "gateways/third")).status).toBe(404);
  });

  it("has a callback token of its own, also when two are saved at the same moment", async () => {
    const spec = { url: "http://127.0.0.1:9", callback_token: "cbt_at_once" };
    const ids = ["left", "right", "middle"];
    const answers = await Promise.all(ids.map((id) => put(id, spec)));
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(["200", "409", "409"]);
    for (const [at, { status, body }] of answers.entries()) {
      if (status === 409) expect(body).toMatchObject({ code: "token_in_use" });
      expect((await api.request("GET", `gateways/${ids[at]}`)).status).toBe(status === 200 ? 200 : 404);
    }
  });

  it("takes its tokens and never gives them back", async () => {
    const tokens = { dispatch_token: "dsp_very_secret", callback_token: "cbt_very_secret" };
    const answers = [
      await put("sealed", { url: "http://127.0.0.1:9", ...tokens }),
      await api.request("GET", "gateways/sealed"),
      await api.request("GET", "gateways"),
    ];
    for (const { body } of answers) expect(JSON.stringify(body)).not.toMatch(/very_secret|token/i);
    expect(await api.gateways.directory.authenticate("cbt_very_secret")).toMatchObject({ gatewayId: "sealed" });
    expect(api.gateways.directory.dispatchToken(ORG, "sealed")).toBe("dsp_very_secret");
  });

  it.each([
    ["an id in capitals", "Edge", {}],
    ["an id that begins with a digit", "1edge", {}],
    ["an endless id", `e${"x".repeat(64)}`, {}],
    ["a URL of another kind", "edge", { url: "ftp://127.0.0.1" }],
    ["no URL", "edge", { url: "127.0.0.1" }],
    ["a trust level of 0", "edge", { min_trust_level: 0 }],
    ["a trust level of 11", "edge", { min_trust_level: 11 }],
    ["half a trust level", "edge", { min_trust_level: 1.5 }],
    ["a short token", "edge", { callback_token: "1234567" }],
    ["an unknown field", "edge", { tokens: {} }],
    ["a default that is a text", "edge", { default: "yes" }],
  ])("is refused with %s", async (_, id, body) => {
    expect(replied(await put(id, body))).toEqual([422, "invalid_request"]);
  });

  it("is forgotten with its tokens", async () => {
    await put("gone", { url: "http://127.0.0.1:9", callback_token: "cbt_of_the_gone" });
    expect((await api.request("DELETE", "gateways/gone")).status).toBe(204);
    expect(replied(await api.request("GET", "gateways/gone"))).toEqual([404, "unknown_gateway"]);
    expect(replied(await api.request("DELETE", "gateways/gone"))).toEqual([404, "unknown_gateway"]);
    expect(await api.gateways.directory.authenticate("cbt_of_the_gone")).toBeUndefined();
  });
});

describe("a Bridge that registers", () => {
  it("reports to the server as it reaches it, whichever replica dispatches", async () => {
    const { body } = await register({ id: "far", server: "http://one-replica.test:7717/" });
    expect(body.callbackOrigin).toBe("http://one-replica.test:7717");
    expect(api.gateways.directory.find(ORG, "far")?.callbackBase).toBe("http://one-replica.test:7717");
  });

  it("is new once, and gets its tokens once", async () => {
    const first = await register();
    expect([first.status, first.body]).toEqual([
      201,
      {
        gatewayId: "bridge",
        tokens: { dispatchToken: expect.stringMatching(/^dsp_/), callbackToken: expect.stringMatching(/^cbt_/) },
      },
    ]);
    const again = await register();
    expect(again.status).toBe(200);
    expect(again.body.tokens.callbackToken).not.toBe(first.body.tokens.callbackToken);
    const { body } = await api.request("GET", "gateways/bridge");
    expect(body).toMatchObject({ url: "http://127.0.0.1:4000", instanceId: "one", status: "healthy" });
    expect(JSON.stringify(body)).not.toMatch(/dsp_|cbt_/);
  });

  it("gives way to a newer instance, and cannot send it away", async () => {
    await register({ id: "pair" });
    await register({ id: "pair", instanceId: "two", instanceStartedAt: "2026-01-01T00:00:01Z" });
    expect(replied(await register({ id: "pair" }))).toEqual([409, "newer_instance"]);
    expect(replied(await api.request("DELETE", "gateways/pair?instance=one"))).toEqual([409, "newer_instance"]);
    expect((await api.request("GET", "gateways/pair")).body).toMatchObject({ instanceId: "two", status: "healthy" });
    expect((await api.request("DELETE", "gateways/pair?instance=two")).status).toBe(204);
    expect((await api.request("GET", "gateways/pair")).body).toMatchObject({ status: "offline" });
    expect(replied(await api.request("DELETE", "gateways/missing?instance=one"))).toEqual([404, "unknown_gateway"]);
  });

  it.each([
    ["no providers", { providers: [] }],
    ["an id that is none", { id: "Bridge" }],
    ["a URL of another kind", { url: "file:///etc/passwd" }],
    ["no time of its beginning", { instanceStartedAt: "now" }],
    ["no instance", { instanceId: "" }],
  ])("is refused with %s", async (_, more) => {
    expect(replied(await register(more))).toEqual([422, "invalid_request"]);
  });

  it("may not take the name of the server itself", async () => {
    // What this server runs itself is said when the gateways are opened; here it is made up.
    const { directory } = api.gateways;
    const of = directory.of.bind(directory);
    directory.of = (orgId) => of(orgId).map((one) => (one.id === "itself" ? { ...one, isLocal: true } : one));
    await put("itself", {});
    expect(replied(await register({ id: "itself" }))).toEqual([422, "invalid_request"]);
    directory.of = of;
  });
});

describe("who may", () => {
  it("needs the permission for it", async () => {
    const reader = await api.key(["governance:read"]);
    const writer = await api.key(["registry:write"]);
    await put("edge", { url: "http://127.0.0.1:9" });
    expect((await api.request("GET", "gateways", { key: reader })).status).toBe(200);
    expect((await api.request("GET", "gateways/edge", { key: writer })).status).toBe(403);
    expect((await put("edge", {}, reader)).status).toBe(403);
    expect((await register({}, reader)).status).toBe(403);
    expect((await api.request("DELETE", "gateways/edge", { key: reader })).status).toBe(403);
    expect((await put("edge", {}, writer)).status).toBe(200);
    expect((await register({ id: "joined" }, writer)).status).toBe(201);
    expect((await api.request("GET", "gateways", { key: null })).status).toBe(401);
    expect((await api.request("POST", "gateways/register", { key: null, body: registration() })).status).toBe(401);
  });

  it("sees and changes nothing of another organisation", async () => {
    await put("mine", { url: "http://127.0.0.1:9", name: "Mine" });
    expect(replied(await api.request("GET", "gateways/mine", { key: STRANGER }))).toEqual([404, "unknown_gateway"]);
    expect((await api.request("GET", "gateways", { key: STRANGER })).body.data).toMatchObject([{ id: "local" }]);
    expect(replied(await api.request("DELETE", "gateways/mine", { key: STRANGER }))).toEqual([404, "unknown_gateway"]);
    expect((await put("mine", { url: "http://127.0.0.1:10" }, STRANGER)).status).toBe(200);
    expect((await api.request("GET", "gateways/mine")).body).toMatchObject({ name: "Mine", url: "http://127.0.0.1:9" });
  });
});
