import { compareCodeUnits } from "../core/base/index.ts";
import type { Gateway } from "./directory.ts";

/** What a node asks of the place it runs at. */
export interface RouteWish {
  /** The gateway its run is pinned to. */
  readonly pinned: string | null;
  /** Null: whatever the gateway answers with when nobody says. */
  readonly provider: string | null;
  readonly capabilities: readonly string[];
}

export type RouteChoice =
  | { readonly kind: "found"; readonly gateway: Gateway; readonly provider: string; readonly losers: readonly Loser[] }
  | { readonly kind: "none"; readonly message: string; readonly losers: readonly Loser[] };

/** A gateway that was not taken, and why. */
export interface Loser {
  readonly gatewayId: string;
  readonly reason: "not_pinned" | "provider" | "capability" | "offline" | "order";
}

/**
 * Pinned gateway, else the default one, else whichever serves the provider and has the capabilities; registered Bridges
 * before the one in process, healthy before degraded, then by id.
 */
export function chooseRoute(gateways: readonly Gateway[], wish: RouteWish): RouteChoice {
  const losers: Loser[] = [];
  const lose = (gateway: Gateway, reason: Loser["reason"]): false => {
    losers.push({ gatewayId: gateway.id, reason });
    return false;
  };
  const fitting = gateways.filter((gateway) => {
    if (wish.pinned !== null && gateway.id !== wish.pinned) return lose(gateway, "not_pinned");
    if (providerAt(gateway, wish) === null) return lose(gateway, "provider");
    if (!wish.capabilities.every((one) => gateway.capabilities.includes(one))) return lose(gateway, "capability");
    return true;
  });
  const living = fitting.filter((gateway) => gateway.status !== "offline" || lose(gateway, "offline"));
  const [best, ...rest] = living.sort(order);
  if (best === undefined) return { kind: "none", message: nobody(wish, fitting), losers };
  for (const gateway of rest) lose(gateway, "order");
  return { kind: "found", gateway: best, provider: providerAt(best, wish) ?? "", losers };
}

function providerAt(gateway: Gateway, { provider }: RouteWish): string | null {
  if (provider === null) return gateway.defaultProvider;
  if (gateway.providers.includes(provider)) return provider;
  return gateway.answersAny ? gateway.defaultProvider : null;
}

function order(left: Gateway, right: Gateway): number {
  return rank(left) - rank(right) || compareCodeUnits(left.id, right.id);
}

function rank({ isDefault, isLocal, status }: Gateway): number {
  return (isDefault ? 0 : 4) + (isLocal ? 2 : 0) + (status === "healthy" ? 0 : 1);
}

function nobody({ pinned, provider, capabilities }: RouteWish, fitting: readonly Gateway[]): string {
  if (fitting.length > 0) return `${fitting.map(({ id }) => id).join(", ")} is offline; start its Bridge`;
  const what = provider === null ? "takes it" : `serves the provider "${provider}"`;
  const needs = capabilities.length === 0 ? "" : ` with ${capabilities.join(", ")}`;
  return pinned === null
    ? `no gateway ${what}${needs}; start a Bridge that does`
    : `the gateway "${pinned}", to which the run is pinned, is not there or does not fit: nothing there ${what}${needs}`;
}
