import type { JsonObject } from "../base/index.ts";
import type { ApprovalRule } from "../definition/index.ts";
import type { ApprovalSource, Decision, Subject } from "../event/index.ts";

/** A person's answer, as it is kept. */
export interface GivenAnswer {
  /** A readable name. */
  readonly by: string;
  /** Of the key; null: none. */
  readonly byId: string | null;
  readonly personId: string | null;
  readonly decision: Decision;
  readonly at: number;
}

export interface ApprovalChanges {
  /** `inputs`, `outputs`, `values`, `assignTo`. */
  readonly modifications: JsonObject | null;
  /** What was entered into the form. */
  readonly form: JsonObject | null;
}

export interface ApprovalState {
  readonly id: string;
  readonly nodeId: string;
  readonly source: ApprovalSource;
  readonly choices: readonly Decision[];
  readonly epoch: number;
  /** Of what would be done, with the changes people have made. */
  digest: string;
  /** Null in logs from before there were subjects. */
  subjectDigest: string | null;
  /** As it was asked; kept only where several people have to approve, of whom one may change it. */
  readonly subject: Subject | null;
  readonly agentId: string | null;
  readonly policies: readonly string[];
  readonly rule: ApprovalRule;
  readonly requestedAt: number;
  readonly expiresAt: number;
  readonly eventId: number;
  hop: number;
  /** Of the present subject, in order; at most one of each person. */
  answers: readonly GivenAnswer[];
  /** What the approvals so far have changed. */
  changes: ApprovalChanges;
  /** Reminders already sent. */
  readonly reminded: Set<string>;
  status: "pending" | "approved" | "rejected" | "expired" | "cancelled";
}
