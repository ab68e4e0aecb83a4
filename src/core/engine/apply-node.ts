import { required } from "../base/index.ts";
import type { EventOf, RunEvent, SettlingEvent } from "../event/index.ts";
import { applyAgent, applyAgentBeforeExpansion, beginExecution, pauseExecution } from "./apply-agent.ts";
import { addTokens, applyChildCost, applyChildFinished, applyChildStarted } from "./apply-child.ts";
import { applyExpanded, applyRound } from "./apply-expanded.ts";
import {
  findNode,
  isComputed,
  laneAt,
  laneOf,
  moveNode,
  noteCounted,
  planNodeOf,
  reportKey,
  setCounted,
} from "./move.ts";
import type { NodeState, ReadyQueue, RunState } from "./state.ts";
import { takeEvent } from "./taken-events.ts";

type NodeEvent = Exclude<RunEvent, { readonly type: `run.${string}` | `approval.${string}` }>;

export function applyNode(state: RunState, event: NodeEvent): void {
  const node = findNode(state, event.payload.nodeId);
  if (node === undefined) return applyBeforeExpansion(state, event);
  switch (event.type) {
    case "node.queued":
      return applyQueued(state, node, event);
    case "node.waiting":
      return applyWaiting(state, node, event);
    case "node.expanded":
      return applyExpanded(state, node, event);
    case "node.round":
      return applyRound(state, node, event);
    case "node.started":
      return applyStarted(state, node, event);
    case "node.stream.delta":
      return applyDelta(state, node, event);
    case "node.retried":
      return applyRetried(state, node, event);
    case "node.blocked":
      return applyBlocked(state, node, event);
    case "node.completed":
    case "node.failed":
    case "node.timed_out":
    case "node.skipped":
    case "node.cancelled":
      return applySettled(state, node, event);
    case "node.handled":
      node.isHandled = true;
      return;
    case "node.invalidated":
      return applyInvalidated(state, node);
    case "node.provenance":
      node.hasFindings = true;
      return;
    case "node.log":
      // A re-send is an adapter call too, but only the log records it.
      if (isResend(event)) node.calls += 1;
      // Before the first attempt of an epoch, only binding writes warnings.
      if (event.payload.level === "warning") node.hasFindings = true;
      return;
    case "cost.recorded":
      return applyCost(state, node, event);
    case "round.completed":
    case "tool.requested":
    case "tool.decided":
    case "tool.completed":
      return applyAgent(node, event);
    case "child.started":
      return applyChildStarted(state, node, event);
    case "child.finished":
      return applyChildFinished(state, node, event);
    case "event.received":
      takeEvent(state, node, event.payload.id);
      // Counts as a try for the retry policy: after an event that breaks the contract, the node may wait for another.
      node.tries += 1;
      return;
    case "event.emitted":
    case "gate.decided":
    case "moderation.flagged":
    case "contract.violated":
      return;
  }
}

export const RESEND = "dispatch sent again";

function isResend(event: EventOf<"node.log">): boolean {
  return event.payload.message === RESEND;
}

/** Before a node has expanded, only events carried over from another run may name one of its instances. */
function applyBeforeExpansion(state: RunState, event: NodeEvent): void {
  if (isOfTurn(event)) return applyAgentBeforeExpansion(state, event);
  // The `finally` block is not a node of the plan, but it has a cost.
  if (event.type === "cost.recorded") return applyRunCost(state, event);
  const carried = required(
    event.type === "node.completed" ? event : null,
    `${event.payload.nodeId} is a node of the run`,
  );
  const { nodeId, outputs, envelope } = carried.payload;
  state.carriedInstances.set(nodeId, { outputs, envelope, settledAt: event.at, eventId: event.eventId });
}

function isOfTurn(event: NodeEvent): event is Extract<NodeEvent, { type: `round.${string}` | `tool.${string}` }> {
  return event.type === "round.completed" || event.type.startsWith("tool.");
}

function applyQueued(state: RunState, node: NodeState, { payload, eventId, at }: EventOf<"node.queued">): void {
  if (node.epoch !== state.epoch) beginEpoch(state, node);
  if (payload.segment !== undefined) pauseExecution(node, at, "lost");
  // The duration of a wait without a timeout does not count for the next wait.
  const limitedSince = node.now.status === "queued" && node.now.patientUntil === null ? node.now.limitedSince : null;
  const { waitingReason } = payload;
  moveNode(state, node, {
    status: "queued",
    waitingReason,
    isLimited: false,
    limitedSince,
    patientUntil: null,
    eventId,
  });
  noteCounted(state, node, payload.counted);
  queueOf(state, node).push({ node: node.index, eventId });
}

function queueOf(state: RunState, node: NodeState): ReadyQueue["entries"] {
  if (isComputed(planNodeOf(state, node).kind)) return state.computing.entries;
  const lane = laneOf(state, node);
  return lane === null ? state.ready.entries : laneAt(state, lane).waiting;
}

function beginEpoch(state: RunState, node: NodeState): void {
  node.epoch = state.epoch;
  node.tries = 0;
  node.calls = 0;
  node.pausedAsks = 0;
  node.extraAttempts = 0;
  node.hasEscalated = false;
  node.isGateApproved = false;
  node.grants = [];
  node.values = {};
  node.entered = {};
  node.takenEvents.clear();
  node.assignedTo = null;
  node.model = null;
  node.hasFindings = false;
  node.turn = null;
}

function applyWaiting(state: RunState, node: NodeState, { payload, at, eventId }: EventOf<"node.waiting">): void {
  if (node.now.status === "running" || node.now.status === "streaming") {
    moveNode(state, node, { ...node.now, isDeferred: true });
  } else if (node.now.status === "queued") {
    const patientUntil = payload.isPatient === true ? (payload.until ?? null) : null;
    const isAsBefore = node.now.patientUntil === null && patientUntil === null;
    const limitedSince = isAsBefore ? (node.now.limitedSince ?? at) : at;
    const { waitingReason } = payload;
    moveNode(state, node, { status: "queued", waitingReason, isLimited: true, limitedSince, patientUntil, eventId });
  } else {
    const waitingReason = payload.waitingReason === "concurrency" ? "concurrency" : "dependency";
    moveNode(state, node, { status: "awaiting_dependency", waitingReason });
  }
}

function applyStarted(state: RunState, node: NodeState, { payload, at }: EventOf<"node.started">): void {
  const { agentId, gatewayId, provider, model, executionPath, segment, maxOutputTokens } = payload;
  node.attempts = payload.attempt ?? 0;
  if (segment === undefined) node.tries += 1;
  // An execution that continues after a person's answer is not a further adapter call.
  if (segment === undefined || node.turn?.paused === "lost") node.calls += 1;
  beginExecution(node, segment);
  node.pausedAsks = 0;
  node.isOnce = payload.effects !== undefined;
  node.agentId = agentId;
  node.firstStartedAt ??= at;
  const route = { agentId, gatewayId, provider, model, executionPath };
  const instructed = payload.instructions === undefined ? {} : { instructions: payload.instructions };
  const limited = maxOutputTokens === undefined ? {} : { maxOutputTokens };
  node.routes[node.attempts - 1] = { startedAt: at, ...route, ...instructed, ...limited };
  moveNode(state, node, {
    status: "running",
    attempt: node.attempts,
    segment: segment ?? 0,
    startedAt: at,
    route,
    isDeferred: false,
    deltaBase: node.deltaIndex + 1,
    childRunId: null,
    block: null,
    sourceRunId: null,
  });
}

function applyDelta(state: RunState, node: NodeState, { payload }: EventOf<"node.stream.delta">): void {
  node.deltaIndex = payload.deltaIndex;
  if (node.now.status === "running") moveNode(state, node, { ...node.now, status: "streaming" });
}

/** Causes of a gate refusal after which the gates are checked again later, a limited number of times. */
const PAUSED_CAUSES: ReadonlySet<string> = new Set(["agent_disabled", "platform_closed", "gateway_unreachable"]);

function applyRetried(state: RunState, node: NodeState, { payload }: EventOf<"node.retried">): void {
  node.retries += 1;
  if (PAUSED_CAUSES.has(payload.cause)) node.pausedAsks += 1;
  moveNode(state, node, {
    status: "retrying",
    waitingReason: payload.cause === "rate_limit" ? "rate_limit" : "retry_backoff",
    until: payload.until,
    errorCode: payload.errorCode,
    errorMessage: payload.errorMessage,
  });
  if (payload.assignTo === undefined && payload.model === undefined) return;
  node.assignedTo = payload.assignTo ?? node.assignedTo;
  node.model = payload.model ?? node.model;
  // The member or model that takes over has as many tries as the one before.
  node.extraAttempts = node.tries;
  node.pausedAsks = 0;
}

function applyBlocked(state: RunState, node: NodeState, { payload, eventId, at }: EventOf<"node.blocked">): void {
  if (payload.segment !== undefined) {
    pauseExecution(node, at, "suspended");
    if (node.turn !== null) node.turn.transcript = payload.transcript ?? null;
  }
  moveNode(state, node, {
    status: "blocked",
    waitingReason: payload.waitingReason,
    approvalId: payload.approvalId ?? null,
    missing: payload.missing ?? [],
    awaited: payload.event ?? null,
    until: payload.until ?? null,
    eventId,
    errorCode: payload.errorCode ?? null,
    errorMessage: payload.errorMessage ?? null,
  });
}

function applySettled(state: RunState, node: NodeState, event: SettlingEvent): void {
  const settled = { settledAt: event.at, eventId: event.eventId };
  switch (event.type) {
    case "node.completed": {
      const { outputs, envelope, durationMs, carried, attempt } = event.payload;
      if (attempt !== undefined) node.reported.add(reportKey(attempt, "segment" in node.now ? node.now.segment : 0));
      noteCounted(state, node, event.payload.counted);
      moveNode(state, node, {
        status: "completed",
        outputs,
        envelope,
        durationMs,
        isCarried: carried ?? false,
        ...settled,
      });
      return;
    }
    case "node.failed":
    case "node.timed_out": {
      const { errorCode, errorMessage } = event.payload;
      const status = event.type === "node.failed" ? "failed" : "timed_out";
      moveNode(state, node, { status, errorCode, errorMessage, ...settled });
      return;
    }
    case "node.skipped": {
      const { reason, errorCode = null, errorMessage = null } = event.payload;
      noteCounted(state, node, event.payload.counted);
      moveNode(state, node, { status: "skipped", reason, errorCode, errorMessage, ...settled });
      return;
    }
    case "node.cancelled":
      moveNode(state, node, { status: "cancelled", reason: event.payload.reason, ...settled });
  }
}

/** The only way out of a settled status. The next event makes the node wait. */
function applyInvalidated(state: RunState, node: NodeState): void {
  moveNode(state, node, { status: "invalidated" });
  setCounted(state, node, null);
  node.isHandled = false;
}

function applyCost(state: RunState, node: NodeState, { payload }: EventOf<"cost.recorded">): void {
  const { attempt, segment = 0, round } = payload;
  // The report of a round is not the final report of its attempt.
  if (attempt !== undefined && round === undefined) node.reported.add(reportKey(attempt, segment));
  else if (attempt !== undefined) node.costedRounds.add(`${attempt}/${segment}/${round}`);
  node.calls += payload.extraCalls ?? 0;
  node.costMicros += payload.costMicros;
  node.tokens = addTokens(node.tokens, payload.tokens);
  applyRunCost(state, { payload });
}

function applyRunCost(state: RunState, { payload }: Pick<EventOf<"cost.recorded">, "payload">): void {
  state.costMicros += payload.costMicros;
  state.tokens = addTokens(state.tokens, payload.tokens);
  applyChildCost(state, payload);
}
