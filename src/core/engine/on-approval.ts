import { isJsonObject } from "../base/index.ts";
import type { Otherwise } from "../definition/index.ts";
import { type Decision, isTerminal } from "../event/index.ts";
import { checkForm } from "../outputs/index.ts";
import { type ReadChanges, readChanges } from "./answer-changes.ts";
import { decisionOf, isAsked, isYes, OF_NODE, refuseAnswer, statusAfter } from "./approval-answer.ts";
import { type Answer, armHop, closeApproval, digestRequest, digestSubject } from "./approvals.ts";
import { DEFAULT_ANSWERER } from "./apply-approval.ts";
import { completeAttempt } from "./completing.ts";
import { failNode, haltAfter, endFailed } from "./failing.ts";
import { redoInstances } from "./instances.ts";
import type { ApprovalInput } from "./input.ts";
import { planNodeOf } from "./move.ts";
import { passOwnGate } from "./proceed.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { closeQuestion, stopAttempt } from "./ending.ts";
import { verdictRequest } from "./on-round.ts";
import { digestCall } from "./on-tool-verdict.ts";
import { skipNode } from "./settle.ts";
import type { ApprovalState, NodeState } from "./state.ts";
import { revisedSubject } from "./subject.ts";
import {
  answerCall,
  callAskedAbout,
  changedArgs,
  closeCallQuestions,
  continueTurn,
  readCallChanges,
  requiredCall,
} from "./tool-answer.ts";
import { about, emit, perform, requireNode, type Turn } from "./turn.ts";

/** A person answers. What is not taken gets a refusal and changes nothing. */
export function onApproval(turn: Turn, input: ApprovalInput): Refusal | undefined {
  return takeAnswer(turn, input, { isJudged: false });
}

/** `isJudged`: the gates have let the changed args of a call pass. */
export function takeAnswer(
  turn: Turn,
  input: ApprovalInput,
  { isJudged }: { readonly isJudged: boolean },
): Refusal | undefined {
  const { state } = turn;
  const approval = state.approvals.get(input.approvalId);
  if (approval === undefined) return refuse("unknown_approval", "there is no such approval");
  const { isSeparate, approvers, quorum } = approval.rule;
  const { modifications } = approval.changes;
  const question = { ...approval, isSeparate, approvers, modifications };
  const refusal = refuseAnswer(question, input, OF_NODE) ?? refuseEnded(turn);
  if (refusal !== undefined) return refusal;
  const decision = decisionOf(question, input);
  const answered = { decision, ...answererOf(input, isAsked(question, input.as)) };
  if (!isYes(decision)) {
    answer(turn, approval, decision, { status: statusAfter(decision), ...answered });
    return undefined;
  }
  const node = requireNode(state, approval.nodeId);
  const isCall = approval.source === "tool";
  const read = isCall ? readCallChanges(node, approval, input) : readChanges(state, node, approval, input);
  if ("refusal" in read) return read.refusal;
  const { changes } = read;
  if (isCall && !isJudged && judgeChanged(turn, node, input, changes)) return undefined;
  const isOther = approval.answers.some((earlier) => earlier.decision !== decision);
  if (quorum > 1 && (changes.isChanged || isOther)) revise(turn, approval, changes, answered);
  else if (approval.answers.length + 1 < quorum) note(turn, approval, answered);
  else answer(turn, approval, decision, { status: "approved", ...answered, ...changesOf(approval, changes) });
  return undefined;
}

/** Args a person has changed pass the gates again, but for the approval; true: they are asked. */
function judgeChanged(turn: Turn, node: NodeState, input: ApprovalInput, { modifications }: ReadChanges): boolean {
  const call = requiredCall(node, input.approvalId);
  const args = changedArgs(call, modifications);
  if (args === null) return false;
  const { id, tool, server, round, waits } = call;
  const asked = { tool, args, ...(server === null ? {} : { server }) };
  const request = verdictRequest(turn, node, asked, id, round);
  if (request === null) return false;
  const judged = { ...request, isApproved: true, callsBefore: request.callsBefore - 1 };
  turn.state.askedCalls.set(id, { request: judged, waits, answer: input });
  perform(turn, judged);
  return true;
}

type Answered = Pick<Answer, "byId" | "personId" | "isOverride" | "reason"> & {
  readonly by: string;
  readonly decision: Decision;
};

function answererOf({ by, byId, personId, isOverride, reason }: ApprovalInput, isOneOfThem: boolean) {
  return {
    by,
    ...(byId === undefined ? {} : { byId }),
    ...(personId === undefined ? {} : { personId }),
    // A person who is asked overrides no other.
    ...(isOverride === true && !isOneOfThem ? { isOverride } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** One of several people has approved. */
function note(turn: Turn, approval: ApprovalState, answered: Answered): void {
  const { id: approvalId, nodeId, source, answers, rule } = approval;
  const node = requireNode(turn.state, nodeId);
  const counted = { answers: answers.length + 1, quorum: rule.quorum };
  emit(turn, "approval.answered", { ...about(node), approvalId, source, ...answered, ...counted });
}

/** One of several people has approved something else than those before: they have to look again. */
function revise(turn: Turn, approval: ApprovalState, changes: ReadChanges, answered: Answered): void {
  const { id: approvalId, nodeId, source } = approval;
  const node = requireNode(turn.state, nodeId);
  const subject = revisedSubject(turn.state, approval, changes);
  emit(turn, "approval.revised", {
    ...about(node),
    approvalId,
    source,
    ...answered,
    digest: digestOf(approval, changes) ?? approval.digest,
    subject,
    subjectDigest: digestSubject(subject),
    ...givenBy(changes),
  });
  const message = `${answered.by} has changed what is asked about ${nodeId}`;
  perform(turn, { type: "notify", kind: "approval", nodeId, approvalId, message });
}

function changesOf(approval: ApprovalState, changes: ReadChanges): Pick<Answer, "modifications" | "form" | "digest"> {
  const digest = digestOf(approval, changes);
  return { ...givenBy(changes), ...(digest === undefined ? {} : { digest }) };
}

function givenBy({ modifications, form }: ReadChanges): Pick<Answer, "modifications" | "form"> {
  return { ...(modifications === null ? {} : { modifications }), ...(form === null ? {} : { form }) };
}

/** A grant holds for what is sent, which is what was changed. */
function digestOf({ id, source, policies }: ApprovalState, changes: ReadChanges): string | undefined {
  const { node, request, modifications } = changes;
  if (source === "tool") {
    const call = requiredCall(node, id);
    const args = changedArgs(call, modifications);
    return args === null ? undefined : digestCall({ ...call, args });
  }
  return source === "policy" && request !== null ? digestRequest(node, request, policies) : undefined;
}

/** A run that hit a bug has ended with its questions open. */
export function refuseEnded({ state }: Turn): Refusal | undefined {
  return isTerminal(state.status) ? refuse("approval_closed", `the run is already ${state.status}`) : undefined;
}

/** Carries an answer out, of a person or of the chain's default action. */
function answer(turn: Turn, approval: ApprovalState, decision: Decision, given: Answer): void {
  const node = requireNode(turn.state, approval.nodeId);
  if (approval.source === "tool") return answerAboutCall(turn, node, approval, decision, given);
  closeApproval(turn, approval, given);
  if (node.now.status !== "blocked" || node.now.approvalId !== approval.id) return;
  switch (decision) {
    case "approve":
      return approve(turn, node, approval, given);
    case "retry":
      redoInstances(turn, node);
      return queueAgain(turn, node);
    case "skip":
      return skipNode(turn, node, "chosen");
    case "abort":
      return abort(turn, node, given.reason);
    case "reject": {
      const why = given.reason === undefined ? "" : `: ${given.reason}`;
      const message = `${node.id} was rejected${given.by === undefined ? "" : ` by ${given.by}`}${why}`;
      return failNode(turn, node, { code: "approval_rejected", message }, { isRefusal: true });
    }
  }
}

function answerAboutCall(
  turn: Turn,
  node: NodeState,
  approval: ApprovalState,
  decision: Decision,
  given: Answer,
): void {
  const call = requiredCall(node, approval.id);
  closeApproval(turn, approval, given);
  answerCall(turn, node, call, decision, given);
  if (decision !== "abort") return continueTurn(turn, node);
  stopTurnFor(turn, node, given.reason ?? `${call.tool} was not allowed`);
  abort(turn, node, given.reason);
}

/** The node ends because of one call: nothing else is asked about it any more, and what runs is called off. */
function stopTurnFor(turn: Turn, node: NodeState, reason: string): void {
  closeQuestion(turn, node, reason);
  closeCallQuestions(turn, node, reason);
  stopAttempt(turn, node);
}

function approve(turn: Turn, node: NodeState, approval: ApprovalState, given: Answer): void {
  const outputs = given.modifications?.["outputs"];
  if (isJsonObject(outputs)) return completeAttempt(turn, node, { outputs });
  if (approval.source !== "gate") return queueAgain(turn, node);
  const planNode = planNodeOf(turn.state, node);
  if (planNode.kind !== "gate") emit(turn, "node.queued", { ...about(node), waitingReason: "queued" });
  passOwnGate(turn, node, planNode);
}

export function queueAgain(turn: Turn, node: NodeState): void {
  emit(turn, "node.queued", { ...about(node), waitingReason: "queued" });
  passOwnGate(turn, node, planNodeOf(turn.state, node));
}

/** A person ends it here: the node fails with what it failed with, whatever `on_failure` says. */
function abort(turn: Turn, node: NodeState, reason?: string): void {
  const now = node.now.status === "blocked" ? node.now : null;
  const code = now?.errorCode ?? "approval_rejected";
  const message = now?.errorMessage ?? reason ?? `${node.id} was aborted`;
  if (planNodeOf(turn.state, node).onFailure === "isolate") endFailed(turn, node, { code, message });
  else haltAfter(turn, node, { code, message });
}

/** The present approver had their time: the next one is asked, and after the last the default action is taken. */
export function onHop(turn: Turn, approvalId: string, hop: number): void {
  const approval = turn.state.approvals.get(approvalId);
  if (approval?.status !== "pending" || approval.hop !== hop) return;
  const { rule, nodeId, source } = approval;
  const next = rule.approvers[hop + 1];
  const node = requireNode(turn.state, nodeId);
  if (next !== undefined) {
    emit(turn, "approval.escalated", { ...about(node), approvalId, source, hop: hop + 1, who: next.who });
    perform(turn, {
      type: "notify",
      kind: "approval",
      nodeId,
      approvalId,
      message: `${next.who} is asked about ${nodeId}`,
    });
    armHop(turn, approvalId, rule, hop + 1);
  } else if (rule.otherwise !== null) takeDefault(turn, approval, rule.otherwise);
}

function takeDefault(turn: Turn, approval: ApprovalState, otherwise: Otherwise): void {
  answer(turn, approval, otherwise, {
    status: statusAfter(otherwise),
    decision: otherwise,
    by: DEFAULT_ANSWERER,
    reason: "no answer in time",
    ...(otherwise === "approve" ? askedOf(approval) : {}),
  });
}

/** What is approved without an answer: as people have changed it so far, and a form with its defaults. */
function askedOf({ rule, changes }: ApprovalState): Pick<Answer, "modifications" | "form"> {
  const { modifications } = changes;
  const form = changes.form ?? (rule.form === null ? null : checkForm(rule.form, {}).values);
  return { ...(modifications === null ? {} : { modifications }), ...(form === null ? {} : { form }) };
}

export function onExpiry(turn: Turn, approvalId: string): void {
  const approval = turn.state.approvals.get(approvalId);
  if (approval?.status !== "pending") return;
  if (approval.rule.otherwise !== null) return takeDefault(turn, approval, approval.rule.otherwise);
  const node = requireNode(turn.state, approval.nodeId);
  const call = approval.source === "tool" ? callAskedAbout(node, approvalId) : undefined;
  closeApproval(turn, approval, { status: "expired", reason: "no answer in time" });
  if (call !== undefined) {
    answerCall(turn, node, call, "reject", { status: "expired", reason: "no answer in time" });
    stopTurnFor(turn, node, "no answer in time");
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
