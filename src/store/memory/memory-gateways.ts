import { compareCodeUnits } from "../../core/base/index.ts";
import type { GatewayLink, GatewayStatus, GatewayStore } from "../registry-store.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

export function memoryGateways(world: MemoryWorld): GatewayStore {
  const note = (orgId: string, gatewayId: string, status: GatewayStatus, at: number): void => {
    const key = keyOf(orgId, gatewayId);
    world.gatewayHistory.set(key, [...(world.gatewayHistory.get(key) ?? []), { status, at }]);
  };
  const isToken = ({ callbackHash, previousCallbackHash, previousUntil }: GatewayLink, hash: string): boolean =>
    callbackHash === hash || (previousCallbackHash === hash && (previousUntil ?? 0) > world.now());
  return {
    listGatewayLinks: async (...orgIds) =>
      [...world.gatewayLinks.values()]
        .filter(({ orgId }) => orgIds.includes(orgId))
        .map(copy)
        .sort(
          (left, right) =>
            compareCodeUnits(left.orgId, right.orgId) || compareCodeUnits(left.gatewayId, right.gatewayId),
        ),
    putGatewayLink: async (link) => {
      const key = keyOf(link.orgId, link.gatewayId);
      const { callbackHash } = link;
      const others = [...world.gatewayLinks].filter(([other]) => other !== key);
      if (callbackHash !== null && others.some(([, other]) => other.callbackHash === callbackHash)) return false;
      if (world.gatewayLinks.get(key)?.status !== link.status) {
        note(link.orgId, link.gatewayId, link.status, world.now());
      }
      world.gatewayLinks.set(key, copy(link));
      return true;
    },
    deleteGatewayLink: async (orgId, gatewayId) => world.gatewayLinks.delete(keyOf(orgId, gatewayId)),
    findGatewayLink: async (hash) => {
      const found = [...world.gatewayLinks.values()].find((link) => isToken(link, hash));
      return found === undefined ? undefined : copy(found);
    },
    setGatewayStatus: async (orgId, gatewayId, status, at) => {
      const link = world.gatewayLinks.get(keyOf(orgId, gatewayId));
      if (link === undefined || link.status === status) return;
      const seenAt = status === "offline" ? link.seenAt : at;
      world.gatewayLinks.set(keyOf(orgId, gatewayId), { ...link, status, seenAt });
      note(orgId, gatewayId, status, at);
    },
    gatewayHistory: async (orgId, gatewayId, limit) =>
      copy([...(world.gatewayHistory.get(keyOf(orgId, gatewayId)) ?? [])].reverse().slice(0, limit)),
    ensureSecret: async (name, value) => {
      const kept = world.secrets.get(name) ?? value;
      world.secrets.set(name, kept);
      return kept;
    },
  };
}
