/** Handles a person's answer about a tool call: before it is made, or when it may have been made and never reported. */
import { digestJson, isJsonObject, type Json, type JsonObject, required, sameJson } from "../base/index.ts";
import { ANYONE } from "../definition/index.ts";
import { type Decision, isSettled } from "../event/index.ts";
import { checkToolArgs } from "../outputs/index.ts";
import { childCalls, descriptionOf, heldCalls, type ToolCall, unknownCalls } from "./agent-turn.ts";
import { madeChanges, type ReadChanges } from "./answer-changes.ts";
import { type Answer, approvalOf, closeApproval } from "./approvals.ts";
import type { ApprovalInput } from "./input.ts";
import { planNodeOf } from "./move.ts";
import { askAbout } from "./on-tool-verdict.ts";
import { type FieldError, type Refusal, refuse } from "./refusal.ts";
import type { ApprovalState, NodeState } from "./state.ts";
import { startToolChild, stopToolChildren } from "./tool-child.ts";
import { about, emit, type Turn } from "./turn.ts";

export function callAskedAbout(node: NodeState, approvalId: string): ToolCall | undefined {
  return heldCalls(node).find(({ ruling }) => ruling.kind === "hold" && ruling.approvalId === approvalId);
}

type Outcome = { readonly refusal: Refusal } | { readonly changes: ReadChanges };

/** Reads `args` that replace those of the model or, for a call that may have been made, its `result`. */
export function readCallChanges(node: NodeState, approval: ApprovalState, given: ApprovalInput): Outcome {
  const call = callAskedAbout(node, approval.id);
  const before = approval.changes;
  const asked = madeChanges(given.modifications) ?? before.modifications;
  const isUnknown = call?.ruling.kind === "hold" && call.ruling.isUnknown;
  if (call === undefined) return { refusal: refuse("approval_closed", "the call is already decided") };
  const errors = asked === null ? [] : isUnknown ? resultErrors(asked) : argErrors(node, call, asked);
  if (isUnknown && given.decision === "approve" && asked === null) {
    return invalid([{ field: "result", message: "is missing: give what the call has returned" }]);
  }
  if (errors.length > 0) return invalid(errors);
  const isChanged = !sameJson(asked ?? {}, before.modifications ?? {});
  return { changes: { modifications: asked, form: null, isChanged, node, request: null } };
}

function resultErrors(asked: JsonObject): readonly FieldError[] {
  return Object.keys(asked)
    .filter((key) => key !== "result")
    .map((field) => ({ field, message: "cannot be given; result can" }));
}

function argErrors(node: NodeState, call: ToolCall, asked: JsonObject): readonly FieldError[] {
  const unknown = Object.keys(asked).filter((key) => key !== "args");
  if (unknown.length > 0) return unknown.map((field) => ({ field, message: "cannot be changed; args can" }));
  const args = asked["args"] ?? {};
  if (!isJsonObject(args)) return [{ field: "args", message: "must be an object" }];
  const { schema } = descriptionOf(node.turn, call);
  return schema === undefined ? [] : checkToolArgs(schema, args).map((message) => ({ field: "args", message }));
}

function invalid(errors: readonly FieldError[]): { readonly refusal: Refusal } {
  const message = errors.map(({ field, message: why }) => `${field} ${why}`).join("; ");
  return { refusal: { ...refuse("modifications_invalid", message), errors } };
}

/** Returns the args with which an answer replaces those of the call. Null when they are unchanged. */
export function changedArgs(call: ToolCall, modifications: JsonObject | null | undefined): JsonObject | null {
  const args = modifications?.["args"];
  return isJsonObject(args) && !sameJson(args, call.args) ? args : null;
}

/** Applies an answer to a call. The caller handles `abort`, because it ends the node. */
export function answerCall(turn: Turn, node: NodeState, call: ToolCall, decision: Decision, given: Answer): void {
  const isUnknown = call.ruling.kind === "hold" && call.ruling.isUnknown;
  const approvalId = call.ruling.kind === "hold" ? call.ruling.approvalId : "";
  const made = changedArgs(call, given.modifications) ?? call.args;
  const decided = {
    ...about(node),
    callId: call.id,
    verdictId: null,
    approvalId,
    argsDigest: digestJson(decision === "approve" ? made : call.args),
  } as const;
  switch (decision) {
    case "approve": {
      if (isUnknown) return giveResult(turn, node, call, given.modifications?.["result"] ?? null, false, given.by);
      emit(turn, "tool.decided", { ...decided, disposition: "allow", ...(made === call.args ? {} : { args: made }) });
      startToolChild(turn, node, call.id);
      return;
    }
    case "retry":
      emit(turn, "tool.decided", { ...decided, disposition: "allow" });
      startToolChild(turn, node, call.id);
      return;
    default: {
      const why = given.reason === undefined ? "" : `: ${given.reason}`;
      const reason = `${given.by ?? "A person"} rejected the call${why}`;
      if (isUnknown) return giveResult(turn, node, call, reason, true, given.by);
      emit(turn, "tool.decided", { ...decided, disposition: "deny", code: "approval_rejected", reason });
    }
  }
}

function giveResult(
  turn: Turn,
  node: NodeState,
  { id: callId }: ToolCall,
  result: Json,
  isError: boolean,
  by?: string,
): void {
  emit(turn, "tool.completed", {
    ...about(node),
    callId,
    result,
    isError,
    durationMs: 0,
    ...(by === undefined ? {} : { by }),
  });
}

/** Closes the approval of a call that has reported its result in the meantime. */
export function withdrawQuestion(turn: Turn, node: NodeState, approvalId: string): void {
  const approval = turn.state.approvals.get(approvalId);
  if (approval?.status !== "pending") return;
  closeApproval(turn, approval, { status: "cancelled", reason: "the call has reported" });
  continueTurn(turn, node);
}

/** All approvals are answered: the turn continues through all gates, unless another approval about the node is open. */
export function continueTurn(turn: Turn, node: NodeState): void {
  const { now } = node;
  if (now.status !== "blocked" || heldCalls(node).length > 0) return;
  if (approvalOf(turn, node) !== undefined) return;
  if (childCalls(node).length > 0) {
    if (now.waitingReason !== "child") emit(turn, "node.blocked", { ...about(node), waitingReason: "child" });
    return;
  }
  emit(turn, "node.queued", { ...about(node), waitingReason: "queued" });
}

const MAY_BE_MADE = "The call may or may not have been made, and no person has said";

/** Closes all open approvals about calls when their node ends. */
export function closeCallQuestions(turn: Turn, node: NodeState, reason: string): void {
  for (const { ruling } of heldCalls(node)) {
    const approval = ruling.kind === "hold" ? turn.state.approvals.get(ruling.approvalId) : undefined;
    if (approval?.status === "pending") closeApproval(turn, approval, { status: "cancelled", reason });
  }
  if (isSettled(node.now.status)) stopToolChildren(turn, node);
  // If the node is tried again, the agent learns that these calls were not made, or that this is unknown.
  for (const call of heldCalls(node)) {
    const { id: callId, ruling } = call;
    if (ruling.kind === "hold" && ruling.isUnknown) giveResult(turn, node, call, `${MAY_BE_MADE}: ${reason}`, true);
    else {
      const argsDigest = digestJson(call.args);
      const denied = { disposition: "deny", verdictId: null, code: "cancelled", reason, argsDigest } as const;
      emit(turn, "tool.decided", { ...about(node), callId, ...denied });
    }
  }
}

/** The adapter has stopped until people have answered. The attempt stays open, without slot, deadline and process. */
export function suspendTurn(turn: Turn, node: NodeState, segment: number, transcript: Json | null): void {
  const [first] = heldCalls(node);
  const approvalId = first?.ruling.kind === "hold" ? first.ruling.approvalId : null;
  emit(turn, "node.blocked", {
    ...about(node),
    waitingReason: approvalId === null && childCalls(node).length > 0 ? "child" : "human_input",
    ...(approvalId === null ? {} : { approvalId }),
    segment,
    ...(transcript === null ? {} : { transcript }),
  });
  continueTurn(turn, node);
}

/** Checks, before an agent continues, whether people still have to be asked or have not yet answered. */
export function waitsForAnswers(turn: Turn, node: NodeState): boolean {
  const unknown = unknownCalls(node);
  for (const call of unknown) askAboutUnknownCall(turn, node, call);
  const [held] = heldCalls(node);
  if (held?.ruling.kind !== "hold") {
    if (childCalls(node).length === 0) return false;
    emit(turn, "node.blocked", { ...about(node), waitingReason: "child" });
    return true;
  }
  const isUnknown = unknown.length > 0;
  emit(turn, "node.blocked", {
    ...about(node),
    waitingReason: "human_input",
    approvalId: held.ruling.approvalId,
    ...(isUnknown
      ? { errorCode: "outcome_unknown", errorMessage: `${node.id} may or may not have called ${held.tool}` }
      : {}),
  });
  return true;
}

function askAboutUnknownCall(turn: Turn, node: NodeState, call: ToolCall): void {
  const approvalId = askAbout(turn, node, call, {
    summary: `${call.tool} may or may not have been called: it never reported, and it may be called at most once`,
    choices: ["approve", "retry", "reject", "abort"],
    agentId: node.agentId,
    policies: [],
    rule: planNodeOf(turn.state, node).askRule ?? ANYONE,
    facts: null,
  });
  const held = { disposition: "hold", verdictId: null, approvalId, code: "outcome_unknown", isUnknown: true } as const;
  emit(turn, "tool.decided", { ...about(node), callId: call.id, ...held, argsDigest: digestJson(call.args) });
}

export function requiredCall(node: NodeState, approvalId: string): ToolCall {
  return required(callAskedAbout(node, approvalId), "an open question is about a call that is held");
}
