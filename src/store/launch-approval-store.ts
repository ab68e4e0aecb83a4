import type { AuditEntry } from "../core/audit/index.ts";
import type { Otherwise } from "../core/definition/index.ts";
import type { ApprovalRecord } from "./approval-record.ts";

/** Run id in the approval of a launch, for which no run exists yet. */
export const NO_RUN = "";

/** The approval of a run that does not exist yet. */
export interface LaunchApproval extends ApprovalRecord {
  /** Id of the key that requests the start, or `schedule:NAME`, `hook:NAME`. */
  readonly requestedBy: string;
  /** Absent until the approval is first processed. */
  readonly chain?: LaunchChain;
}

/** Progress of the reminders and the chain of approvers. */
export interface LaunchChain {
  /** Null when the approval expires. */
  readonly otherwise: Otherwise | null;
  readonly hop: number;
  /** Time at which the next approver in the chain is asked; null when the present one has all the remaining time. */
  readonly hopAt: number | null;
  /** Number of reminders sent. */
  readonly reminded: number;
  /** Number of steps the chain has made. */
  readonly steps: number;
  /** Time of the next step. */
  readonly dueAt: number;
}

/** An answer. It closes the approval unless the status stays `pending`. */
export interface LaunchAnswer
  extends
    Pick<ApprovalRecord, "id" | "status" | "answers">,
    Partial<Pick<ApprovalRecord, "choice" | "resolvedBy" | "resolvedAt" | "reason">> {
  /** Number of answers when this one was given. */
  readonly seen: number;
}

/** Returns the approval with an answer added. A replica that is moving its chain then finds it changed, and reads it again. */
export function withAnswer<T extends ApprovalRecord & Pick<LaunchApproval, "chain">>(
  approval: T,
  { seen: _seen, ...answer }: LaunchAnswer,
): T {
  const { chain } = approval;
  return { ...approval, ...answer, ...(chain === undefined ? {} : { chain: { ...chain, steps: chain.steps + 1 } }) };
}

/** Only `askLaunch` opens approvals without a run. */
export function isLaunchApproval(approval: ApprovalRecord): approval is LaunchApproval {
  return approval.runId === NO_RUN;
}

/**
 * Approvals of launches. The digest identifies the launch. For each digest there is at most one approval that is open,
 * or approved and not used. Database time decides what has expired.
 */
export interface LaunchApprovalStore {
  /** Opens an approval, with an audit entry. Returns the existing one for the same launch instead, if there is one. */
  askLaunch(approval: LaunchApproval, entry: AuditEntry): Promise<ApprovalRecord>;
  /** Returns false when the approval was answered meanwhile or has expired; the caller then reads it again. */
  answerLaunch(orgId: string, answer: LaunchAnswer, entry: AuditEntry): Promise<boolean>;
  /** Returns the id of the approval that permits this launch. */
  findApprovedLaunch(orgId: string, digest: string): Promise<string | undefined>;
  /** Marks the approval as used by the run it starts. Returns true for one caller only. */
  useLaunch(orgId: string, digest: string, approvalId: string): Promise<boolean>;
  /** Makes the approval usable again because the run could not be started, unless another approval has taken its place. */
  returnLaunch(orgId: string, digest: string, approvalId: string): Promise<void>;
  /** Returns unanswered approvals whose chain is due, most overdue first, and the database time. */
  dueLaunches(limit: number): Promise<{ readonly now: number; readonly approvals: readonly LaunchApproval[] }>;
  /**
   * Writes an approval after a step of its chain, with an audit entry. Writes nothing and returns false when it was
   * answered, or when the stored one is not exactly one step behind: another replica has already made this step.
   */
  moveLaunch(approval: LaunchApproval, entry: AuditEntry | null): Promise<boolean>;
  /** Deletes approvals that were granted and not used in time; returns how many. */
  dropUnusedLaunches(limit: number): Promise<number>;
}
