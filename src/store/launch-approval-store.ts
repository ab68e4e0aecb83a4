import type { AuditEntry } from "../core/audit/index.ts";
import type { ApprovalClosing, ApprovalRecord } from "./store.ts";

/** What stands for the run in the approval of a launch: there is none yet. */
export const NO_RUN = "";

/** The approval of a run that does not exist yet. */
export interface LaunchApproval extends ApprovalRecord {
  /** Id of the key that wants to start it, or `schedule:NAME`, `hook:NAME`. */
  readonly requestedBy: string;
}

/** Only `askLaunch` opens approvals without a run. */
export function isLaunchApproval(approval: ApprovalRecord): approval is LaunchApproval {
  return approval.runId === NO_RUN;
}

/**
 * Approvals of launches. Their digest says what would be launched; there is at most one that is open, or approved and
 * not used, for each digest. Database time decides what has expired.
 */
export interface LaunchApprovalStore {
  /** Opens an approval, and tells the audit; gives the one there is for the same launch instead, if there is one. */
  askLaunch(approval: LaunchApproval, entry: AuditEntry): Promise<ApprovalRecord>;
  /** The first answer counts: false when it was answered, or has expired. */
  answerLaunch(orgId: string, closing: ApprovalClosing, entry: AuditEntry): Promise<boolean>;
  /** The id of the approval that lets this launch pass. */
  findApprovedLaunch(orgId: string, digest: string): Promise<string | undefined>;
  /** Used up by the run it starts: true for one caller only. */
  useLaunch(orgId: string, digest: string, approvalId: string): Promise<boolean>;
  /** The run could not be started after all: it may be used again, unless something else stands in its place. */
  returnLaunch(orgId: string, digest: string, approvalId: string): Promise<void>;
  /** Closes what nobody answered in time; what was closed, for the audit to be told by `told`. */
  expireLaunches(limit: number, told: (approval: ApprovalRecord) => AuditEntry): Promise<number>;
}
