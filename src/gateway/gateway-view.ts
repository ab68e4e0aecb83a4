import type { ProviderModels, ProviderSecrets } from "../bridge/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { OutboundGuard, OutboundRefusal } from "../outbound/index.ts";
import type { GatewayBody, GatewayLink, GatewayStatus } from "../store/index.ts";
import { specOf } from "./gateway-spec.ts";
import { readFacts } from "./instance-facts.ts";

/** The Bridge inside a server's own process. */
export const LOCAL_GATEWAY = "local";

/** A place of execution as routing sees it. */
export interface GatewayView extends GatewayBody {
  readonly orgId: string;
  readonly id: string;
  readonly status: GatewayStatus;
  /** Offline since a moment ago: its Bridge has signed off and may be restarting, so that it is waited for. */
  readonly isAwaited: boolean;
  readonly instanceId: string | null;
  readonly seenAt: number | null;
  readonly isLocal: boolean;
  /** A simulation: one adapter stands in for every provider. */
  readonly answersAny: boolean;
  /** Where its Bridge reports to; null: where the dispatch names. */
  readonly callbackBase: string | null;
  /** What its adapters call when no model is named, and at which prices; by provider. */
  readonly models: Readonly<Record<string, ProviderModels>>;
  /** What its adapters let see of the turns of agents, by provider; absent: nothing (`opaque`). */
  readonly turns?: Readonly<Record<string, string>>;
  /** Which registered secrets the configuration of its adapters refers to; by provider. */
  readonly secrets: ProviderSecrets;
  /** Why this server does not call its URL; it is offline as long as there is a reason. */
  readonly refusal?: OutboundRefusal;
  /** It stands for the workers that have this function; absent: it is a gateway. */
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
  // Nothing can be sent where there is no address, or where this server must not call.
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
