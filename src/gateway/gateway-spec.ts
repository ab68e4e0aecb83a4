import type { Registration } from "../bridge/index.ts";
import type { JsonObject } from "../core/base/index.ts";

/** What is registered of a gateway, as it is kept. */
export interface GatewaySpec {
  readonly name: string | null;
  readonly environment: string | null;
  readonly url: string;
  readonly isDefault: boolean;
  readonly minTrustLevel: number;
  /** What it costs to run there, relative to the others; less is taken first. */
  readonly costRank: number;
  readonly capabilities: readonly string[];
  readonly providers: readonly string[];
  /** What runs a node that names no provider; null: such nodes do not go there. */
  readonly defaultProvider: string | null;
}

export const NEW_SPEC: GatewaySpec = {
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

export function specPartOf(registration: Registration): Partial<GatewaySpec> {
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

/** Entries are written by this room only, in this shape. */
export function specOf(body: JsonObject): GatewaySpec {
  return { ...NEW_SPEC, ...(body as Partial<GatewaySpec>) };
}
