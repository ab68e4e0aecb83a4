import { isJsonObject, type JsonObject } from "../base/index.ts";
import type { Approver } from "../definition/index.ts";
import type { ApprovalSource, ApprovalStatus, Decision } from "../event/index.ts";
import type { ApprovalInput } from "./input.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { GivenAnswer } from "./state.ts";

/** The part of an approval that the rules for its answers read. It is the approval of a node or of a launch. */
export interface AnswerableApproval {
  readonly status: ApprovalStatus;
  readonly source: ApprovalSource;
  readonly choices: readonly Decision[];
  readonly digest: string;
  readonly subjectDigest: string | null;
  readonly agentId: string | null;
  /** True when a person other than the starter has to answer. */
  readonly isSeparate: boolean;
  /** Empty when any person who may approve can answer. */
  readonly approvers: readonly { readonly who: string }[];
  /** Index of the last approver in the chain who has been asked. */
  readonly hop: number;
  readonly answers: readonly GivenAnswer[];
  /** The changes made by the approvals so far. */
  readonly modifications: JsonObject | null;
}

type Given = Omit<ApprovalInput, "type" | "approvalId" | "form">;

/** Words for the approved work and its starter in refusals. */
interface ApprovedWork {
  readonly own: string;
  readonly starter: string;
}

export const OF_NODE: ApprovedWork = { own: "node", starter: "who started the run" };
export const OF_LAUNCH: ApprovedWork = { own: "launch", starter: "who wants to start the run" };

/** Returns the reason why an answer is refused, or undefined when it is accepted. */
export function refuseAnswer(approval: AnswerableApproval, answer: Given, work: ApprovedWork): Refusal | undefined {
  if (approval.status !== "pending") return refuse("approval_closed", `the approval is already ${approval.status}`);
  return refuseAnswerer(approval, answer, work) ?? refuseContent(approval, answer);
}

/** Checks whether this caller may answer. */
function refuseAnswerer(approval: AnswerableApproval, answer: Given, work: ApprovedWork): Refusal | undefined {
  const { byAgentId, byStarter, isUnowned, isOverride } = answer;
  if (byAgentId !== undefined && byAgentId === approval.agentId) {
    return refuse("self_approval", `an agent cannot answer for its own ${work.own}`);
  }
  if (approval.isSeparate && byStarter === true) {
    return refuse("self_approval", `someone other than ${work.starter} has to answer`);
  }
  if (approval.isSeparate && isUnowned === true) {
    return refuse("self_approval", "a second person has to answer, and it is not known who is behind this key");
  }
  if (!isAsked(approval, answer.as) && isOverride !== true) {
    return refuse("not_an_approver", `it asks ${reachedBy(approval).join(", ")}, and you are not among them`);
  }
  if (approval.answers.some((earlier) => isSamePerson(earlier, answer))) {
    return refuse("already_answered", "this person has answered; another one has to");
  }
  return undefined;
}

/** Returns how far a chain is asked at once from one approver: an approver without a time limit is asked together with the next. */
export function reachFrom(approvers: readonly Approver[], hop: number): number {
  let reached = hop;
  while (reached + 1 < approvers.length && (approvers[reached]?.withinMs ?? null) === null) reached += 1;
  return reached;
}

/** Returns the approvers who may answer: every one the chain has reached, not only the last. */
function reachedBy({ approvers, hop }: Pick<AnswerableApproval, "approvers" | "hop">): readonly string[] {
  return approvers.slice(0, hop + 1).map(({ who }) => who);
}

/** Checks whether a caller with these names is among the people asked. A caller without names is not checked. */
export function isAsked(
  approval: Pick<AnswerableApproval, "approvers" | "hop">,
  names: readonly string[] | undefined,
): boolean {
  if (names === undefined || approval.approvers.length === 0) return true;
  const known = new Set(names.map(comparable));
  return reachedBy(approval).some((who) => known.has(comparable(who)));
}

const ADDRESS = /^user:[^\s@]+@[^\s@]+$/;

/** Mail addresses are compared without regard to case. A subject is not an address, even if it looks like one. */
function comparable(name: string): string {
  return ADDRESS.test(name) ? name.toLowerCase() : name;
}

/** Compares by person, else by key, else by name. Two keys of one person count as one answer, and so do a key and its maker. */
function isSamePerson(earlier: GivenAnswer, { personId, byId, by, otherIds }: Given): boolean {
  if (otherIds !== undefined && earlier.byId !== null && !otherIds.includes(earlier.byId)) return true;
  if (earlier.personId !== null || personId !== undefined) return earlier.personId === (personId ?? null);
  if (earlier.byId !== null || byId !== undefined) return earlier.byId === (byId ?? null);
  return earlier.by === by;
}

/** Checks the content of an answer. */
function refuseContent(approval: AnswerableApproval, answer: Given): Refusal | undefined {
  const { digest, subjectDigest, reason, isOverride } = answer;
  const isOther = digest !== undefined && digest !== approval.digest;
  if (isOther || (subjectDigest !== undefined && subjectDigest !== approval.subjectDigest)) {
    return refuse("content_changed", "what was shown is not what would be done; look again");
  }
  const decision = decisionOf(approval, answer);
  const replacesOutput = approval.source === "escalation" && decision === "approve";
  if (!approval.choices.includes(decision) && !replacesOutput) {
    return refuse("bad_choice", `${decision} is not among ${approval.choices.join(", ")}`);
  }
  if ((reason ?? "").trim() !== "") return undefined;
  if (decision === "reject") return refuse("reason_required", "a rejection needs a reason");
  return isOverride === true
    ? refuse("reason_required", "answering for those who are asked needs a reason")
    : undefined;
}

/** An "approve" of a failed node means that it is tried again, unless the answer contains its outputs. */
export function decisionOf(
  { source, modifications: before }: Pick<AnswerableApproval, "source" | "modifications">,
  { decision, modifications = before }: Pick<Given, "decision"> & { readonly modifications?: JsonObject | null },
): Decision {
  const isRetry = source === "escalation" && decision === "approve" && !isJsonObject(modifications?.["outputs"]);
  return isRetry ? "retry" : decision;
}

/** Returns the status of an approval after a decision. */
export function statusAfter(decision: Decision): "approved" | "rejected" {
  return decision === "reject" || decision === "abort" ? "rejected" : "approved";
}

/** Returns true for a decision in favour. When several people have to approve, one such decision is not enough. */
export function isYes(decision: Decision): boolean {
  return decision === "approve" || decision === "retry";
}
