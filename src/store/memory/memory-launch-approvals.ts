import type { AuditEntry } from "../../core/audit/index.ts";
import { appendedAuditId } from "../audit-id.ts";
import type { LaunchApprovalStore } from "../launch-approval-store.ts";
import type { ApprovalClosing } from "../store.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

export function memoryLaunchApprovals(world: MemoryWorld): LaunchApprovalStore {
  const { launches, approvals } = world;
  const note = (orgId: string, entry: AuditEntry): void => {
    world.audit.pending.set(appendedAuditId(), { orgId, at: entry.at, body: JSON.stringify([entry]) });
  };
  const isOver = (approvalId: string): boolean => (approvals.get(approvalId)?.expiresAt ?? 0) <= world.now();
  const forget = (approvalId: string): void => {
    for (const [key, standing] of launches) if (standing === approvalId) launches.delete(key);
  };
  const close = (closing: ApprovalClosing): void => {
    const approval = approvals.get(closing.id);
    if (approval !== undefined) approvals.set(closing.id, { ...approval, ...copy(closing) });
    if (closing.status !== "approved") forget(closing.id);
  };
  const find = (orgId: string, digest: string): string | undefined => {
    const id = launches.get(keyOf(orgId, digest));
    return id === undefined || isOver(id) || approvals.get(id)?.status !== "approved" ? undefined : id;
  };
  return {
    askLaunch: async (approval, entry) => {
      const key = keyOf(approval.orgId, approval.digest);
      const standing = approvals.get(launches.get(key) ?? "");
      if (standing !== undefined && !isOver(standing.id)) return copy(standing);
      launches.set(key, approval.id);
      approvals.set(approval.id, copy(approval));
      note(approval.orgId, entry);
      return approval;
    },
    answerLaunch: async (orgId, closing, entry) => {
      const approval = approvals.get(closing.id);
      const isOpen = approval?.orgId === orgId && approval.status === "pending" && !isOver(approval.id);
      if (!isOpen || !launchesHave(world, closing.id)) return false;
      close(closing);
      note(orgId, entry);
      return true;
    },
    findApprovedLaunch: async (orgId, digest) => find(orgId, digest),
    useLaunch: async (orgId, digest, approvalId) =>
      find(orgId, digest) === approvalId && launches.delete(keyOf(orgId, digest)),
    returnLaunch: async (orgId, digest, approvalId) => {
      const key = keyOf(orgId, digest);
      if (!launches.has(key) && approvals.get(approvalId)?.status === "approved") launches.set(key, approvalId);
    },
    expireLaunches: async (limit, told) => {
      const over = [...launches.values()].filter(isOver).slice(0, limit);
      for (const id of over) {
        const approval = approvals.get(id);
        if (approval?.status !== "pending") forget(id);
        else {
          const entry = told(copy(approval));
          const nobody = { choice: null, resolvedBy: null, reason: null, modifications: null };
          close({ id, status: "expired", resolvedAt: approval.expiresAt, ...nobody });
          note(approval.orgId, entry);
        }
      }
      return over.length;
    },
  };
}

function launchesHave({ launches }: MemoryWorld, approvalId: string): boolean {
  return [...launches.values()].includes(approvalId);
}
