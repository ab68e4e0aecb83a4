import { deliverySchema, listOf, pageQuery } from "../../contract/index.ts";
import { channelOf } from "../../registry/index.ts";
import { channelTarget } from "../../store/index.ts";
import { testDeliveries } from "../../outside/channel/index.ts";
import { deliveryOnWire, newDeliveryOnWire } from "../delivery-on-wire.ts";
import { pageOf } from "../listing.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { listOnWire } from "../wire.ts";

const shown = { schema: deliverySchema };

export const channelRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/channels/{id}/deliveries",
    operation: "channels.deliveries",
    summary: "Lists the deliveries of a channel, newest first. Settled deliveries are kept for 30 days.",
    permission: "governance:read",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: listOf(deliverySchema) } },
    handle: async (call) => {
      const { services, principal, params, query } = call;
      await requireChannel(call);
      const target = channelTarget(params["id"] ?? "");
      const page = await services.store.listDeliveries(principal.orgId, target, pageOf(query));
      return json(listOnWire(page, deliveryOnWire));
    },
  }),
  defineRoute({
    method: "POST",
    path: "/channels/{id}/deliveries/{deliveryId}/redeliver",
    operation: "channels.redeliver",
    summary: "Sends a message again, with all its retries.",
    permission: "registry:write",
    replies: { 202: { description: "The delivery, which waits to be sent", ...shown } },
    handle: async (call) => {
      await requireEnabled(call);
      const { id = "", deliveryId = "" } = call.params;
      const delivery = await call.services.store.redeliver(call.principal.orgId, channelTarget(id), deliveryId);
      if (delivery === undefined) throw new Refused("unknown_delivery", `"${id}" has no delivery "${deliveryId}".`);
      return json(deliveryOnWire(delivery), 202);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/channels/{id}/test",
    operation: "channels.test",
    summary: "Sends a test message, to every address of a channel of type email.",
    permission: "registry:write",
    replies: {
      202: {
        description: "The delivery, which waits to be sent; the first one when there are several addresses",
        ...shown,
      },
    },
    handle: async (call) => {
      const channel = await requireEnabled(call);
      const { services, principal } = call;
      const at = services.config.now();
      const deliveries = testDeliveries(channel, principal.orgId, principal.label, at);
      await services.store.addDeliveries(deliveries);
      const [first] = deliveries;
      if (first === undefined) throw new Refused("unknown_delivery", "There is no address to write to.");
      return json(newDeliveryOnWire(first, at), 202);
    },
  }),
];

type AnyCall = Pick<Call<unknown, unknown>, "services" | "principal" | "params">;

async function requireChannel({ services, principal, params }: AnyCall): Promise<ReturnType<typeof channelOf>> {
  const { id = "" } = params;
  const entry = await services.store.getEntry(principal.orgId, "channel", id);
  if (entry === undefined) throw new Refused("unknown_channel", `There is no channel "${id}".`);
  return channelOf(entry);
}

async function requireEnabled(call: AnyCall): Promise<ReturnType<typeof channelOf>> {
  const channel = await requireChannel(call);
  if (channel.isEnabled) return channel;
  throw new Refused("channel_disabled", `"${channel.id}" is disabled; enable it before it is sent anything.`);
}
