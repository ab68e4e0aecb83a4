import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Api, createApi, ORG } from "../../test/api/fixture.ts";
import { createAllowList, OutboundGuard } from "../outbound/index.ts";

const INSIDE = "http://127.0.0.1:7718";
const NAMES: Readonly<Record<string, readonly string[]>> = { "inside.example": ["127.0.0.1"] };

let api: Api;
beforeAll(async () => {
  const allow = createAllowList(["127.9.0.0/16"]);
  if (!allow.ok) throw new Error(allow.failure);
  const outbound = new OutboundGuard({
    allow: allow.value,
    resolve: async (host) => NAMES[host] ?? ["127.0.0.1"],
  });
  api = await createApi({}, undefined, { isRemote: true, outbound });
});
afterAll(() => api.close());

const replied = ({ status, body }: Answer): unknown => [status, body.code, body.problems?.[0]?.code];
const REFUSED = [422, "outbound_refused", "outbound_refused"];
const webhook = (url: string): object => ({ url, events: ["run.*"] });
const registration = (url: string): object => ({
  id: "bridge",
  url,
  instanceId: "one",
  instanceStartedAt: "2026-01-01T00:00:00Z",
  providers: ["ai-sdk"],
});

const PRIVATE = [
  "http://127.0.0.1:9",
  "http://0177.0.0.1:9",
  "http://[::1]:9",
  "http://[::ffff:127.0.0.1]:9",
  "http://2130706433:9",
  "http://localhost:7718",
  "http://inside.example",
  "http://user@bridge.example",
];

describe("a URL the server must not call", () => {
  it.each(PRIVATE)("is not saved, by none of the doors: %s", async (url) => {
    expect(replied(await api.request("PUT", "gateways/lab", { body: { url } }))).toEqual(REFUSED);
    expect(replied(await api.request("POST", "gateways/register", { body: registration(url) }))).toEqual(REFUSED);
    expect(replied(await api.request("PUT", "webhooks/ops", { body: webhook(url) }))).toEqual(REFUSED);
    for (const [kind, spec] of [
      ["Gateway", { url }],
      ["Webhook", webhook(url)],
    ] as const) {
      const applied = await api.request("POST", "apply?dryRun=true", { body: [{ kind, name: "lab", spec }] });
      expect(replied(applied)).toEqual([422, "invalid_request", "outbound_refused"]);
      expect(applied.body.problems[0]).toMatchObject({ path: "[0].spec.url" });
    }
    expect(await api.store.getEntry(ORG, "gateway", "lab")).toBeUndefined();
    expect(await api.store.getEntry(ORG, "gateway", "bridge")).toBeUndefined();
    expect(await api.store.getEntry(ORG, "webhook", "ops")).toBeUndefined();
  });

  it.each(PRIVATE)("is not saved as the address of a channel: %s", async (url) => {
    for (const spec of [
      { type: "teams", url },
      { type: "webhook", url },
    ]) {
      expect(replied(await api.request("PUT", "channels/chat", { body: spec }))).toEqual(REFUSED);
    }
    expect(await api.store.getEntry(ORG, "channel", "chat")).toBeUndefined();
  });

  it.each(["127.0.0.1", "localhost", "inside.example", "2130706433", "[::1]", "169.254.169.254", "10.0.0.1"])(
    "is not saved as the host of a mail server: %s",
    async (host) => {
      const body = { type: "email", host, from: "sluice@example.com" };
      expect(replied(await api.request("PUT", "channels/mail", { body }))).toEqual(REFUSED);
      const applied = await api.request("POST", "apply?dryRun=true", {
        body: [{ kind: "Channel", name: "mail", spec: body }],
      });
      expect(replied(applied)).toEqual([422, "invalid_request", "outbound_refused"]);
      expect(await api.store.getEntry(ORG, "channel", "mail")).toBeUndefined();
    },
  );

  it("is answered with the flag the operator can allow it with", async () => {
    const { body } = await api.request("PUT", "gateways/lab", { body: { url: INSIDE } });
    expect(body.problems[0]).toMatchObject({
      path: "url",
      hint: "The operator of the server can allow it: --allow-outbound 127.0.0.1:7718",
    });
    expect(body.detail).toContain("--allow-outbound 127.0.0.1:7718");
  });

  it("is saved once the operator lists it", async () => {
    expect(
      (await api.request("PUT", "gateways/listed", { body: { url: "http://127.9.0.1:7718" } })).body,
    ).toMatchObject({
      status: "unknown",
    });
    expect((await api.request("PUT", "webhooks/listed", { body: webhook("http://127.9.0.1:9000/in") })).status).toBe(
      201,
    );
  });
});

describe("a gateway that was saved before", () => {
  it("is offline, says why, and takes no run", async () => {
    const body = { url: INSIDE, providers: ["ai-sdk"], defaultProvider: "ai-sdk" };
    await api.store.putEntry(ORG, "gateway", "old", body, 1);
    const { body: shown } = await api.request("GET", "gateways/old");
    expect(shown).toMatchObject({ status: "offline", reason: "outbound_refused" });
    expect(shown.detail).toContain("--allow-outbound 127.0.0.1:7718");
    await api.save("name: w\nsteps:\n  - { id: a, command: Do it }\n");
    const started = await api.request("POST", "runs", { body: { workflow: "w", gateway: "old" } });
    expect([started.status, started.body.code]).toEqual([503, "gateway_unreachable"]);
    expect(started.body.detail).toContain("outbound_refused");
  });
});
