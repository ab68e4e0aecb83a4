import { z } from "zod";
import type { JsonObject } from "../core/base/index.ts";
import type { GatewayBody } from "../store/index.ts";
import { name, names, spec, token, webUrl, whole } from "./field.ts";

export const gatewaySpec = spec({
  name: name.nullish().describe("Display name; the id when absent"),
  url: webUrl.nullish().describe("Address of the Bridge"),
  environment: name.nullish().describe("Environment, such as production, for policies"),
  default: z.boolean().default(false).describe("Whether this gateway is preferred to other suitable gateways"),
  min_trust_level: whole(1, 10).default(1).describe("Minimum trust level of agents that act here"),
  cost_rank: whole(0, 1_000)
    .default(0)
    .describe("Relative cost of running here. Gateways with a lower rank are preferred"),
  capabilities: names.default([]).describe("Capabilities that steps may require"),
  providers: names.default([]).describe("Providers whose models and tools the gateway serves"),
  default_provider: name.nullish().describe("Provider for requests that name none"),
  dispatch_token: token.nullish().describe("Write-only: token sent with every dispatch"),
  callback_token: token.nullish().describe("Write-only: token that callbacks must carry"),
});

export function gatewayBodyOf(written: z.output<typeof gatewaySpec>): GatewayBody {
  return {
    name: written.name ?? null,
    environment: written.environment ?? null,
    url: (written.url ?? "").replace(/\/+$/, ""),
    isDefault: written.default,
    minTrustLevel: written.min_trust_level,
    costRank: written.cost_rank,
    capabilities: written.capabilities,
    providers: written.providers,
    defaultProvider: written.default_provider ?? null,
  };
}

/** Reads a stored gateway. Fields that older entries lack get their defaults. */
export function gatewayOf(body: JsonObject): GatewayBody {
  return { ...NEW_GATEWAY, ...(body as Partial<GatewayBody>) };
}

export const NEW_GATEWAY: GatewayBody = gatewayBodyOf(gatewaySpec.parse({}));

/** Returns a stored gateway in the form of its manifest. */
export function gatewaySpecOf(body: JsonObject): JsonObject {
  const {
    name: label,
    environment,
    url,
    isDefault,
    minTrustLevel,
    costRank,
    capabilities,
    providers,
    defaultProvider,
  } = gatewayOf(body);
  return {
    ...(label === null ? {} : { name: label }),
    ...(url === "" ? {} : { url }),
    ...(environment === null ? {} : { environment }),
    default: isDefault,
    min_trust_level: minTrustLevel,
    cost_rank: costRank,
    capabilities,
    providers,
    ...(defaultProvider === null ? {} : { default_provider: defaultProvider }),
  };
}
