import { compareCodeUnits } from "../../core/base/index.ts";
import type { AlertStore } from "../alert-store.ts";
import { addDeliveries } from "./memory-deliveries.ts";
import { keyOf, type MemoryWorld } from "./memory-world.ts";

export function memoryAlerts(world: MemoryWorld): AlertStore {
  const { leases } = world.webhooks;
  return {
    takeLease: async (name, holder, ttlMs) => {
      const lease = leases.get(name);
      const now = world.now();
      if (lease !== undefined && lease.holder !== holder && lease.expiresAt > now) return false;
      leases.set(name, { holder, expiresAt: now + ttlMs });
      return true;
    },
    dropLease: async (name, holder) => {
      if (leases.get(name)?.holder === holder) leases.delete(name);
    },
    fireAlert: async (orgId, key, { at, deliveries, audit }) => {
      const mark = keyOf(orgId, key);
      if (world.marked.has(mark)) return false;
      world.marked.add(mark);
      if (audit !== null) {
        world.audit.pending.set(`${orgId}/${key}`, { orgId, at, body: JSON.stringify([audit]) });
      }
      addDeliveries(world, deliveries);
      return true;
    },
    countEnded: async (orgId, since) => {
      const ended = [...world.runs.values()].filter(
        ({ orgId: owner, pinned, head }) =>
          owner === orgId && pinned.block === null && head.endedAt !== null && head.endedAt >= since,
      );
      const failed = ended.filter(({ head }) => head.status === "failed" || head.status === "timed_out");
      return { all: ended.length, failed: failed.length };
    },
    listOverdueApprovals: async (orgId, before, prefix, limit) =>
      [...world.approvals.values()]
        .filter((one) => one.orgId === orgId && one.status === "pending" && one.requestedAt <= before)
        .filter(({ id }) => !world.marked.has(keyOf(orgId, prefix + id)))
        .sort((left, right) => left.requestedAt - right.requestedAt || compareCodeUnits(left.id, right.id))
        .slice(0, limit)
        .map(({ id, runId, requestedAt }) => ({ approvalId: id, runId, requestedAt })),
  };
}
