import { digestJson, required } from "../base/index.ts";
import type { ApprovalRule } from "../definition/index.ts";
import type { Decision } from "../event/index.ts";
import { describing, positionOf, type ToolCall } from "./agent-turn.ts";
import { ask } from "./approvals.ts";
import type { HoldFacts, OpenCall, ToolVerdict, ToolVerdictInput } from "./input.ts";
import { findNode } from "./move.ts";
import { takeAnswer } from "./on-approval.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { NodeState } from "./state.ts";
import { startToolChild } from "./tool-child.ts";
import { about, emit, type Turn } from "./turn.ts";
import { takeJudgedDefault } from "./unanswered.ts";

/** Handles the ruling of governance about a call: a call of the model, or a held call that was answered. */
export function onToolVerdict(turn: Turn, { nodeId, epoch, callId, verdict }: ToolVerdictInput): Refusal | undefined {
  const { askedCalls } = turn.state;
  const node = findNode(turn.state, nodeId);
  const open = askedCalls.get(callId);
  if (node === undefined || open === undefined || node.epoch !== epoch) {
    return refuse("verdict_not_asked", `${nodeId} did not ask for a verdict about ${callId}`);
  }
  askedCalls.delete(callId);
  if (open.answer !== null) {
    const { answer } = open;
    if (answer.type === "default") takeJudgedDefault(turn, answer, verdict);
    else if (verdict.disposition === "deny") return refuse("tool_denied", verdict.reason);
    else return takeAnswer(turn, answer, { isJudged: true });
    return undefined;
  }
  decideCall(turn, node, open, verdict);
  return undefined;
}

function decideCall(turn: Turn, node: NodeState, { request, waits }: OpenCall, verdict: ToolVerdict): void {
  const { callId, round, call, argsDigest } = request;
  const { action, effects, timeoutMs = null, verdictId } = verdict;
  const { tool, server, args } = call;
  emit(turn, "tool.requested", {
    ...about(node),
    callId,
    round,
    tool,
    ...(server === undefined ? {} : { server }),
    args,
    argsDigest,
    action,
    effects,
    ...(isOfRound(node, callId, round) ? {} : describing(call)),
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(waits ? { waits } : {}),
  });
  const decided = { ...about(node), callId, verdictId };
  switch (verdict.disposition) {
    case "allow":
      emit(turn, "tool.decided", { ...decided, disposition: "allow" });
      startToolChild(turn, node, callId);
      return;
    case "deny": {
      const { gate, code, reason, retryAfterMs } = verdict;
      const later = retryAfterMs === undefined ? {} : { retryAfterMs };
      emit(turn, "tool.decided", { ...decided, disposition: "deny", gate, code, reason, ...later });
      return;
    }
    case "hold": {
      const made = required(node.turn?.calls.get(callId), "the call was requested just now");
      const { gate, message: summary } = verdict;
      const approvalId = askAbout(turn, node, made, { ...verdict, summary, choices: HELD_CHOICES });
      emit(turn, "tool.decided", { ...decided, disposition: "hold", gate, approvalId });
    }
  }
}

/** True when the round contains the call. The round then holds the description of the tool. */
function isOfRound({ turn }: NodeState, callId: string, round: number): boolean {
  return turn?.rounds[round]?.calls[positionOf(callId)] !== undefined;
}

const HELD_CHOICES: readonly Decision[] = ["approve", "reject", "abort"];

interface AboutCall {
  readonly summary: string;
  readonly choices: readonly Decision[];
  readonly agentId: string | null;
  readonly policies: readonly string[];
  readonly rule: ApprovalRule;
  readonly facts: HoldFacts | null;
}

/** Opens an approval for one call. */
export function askAbout(turn: Turn, node: NodeState, call: ToolCall, question: AboutCall): string {
  const { id, tool, server, args } = call;
  const isUnknown = question.choices.includes("retry");
  return ask(turn, node, {
    ...question,
    source: "tool",
    title: isUnknown
      ? `${tool} may have been called`
      : `${question.agentId ?? node.agentId ?? "The agent"} wants to call ${tool}`,
    rendered: `${server === null ? "" : `${server}: `}${tool} ${JSON.stringify(args)}`,
    digest: digestCall(call),
    request: null,
    inputs: {},
    call: { id, isUnknown },
  });
}

/** Binds an answer to the exact call. Another tool or other args need a new answer. */
export function digestCall({ id, tool, server, args }: Pick<ToolCall, "id" | "tool" | "server" | "args">): string {
  return digestJson({ callId: id, tool, server, args });
}
