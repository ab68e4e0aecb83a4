import type { JsonObject } from "../base/index.ts";
import type { Decision } from "../event/index.ts";

export interface ApprovalInput {
  readonly type: "approval";
  readonly approvalId: string;
  readonly decision: Decision;
  /** Readable name of the person who answers. */
  readonly by: string;
  /** Id of the answering key. Absent when no key was used. */
  readonly byId?: string;
  /** The agent the answering key is bound to, if any. */
  readonly byAgentId?: string;
  /** True when the answering person also started the run. */
  readonly byStarter?: boolean;
  /** The approver-list names of the person. Absent for an owner in the same process, who is not checked against the list. */
  readonly as?: readonly string[];
  readonly personId?: string;
  /** Ids under which other persons have answered already. Any other earlier answer counts as one of this person. Absent: not checked. */
  readonly otherIds?: readonly string[];
  /** True for a key that is linked to no person and to no other key. */
  readonly isUnowned?: true;
  /** True when the person may answer without being asked, and has given a reason. */
  readonly isOverride?: true;
  readonly reason?: string;
  readonly digest?: string;
  /** Digest of the subject the person was shown. */
  readonly subjectDigest?: string;
  readonly modifications?: JsonObject;
  /** Values the person entered into the form. */
  readonly form?: JsonObject;
}
