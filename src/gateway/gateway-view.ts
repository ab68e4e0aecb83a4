import type { ProviderModels, ProviderSecrets } from "../bridge/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { OutboundGuard, OutboundRefusal } from "../outbound/index.ts";
import type { GatewayBody, GatewayLink, GatewayStatus } from "../store/index.ts";
import { specOf } from "./gateway-spec.ts";
import { readFacts } from "./instance-facts.ts";

/** Id of the Bridge inside the server's own process. */
export const LOCAL_GATEWAY = "local";

/** A gateway as routing sees it. */
export interface GatewayView extends GatewayBody {
  readonly orgId: string;
  readonly id: string;
  readonly status: GatewayStatus;
  /** True for a short time after its Bridge went offline: it may be restarting, so attempts wait for it. */
  readonly isAwaited: boolean;
  readonly instanceId: string | null;
  readonly seenAt: number | null;
  readonly isLocal: boolean;
  /** True in a simulation, where one adapter answers for every provider. */
  readonly answersAny: boolean;
  /** Base URL that its Bridge reports to; null when each dispatch names it. */
  readonly callbackBase: string | null;
  /** Default model and prices of its adapters, by provider. */
  readonly models: Readonly<Record<string, ProviderModels>>;
  /** How much its adapters report of the turns of agents, by provider; absent for nothing (`opaque`). */
  readonly turns?: Readonly<Record<string, string>>;
  /** Registered secrets that the configuration of its adapters refers to, by provider. */
  readonly secrets: ProviderSecrets;
  /** Why this server must not call its URL. The gateway is offline as long as this is set. */
  readonly refusal?: OutboundRefusal;
  /** Name of the function whose workers this entry represents; absent for a real gateway. */
  readonly workerFor?: string;
}

export interface LocalGateway {
  readonly providers: readonly string[];
  readonly defaultProvider: string | null;
  readonly answersAny: boolean;
  readonly models?: Readonly<Record<string, ProviderModels>>;
  readonly turns?: Readonly<Record<string, string>>;
  readonly secrets?: ProviderSecrets;
}

export interface GatewayParts {
  readonly orgId: string;
  readonly id: string;
  readonly body: JsonObject;
  readonly link: GatewayLink | undefined;
  readonly local: LocalGateway | null;
  readonly outbound: Pick<OutboundGuard, "known"> | null;
  readonly now: number;
  readonly graceMs: number;
}

export function gatewayOf({ orgId, id, body, link, local, outbound, now, graceMs }: GatewayParts): GatewayView {
  const isLocal = id === LOCAL_GATEWAY && local !== null;
  const spec = specOf(body);
  const refusal = isLocal || spec.url === "" ? null : (outbound?.known(spec.url) ?? null);
  // Nothing can be sent without an address, or to an address that this server must not call.
  const status = spec.url === "" || refusal !== null ? "offline" : (link?.status ?? "unknown");
  const isReachable = spec.url !== "" && refusal === null;
  const { callbackBase, models, turns, secrets } = readFacts(link?.instanceFacts ?? null);
  const seenAt = link?.seenAt ?? null;
  return {
    ...spec,
    ...(isLocal ? { providers: local.providers, defaultProvider: local.defaultProvider } : {}),
    orgId,
    id,
    status: isLocal ? "healthy" : status,
    isAwaited: !isLocal && status === "offline" && isReachable && seenAt !== null && now - seenAt < graceMs,
    instanceId: link?.instanceId ?? null,
    seenAt,
    isLocal,
    answersAny: isLocal && local.answersAny,
    callbackBase: isLocal ? null : callbackBase,
    models: isLocal ? (local.models ?? {}) : models,
    turns: isLocal ? (local.turns ?? {}) : turns,
    secrets: isLocal ? (local.secrets ?? {}) : secrets,
    ...(refusal === null ? {} : { refusal }),
  };
}
