/** Winds a run down and decides its outcome. */
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
import { stopChild } from "./ending-child.ts";
import { startFinally } from "./finally.ts";
import { findNode, isMet, isWaitingForPlace, nodeAt, planNodeOf } from "./move.ts";
import { isHeld, releasePausedChildren } from "./pausing.ts";
import { outputsOf } from "./references.ts";
import { evaluateOutputs } from "./run-outputs.ts";
import type { NodeState, RunState } from "./state.ts";
import type { RunOutcome } from "./block-state.ts";
import { about, emit, perform, type Turn } from "./turn.ts";

export type WindDown = {
  /** A step written by the author ends the run. For a block, it ends the run that contains the block. */
  readonly isByStep?: true;
} & (
  | { readonly as: "cancelled" | "timed_out" | "completed"; readonly reason: string }
  | {
      readonly as: "failed";
      readonly reason: string;
      readonly errorCode: string;
      /** Waiting nodes below this node fail with it. Null when no node caused the failure. */
      readonly failed: NodeState | null;
      readonly isFailFast: boolean;
    }
);

export const UPSTREAM_FAILURE: Failure = { code: "upstream_failure", message: "Blocked by upstream failure" };

/**
 * Stops the run in this commit: nothing new is dispatched, waiting nodes are settled, and work in flight is cancelled
 * or, after a halt under `wait_all`, allowed to finish. Child runs are cancelled and drained.
 * Apart from start and end of the run, this is the only place that visits all nodes.
 */
export function windDown(turn: Turn, how: WindDown): void {
  const { state } = turn;
  const errorCode = how.as === "failed" ? { errorCode: how.errorCode, ...blamed(how.failed) } : {};
  const isOfOwner = how.isByStep === true && state.block !== null ? { isOfOwner: true as const } : {};
  emit(turn, "run.ending", { as: how.as, reason: how.reason, ...errorCode, ...isOfOwner });
  releasePausedChildren(turn);
  const below = how.as === "failed" && how.failed !== null ? descendantsOf(state, how.failed) : new Set<number>();
  for (let index = 0; index < state.nodes.length; index += 1) {
    const node = nodeAt(state, index);
    // Only an instance can stay invalidated, because its node may expand into fewer instances.
    if (isSettled(node.now.status) || node.now.status === "invalidated") continue;
    if (isInFlight(node.now.status)) stopInFlight(turn, node, how);
    else stopWaiting(turn, node, how, below.has(node.index));
  }
}

function blamed(failed: NodeState | null): { readonly failedNode?: string } {
  return failed === null ? {} : { failedNode: failed.id };
}

/** Returns the nodes that must fail with this node. A join that was reached does not depend on parents it did not count. */
function descendantsOf(state: RunState, failed: NodeState): ReadonlySet<number> {
  const below = new Set<number>();
  const open = [failed.planIndex];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const dependent of required(state.plan.nodes[next], "a dependent is a plan node").dependents) {
      const { counted } = nodeAt(state, dependent);
      if (below.has(dependent) || (counted !== null && !counted.has(next))) continue;
      below.add(dependent);
      open.push(dependent);
    }
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

/** Closes the open approval and the gate request of a node that is about to settle. */
export function closeQuestion(turn: Turn, node: NodeState, reason: string): void {
  const approval = approvalOf(turn, node);
  if (approval !== undefined) closeApproval(turn, approval, { status: "cancelled", reason });
  turn.state.asked.delete(node.index);
}

/** Returns the reason for cancelling a node that only waited for others. */
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

/** Reason for stopping work in flight, or work not yet begun, after the failure of another node. */
export const CANCELLED_BY_SIBLING = "cancelled_by_sibling";

/** Cancels work in flight. Returns true when a child run has to end first. */
export function stopAttempt(turn: Turn, node: NodeState): boolean {
  if (node.now.status !== "running" && node.now.status !== "streaming") return false;
  const { childRunId, attempt, segment } = node.now;
  if (childRunId !== null) {
    stopChild(turn, node.id, attempt, childRunId);
    return true;
  }
  perform(turn, {
    type: "cancel-dispatch",
    nodeId: node.id,
    attempt,
    dispatchId: dispatchIdOf({ runId: turn.state.runId, nodeId: node.id, attempt, segment }),
  });
  return false;
}

/** Ends the run when all plan nodes are settled and no child run is live (E19), or when it can never end by itself. */
export function finishIfDone(turn: Turn): void {
  const { state } = turn;
  if (state.startedAt === null && state.ending === null) return;
  if (isTerminal(state.status) || (isWaitingForPlace(state) && state.ending === null)) return;
  if (state.liveChildren.size > 0) return;
  if (state.unsettledNodes === 0) return finish(turn);
  if (isStalled(state)) stall(turn);
}

function isStalled({ counts, asked }: RunState): boolean {
  const alive = counts.queued + counts.running + counts.streaming + counts.retrying + counts.blocked + asked.size;
  return alive === 0;
}

/** An engine bug by definition. The run fails visibly instead of waiting for ever. */
function stall(turn: Turn): void {
  const reason = "no node is left that could continue";
  windDown(turn, { as: "failed", reason, errorCode: "workflow_stalled", failed: null, isFailFast: true });
  finish(turn);
}

/** Emits the status change as an event of its own, next to the event that gives the reason. */
function changeStatus(turn: Turn, to: RunStatus): void {
  const { status: from, epoch } = turn.state;
  emit(turn, "run.status.changed", { from, to, epoch });
}

/** Starts `finally` before the run ends. `finally` can only turn a completed run into a failed one. */
function finish(turn: Turn): void {
  const { state } = turn;
  const { plan, startedAt, finally: last } = state;
  const outcome = last?.outcome ?? decideOutcome(state);
  if (plan.finally === null || startedAt === null) return end(turn, outcome);
  if (last === null && isHeld(turn)) return;
  if (last === null) startFinally(turn, outcome);
  const { failure = null, isRunning = false } = state.finally ?? {};
  if (isRunning) return;
  end(turn, failure !== null && outcome.as === "completed" ? failedWith(failure) : outcome);
}

function decideOutcome(state: RunState): RunOutcome {
  const as = state.ending?.as ?? outcomeOf(state);
  const reason = state.ending?.reason ?? null;
  if (as === "failed") {
    return { as, reason, ...errorOf(state), outputs: null };
  }
  if (as === "timed_out") return { as, reason, errorCode: "timeout", errorMessage: null, outputs: null };
  const outputs = as === "completed" ? evaluateOutputs(state) : succeed(null);
  // All nodes completed, but the outputs of the run cannot be evaluated.
  if (!outputs.ok) return failedWith(outputs.failure);
  return { as, reason, errorCode: null, errorMessage: null, outputs: outputs.value };
}

function failedWith({ code, message }: Failure): RunOutcome {
  return { as: "failed", reason: message, errorCode: code, errorMessage: message, outputs: null };
}

function end(turn: Turn, { as, reason: why, errorCode, outputs }: RunOutcome): void {
  const { state } = turn;
  const facts = endFacts(state);
  const reason = why === null ? {} : { reason: why };
  const isRecovered = as === "completed" && state.isRecovering;
  if (isRecovered) changeStatus(turn, "recovered");
  changeStatus(turn, as);
  switch (as) {
    case "completed":
      if (isRecovered) emit(turn, "run.recovered", facts);
      emit(turn, "run.completed", { ...facts, ...reason, ...(outputs === null ? {} : { outputs }) });
      return;
    case "failed": {
      const code = errorCode ?? "workflow_stalled";
      emit(turn, "run.failed", { ...facts, ...reason, errorCode: code, snapshot: snapshotOf(state) });
      return;
    }
    case "cancelled":
      emit(turn, "run.cancelled", { ...facts, ...reason });
      return;
    case "timed_out":
      emit(turn, "run.timed_out", { ...facts, ...reason, errorCode: "timeout" });
  }
}

/** Decides from the nodes of the plan. Instances count through their node. */
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

/** Returns true for a failed node whose failure counts for the run. */
function isUnhandled({ now, isHandled }: NodeState): boolean {
  return isMet("failure", now.status) && !isHandled;
}

/** Returns the error of the node that ended the run, else of the first failed node that counts. */
function errorOf(state: RunState): Pick<RunOutcome, "errorCode" | "errorMessage"> {
  const { ending, nodes, haltedBy } = state;
  const code = ending?.errorCode ?? null;
  const named = haltedBy === null ? undefined : findNode(state, haltedBy);
  const node = named ?? nodes.find((each) => each.instance === null && isUnhandled(each) && hasCode(each, code));
  const { now } = node ?? {};
  if (now?.status === "failed" || now?.status === "timed_out") {
    return { errorCode: code ?? now.errorCode, errorMessage: now.errorMessage };
  }
  return { errorCode: code ?? "workflow_stalled", errorMessage: null };
}

function hasCode({ now }: NodeState, code: string | null): boolean {
  return code === null || ("errorCode" in now && now.errorCode === code);
}

function endFacts(state: RunState): { counts: Counts; costMicros: number; block?: string } {
  const { completed, failed, skipped, cancelled, timed_out: timedOut } = state.counts;
  const counts = { completed, failed, skipped, cancelled, timedOut };
  return { counts, costMicros: state.costMicros, ...(state.block === null ? {} : { block: state.block }) };
}

/** Returns the data a failed run keeps for a restart. Variables are rebuilt in plan order, regardless of the order nodes ended in. */
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
