import { randomUUID } from "node:crypto";
import { deliverySchema, listOf, pageQuery } from "../../contract/index.ts";
import { webhookOf } from "../../registry/index.ts";
import { deliveryOf, noticeMessage } from "../../outside/delivery/index.ts";
import { deliveryOnWire, newDeliveryOnWire } from "../delivery-on-wire.ts";
import { pageOf } from "../listing.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { listOnWire } from "../wire.ts";

const shown = { schema: deliverySchema };

export const webhookRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/webhooks/{id}/deliveries",
    operation: "webhooks.deliveries",
    summary: "Lists the deliveries of a webhook, newest first. Settled deliveries are kept for 30 days.",
    permission: "governance:read",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: listOf(deliverySchema) } },
    handle: async (call) => {
      const { services, principal, params, query } = call;
      await requireWebhook(call);
      const page = await services.store.listDeliveries(principal.orgId, params["id"] ?? "", pageOf(query));
      return json(listOnWire(page, deliveryOnWire));
    },
  }),
  defineRoute({
    method: "POST",
    path: "/webhooks/{id}/deliveries/{deliveryId}/redeliver",
    operation: "webhooks.redeliver",
    summary: "Sends a message again, under the same id, with all its retries.",
    permission: "registry:write",
    replies: { 202: { description: "The delivery, which waits to be sent", ...shown } },
    handle: async (call) => {
      await requireEnabled(call);
      const { id = "", deliveryId = "" } = call.params;
      const delivery = await call.services.store.redeliver(call.principal.orgId, id, deliveryId);
      if (delivery === undefined) throw new Refused("unknown_delivery", `"${id}" has no delivery "${deliveryId}".`);
      return json(deliveryOnWire(delivery), 202);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/webhooks/{id}/test",
    operation: "webhooks.test",
    summary: "Sends a message of type webhook.test.",
    permission: "registry:write",
    replies: { 202: { description: "The delivery, which waits to be sent", ...shown } },
    handle: sendTest,
  }),
];

type AnyCall = Pick<Call<unknown, unknown>, "services" | "principal" | "params">;

async function requireWebhook({ services, principal, params }: AnyCall): Promise<{ readonly isEnabled: boolean }> {
  const { id = "" } = params;
  const entry = await services.store.getEntry(principal.orgId, "webhook", id);
  if (entry === undefined) throw new Refused("unknown_webhook", `There is no webhook "${id}".`);
  return webhookOf(entry);
}

async function requireEnabled(call: AnyCall): Promise<void> {
  const { isEnabled } = await requireWebhook(call);
  if (isEnabled) return;
  throw new Refused(
    "webhook_disabled",
    `"${call.params["id"] ?? ""}" is disabled; enable it before it is sent anything.`,
  );
}

async function sendTest(call: AnyCall): Promise<Response> {
  await requireEnabled(call);
  const { services, principal, params } = call;
  const { id = "" } = params;
  const { orgId, keyId } = principal;
  const at = services.config.now();
  const message = noticeMessage("webhook.test", `test/${randomUUID()}`, at, { webhook: id, by: keyId });
  const delivery = deliveryOf(message, orgId, id);
  await services.store.addDeliveries([delivery]);
  return json(newDeliveryOnWire(delivery, at), 202);
}
