import { z } from "zod";
import { registrationSchema } from "../../bridge/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { Gateway, GatewaySpec } from "../../gateway/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { gatewaySchema, listOf, registeredSchema } from "../schemas.ts";

const ID = /^[a-z][a-z0-9-]{0,63}$/;
const words = z.array(z.string().min(1).max(100)).max(100);
const token = z.string().min(8).max(500);

/** As manifests write it. */
const specBody = z.strictObject({
  name: z.string().max(200).optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  environment: z.string().max(100).optional(),
  default: z.boolean().default(false),
  min_trust_level: z.number().int().min(1).max(10).default(1),
  capabilities: words.default([]),
  providers: words.default([]),
  default_provider: z.string().max(100).optional(),
  dispatch_token: token.optional().describe("Write-only: sent with every dispatch"),
  callback_token: token.optional().describe("Write-only: what callbacks must carry"),
});

const json1 = { bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false };

export const gatewayRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/gateways/register",
    operation: "gateways.register",
    summary: "A Bridge says where it is and what it runs; it is given its two tokens once.",
    permission: "registry:write",
    body: { schema: registrationSchema, ...json1 },
    replies: {
      200: { description: "Known, and now at this address", schema: registeredSchema },
      201: { description: "A new gateway", schema: registeredSchema },
    },
    handle: register,
  }),
  defineRoute({
    method: "GET",
    path: "/gateways",
    operation: "gateways.list",
    summary: "Lists the places of execution and how they are.",
    permission: "governance:read",
    replies: { 200: { description: "All of them", schema: listOf(gatewaySchema) } },
    handle: async (call) => json({ data: (await gatewaysOf(call)).map(gatewayOnWire) }),
  }),
  defineRoute({
    method: "GET",
    path: "/gateways/{gatewayId}",
    operation: "gateways.show",
    summary: "Shows one gateway with the history of its health.",
    permission: "governance:read",
    replies: { 200: { description: "The gateway", schema: gatewaySchema } },
    handle: show,
  }),
  defineRoute({
    method: "PUT",
    path: "/gateways/{gatewayId}",
    operation: "gateways.save",
    summary: "Registers a gateway by hand; tokens can be written and never read.",
    permission: "registry:write",
    body: { schema: specBody, ...json1 },
    replies: { 200: { description: "As it is now", schema: gatewaySchema } },
    handle: save,
  }),
  defineRoute({
    method: "DELETE",
    path: "/gateways/{gatewayId}",
    operation: "gateways.delete",
    summary: "Forgets a gateway; with `instance`, only says that this instance has gone, unless a newer one answers.",
    permission: "registry:write",
    query: z.object({ instance: z.string().min(1).max(400).optional() }),
    replies: { 204: { description: "Done", schema: null } },
    handle: remove,
  }),
];

type AnyCall = Pick<Call<unknown, unknown>, "services" | "principal">;

async function gatewaysOf({ services, principal }: AnyCall): Promise<readonly Gateway[]> {
  const { directory } = services.gateways;
  await directory.refresh(principal.orgId);
  return directory.of(principal.orgId);
}

async function register(call: Call<z.output<typeof registrationSchema>, undefined>): Promise<Response> {
  const { services, principal, body } = call;
  if ((await gatewaysOf(call)).some(({ id, isLocal }) => isLocal && id === body.id)) {
    throw new Refused("invalid_request", `"${body.id}" is this server itself; give the Bridge another id.`);
  }
  const registered = await services.gateways.directory.register(principal.orgId, body);
  if (registered === null) {
    throw new Refused("newer_instance", `An instance of "${body.id}" that began later answers for it already.`);
  }
  const { isNew, ...reply } = registered;
  const { publicUrl } = services.gateways;
  const origin = publicUrl === "" ? {} : { callbackOrigin: new URL(publicUrl).origin };
  return json({ ...reply, ...origin }, isNew ? 201 : 200);
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

async function requireGateway(call: AnyCall, id: string): Promise<Gateway> {
  const gateway = (await gatewaysOf(call)).find((one) => one.id === id);
  if (gateway === undefined) throw unknownGateway(id);
  return gateway;
}

async function save(call: Call<z.output<typeof specBody>, undefined>): Promise<Response> {
  const { services, principal, params, body } = call;
  const id = params["gatewayId"] ?? "";
  if (!ID.test(id)) {
    throw new Refused("invalid_request", "A gateway's id is lower-case letters, digits and dashes, a letter first.");
  }
  const { dispatch_token: dispatchToken, callback_token: callbackToken } = body;
  await services.gateways.directory.put(principal.orgId, id, specOf(body), {
    ...(dispatchToken === undefined ? {} : { dispatchToken }),
    ...(callbackToken === undefined ? {} : { callbackToken }),
  });
  return json(gatewayOnWire(await requireGateway(call, id)));
}

function specOf(body: z.output<typeof specBody>): GatewaySpec {
  return {
    name: body.name ?? null,
    environment: body.environment ?? null,
    url: (body.url ?? "").replace(/\/+$/, ""),
    isDefault: body.default,
    minTrustLevel: body.min_trust_level,
    capabilities: body.capabilities,
    providers: body.providers,
    defaultProvider: body.default_provider ?? null,
  };
}

async function remove(call: Call<undefined, { instance?: string | undefined }>): Promise<Response> {
  const { services, principal, params, query } = call;
  const id = params["gatewayId"] ?? "";
  const outcome = await services.gateways.directory.remove(principal.orgId, id, query.instance);
  if (outcome === "unknown") throw unknownGateway(id);
  if (outcome === "newer_instance") {
    throw new Refused("newer_instance", `Another instance answers for "${id}" by now.`);
  }
  return new Response(null, { status: 204 });
}

function unknownGateway(id: string): Refused {
  return new Refused("unknown_gateway", `There is no gateway "${id}".`);
}

function gatewayOnWire(gateway: Gateway): z.input<typeof gatewaySchema> {
  const { id, name, environment, url, isDefault, minTrustLevel, capabilities, providers, defaultProvider } = gateway;
  return {
    id,
    name,
    environment,
    url: url === "" ? null : url,
    default: isDefault,
    minTrustLevel,
    capabilities: [...capabilities],
    providers: [...providers],
    defaultProvider,
    status: gateway.status,
    instanceId: gateway.instanceId,
    seenAt: gateway.seenAt === null ? null : isoFromEpochMs(gateway.seenAt),
  };
}
