/** Handles approvals without an answer: the next approver is asked, the default of the chain applies, or the approval expires. */
import type { Otherwise } from "../definition/index.ts";
import { checkForm } from "../outputs/index.ts";
import { decisionOf, reachFrom, statusAfter } from "./approval-answer.ts";
import { type Answer, armHop, closeApproval } from "./approvals.ts";
import { DEFAULT_ANSWERER } from "./apply-approval.ts";
import { failNode } from "./failing.ts";
import type { DefaultAnswer, ToolVerdict } from "./input.ts";
import { requestSecondVerdict } from "./second-verdict.ts";
import { abort, answer, stopTurnFor } from "./on-approval.ts";
import type { ApprovalState } from "./state.ts";
import { callAskedAbout } from "./tool-answer.ts";
import { about, emit, perform, requireNode, type Turn } from "./turn.ts";

const NO_ANSWER = "no answer in time";

/** The time of the current approver is over: the next one is asked. After the last one, the default applies. */
export function onHop(turn: Turn, approvalId: string, hop: number): void {
  const approval = turn.state.approvals.get(approvalId);
  if (approval?.status !== "pending" || approval.hop !== hop) return;
  const { rule, nodeId, source } = approval;
  const next = rule.approvers[hop + 1];
  const node = requireNode(turn.state, nodeId);
  if (next !== undefined) {
    const reached = reachFrom(rule.approvers, hop + 1);
    for (const [index, { who }] of rule.approvers.entries()) {
      if (index <= hop || index > reached) continue;
      emit(turn, "approval.escalated", { ...about(node), approvalId, source, hop: index, who });
      const message = `${who} is asked about ${nodeId}`;
      perform(turn, { type: "notify", kind: "approval", nodeId, approvalId, message });
    }
    armHop(turn, approvalId, rule, reached);
  } else if (rule.otherwise !== null) takeDefault(turn, approval, rule.otherwise);
}

function takeDefault(turn: Turn, approval: ApprovalState, otherwise: Otherwise): void {
  const { id: approvalId, nodeId, source, changes, choices } = approval;
  if (source === "tool" && otherwise === "approve") {
    // No default can supply the result of a call that may already have been made.
    if (choices.includes("retry")) return expire(turn, approval);
    const changed = { node: requireNode(turn.state, nodeId), modifications: changes.modifications };
    if (requestSecondVerdict(turn, approval, { type: "default", approvalId }, changed)) return;
  }
  giveDefault(turn, approval, otherwise);
}

function giveDefault(turn: Turn, approval: ApprovalState, otherwise: Otherwise, reason = NO_ANSWER): void {
  const { modifications } = approval.changes;
  const decision = decisionOf({ source: approval.source, modifications }, { decision: otherwise });
  answer(turn, approval, decision, {
    status: statusAfter(decision),
    decision,
    by: DEFAULT_ANSWERER,
    reason,
    ...(otherwise === "approve" ? askedOf(approval) : {}),
  });
}

/** Applies a default that the gates have judged. No person is there to answer again, so a denial goes to the model. */
export function takeJudgedDefault(turn: Turn, { approvalId }: DefaultAnswer, verdict: ToolVerdict): void {
  const approval = turn.state.approvals.get(approvalId);
  if (approval?.status !== "pending") return;
  if (verdict.disposition !== "deny") return giveDefault(turn, approval, "approve");
  giveDefault(turn, approval, "reject", `${NO_ANSWER}, and it is not allowed: ${verdict.reason}`);
}

/** Returns the content approved by default: the changes people have made so far, and the form with its default values. */
function askedOf({ rule, changes }: ApprovalState): Pick<Answer, "modifications" | "form"> {
  const { modifications } = changes;
  const form = changes.form ?? (rule.form === null ? null : checkForm(rule.form, {}).values);
  return { ...(modifications === null ? {} : { modifications }), ...(form === null ? {} : { form }) };
}

export function onExpiry(turn: Turn, approvalId: string): void {
  const approval = turn.state.approvals.get(approvalId);
  if (approval?.status !== "pending") return;
  if (approval.rule.otherwise === null) expire(turn, approval);
  else takeDefault(turn, approval, approval.rule.otherwise);
}

function expire(turn: Turn, approval: ApprovalState): void {
  const { id: approvalId } = approval;
  const node = requireNode(turn.state, approval.nodeId);
  const call = callAskedAbout(node, approvalId);
  closeApproval(turn, approval, { status: "expired", reason: NO_ANSWER });
  if (call !== undefined) {
    stopTurnFor(turn, node, NO_ANSWER);
    const message = `no answer about the call of ${call.tool} by ${node.id} in time`;
    return failNode(turn, node, { code: "approval_expired", message }, { isRefusal: true });
  }
  if (node.now.status !== "blocked" || node.now.approvalId !== approvalId) return;
  if (approval.source === "escalation") return abort(turn, node);
  failNode(turn, node, { code: "approval_expired", message: `no answer for ${node.id} in time` }, { isRefusal: true });
}

export function onReminder(turn: Turn, approvalId: string, urgency: "normal" | "elevated" | "critical"): void {
  const approval = turn.state.approvals.get(approvalId);
  if (approval?.status !== "pending" || approval.reminded.has(urgency)) return;
  const { nodeId, source } = approval;
  emit(turn, "approval.reminded", { ...about(requireNode(turn.state, nodeId)), approvalId, source, urgency });
  perform(turn, {
    type: "notify",
    kind: "reminder",
    nodeId,
    approvalId,
    message: `${nodeId} still waits for an answer`,
  });
}
