import type { Registration } from "../bridge/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { GatewayBody } from "../store/index.ts";

export const NEW_SPEC: GatewayBody = {
  name: null,
  environment: null,
  url: "",
  isDefault: false,
  minTrustLevel: 1,
  costRank: 0,
  capabilities: [],
  providers: [],
  defaultProvider: null,
};

export function specPartOf(registration: Registration): Partial<GatewayBody> {
  const { name, environment, url, capabilities, providers, defaultProvider = null } = registration;
  return {
    url: url.replace(/\/+$/, ""),
    capabilities,
    providers,
    defaultProvider,
    ...(name === undefined ? {} : { name }),
    ...(environment === undefined ? {} : { environment }),
  };
}

/** Reads the body of an entry. Only this room writes such entries, so the shape is known. */
export function specOf(body: JsonObject): GatewayBody {
  return { ...NEW_SPEC, ...(body as Partial<GatewayBody>) };
}
