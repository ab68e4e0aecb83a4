/** Decides the consequence of a failure: another attempt, a person, a tolerated skip, or the end of the run. */
import { type Failure, LIMITS } from "../base/index.ts";
import { ANYONE } from "../definition/index.ts";
import { ask, digestQuestion, type Question } from "./approvals.ts";
import { bind } from "./bind.ts";
import { errorFacts } from "./error-facts.ts";
import { mayRetry, retryDelayMs } from "./failure-policy.ts";
import { haltFor } from "./handling.ts";
import { evaluateCondition } from "../expression/index.ts";
import type { PlanNode } from "../plan/index.ts";
import { guaranteeOf, planNodeOf } from "./move.ts";
import { agentOf, isSent } from "./sending.ts";
import { completeGate } from "./settle.ts";
import type { NodeState } from "./state.ts";
import { titleOf } from "./subject-text.ts";
import { about, emit, log, perform, setTimer, type Turn } from "./turn.ts";
import { resolverFor } from "./value.ts";

export interface FailureKind {
  /** Set when the attempt passed its deadline: the node ends `timed_out`, not `failed`. */
  readonly timeoutMs?: number;
  /** True when a person or a rule refused. Nothing is retried. */
  readonly isRefusal?: boolean;
  /** True when a gate refused the member that would have taken the node. */
  readonly isBlock?: boolean;
}

const FALLBACK = "fallback";

/** Returns the next team member after one that could not do the node. Not used for a fault of the node itself, which fails for every
 * member. */
function nextCandidate({ duty }: PlanNode, node: NodeState, { isBlock }: FailureKind): string | undefined {
  if (duty === null || (node.tries === 0 && isBlock !== true) || node.calls >= LIMITS.callsPerNodeMax) return undefined;
  const taker = node.assignedTo ?? duty.candidates[0]?.agent;
  const place = duty.candidates.findIndex(({ agent }) => agent === taker);
  return place === -1 ? undefined : duty.candidates[place + 1]?.agent;
}

/** Failures for which another model may succeed. */
const MODEL_FAILURES: ReadonlySet<string> = new Set(["provider_error", "provider_rate_limit", "timeout"]);

/**
 * Returns the next model, when one did not answer in all its tries. A failure that is not retried counts too: a provider
 * that does not accept one model may accept another.
 */
function nextModel({ request }: PlanNode, node: NodeState, { code }: Failure): string | undefined {
  if (!MODEL_FAILURES.has(code) || node.tries === 0 || node.calls >= LIMITS.callsPerNodeMax) return undefined;
  const { models } = request;
  return models[models.indexOf(node.model ?? models[0] ?? "") + 1];
}

export function failNode(turn: Turn, node: NodeState, given: Failure, kind: FailureKind = {}): void {
  const planNode = planNodeOf(turn.state, node);
  const failure = { ...given, message: given.message.slice(0, LIMITS.errorTextLengthMax) };
  const isOnce = guaranteeOf(turn.state, node) === "at_most_once";
  const isFinal = turn.state.ending !== null || isOnce || kind.isRefusal === true;
  // A refusal by a gate prevented an attempt, and counts as one.
  const tried = kind.isBlock === true ? { ...node, tries: node.tries + node.pausedAsks + 1 } : node;
  if (!isFinal && mayRetry(planNode.retry, failure, tried) && isWanted(turn, node, planNode, failure)) {
    const delayMs = retryDelayMs(planNode.retry, tried.tries, turn.jitter, failure.retryAfterMs);
    const { code, message } = failure;
    return retryNode(turn, node, kind.isBlock === true ? { code, message } : failure, delayMs);
  }
  const model = isFinal ? undefined : nextModel(planNode, node, failure);
  if (model !== undefined) return retryNode(turn, node, { ...failure, cause: FALLBACK }, 0, { model });
  const next = isFinal ? undefined : nextCandidate(planNode, node, kind);
  if (next !== undefined) return retryNode(turn, node, { ...failure, cause: FALLBACK }, 0, { assignTo: next });
  // An instance only counts. Its node decides the consequence of the failure.
  if (node.instance !== null) return endFailed(turn, node, failure, kind);
  if (planNode.onFailure === "skip") {
    return skipFailed(turn, node, failure, planNode.kind === "gate" && kind.isRefusal === true);
  }
  // While the run winds down, no person is asked and nothing is left to halt.
  if (turn.state.ending !== null) return endFailed(turn, node, failure, kind);
  switch (planNode.onFailure) {
    case "isolate":
      return endFailed(turn, node, failure, kind);
    case "escalate":
      return node.hasEscalated ? haltAfter(turn, node, failure, kind) : escalate(turn, node, failure);
    case "halt":
      return haltAfter(turn, node, failure, kind);
  }
}

/** Evaluates the author's retry condition. A condition that cannot be evaluated does not hold, and the log records the reason. */
function isWanted(turn: Turn, node: NodeState, { retry, body }: PlanNode, failure: Failure): boolean {
  const { condition = null } = retry;
  if (condition === null || body.kind !== "step") return true;
  const error = errorFacts(failure, node.tries);
  const holds = evaluateCondition(condition.root, resolverFor(turn.state, node, body, { error }));
  if (holds.ok) return holds.value;
  log(turn, node, `on_failure.retry.if: ${holds.failure.message}`);
  return false;
}

/** Schedules another attempt. Without a delay it is queued in the same commit. */
export function retryNode(
  turn: Turn,
  node: NodeState,
  failure: Pick<Failure, "code" | "message"> & { readonly cause?: string },
  delayMs: number,
  takenOver: { readonly assignTo?: string; readonly model?: string } = {},
): void {
  const until = turn.at + delayMs;
  emit(turn, "node.retried", {
    ...about(node),
    cause: failure.cause ?? failure.code,
    delayMs,
    nextAttempt: node.attempts + 1,
    errorCode: failure.code,
    errorMessage: failure.message,
    until,
    ...takenOver,
  });
  if (delayMs === 0) emit(turn, "node.queued", { ...about(node), waitingReason: "queued" });
  else setTimer(turn, { kind: "retry", nodeId: node.id, retries: node.retries }, until);
}

export function endFailed(turn: Turn, node: NodeState, failure: Failure, kind: FailureKind = {}): void {
  const payload = {
    ...about(node),
    errorCode: failure.code,
    errorMessage: failure.message,
    retryable: failure.cause !== undefined,
  };
  if (kind.timeoutMs === undefined) emit(turn, "node.failed", payload);
  else emit(turn, "node.timed_out", { ...payload, timeoutMs: kind.timeoutMs });
}

function skipFailed(turn: Turn, node: NodeState, failure: Failure, isRefusedGate: boolean): void {
  if (isRefusedGate) return completeGate(turn, node, false);
  emit(turn, "node.skipped", {
    ...about(node),
    reason: "on_failure",
    errorCode: failure.code,
    errorMessage: failure.message,
  });
  perform(turn, { type: "notify", kind: "skipped", nodeId: node.id, message: failure.message });
}

/** Handlers run first. Whether the failure ends the run is decided when they have settled. */
export function haltAfter(turn: Turn, node: NodeState, failure: Failure, kind: FailureKind = {}): void {
  endFailed(turn, node, failure, kind);
  if (planNodeOf(turn.state, node).tolerantDependents.length === 0) haltFor(turn, node);
}

/** After the retries, a person decides. They are asked once per node and epoch. */
function escalate(turn: Turn, node: NodeState, failure: Failure): void {
  const planNode = planNodeOf(turn.state, node);
  const summary = `${node.id} failed after ${node.tries} ${node.tries === 1 ? "attempt" : "attempts"}: ${failure.message}`;
  const approvalId = ask(turn, node, {
    source: "escalation",
    title: `${titleOf(turn.state, node)} failed`,
    summary,
    choices: ["retry", "skip", "abort"],
    rule: planNode.askRule ?? ANYONE,
    // A node that failed before it was sent has no agent yet.
    agentId: node.agentId ?? agentOf(turn.state, node, planNode),
    policies: [],
    rendered: failure.message,
    digest: digestQuestion(node, { code: failure.code, message: failure.message, attempt: node.attempts }),
    ...requestAgain(turn, node),
    facts: null,
  });
  emit(turn, "node.blocked", {
    ...about(node),
    waitingReason: "human_input",
    approvalId,
    errorCode: failure.code,
    errorMessage: failure.message,
  });
}

/** Returns the request of another attempt. */
function requestAgain(turn: Turn, node: NodeState): Pick<Question, "request" | "inputs"> {
  const planNode = planNodeOf(turn.state, node);
  const { forEach, repeat } = planNode;
  const isOne = (forEach === null && repeat === null) || node.instance !== null;
  const binding = isOne && isSent(planNode) ? bind(turn.state, node) : null;
  const request = binding?.kind === "bound" ? binding.request : null;
  return { request, inputs: request?.inputs ?? {} };
}

/** The limit on adapter calls applies regardless of retries, re-sends and people's decisions. */
export function tooManyCalls(node: NodeState): Failure {
  return { code: "too_many_calls", message: `${node.id} was sent ${node.calls} times, which is the limit` };
}
