import { isJsonObject } from "../base/index.ts";
import type { ApprovalSource, ApprovalStatus, Decision } from "../event/index.ts";
import type { ApprovalInput } from "./input.ts";
import { type Refusal, refuse } from "./refusal.ts";

/** An approval, as far as the rules for its answers read it: that of a node, or that of a launch. */
interface AnswerableApproval {
  readonly status: ApprovalStatus;
  readonly source: ApprovalSource;
  readonly choices: readonly Decision[];
  readonly digest: string;
  readonly agentId: string | null;
  /** Whether another person than the starter has to answer. */
  readonly isSeparate: boolean;
}

type GivenAnswer = Pick<ApprovalInput, "decision" | "byAgentId" | "byStarter" | "digest" | "reason" | "modifications">;

/** How refusals name what is approved. */
interface ApprovedWork {
  readonly own: string;
  readonly starter: string;
}

export const OF_NODE: ApprovedWork = { own: "node", starter: "who started the run" };
export const OF_LAUNCH: ApprovedWork = { own: "launch", starter: "who wants to start the run" };

/** Why an answer is not taken; undefined when it is. */
export function refuseAnswer(
  approval: AnswerableApproval,
  answer: GivenAnswer,
  { own, starter }: ApprovedWork,
): Refusal | undefined {
  const { byAgentId, byStarter, digest, reason, modifications } = answer;
  const decision = decisionOf(approval, answer);
  if (approval.status !== "pending") return refuse("approval_closed", `the approval is already ${approval.status}`);
  if (byAgentId !== undefined && byAgentId === approval.agentId) {
    return refuse("self_approval", `an agent cannot answer for its own ${own}`);
  }
  if (approval.isSeparate && byStarter === true) {
    return refuse("self_approval", `someone other than ${starter} has to answer`);
  }
  if (digest !== undefined && digest !== approval.digest) {
    return refuse("content_changed", "what was shown is not what would be done; look again");
  }
  const replacesOutput =
    approval.source === "escalation" && decision === "approve" && isJsonObject(modifications?.["outputs"]);
  if (!approval.choices.includes(decision) && !replacesOutput) {
    return refuse("bad_choice", `${decision} is not among ${approval.choices.join(", ")}`);
  }
  if (decision === "reject" && (reason ?? "").trim() === "")
    return refuse("reason_required", "a rejection needs a reason");
  return undefined;
}

/** "Yes" to a node that has failed means that it is tried again, unless the answer brings its outputs. */
export function decisionOf(
  { source }: Pick<AnswerableApproval, "source">,
  { decision, modifications }: Pick<GivenAnswer, "decision" | "modifications">,
): Decision {
  const isRetry = source === "escalation" && decision === "approve" && !isJsonObject(modifications?.["outputs"]);
  return isRetry ? "retry" : decision;
}

/** The status of an approval after a decision. */
export function statusAfter(decision: Decision): "approved" | "rejected" {
  return decision === "reject" || decision === "abort" ? "rejected" : "approved";
}
