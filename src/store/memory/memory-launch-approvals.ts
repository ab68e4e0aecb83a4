import type { AuditEntry } from "../../core/audit/index.ts";
import { compareCodeUnits } from "../../core/base/index.ts";
import { appendedAuditId } from "../audit-id.ts";
import { isLaunchApproval, type LaunchApprovalStore, withAnswer } from "../launch-approval-store.ts";
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
    answerLaunch: async (orgId, given, entry) => {
      const approval = approvals.get(given.id);
      if (approval?.orgId !== orgId || approval.status !== "pending" || isOver(approval.id)) return false;
      if (!launchesHave(world, given.id) || approval.answers.length !== given.seen) return false;
      approvals.set(given.id, withAnswer(approval, copy(given)));
      if (given.status === "rejected") forget(given.id);
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
    dueLaunches: async (limit) => {
      const now = world.now();
      const found = [...approvals.values()]
        .filter(isLaunchApproval)
        .filter(({ status, chain }) => status === "pending" && (chain?.dueAt ?? 0) <= now)
        .sort(
          (left, right) => (left.chain?.dueAt ?? 0) - (right.chain?.dueAt ?? 0) || compareCodeUnits(left.id, right.id),
        );
      return { now, approvals: found.slice(0, limit).map(copy) };
    },
    moveLaunch: async (approval, entry) => {
      const { id, orgId, status, chain } = approval;
      const before = approvals.get(id);
      if (before === undefined || !isLaunchApproval(before) || before.orgId !== orgId) return false;
      if (before.status !== "pending" || (before.chain?.steps ?? 0) !== (chain?.steps ?? 0) - 1) return false;
      approvals.set(id, { ...copy(approval), assignee: before.assignee });
      if (status !== "pending" && status !== "approved") forget(id);
      if (entry !== null) note(orgId, entry);
      return true;
    },
    dropUnusedLaunches: async (limit) => {
      const unused = [...launches.values()].filter((id) => isOver(id) && approvals.get(id)?.status !== "pending");
      for (const id of unused.slice(0, limit)) forget(id);
      return Math.min(unused.length, limit);
    },
  };
}

function launchesHave({ launches }: MemoryWorld, approvalId: string): boolean {
  return [...launches.values()].includes(approvalId);
}
