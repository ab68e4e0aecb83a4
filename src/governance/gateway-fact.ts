import { getOwn } from "../core/base/index.ts";
import type { GatewayFact } from "../core/governance/index.ts";
import { type GatewayView, refusalText } from "../gateway/index.ts";

const GATEWAY_FACTS = new WeakMap<GatewayView, GatewayFact>();

/** Returns the cached fact of a gateway, which stays the same until the gateway changes, so that it is serialised once. */
export function gatewayFactOf(gateway: GatewayView): GatewayFact {
  let fact = GATEWAY_FACTS.get(gateway);
  if (fact === undefined) {
    GATEWAY_FACTS.set(gateway, (fact = gatewayFact(gateway)));
  }
  return fact;
}

export function gatewayFact(gateway: GatewayView): GatewayFact {
  const { id, status, isAwaited, environment, minTrustLevel, refusal, workerFor } = gateway;
  const because = refusal === undefined ? {} : { offlineBecause: refusalText(refusal) };
  const worker = workerFor === undefined ? {} : { workerFor };
  return { id, status: isAwaited ? "restarting" : status, environment, minTrustLevel, ...because, ...worker };
}

/** Returns how much an adapter reports of the turns of agents; null when its gateway does not specify it. */
export function turnsAt(gateway: GatewayView | null, provider: string | null): string | null {
  if (gateway === null) return null;
  const { turns = {}, answersAny, defaultProvider } = gateway;
  const said = getOwn(turns, provider ?? "");
  return said ?? (answersAny ? getOwn(turns, defaultProvider ?? "") : undefined) ?? null;
}
