import { causeOf, required } from "../base/index.ts";
import type { EventPayload } from "../event/index.ts";
import { ask, digestRequest } from "./approvals.ts";
import { dispatchOf, nextExecution, timeLeft } from "./dispatching.ts";
import type { BoundRequest } from "./effect.ts";
import { failNode, retryNode } from "./failing.ts";
import type { Verdict, VerdictInput } from "./input.ts";
import { findNode, planNodeOf } from "./move.ts";
import { stopTurn } from "./on-round.ts";
import { blockForPerson, UNASSIGNED } from "./proceed.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { NodeState } from "./state.ts";
import { titleOf } from "./subject-text.ts";
import { about, emit, perform, setTimer, type Turn } from "./turn.ts";

type Of<D extends Verdict["disposition"]> = Extract<Verdict, { readonly disposition: D }>;

/** Handles the verdict of governance. A verdict that was not requested, or is for an earlier epoch, changes nothing. */
export function onVerdict(turn: Turn, input: VerdictInput): Refusal | undefined {
  const node = findNode(turn.state, input.nodeId);
  const request = node === undefined ? undefined : turn.state.asked.get(node.index);
  if (node === undefined || request === undefined || node.now.status !== "queued" || node.epoch !== input.epoch) {
    return refuse("verdict_not_asked", `${input.nodeId} did not ask for a verdict`);
  }
  turn.state.asked.delete(node.index);
  const { verdict } = input;
  switch (verdict.disposition) {
    case "allow":
      admit(turn, node, request, verdict);
      break;
    case "block":
      block(turn, node, verdict);
      break;
    case "hold":
      hold(turn, node, request, verdict);
      break;
    case "moderated":
      emit(turn, "moderation.flagged", { ...about(node), phase: "input", decision: verdict.decision });
      failNode(turn, node, {
        code: "moderation_blocked",
        message: `the input of ${node.id} was refused by moderation`,
      });
      break;
    case "unassigned":
      blockForPerson(turn, node, verdict.message, UNASSIGNED, []);
      break;
    case "contradiction":
      emit(turn, "contract.violated", { ...about(node), phase: "instructions", errors: verdict.errors });
      failNode(turn, node, {
        code: "contract_violated",
        message: contradictionOf(node, verdict),
      });
      break;
  }
  return undefined;
}

function contradictionOf({ id }: NodeState, { errors }: Of<"contradiction">): string {
  const [first] = errors;
  const why = first === undefined ? "" : `: ${first.reason}`;
  return `the instructions of ${id} contradict each other${why}`;
}

function admit(turn: Turn, node: NodeState, request: BoundRequest, verdict: Of<"allow">): void {
  const { state, at } = turn;
  const { timeoutMs: ofStep, wave } = planNodeOf(state, node);
  const { route, verdictId, instructions = [], timeoutMs: ofTool } = verdict;
  const timeoutMs = ofTool === undefined ? ofStep : Math.min(ofTool, ofStep ?? Infinity);
  const { attempt, segment } = nextExecution(node);
  const nodeId = node.id;
  const limitMs = timeLeft(node, timeoutMs, segment);
  emit(turn, "gate.decided", { nodeId, attempt, disposition: "allow", verdictId });
  const started: EventPayload<"node.started"> = {
    nodeId,
    attempt,
    wave,
    agentId: route.agentId,
    gatewayId: route.gatewayId,
    provider: route.provider,
    model: route.model,
    executionPath: route.executionPath,
    verdictId,
  };
  if (verdict.reroutedFrom !== undefined) started.reroutedFrom = verdict.reroutedFrom;
  if (limitMs !== null) started.deadlineAt = at + limitMs;
  if (verdict.effects !== undefined) started.effects = verdict.effects;
  const maxOutputTokens = verdict.maxOutputTokens ?? null;
  if (maxOutputTokens !== null) started.maxOutputTokens = maxOutputTokens;
  if (segment > 0) started.segment = segment;
  if (instructions.length > 0) started.instructions = instructions.map((one) => ({ ...one }));
  emit(turn, "node.started", started);
  const sending = { attempt, route, request, maxOutputTokens, instructions, isResend: false };
  perform(turn, { ...dispatchOf(state, node, sending), timeoutMs: limitMs });
  if (limitMs === null) return;
  setTimer(turn, { kind: "attempt", nodeId, attempt }, at + limitMs);
}

const PAUSED_DELAYS_MS = [1_000, 2_000, 4_000] as const;

function block(turn: Turn, node: NodeState, verdict: Of<"block">): void {
  const { gate, code, message, verdictId } = verdict;
  if (verdict.after === "queue" && (isPatient(verdict) || !hasWaitedTooLong(turn, node)))
    return queueAtGate(turn, node, verdict);
  if (code === "budget_exceeded" && (node.turn?.rounds.length ?? 0) > 0) return stopTurn(turn, node, verdict);
  emit(turn, "gate.decided", { ...about(node), disposition: "block", gate, code, verdictId });
  const delayMs = verdict.after === "paused" ? PAUSED_DELAYS_MS[node.pausedAsks] : undefined;
  const cause = causeOf(code);
  const failure = cause === undefined ? { code, message } : { code, message, cause };
  if (delayMs === undefined) failNode(turn, node, failure, { isBlock: true });
  else retryNode(turn, node, { code, message }, delayMs);
}

function isPatient({ isPatient: isMarked, until }: Of<"block">): boolean {
  return isMarked === true && until !== undefined;
}

function hasWaitedTooLong(turn: Turn, node: NodeState): boolean {
  const limitedSince = node.now.status === "queued" && node.now.patientUntil === null ? node.now.limitedSince : null;
  return limitedSince !== null && turn.at - limitedSince >= planNodeOf(turn.state, node).queueTimeoutMs;
}

/** At a limit a node is queued and does not fail. Recorded once per reason: a node that is judged again and still waits adds no event. */
function queueAtGate(turn: Turn, node: NodeState, verdict: Of<"block">): void {
  const { now } = node;
  const { gate, code, verdictId, until, queuePosition, waitingReason = "queued" } = verdict;
  const patientUntil = isPatient(verdict) ? (until ?? null) : null;
  const isWaitingOn = now.status === "queued" && now.isLimited && now.waitingReason === waitingReason;
  if (isWaitingOn && now.patientUntil === patientUntil) return;
  emit(turn, "gate.decided", { ...about(node), disposition: "block", gate, code, verdictId });
  emit(turn, "node.waiting", {
    ...about(node),
    waitingReason,
    code,
    ...(until === undefined ? {} : { until }),
    ...(patientUntil === null ? {} : { isPatient: true as const }),
    ...(queuePosition === undefined ? {} : { queuePosition }),
  });
  const limitedSince = required(node.now.status === "queued" ? node.now.limitedSince : null, "it waits at a gate");
  const dueAt = patientUntil ?? limitedSince + planNodeOf(turn.state, node).queueTimeoutMs;
  setTimer(turn, { kind: "queue", nodeId: node.id, limitedSince }, dueAt);
}

function hold(turn: Turn, node: NodeState, request: BoundRequest, verdict: Of<"hold">): void {
  const { gate, message, policies, rule, agentId, verdictId, facts = null } = verdict;
  emit(turn, "gate.decided", { ...about(node), disposition: "hold", gate, verdictId });
  const approvalId = ask(turn, node, {
    source: "policy",
    title: titleOf(turn.state, node),
    summary: message,
    choices: ["approve", "reject"],
    rule,
    agentId,
    policies,
    rendered: request.message,
    digest: digestRequest(node, request, policies),
    request,
    inputs: request.inputs,
    facts,
  });
  emit(turn, "node.blocked", { ...about(node), waitingReason: "human_input", approvalId });
}
