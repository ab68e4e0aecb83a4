import { z } from "zod";
import type { JsonObject } from "../core/base/index.ts";
import type { GatewayBody } from "../store/index.ts";
import { name, names, spec, token, webUrl, whole } from "./field.ts";

export const gatewaySpec = spec({
  name: name.nullish().describe("What people see instead of the id"),
  url: webUrl.nullish().describe("Where its Bridge listens"),
  environment: name.nullish().describe("Such as production; policies may ask for it"),
  default: z.boolean().default(false).describe("Taken before the others that fit"),
  min_trust_level: whole(1, 10).default(1).describe("Agents below it do not act here"),
  cost_rank: whole(0, 1_000).default(0).describe("What it costs to run here, relative to the others; lower first"),
  capabilities: names.default([]).describe("What steps may ask for"),
  providers: names.default([]).describe("Whose models and tools it serves"),
  default_provider: name.nullish().describe("Runs what names no provider"),
  dispatch_token: token.nullish().describe("Write-only: sent with every dispatch"),
  callback_token: token.nullish().describe("Write-only: what callbacks must carry"),
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
