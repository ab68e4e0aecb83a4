import { causeOf, type Failure, type Json, LIMITS } from "../base/index.ts";
import type { ToolCall } from "./agent-turn.ts";
import { completeAttempt } from "./completing.ts";
import { recordCost } from "./cost.ts";
import { cancelReason } from "./ending.ts";
import { failNode } from "./failing.ts";
import type { CallbackInput, CallbackResult, Execution, StreamInput } from "./input.ts";
import { findNode, guaranteeOf, hasReported, isAttemptOpen, isExecutionOpen, planNodeOf } from "./move.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { NodeState } from "./state.ts";
import { closeCallQuestions, suspendTurn } from "./tool-answer.ts";
import { isWorkflowCall } from "./tool-child.ts";
import { about, emit, log, type Turn } from "./turn.ts";

/** Handles the report of an adapter. Only the open attempt can change the node (E3, E4); any other report only adds its cost. */
export function onCallback(turn: Turn, input: CallbackInput): Refusal | undefined {
  const node = findNode(turn.state, input.nodeId);
  if (node === undefined || input.attempt < 1 || input.attempt > node.attempts) {
    return refuse("unknown_dispatch", `${input.nodeId} has no attempt ${input.attempt}`);
  }
  const { result, attempt, segment = 0 } = input;
  if (!isExecutionOpen(turn.state, node, input)) {
    if (isFinal(result) && !hasReported(node, input))
      recordCost(turn, node, attempt, { segment, ...result }, { isLate: true });
    return undefined;
  }
  if (result.status === "deferred") defer(turn, node);
  else if (result.status === "suspended") suspend(turn, node, segment, result.transcript);
  else finishAttempt(turn, node, input, result);
  return undefined;
}

/** The work continues outside. Deadline and slot stay in force. */
function defer(turn: Turn, node: NodeState): void {
  if ((node.now.status === "running" || node.now.status === "streaming") && node.now.isDeferred) return;
  emit(turn, "node.waiting", { ...about(node), waitingReason: "external_callback" });
}

/** Suspends a turn. Refused when no call waits for a person or a child run, because the agent then has no reason to stop. */
function suspend(turn: Turn, node: NodeState, segment: number, transcript: Json | null): void {
  const calls = [...(node.turn?.calls.values() ?? [])];
  const last = (node.turn?.rounds.length ?? 0) - 1;
  const { approvals } = turn.state;
  const isAsked = [...approvals.values()].some(({ nodeId, source }) => nodeId === node.id && source === "tool");
  const isHeld = (call: ToolCall): boolean => isAsked || isWorkflowCall(turn.state, node, call);
  if (!calls.some((call) => call.round >= last && isHeld(call))) {
    const message = `the adapter of ${node.id} suspended its turn, and nothing was held`;
    return failNode(turn, node, { code: "adapter_bug", message });
  }
  if (turn.state.ending === null) return suspendTurn(turn, node, segment, transcript);
  closeCallQuestions(turn, node, "the run ends");
  emit(turn, "node.cancelled", { ...about(node), reason: cancelReason(turn.state) });
}

type FinalReport = Exclude<CallbackResult, { readonly status: "deferred" | "suspended" }>;

function isFinal(result: CallbackResult): result is FinalReport {
  return result.status !== "deferred" && result.status !== "suspended";
}

function finishAttempt(turn: Turn, node: NodeState, { attempt, segment }: Execution, result: FinalReport): void {
  // An unreachable gateway has sent no final report, so the cost in a later report of it still counts.
  const isAlways = result.status !== "completed" && result.errorCode !== "gateway_unreachable";
  // The spread comes last: an object that is spread first and then extended costs ten times as much to create.
  const used = segment === undefined ? result : { segment, ...result };
  recordCost(turn, node, attempt, used, { isLate: false, isAlways });
  for (const warning of result.warnings ?? []) log(turn, node, warning);
  if (result.status !== "completed") return failAttempt(turn, node, result);
  if (result.moderation === undefined) return completeAttempt(turn, node, result);
  emit(turn, "moderation.flagged", { ...about(node), phase: "output", decision: result.moderation });
  failNode(turn, node, { code: "moderation_blocked", message: `the output of ${node.id} was refused by moderation` });
}

function failAttempt(
  turn: Turn,
  node: NodeState,
  result: Exclude<FinalReport, { readonly status: "completed" }>,
): void {
  const { timeoutMs } = planNodeOf(turn.state, node);
  if (result.moderation !== undefined) {
    emit(turn, "moderation.flagged", { ...about(node), phase: "input", decision: result.moderation });
  }
  if (result.status === "timed_out") return timeOut(turn, node, timeoutMs ?? 0);
  const code = result.errorCode ?? (result.status === "cancelled" ? "cancelled" : "provider_error");
  const message = result.error ?? `${node.id} ended ${result.status}`;
  const isFinal = result.status === "cancelled" || result.retryable === false;
  const cause = isFinal ? undefined : causeOf(code);
  const failure: Failure = {
    code,
    message,
    ...(cause === undefined ? {} : { cause }),
    ...(result.retryAfterMs === undefined ? {} : { retryAfterMs: result.retryAfterMs }),
  };
  failNode(turn, node, failure);
}

/** The attempt passed its deadline. If its effect must not happen twice, the outcome is unknown. */
export function timeOut(turn: Turn, node: NodeState, timeoutMs: number): void {
  if (guaranteeOf(turn.state, node) === "at_most_once") {
    return failNode(turn, node, outcomeUnknown(node, `no answer within ${timeoutMs} ms`));
  }
  const message = `${node.id} did not answer within ${timeoutMs} ms`;
  failNode(turn, node, { code: "timeout", message, cause: "timeout" }, { timeoutMs });
}

export function outcomeUnknown(node: NodeState, why: string): Failure {
  const message = `${node.id} may or may not have acted: ${why}. It runs at most once, so a person must look`;
  return { code: "outcome_unknown", message };
}

/** Records new pieces of text or media. Known pieces are dropped, and numbers never decrease, even across attempts (E18). */
export function onStream(turn: Turn, input: StreamInput): void {
  const node = findNode(turn.state, input.nodeId);
  if (node === undefined || !isAttemptOpen(turn.state, node, input.attempt)) return;
  for (const delta of input.deltas) {
    if (node.now.status !== "running" && node.now.status !== "streaming") return;
    if (turn.state.lastEventId >= LIMITS.eventsWithDeltasMax) return;
    const deltaIndex = node.now.deltaBase + delta.index;
    if (deltaIndex <= node.deltaIndex) continue;
    const text = delta.text === undefined ? {} : { text: delta.text };
    const media = delta.media === undefined ? {} : { media: delta.media };
    emit(turn, "node.stream.delta", { ...about(node), deltaIndex, ...text, ...media });
  }
}
