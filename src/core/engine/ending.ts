/** How a run winds down and what it ends as. */
import { type Failure, type JsonObject, required, succeed } from "../base/index.ts";
import {
  type Counts,
  isInFlight,
  isSettled,
  isTerminal,
  type NodeStatus,
  type RunStatus,
  type Snapshot,
  dispatchIdOf,
} from "../event/index.ts";
import { approvalOf, closeApproval } from "./approvals.ts";
import { isMet, nodeAt, planNodeOf } from "./move.ts";
import { outputsOf } from "./references.ts";
import { evaluateOutputs } from "./run-outputs.ts";
import type { NodeState, RunState } from "./state.ts";
import { about, emit, perform, setTimer, type Turn } from "./turn.ts";

export type WindDown =
  | { readonly as: "cancelled" | "timed_out" | "completed"; readonly reason: string }
  | {
      readonly as: "failed";
      readonly reason: string;
      readonly errorCode: string;
      /** What waits below it fails with it; null: no node is to blame. */
      readonly failed: NodeState | null;
      readonly isFailFast: boolean;
    };

export const UPSTREAM_FAILURE: Failure = { code: "upstream_failure", message: "Blocked by upstream failure" };

/**
 * Stops the run in this very commit: nothing new is dispatched, everything that waits is settled, and what is in
 * flight is cancelled or, after a halt under `wait_all`, left to end. Child runs are cancelled and drained.
 * The one sweep over all nodes in the life of a run, besides its start and its end.
 */
export function windDown(turn: Turn, how: WindDown): void {
  const { state } = turn;
  const errorCode = how.as === "failed" ? { errorCode: how.errorCode } : {};
  emit(turn, "run.ending", { as: how.as, reason: how.reason, ...errorCode });
  const below = how.as === "failed" && how.failed !== null ? descendantsOf(state, how.failed) : new Set<number>();
  for (let index = 0; index < state.nodes.length; index += 1) {
    const node = nodeAt(state, index);
    // Only an instance can stay invalidated: its node may expand into fewer.
    if (isSettled(node.now.status) || node.now.status === "invalidated") continue;
    if (isInFlight(node.now.status)) stopInFlight(turn, node, how);
    else stopWaiting(turn, node, how, below.has(node.index));
  }
}

function descendantsOf(state: RunState, failed: NodeState): ReadonlySet<number> {
  const below = new Set<number>();
  const open = [...planNodeOf(state, failed).dependents];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (below.has(next)) continue;
    below.add(next);
    open.push(...required(state.plan.nodes[next], "a dependent is a plan node").dependents);
  }
  return below;
}

function stopWaiting(turn: Turn, node: NodeState, how: WindDown, isBelow: boolean): void {
  closeQuestion(turn, node, how.reason);
  if (isBelow) {
    const { code, message } = UPSTREAM_FAILURE;
    emit(turn, "node.failed", { ...about(node), errorCode: code, errorMessage: message, retryable: false });
  } else emit(turn, "node.cancelled", { ...about(node), reason: CANCEL_REASONS[how.as] });
}

/** For a node that is about to settle neither a person nor the gates are asked any more. */
export function closeQuestion(turn: Turn, node: NodeState, reason: string): void {
  const approval = approvalOf(turn, node);
  if (approval !== undefined) closeApproval(turn, approval, { status: "cancelled", reason });
  turn.state.asked.delete(node.index);
}

/** Why a node that could only wait for others was cancelled. */
export function cancelReason({ ending }: RunState): string {
  return CANCEL_REASONS[ending?.as ?? "failed"];
}

const CANCEL_REASONS = {
  cancelled: "run_cancelled",
  timed_out: "run_timed_out",
  failed: "run_halted",
  completed: "run_completed",
} as const;

function stopInFlight(turn: Turn, node: NodeState, how: WindDown): void {
  if (how.as === "failed" && !how.isFailFast) return;
  // A `for_each` node settles after its instances, a child-run node after its child.
  if (node.expansion !== null && node.now.status === "running" && node.now.attempt === 0) return;
  const isDraining = stopAttempt(turn, node);
  if (isDraining) return;
  const isSiblingsFault = how.as === "failed" && how.failed !== null;
  const reason = isSiblingsFault ? CANCELLED_BY_SIBLING : CANCEL_REASONS[how.as];
  emit(turn, "node.cancelled", { ...about(node), reason });
}

/** Why what was in flight, or was to run beside it, was stopped by the failure of another. */
export const CANCELLED_BY_SIBLING = "cancelled_by_sibling";

/** A child that was not called off by then is called off again. */
const CANCELLED_WITHIN_MS = 3_000;

/** Calls off what is in flight; true when a child run has to end first. */
export function stopAttempt(turn: Turn, node: NodeState): boolean {
  if (node.now.status !== "running" && node.now.status !== "streaming") return false;
  const { childRunId, attempt } = node.now;
  if (childRunId !== null) {
    perform(turn, { type: "cancel-child", nodeId: node.id, attempt, childRunId });
    setTimer(turn, { kind: "child-cancel", nodeId: node.id, attempt, childRunId }, turn.at + CANCELLED_WITHIN_MS);
    return true;
  }
  perform(turn, {
    type: "cancel-dispatch",
    nodeId: node.id,
    attempt,
    dispatchId: dispatchIdOf({ runId: turn.state.runId, nodeId: node.id, attempt }),
  });
  return false;
}

/** Ends the run once no plan node is unsettled and no child run lives (E19), or says that it can never end. */
export function finishIfDone(turn: Turn): void {
  const { state } = turn;
  if (state.startedAt === null && state.ending === null) return;
  if (isTerminal(state.status)) return;
  if (state.liveChildren.size > 0) return;
  if (state.unsettledNodes === 0) return finish(turn);
  if (isStalled(state)) stall(turn);
}

function isStalled({ counts, asked, place, ending }: RunState): boolean {
  if (place?.standing === "waiting" && ending === null) return false;
  const alive = counts.queued + counts.running + counts.streaming + counts.retrying + counts.blocked + asked.size;
  return alive === 0;
}

/** An engine bug by definition; the run says so instead of waiting for ever. */
function stall(turn: Turn): void {
  for (const node of turn.state.nodes) {
    if (!isSettled(node.now.status)) emit(turn, "node.cancelled", { ...about(node), reason: "workflow_stalled" });
  }
  const facts = endFacts(turn.state);
  changeStatus(turn, "failed");
  emit(turn, "run.failed", { ...facts, errorCode: "workflow_stalled", snapshot: snapshotOf(turn.state) });
}

/** Every change of the run's status is a fact of its own, beside the event that says why. */
function changeStatus(turn: Turn, to: RunStatus): void {
  const { status: from, epoch } = turn.state;
  emit(turn, "run.status.changed", { from, to, epoch });
}

function finish(turn: Turn): void {
  const { state } = turn;
  const facts = endFacts(state);
  const outcome = state.ending?.as ?? outcomeOf(state);
  const reason = state.ending === null ? {} : { reason: state.ending.reason };
  const outputs = outcome === "completed" ? evaluateOutputs(state) : succeed(null);
  if (!outputs.ok) return failOutputs(turn, outputs.failure);
  const isRecovered = outcome === "completed" && state.isRecovering;
  if (isRecovered) changeStatus(turn, "recovered");
  changeStatus(turn, outcome);
  switch (outcome) {
    case "completed":
      if (isRecovered) emit(turn, "run.recovered", facts);
      emit(turn, "run.completed", {
        ...facts,
        ...reason,
        ...(outputs.value === null ? {} : { outputs: outputs.value }),
      });
      return;
    case "failed":
      emit(turn, "run.failed", { ...facts, ...reason, errorCode: errorCodeOf(state), snapshot: snapshotOf(state) });
      return;
    case "cancelled":
      emit(turn, "run.cancelled", { ...facts, ...reason });
      return;
    case "timed_out":
      emit(turn, "run.timed_out", { ...facts, ...reason, errorCode: "timeout" });
  }
}

/** Every node is well, and yet there is nothing to hand over. */
function failOutputs(turn: Turn, { code, message }: Failure): void {
  const facts = endFacts(turn.state);
  changeStatus(turn, "failed");
  emit(turn, "run.failed", { ...facts, reason: message, errorCode: code, snapshot: snapshotOf(turn.state) });
}

/** Looks at the nodes of the plan; instances count through their node. */
export function outcomeOf(state: RunState): "completed" | "failed" | "cancelled" {
  const planNodes = state.nodes.slice(0, state.plan.nodes.length);
  const hasFailed = planNodes.some(isUnhandled);
  const hasCancelled = planNodes.some(({ now }) => now.status === "cancelled");
  if (state.plan.completion === "strict") {
    if (hasFailed) return "failed";
    return hasCancelled ? "cancelled" : "completed";
  }
  const leaves = planNodes.filter((node) => planNodeOf(state, node).dependents.length === 0);
  if (leaves.every((node) => node.now.status === "completed" || node.now.status === "skipped")) return "completed";
  return hasCancelled && !hasFailed ? "cancelled" : "failed";
}

/** Failed, and it counts for the run. */
function isUnhandled({ now, isHandled }: NodeState): boolean {
  return isMet("failure", now.status) && !isHandled;
}

function errorCodeOf(state: RunState): string {
  const ending = state.ending?.errorCode ?? null;
  if (ending !== null) return ending;
  for (const node of state.nodes) {
    const { now } = node;
    if (node.instance !== null || node.isHandled) continue;
    if (now.status === "failed" || now.status === "timed_out") return now.errorCode;
  }
  return "workflow_stalled";
}

function endFacts(state: RunState): { counts: Counts; costMicros: number } {
  const { completed, failed, skipped, cancelled, timed_out: timedOut } = state.counts;
  return { counts: { completed, failed, skipped, cancelled, timedOut }, costMicros: state.costMicros };
}

/** What a failed run leaves for a restart: variables rebuilt in plan order, whatever order nodes ended in. */
export function snapshotOf(state: RunState): Snapshot {
  const ids = (status: NodeStatus) => state.nodes.filter((node) => node.now.status === status).map((node) => node.id);
  const variables = new Map(Object.entries(state.args));
  const variableOverwriteOrder: string[] = [];
  const accumulatedOutputs: [string, JsonObject][] = [];
  for (const node of state.nodes) {
    const outputs = outputsOf(node);
    if (Object.keys(outputs).length === 0 || node.instance !== null) continue;
    accumulatedOutputs.push([node.id, outputs]);
    const { body, work } = planNodeOf(state, node);
    const declared = body.kind === "step" ? Object.keys(work?.kind === "set" ? body.with : (body.outputs ?? {})) : [];
    const written = declared.filter((name) => Object.hasOwn(outputs, name));
    for (const name of written) variables.set(name, required(outputs[name], "an own output"));
    if (written.length > 0) variableOverwriteOrder.push(node.id);
  }
  return {
    eventId: state.lastEventId,
    completed: ids("completed"),
    skipped: ids("skipped"),
    cancelled: ids("cancelled"),
    variables: Object.fromEntries(variables),
    variableOverwriteOrder,
    accumulatedOutputs: Object.fromEntries(accumulatedOutputs),
  };
}
