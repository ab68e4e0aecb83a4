import { getOwn, LIMITS } from "../base/index.ts";
import { isTerminal } from "../event/index.ts";
import { FINALLY } from "../plan/index.ts";
import { dispatchOf, timeLeft } from "./dispatching.ts";
import { stopAttempt, windDown } from "./ending.ts";
import { RESEND } from "./apply-node.ts";
import { bind } from "./bind.ts";
import { continueLost } from "./continuing.ts";
import { failNode, tooManyCalls } from "./failing.ts";
import { findNode, guaranteeOf, isAttemptOpen, laneOf, planNodeOf } from "./move.ts";
import { onExpiry, onHop, onReminder } from "./unanswered.ts";
import { outcomeUnknown, timeOut } from "./on-callback.ts";
import { hasPlace, isLaneFree, requestNode } from "./proceed.ts";
import { isHeld } from "./pausing.ts";
import { checkPlaceAgain } from "./places.ts";
import { onRoundTimer } from "./rounds.ts";
import { armRunTimeout } from "./start.ts";
import type { NodeState } from "./state.ts";
import type { Timer } from "./timer.ts";
import { about, emit, perform, type Turn } from "./turn.ts";
import { onWaitTimer } from "./waits.ts";

/** Handles a timer that is due. A timer that no longer fits the state is stale and changes nothing. */
export function onTimer(turn: Turn, timer: Timer): void {
  if (isTerminal(turn.state.status)) return;
  switch (timer.kind) {
    case "run":
      if (timer.epoch === turn.state.epoch) onRunTimeout(turn);
      return;
    case "place":
      return checkPlaceAgain(turn);
    case "continue":
      // Nodes that wait to be computed are processed after every input.
      return;
    case "approval-hop":
      return onHop(turn, timer.approvalId, timer.hop);
    case "approval-expiry":
      return onExpiry(turn, timer.approvalId);
    case "approval-reminder":
      return onReminder(turn, timer.approvalId, timer.urgency);
    default: {
      const node = findNode(turn.state, timer.nodeId);
      if (node !== undefined) onNodeTimer(turn, node, timer);
    }
  }
}

/** A run that winds down after a halt can still time out. A run that is being cancelled cannot. */
function onRunTimeout(turn: Turn): void {
  const { ending, finally: last, block } = turn.state;
  if (last !== null) return;
  // A pause does not use up the time of the steps that come last: they would never run.
  if (block === FINALLY && isHeld(turn)) return armRunTimeout(turn);
  if (ending !== null && ending.as !== "failed") return;
  windDown(turn, { as: "timed_out", reason: "the run took too long" });
}

type NodeTimer = Extract<Timer, { readonly nodeId: string }>;

function onNodeTimer(turn: Turn, node: NodeState, timer: NodeTimer): void {
  const { now } = node;
  switch (timer.kind) {
    case "attempt":
      if (isAttemptOpen(turn.state, node, timer.attempt)) onDeadline(turn, node);
      return;
    case "lost":
      if (isAttemptOpen(turn.state, node, timer.attempt) && isPresent(node, timer)) onLost(turn, node, timer.attempt);
      return;
    case "retry":
      if (now.status === "retrying" && node.retries === timer.retries) {
        emit(turn, "node.queued", { ...about(node), waitingReason: "queued" });
      }
      return;
    case "queue":
      if (now.status !== "queued" || !now.isLimited || now.limitedSince !== timer.limitedSince) return;
      if (now.patientUntil === null && !isHeld(turn)) onQueueTimeout(turn, node);
      else askAnew(turn, node);
      return;
    case "child":
    case "child-cancel":
    case "child-pause":
    case "child-cost":
      return;
    case "round":
      return onRoundTimer(turn, timer);
    case "wait":
      return onWaitTimer(turn, node, timer);
    case "wake":
      if (now.status === "queued" && now.isLimited && node.epoch === timer.epoch) wake(turn, node);
  }
}

/** Checks that a lost execution is still the current one. Another execution may have continued its attempt. */
function isPresent({ now }: NodeState, { segment }: Extract<NodeTimer, { readonly kind: "lost" }>): boolean {
  return segment === undefined || !("segment" in now) || now.segment === segment;
}

function onDeadline(turn: Turn, node: NodeState): void {
  const { timeoutMs } = planNodeOf(turn.state, node);
  // The timer of an earlier execution may have been due while that execution was being paused.
  if (
    node.turn !== null &&
    "segment" in node.now &&
    turn.at - node.now.startedAt < (timeLeft(node, timeoutMs, node.now.segment) ?? 0)
  )
    return;
  stopAttempt(turn, node);
  timeOut(turn, node, timeoutMs ?? 0);
}

/** The replica that sent the attempt is gone. It is sent again under the same id, unless its effect could then happen twice. */
function onLost(turn: Turn, node: NodeState, attempt: number): void {
  const { state } = turn;
  if (node.now.status !== "running" && node.now.status !== "streaming") return;
  const { childRunId, route, segment } = node.now;
  if (childRunId !== null || route === null) return;
  if (node.turn !== null && node.turn.rounds.length + node.turn.calls.size > 0)
    return continueLost(turn, node, segment);
  if (guaranteeOf(state, node) === "at_most_once")
    return failNode(turn, node, outcomeUnknown(node, "its sender was lost"));
  if (node.calls >= LIMITS.callsPerNodeMax) return failNode(turn, node, tooManyCalls(node));
  const binding = bind(state, node);
  if (binding.kind !== "bound")
    return failNode(turn, node, { code: "dispatch_failed", message: `${node.id} cannot be sent again` });
  emit(turn, "node.log", { ...about(node), level: "info", message: RESEND });
  const { request } = binding;
  const { instructions = [], maxOutputTokens = null } = node.routes[attempt - 1] ?? {};
  perform(turn, dispatchOf(state, node, { attempt, route, request, maxOutputTokens, instructions, isResend: true }));
}

function onQueueTimeout(turn: Turn, node: NodeState): void {
  turn.state.asked.delete(node.index);
  const { queueTimeoutMs } = planNodeOf(turn.state, node);
  const reason = node.now.status === "queued" ? node.now.waitingReason : "queued";
  const { code, what } = getOwn(AWAITED, reason) ?? { code: "agent_busy", what: "a slot" };
  failNode(turn, node, { code, message: `${node.id} waited ${queueTimeoutMs} ms for ${what}` });
}

const AWAITED: Readonly<Record<string, { readonly code: string; readonly what: string }>> = {
  rate_limit: { code: "rate_limited", what: "its rate window" },
  worker: { code: "no_worker", what: "a worker that has its function" },
};

/** Queues the node again after a wait without a timeout. The event is recorded so that the next cause of waiting has its own deadline. */
function askAnew(turn: Turn, node: NodeState): void {
  if (turn.state.asked.has(node.index) || turn.state.ending !== null) return;
  emit(turn, "node.queued", { ...about(node), waitingReason: "queued" });
}

/** Queries the gates again. When the run itself is full, the node first waits for a place in it. */
function wake(turn: Turn, node: NodeState): void {
  if (turn.state.asked.has(node.index) || turn.state.ending !== null) return;
  const lane = laneOf(turn.state, node);
  if (!isHeld(turn) && hasPlace(turn) && (lane === null || isLaneFree(turn.state, lane))) requestNode(turn, node);
  else emit(turn, "node.queued", { ...about(node), waitingReason: "queued" });
}
