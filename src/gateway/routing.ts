import { compareCodeUnits } from "../core/base/index.ts";
import { refusalText } from "../outbound/index.ts";
import type { GatewayView } from "./gateway-view.ts";

/** What a node asks of the place it runs at. */
export interface RouteRequest {
  /** The gateway its run is pinned to. */
  readonly pinned: string | null;
  /** The default gateway its run is pinned to, for whatever fits it; null: there was none. Absent: whichever is one now. */
  readonly preferred?: string | null;
  /** Whether it may go elsewhere when the gateway it is pinned to is gone. */
  readonly mayReroute?: boolean;
  /** Null: whatever the gateway answers with by default. */
  readonly provider: string | null;
  readonly capabilities: readonly string[];
  /** Where its agent is deployed, if that is not one place: there, and nowhere else. Empty: anywhere. */
  readonly deployedAt: ReadonlySet<string>;
}

export type RouteChoice =
  | {
      readonly kind: "found";
      readonly gateway: GatewayView;
      readonly provider: string;
      readonly losers: readonly Loser[];
      /** The gateway it was pinned to, which is gone. */
      readonly reroutedFrom?: string;
    }
  | { readonly kind: "none"; readonly message: string; readonly losers: readonly Loser[] };

/** What a gateway can fall out by, whatever the others are. */
type Unfit = "not_pinned" | "not_deployed" | "provider" | "capability" | "offline";
/** What it can lose by to one that fits as well, in the order in which they are compared. */
type Layer = "awaited" | "default" | "stand_in" | "cost" | "in_process" | "health" | "order";

/** A gateway that was not taken, and the first thing that spoke against it. */
interface Loser {
  readonly gatewayId: string;
  readonly reason: Unfit | Layer;
}

/**
 * The pinned gateway, or one where the agent is deployed, else whichever serves the provider and has the capabilities.
 * Of several that do: one that is there before one that may be restarting; the default one; one that serves the provider by its name; the cheapest; a registered Bridge before
 * the one in process; a healthy one; the first by id.
 */
export function chooseRoute(gateways: readonly GatewayView[], request: RouteRequest): RouteChoice {
  const gone = goneOf(gateways, request);
  if (gone === null) return chooseAmong(gateways, request);
  if (request.mayReroute !== true) return chooseAmong(gateways, { ...request, pinned: gone });
  const choice = chooseAmong(gateways, { ...request, pinned: null, preferred: null });
  return choice.kind === "found" ? { ...choice, reroutedFrom: gone } : choice;
}

/** The gateway the node is pinned to, where that is not registered any more or offline. */
function goneOf(gateways: readonly GatewayView[], request: RouteRequest): string | null {
  const { pinned, deployedAt, preferred = null } = request;
  const gatewayId = pinned ?? preferred;
  if (gatewayId === null) return null;
  if (pinned === null && deployedAt.size > 0 && !deployedAt.has(gatewayId)) return null;
  const found = gateways.find(({ id }) => id === gatewayId);
  if (found === undefined) return gatewayId;
  // What does not fit the default gateway was never meant for it.
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

/** Among the providers of a gateway: it takes whatever is asked for. */
const EVERY_PROVIDER = "*";
/** What such a gateway is sent where a node names none. */
const NO_PROVIDER = "default";

function providerAt(gateway: GatewayView, { provider }: RouteRequest): string | null {
  const takesAll = gateway.providers.includes(EVERY_PROVIDER);
  if (provider === null) return gateway.defaultProvider ?? (takesAll ? NO_PROVIDER : null);
  if (takesAll || gateway.providers.includes(provider)) return provider;
  return gateway.answersAny ? gateway.defaultProvider : null;
}

/** Less is better. Ids differ, so that two gateways never come out the same. */
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
