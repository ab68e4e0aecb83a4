import { isJsonObject } from "../base/index.ts";
import { type Decision, isTerminal } from "../event/index.ts";
import { type ReadChanges, readChanges } from "./answer-changes.ts";
import { decisionOf, isAsked, isYes, OF_NODE, refuseAnswer, statusAfter } from "./approval-answer.ts";
import { type Answer, closeApproval, digestRequest, digestSubject } from "./approvals.ts";
import { completeAttempt } from "./completing.ts";
import { failNode, haltAfter, endFailed } from "./failing.ts";
import { redoInstances } from "./instances.ts";
import type { ApprovalInput } from "./input.ts";
import { planNodeOf } from "./move.ts";
import { passOwnGate } from "./proceed.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { closeQuestion, stopAttempt } from "./ending.ts";
import { requestSecondVerdict } from "./second-verdict.ts";
import { digestCall } from "./on-tool-verdict.ts";
import { skipNode } from "./settle.ts";
import type { ApprovalState, NodeState } from "./state.ts";
import { revisedSubject } from "./subject.ts";
import {
  answerCall,
  changedArgs,
  closeCallQuestions,
  continueTurn,
  readCallChanges,
  requiredCall,
} from "./tool-answer.ts";
import { about, emit, perform, requireNode, type Turn } from "./turn.ts";

/** Handles a person's answer. An answer that is not accepted gets a refusal and changes nothing. */
export function onApproval(turn: Turn, input: ApprovalInput): Refusal | undefined {
  return takeAnswer(turn, input, { isJudged: false });
}

/** `isJudged`: the gates have allowed the changed args of a call. */
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
  // The expiry timer may be late, for example after a restart. The expiry time decides, not which input arrives first.
  const status = approval.status === "pending" && approval.expiresAt <= turn.at ? "expired" : approval.status;
  const question = { ...approval, status, isSeparate, approvers, modifications } as const;
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
  if (isCall && !isJudged && requestSecondVerdict(turn, approval, input, changes)) return undefined;
  const isOther = approval.answers.some((earlier) => earlier.decision !== decision);
  if (quorum > 1 && (changes.isChanged || isOther)) revise(turn, approval, changes, answered);
  else if (approval.answers.length + 1 < quorum) note(turn, approval, answered);
  else answer(turn, approval, decision, { status: "approved", ...answered, ...changesOf(approval, changes) });
  return undefined;
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
    // A person who was asked does not override other approvers.
    ...(isOverride === true && !isOneOfThem ? { isOverride } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Records the approval of one of several people. */
function note(turn: Turn, approval: ApprovalState, answered: Answered): void {
  const { id: approvalId, nodeId, source, answers, rule } = approval;
  const node = requireNode(turn.state, nodeId);
  const counted = { answers: answers.length + 1, quorum: rule.quorum };
  emit(turn, "approval.answered", { ...about(node), approvalId, source, ...answered, ...counted });
}

/** Records an approval with other content than earlier approvals. Those people have to approve again. */
function revise(turn: Turn, approval: ApprovalState, changes: ReadChanges, answered: Answered): void {
  const { id: approvalId, nodeId, source, answers } = approval;
  const node = requireNode(turn.state, nodeId);
  const voided = answers.map(({ personId, byId, by }) => personId ?? byId ?? by);
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
    ...(voided.length === 0 ? {} : { voided }),
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

/** A grant applies to the request that is sent, which contains the changes. */
function digestOf({ id, source, policies }: ApprovalState, changes: ReadChanges): string | undefined {
  const { node, request, modifications } = changes;
  if (source === "tool") {
    const call = requiredCall(node, id);
    const args = changedArgs(call, modifications);
    return args === null ? undefined : digestCall({ ...call, args });
  }
  return source === "policy" && request !== null ? digestRequest(node, request, policies) : undefined;
}

/** A run that hit a bug may have ended with open approvals. */
export function refuseEnded({ state }: Turn): Refusal | undefined {
  return isTerminal(state.status) ? refuse("approval_closed", `the run is already ${state.status}`) : undefined;
}

/** Applies the answer of a person, or the default of the approval chain. */
export function answer(turn: Turn, approval: ApprovalState, decision: Decision, given: Answer): void {
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

/** The node ends because of one call: its other open questions are closed, and running work is cancelled. */
export function stopTurnFor(turn: Turn, node: NodeState, reason: string): void {
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

/** A person aborts the node: it fails with its existing error, whatever `on_failure` says. */
export function abort(turn: Turn, node: NodeState, reason?: string): void {
  const now = node.now.status === "blocked" ? node.now : null;
  const code = now?.errorCode ?? "approval_rejected";
  const message = now?.errorMessage ?? reason ?? `${node.id} was aborted`;
  if (planNodeOf(turn.state, node).onFailure === "isolate") endFailed(turn, node, { code, message });
  else haltAfter(turn, node, { code, message });
}
