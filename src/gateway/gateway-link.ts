import type { GatewayLink } from "../store/index.ts";
import { factsJson, type InstanceFacts } from "./instance-facts.ts";
import { gatewayPlace, type SecretBox } from "../seal/index.ts";
import { hashToken } from "./token.ts";

/** What an operator or a Bridge sets for the link to a gateway; what is left out stays as it was. */
export interface LinkChange {
  readonly dispatchToken?: string;
  readonly callbackToken?: string;
  /** Given by a Bridge that registers. */
  readonly instance?: { readonly id: string; readonly startedAt: number; readonly facts: InstanceFacts };
  /** It is somewhere else now: what was known of its health means nothing any more. */
  readonly isMoved?: boolean;
}

/** How long callbacks with the token before are still taken. */
const OVERLAP_MS = 600_000;

export function changedLink(
  [orgId, gatewayId]: readonly [string, string],
  before: GatewayLink | undefined,
  change: LinkChange,
  box: SecretBox,
  now: number,
): GatewayLink {
  const { instance } = change;
  const hash = change.callbackToken === undefined ? (before?.callbackHash ?? null) : hashToken(change.callbackToken);
  const isRotated = before !== undefined && before.callbackHash !== null && before.callbackHash !== hash;
  return {
    orgId,
    gatewayId,
    status: statusAfter(before, change),
    instanceId: instance?.id ?? before?.instanceId ?? null,
    instanceStartedAt: instance?.startedAt ?? before?.instanceStartedAt ?? null,
    dispatchToken:
      change.dispatchToken === undefined
        ? (before?.dispatchToken ?? null)
        : box.seal(change.dispatchToken, gatewayPlace(orgId, gatewayId)),
    callbackHash: hash,
    previousCallbackHash: isRotated ? before.callbackHash : (before?.previousCallbackHash ?? null),
    previousUntil: isRotated ? now + OVERLAP_MS : (before?.previousUntil ?? null),
    seenAt: instance === undefined ? (before?.seenAt ?? null) : now,
    instanceFacts: instance === undefined ? (before?.instanceFacts ?? null) : factsJson(instance.facts),
  };
}

/** What an operator saves changes what a gateway is, not how it is; one that was never asked is unknown. */
function statusAfter(before: GatewayLink | undefined, { instance, isMoved }: LinkChange): GatewayLink["status"] {
  if (instance !== undefined) return "healthy";
  return before === undefined || isMoved === true ? "unknown" : before.status;
}
