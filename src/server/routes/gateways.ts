import { z } from "zod";
import { registrationSchema } from "../../bridge/index.ts";
import { bridgeRegisteredSchema, type Gateway, gatewaySchema, listOf, wholeQuery } from "../../contract/index.ts";
import { compareCodeUnits, type Json } from "../../core/base/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { GatewayView } from "../../gateway/index.ts";
import { OUTBOUND_REFUSED, refusalText } from "../../outbound/index.ts";
import { gatewayOf, outboundProblems, readSpec } from "../../registry/index.ts";
import { noteChange } from "../audit-note.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { checkOutboundOf, requireOutbound } from "../outbound-check.ts";
import { pageInMemory } from "../listing.ts";
import { Refused } from "../problem.ts";
import { requireFreeTokens, tokenInUse } from "../free-tokens.ts";
import { invalidSpec, sentSpec } from "../manifest-spec.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { listOnWire } from "../wire.ts";

const json1 = { bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false };

export const gatewayRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/gateways/register",
    operation: "gateways.register",
    summary: "Registers a Bridge with its address and adapters. Its two tokens are returned once.",
    permission: "registry:write",
    body: { schema: registrationSchema, ...json1 },
    replies: {
      200: { description: "The known gateway, with its new address", schema: bridgeRegisteredSchema },
      201: { description: "A new gateway", schema: bridgeRegisteredSchema },
    },
    handle: register,
  }),
  defineRoute({
    method: "GET",
    path: "/gateways",
    operation: "gateways.list",
    summary: "Lists the gateways and their status.",
    permission: "governance:read",
    query: wholeQuery,
    replies: { 200: { description: "All gateways, or one page", schema: listOf(gatewaySchema) } },
    handle: async (call) => {
      const all = [...(await gatewaysOf(call))].sort((left, right) => compareCodeUnits(left.id, right.id));
      return json(listOnWire(pageInMemory(all, call.query), gatewayOnWire));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/gateways/{gatewayId}",
    operation: "gateways.show",
    summary: "Shows a gateway with the history of its status.",
    permission: "governance:read",
    replies: { 200: { description: "The gateway", schema: gatewaySchema } },
    handle: show,
  }),
  defineRoute({
    method: "PUT",
    path: "/gateways/{gatewayId}",
    operation: "gateways.save",
    summary: "Registers a gateway manually. Tokens can be written and never read.",
    permission: "registry:write",
    body: { schema: sentSpec("Gateway"), ...json1 },
    replies: { 200: { description: "The changed gateway", schema: gatewaySchema } },
    handle: save,
  }),
  defineRoute({
    method: "DELETE",
    path: "/gateways/{gatewayId}",
    operation: "gateways.delete",
    summary:
      "Deletes a gateway. With `instance`, only records that this instance has stopped, unless a newer instance answers.",
    permission: "registry:write",
    query: z.object({ instance: z.string().min(1).max(400).optional() }),
    replies: { 204: { description: "The gateway is deleted", schema: null } },
    handle: remove,
  }),
];

type AnyCall = Pick<Call<unknown, unknown>, "services" | "principal">;

async function gatewaysOf({ services, principal }: AnyCall): Promise<readonly GatewayView[]> {
  const { directory } = services.gateways;
  await directory.refresh(principal.orgId);
  return directory.of(principal.orgId);
}

async function register(call: Call<z.output<typeof registrationSchema>, undefined>): Promise<Response> {
  const { services, principal, body } = call;
  if ((await gatewaysOf(call)).some(({ id, isLocal }) => isLocal && id === body.id)) {
    throw new Refused("invalid_request", `"${body.id}" is this server itself; give the Bridge another id.`);
  }
  requireOutbound(await outboundProblems("Gateway", { url: body.url }, checkOutboundOf(services)));
  const { publicUrl } = services.gateways;
  const base = services.config.publicUrl ?? body.server ?? (publicUrl === "" ? null : publicUrl);
  const registered = await services.gateways.directory.register(principal.orgId, body, trimmed(base));
  if (registered === null) {
    throw new Refused("newer_instance", `An instance of "${body.id}" that began later answers for it already.`);
  }
  const { isNew, ...reply } = registered;
  // A heartbeat changes nothing and is not audited.
  if (isNew || registered.tokens !== undefined) {
    await noteChange(services, principal, "gateway.changed", `gateway/${body.id}`, {
      url: body.url,
      instanceId: body.instanceId,
    });
  }
  const origin = base === null ? {} : { callbackOrigin: new URL(base).origin };
  return json({ ...reply, ...origin }, isNew ? 201 : 200);
}

function trimmed(url: string | null): string | null {
  return url === null ? null : url.replace(/\/+$/, "");
}

async function show(call: Call<undefined, undefined>): Promise<Response> {
  const { services, principal, params } = call;
  const gateway = await requireGateway(call, params["gatewayId"] ?? "");
  const history = await services.store.gatewayHistory(principal.orgId, gateway.id, HISTORY_MAX);
  return json({
    ...gatewayOnWire(gateway),
    history: history.map(({ status, at }) => ({ status, at: isoFromEpochMs(at) })),
  });
}

const HISTORY_MAX = 100;

async function requireGateway(call: AnyCall, id: string): Promise<GatewayView> {
  const gateway = (await gatewaysOf(call)).find((one) => one.id === id);
  if (gateway === undefined) throw unknownGateway(id);
  return gateway;
}

async function save(call: Call<Json, undefined>): Promise<Response> {
  const { services, principal, params, body } = call;
  const id = params["gatewayId"] ?? "";
  const read = readSpec("Gateway", id, body);
  if (!read.ok) throw invalidSpec(read.problems);
  requireOutbound(await outboundProblems("Gateway", read.body, checkOutboundOf(services)));
  const { dispatch_token: dispatchToken, callback_token: callbackToken } = read.secrets ?? {};
  await requireFreeTokens(services.gateways.directory, principal.orgId, [{ id, callbackToken }]);
  const isSaved = await services.gateways.directory.put(principal.orgId, id, gatewayOf(read.body), {
    ...(dispatchToken === undefined ? {} : { dispatchToken }),
    ...(callbackToken === undefined ? {} : { callbackToken }),
  });
  if (!isSaved) throw tokenInUse(id);
  await noteChange(services, principal, "gateway.changed", `gateway/${id}`, { url: gatewayOf(read.body).url });
  return json(gatewayOnWire(await requireGateway(call, id)));
}

async function remove(call: Call<undefined, { instance?: string | undefined }>): Promise<Response> {
  const { services, principal, params, query } = call;
  const id = params["gatewayId"] ?? "";
  const outcome = await services.gateways.directory.remove(principal.orgId, id, query.instance);
  if (outcome === "unknown") throw unknownGateway(id);
  if (outcome === "newer_instance") {
    throw new Refused("newer_instance", `Another instance answers for "${id}" by now.`);
  }
  await noteChange(services, principal, "gateway.changed", `gateway/${id}`, { removed: true });
  return new Response(null, { status: 204 });
}

function unknownGateway(id: string): Refused {
  return new Refused("unknown_gateway", `There is no gateway "${id}".`);
}

function gatewayOnWire(gateway: GatewayView): Gateway {
  const { id, name, environment, url, isDefault, capabilities, providers, defaultProvider } = gateway;
  return {
    id,
    name,
    environment,
    url: url === "" ? null : url,
    default: isDefault,
    minTrustLevel: gateway.minTrustLevel,
    costRank: gateway.costRank,
    capabilities: [...capabilities],
    providers: [...providers],
    defaultProvider,
    status: gateway.status,
    ...(gateway.refusal === undefined ? {} : { reason: OUTBOUND_REFUSED, detail: refusalText(gateway.refusal) }),
    instanceId: gateway.instanceId,
    seenAt: gateway.seenAt === null ? null : isoFromEpochMs(gateway.seenAt),
  };
}
