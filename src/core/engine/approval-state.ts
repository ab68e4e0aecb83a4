import type { JsonObject } from "../base/index.ts";
import type { ApprovalRule } from "../definition/index.ts";
import type { ApprovalSource, Decision, Subject } from "../event/index.ts";

/** A stored answer of a person. */
export interface GivenAnswer {
  /** A readable name. */
  readonly by: string;
  /** The id of the key. Null when the answer came without a key. */
  readonly byId: string | null;
  readonly personId: string | null;
  readonly decision: Decision;
  readonly at: number;
}

export interface ApprovalChanges {
  /** Changes by part: `inputs`, `outputs`, `values`, `assignTo`. */
  readonly modifications: JsonObject | null;
  /** The values entered into the form. */
  readonly form: JsonObject | null;
}

export interface ApprovalState {
  readonly id: string;
  readonly nodeId: string;
  readonly source: ApprovalSource;
  readonly choices: readonly Decision[];
  readonly epoch: number;
  /** Digest of the work to be approved, with the changes people have made. */
  digest: string;
  /** Null in old logs, which have no subjects. */
  subjectDigest: string | null;
  /** The subject as it was when the approval opened. Stored only when several people have to approve, since one of them may change it. */
  readonly subject: Subject | null;
  readonly agentId: string | null;
  readonly policies: readonly string[];
  readonly rule: ApprovalRule;
  readonly requestedAt: number;
  readonly expiresAt: number;
  readonly eventId: number;
  hop: number;
  /** Answers about the current subject, in order, at most one per person. */
  answers: readonly GivenAnswer[];
  /** The changes made by the approvals so far. */
  changes: ApprovalChanges;
  /** Reminders already sent. */
  readonly reminded: Set<string>;
  status: "pending" | "approved" | "rejected" | "expired" | "cancelled";
}
