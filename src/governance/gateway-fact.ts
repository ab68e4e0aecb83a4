import { getOwn } from "../core/base/index.ts";
import type { GatewayFact } from "../core/governance/index.ts";
import { type GatewayView, refusalText } from "../gateway/index.ts";

const GATEWAY_FACTS = new WeakMap<GatewayView, GatewayFact>();

/** One for as long as nothing about the gateway changes, so that it is written out once. */
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

/** What an adapter there lets see of the turns of agents; null: its gateway does not say. */
export function turnsAt(gateway: GatewayView | null, provider: string | null): string | null {
  if (gateway === null) return null;
  const { turns = {}, answersAny, defaultProvider } = gateway;
  const said = getOwn(turns, provider ?? "");
  return said ?? (answersAny ? getOwn(turns, defaultProvider ?? "") : undefined) ?? null;
}
