import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../../test/api/fixture.ts";

let api: Api;
const spec = { url: "https://example.com/in", events: ["run.*"], secret: "whsec_c2VjcmV0LXNlY3JldA==" };
beforeAll(async () => {
  api = await createApi();
  await api.request("PUT", "webhooks/ops", { body: spec });
});
afterAll(() => api.close());

describe("deliveries of a webhook", () => {
  it("are listed newest first, page by page, without what was said", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await api.request("POST", "webhooks/ops/test")).body.id);
    const first = await api.request("GET", "webhooks/ops/deliveries?limit=2");
    expect(first.status).toBe(200);
    const rest = await api.request("GET", `webhooks/ops/deliveries?cursor=${first.body.nextCursor}`);
    expect([...first.body.data, ...rest.body.data].map(({ id }) => id)).toEqual(ids);
    expect(rest.body).not.toHaveProperty("nextCursor");
    expect(first.body.data[0]).toMatchObject({
      type: "webhook.test",
      state: "pending",
      attempts: 0,
      lastStatus: null,
      lastError: null,
      settledAt: null,
    });
    expect(first.body.data[0]).not.toHaveProperty("body");
  });

  it("are sent again under the same id", async () => {
    const { status, body } = await api.request("POST", "webhooks/ops/test");
    expect([status, body.state]).toEqual([202, "pending"]);
    const claimed = await api.store.claimDeliveries(100, 1_000, []);
    const mine = claimed.find(({ id }) => id === body.id);
    expect(JSON.parse(mine?.body ?? "")).toMatchObject({ type: "webhook.test", data: { webhook: "ops" } });
    const settlement = { state: "given_up", retryMs: null, status: 500, error: "It answered 500." } as const;
    await api.store.settleDelivery(body.id, mine?.claim ?? 0, settlement);
    const again = await api.request("POST", `webhooks/ops/deliveries/${body.id}/redeliver`);
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ id: body.id, state: "pending", attempts: 0, lastStatus: 500 });
    const none = await api.request("POST", "webhooks/ops/deliveries/msg_none/redeliver");
    expect([none.status, none.body.code]).toEqual([404, "unknown_delivery"]);
  });

  it("are for webhooks that exist, and are enabled before anything is sent", async () => {
    for (const [method, path] of [
      ["GET", "webhooks/missing/deliveries"],
      ["POST", "webhooks/missing/test"],
      ["POST", "webhooks/missing/deliveries/msg_1/redeliver"],
    ] as const) {
      const { status, body } = await api.request(method, path);
      expect([path, status, body.code]).toEqual([path, 404, "unknown_webhook"]);
    }
    await api.request("PUT", "webhooks/off", { body: { ...spec, enabled: false } });
    for (const path of ["webhooks/off/test", "webhooks/off/deliveries/msg_1/redeliver"]) {
      const { status, body } = await api.request("POST", path);
      expect([path, status, body.code]).toEqual([path, 409, "webhook_disabled"]);
    }
    expect((await api.request("GET", "webhooks/off/deliveries")).body).toEqual({ data: [] });
  });
});
