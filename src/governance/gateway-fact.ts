import type { GatewayFact } from "../core/governance/index.ts";
import { type Gateway, refusalText } from "../gateway/index.ts";

const GATEWAY_FACTS = new WeakMap<Gateway, GatewayFact>();

/** One for as long as nothing about the gateway changes, so that it is written out once. */
export function gatewayFactOf(gateway: Gateway): GatewayFact {
  let fact = GATEWAY_FACTS.get(gateway);
  if (fact === undefined) {
    GATEWAY_FACTS.set(gateway, (fact = gatewayFact(gateway)));
  }
  return fact;
}

export function gatewayFact(gateway: Gateway): GatewayFact {
  const { id, status, isAwaited, environment, minTrustLevel, refusal } = gateway;
  const because = refusal === undefined ? {} : { offlineBecause: refusalText(refusal) };
  return { id, status: isAwaited ? "restarting" : status, environment, minTrustLevel, ...because };
}
