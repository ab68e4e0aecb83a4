import type { GatewayLink } from "../store/index.ts";
import { factsJson, type InstanceFacts } from "./instance-facts.ts";
import { gatewayPlace, type SecretBox } from "../seal/index.ts";
import { hashToken } from "./token.ts";

/** A change to the link of a gateway, made by an operator or a Bridge. Absent fields stay unchanged. */
export interface LinkChange {
  readonly dispatchToken?: string;
  readonly callbackToken?: string;
  /** Set when a Bridge registers. */
  readonly instance?: { readonly id: string; readonly startedAt: number; readonly facts: InstanceFacts };
  /** The URL has changed, so the known health is no longer valid. */
  readonly isMoved?: boolean;
}

/** How long callbacks with the previous token are still accepted. */
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

/** An operator's change does not affect the status unless the gateway moved. A gateway never checked is "unknown". */
function statusAfter(before: GatewayLink | undefined, { instance, isMoved }: LinkChange): GatewayLink["status"] {
  if (instance !== undefined) return "healthy";
  return before === undefined || isMoved === true ? "unknown" : before.status;
}
