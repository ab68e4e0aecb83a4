import type { AuditEntry } from "../core/audit/index.ts";
import type { Otherwise } from "../core/definition/index.ts";
import type { ApprovalRecord } from "./approval-record.ts";

/** What stands for the run in the approval of a launch: there is none yet. */
export const NO_RUN = "";

/** The approval of a run that does not exist yet. */
export interface LaunchApproval extends ApprovalRecord {
  /** Id of the key that wants to start it, or `schedule:NAME`, `hook:NAME`. */
  readonly requestedBy: string;
  /** Absent: it was not looked at yet. */
  readonly chain?: LaunchChain;
}

/** How far the reminders and the chain of approvers have come. */
export interface LaunchChain {
  /** Null: it expires. */
  readonly otherwise: Otherwise | null;
  readonly hop: number;
  /** When the next in the chain is asked; null: the present one has all the time there is. */
  readonly hopAt: number | null;
  /** How many reminders were given. */
  readonly reminded: number;
  /** How often it has moved. */
  readonly steps: number;
  /** When it moves next. */
  readonly dueAt: number;
}

/** An answer, which closes the approval unless it is still `pending` with it. */
export interface LaunchAnswer
  extends
    Pick<ApprovalRecord, "id" | "status" | "answers">,
    Partial<Pick<ApprovalRecord, "choice" | "resolvedBy" | "resolvedAt" | "reason">> {
  /** How many answers there were when it was given. */
  readonly seen: number;
}

/** The approval with an answer: a replica that was moving its chain finds it changed, and looks again. */
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
 * Approvals of launches. Their digest identifies the launch; there is at most one that is open, or approved and
 * not used, for each digest. Database time decides what has expired.
 */
export interface LaunchApprovalStore {
  /** Opens an approval, with an audit entry; returns the existing one for the same launch instead, if there is one. */
  askLaunch(approval: LaunchApproval, entry: AuditEntry): Promise<ApprovalRecord>;
  /** False when it was answered in between, or has expired: the caller looks again. */
  answerLaunch(orgId: string, answer: LaunchAnswer, entry: AuditEntry): Promise<boolean>;
  /** The id of the approval that lets this launch pass. */
  findApprovedLaunch(orgId: string, digest: string): Promise<string | undefined>;
  /** Used up by the run it starts: true for one caller only. */
  useLaunch(orgId: string, digest: string, approvalId: string): Promise<boolean>;
  /** The run could not be started after all: it may be used again, unless something else stands in its place. */
  returnLaunch(orgId: string, digest: string, approvalId: string): Promise<void>;
  /** Unanswered ones whose chain moves now, the longest due first; and what time it is. */
  dueLaunches(limit: number): Promise<{ readonly now: number; readonly approvals: readonly LaunchApproval[] }>;
  /**
   * Writes an approval as its chain has moved it, with an audit entry. Nothing, and false, when it was answered, or when
   * it does not stand one step before: the replica that moved it did the same.
   */
  moveLaunch(approval: LaunchApproval, entry: AuditEntry | null): Promise<boolean>;
  /** Forgets what was granted and not used in time; how many it was. */
  dropUnusedLaunches(limit: number): Promise<number>;
}
