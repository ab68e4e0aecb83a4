import { compareCodeUnits } from "../core/base/index.ts";
import { refusalText } from "../outbound/index.ts";
import type { GatewayView } from "./gateway-view.ts";

/** The requirements of a node for the gateway it runs on. */
export interface RouteRequest {
  /** The gateway its run is pinned to. */
  readonly pinned: string | null;
  /** The default gateway its run is pinned to, used where it fits; null when there was none. Absent: use the current default. */
  readonly preferred?: string | null;
  /** Whether the node may run elsewhere when its pinned gateway is gone. */
  readonly mayReroute?: boolean;
  /** Null for the default provider of the gateway. */
  readonly provider: string | null;
  readonly capabilities: readonly string[];
  /** Gateways where its agent is deployed, when it is limited to some. Empty: anywhere. */
  readonly deployedAt: ReadonlySet<string>;
}

export type RouteChoice =
  | {
      readonly kind: "found";
      readonly gateway: GatewayView;
      readonly provider: string;
      readonly losers: readonly Loser[];
      /** The pinned gateway that is gone, when the node was rerouted. */
      readonly reroutedFrom?: string;
    }
  | { readonly kind: "none"; readonly message: string; readonly losers: readonly Loser[] };

/** Reasons that exclude a gateway regardless of the others. */
type Unfit = "not_pinned" | "not_deployed" | "provider" | "capability" | "offline";
/** Reasons why a suitable gateway loses to another, in the order of comparison. */
type Layer = "awaited" | "default" | "stand_in" | "cost" | "in_process" | "health" | "order";

/** A gateway that was not chosen, and the first reason against it. */
interface Loser {
  readonly gatewayId: string;
  readonly reason: Unfit | Layer;
}

/**
 * Chooses the pinned gateway, or one where the agent is deployed, or any with the provider and the capabilities. Among
 * several suitable gateways, preference is in this order: one that is present before one that may be restarting; the
 * default; one that serves the provider by name; the cheapest; a registered Bridge before the one in process; a healthy
 * one; the first by id.
 */
export function chooseRoute(gateways: readonly GatewayView[], request: RouteRequest): RouteChoice {
  const gone = missingPinnedGatewayId(gateways, request);
  if (gone === null) return chooseAmong(gateways, request);
  if (request.mayReroute !== true) return chooseAmong(gateways, { ...request, pinned: gone });
  const choice = chooseAmong(gateways, { ...request, pinned: null, preferred: null });
  return choice.kind === "found" ? { ...choice, reroutedFrom: gone } : choice;
}

/** Returns the gateway that the node is pinned to when it is offline or no longer registered. */
function missingPinnedGatewayId(gateways: readonly GatewayView[], request: RouteRequest): string | null {
  const { pinned, deployedAt, preferred = null } = request;
  const gatewayId = pinned ?? preferred;
  if (gatewayId === null) return null;
  if (pinned === null && deployedAt.size > 0 && !deployedAt.has(gatewayId)) return null;
  const found = gateways.find(({ id }) => id === gatewayId);
  if (found === undefined) return gatewayId;
  // A node that the default gateway cannot run is not affected by its absence.
  return found.status === "offline" && (pinned !== null || fits(found, request)) ? gatewayId : null;
}

function fits(gateway: GatewayView, request: RouteRequest): boolean {
  return (
    providerAt(gateway, request) !== null && request.capabilities.every((one) => gateway.capabilities.includes(one))
  );
}

function chooseAmong(gateways: readonly GatewayView[], request: RouteRequest): RouteChoice {
  const losers: Loser[] = [];
  const lose = (gateway: GatewayView, reason: Loser["reason"]): false => {
    losers.push({ gatewayId: gateway.id, reason });
    return false;
  };
  const fitting = gateways.filter((gateway) => {
    if (request.pinned !== null && gateway.id !== request.pinned) return lose(gateway, "not_pinned");
    if (request.deployedAt.size > 0 && !request.deployedAt.has(gateway.id)) return lose(gateway, "not_deployed");
    if (providerAt(gateway, request) === null) return lose(gateway, "provider");
    if (!request.capabilities.every((one) => gateway.capabilities.includes(one))) return lose(gateway, "capability");
    return true;
  });
  const living = fitting.filter(
    (gateway) => gateway.status !== "offline" || gateway.isAwaited || lose(gateway, "offline"),
  );
  const [best, ...rest] = living.sort((left, right) => compare(left, right, request).by);
  if (best === undefined) return { kind: "none", message: noGatewayMessage(request, fitting), losers };
  for (const gateway of rest) lose(gateway, compare(best, gateway, request).layer);
  return { kind: "found", gateway: best, provider: providerAt(best, request) ?? "", losers };
}

/** A gateway that lists this provider accepts any provider. */
const EVERY_PROVIDER = "*";
/** Provider sent to such a gateway when the node names none. */
const NO_PROVIDER = "default";

function providerAt(gateway: GatewayView, { provider }: RouteRequest): string | null {
  const takesAll = gateway.providers.includes(EVERY_PROVIDER);
  if (provider === null) return gateway.defaultProvider ?? (takesAll ? NO_PROVIDER : null);
  if (takesAll || gateway.providers.includes(provider)) return provider;
  return gateway.answersAny ? gateway.defaultProvider : null;
}

/** Comparison functions; the lower value wins. Ids differ, so two gateways never tie. */
const LAYERS: readonly (readonly [Layer, (gateway: GatewayView, request: RouteRequest) => number])[] = [
  ["awaited", ({ isAwaited }) => (isAwaited ? 1 : 0)],
  ["default", ({ id, isDefault }, { preferred }) => ((preferred === undefined ? isDefault : id === preferred) ? 0 : 1)],
  ["stand_in", ({ providers }, { provider }) => (provider === null || providers.includes(provider) ? 0 : 1)],
  ["cost", ({ costRank }) => costRank],
  ["in_process", ({ isLocal }) => (isLocal ? 1 : 0)],
  ["health", ({ status }) => (status === "healthy" ? 0 : 1)],
];

function compare(
  left: GatewayView,
  right: GatewayView,
  request: RouteRequest,
): { readonly by: number; readonly layer: Layer } {
  for (const [layer, rank] of LAYERS) {
    const by = rank(left, request) - rank(right, request);
    if (by !== 0) return { by, layer };
  }
  return { by: compareCodeUnits(left.id, right.id), layer: "order" };
}

function noGatewayMessage(
  { pinned, provider, capabilities, deployedAt }: RouteRequest,
  fitting: readonly GatewayView[],
): string {
  const [first, ...more] = fitting.map(({ id }) => id);
  const refused = fitting.find(({ refusal }) => refusal !== undefined);
  if (refused?.refusal !== undefined && more.length === 0) {
    return `${refused.id} is offline: ${refusalText(refused.refusal)}`;
  }
  if (first !== undefined && more.length === 0) return `${first} is offline; start its Bridge`;
  if (first !== undefined) return `${[first, ...more].join(", ")} are offline; start one of their Bridges`;
  const what = provider === null ? "takes it" : `serves the provider "${provider}"`;
  const needs = capabilities.length === 0 ? "" : ` with ${capabilities.join(", ")}`;
  if (deployedAt.size > 0) {
    const places = [...deployedAt].sort(compareCodeUnits).join(", ");
    return `none of the gateways where the agent is deployed (${places}) is there and ${what}${needs}; start a Bridge that does`;
  }
  return pinned === null
    ? `no gateway ${what}${needs}; start a Bridge that does`
    : `the gateway "${pinned}", to which the run is pinned, is not there or does not fit: nothing there ${what}${needs}`;
}
