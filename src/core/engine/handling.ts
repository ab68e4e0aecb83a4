/** Failures that have handlers. One handler that makes up for a failure is enough; without any, the run ends. */
import { required } from "../base/index.ts";
import { windDown } from "./ending.ts";
import { isMet, nodeAt, planNodeOf, toleratedBy } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";
import { about, emit, settledWith, type Turn } from "./turn.ts";

export function judgeFailure(turn: Turn, { node: index, by, isOpen = false }: Turn["toJudge"][number]): void {
  const { state } = turn;
  const node = nodeAt(state, index);
  const { now } = node;
  if ((now.status !== "failed" && now.status !== "timed_out") || node.isHandled) return;
  const handler = by ?? handlerOf(state, node);
  if (handler !== undefined) {
    emit(turn, "node.handled", { ...about(node), by: handler });
    return judgeFailuresAbove(turn, node);
  }
  if (isOpen || state.ending !== null || isUndecided(state, node)) return;
  if (planNodeOf(state, node).onFailure === "isolate") return judgeFailuresAbove(turn, node);
  haltFor(turn, node);
}

/** Ends the run because of a failed node. When the node was the last possible handler of another failure, the run ends for that one. */
export function haltFor(turn: Turn, node: NodeState): void {
  const failed = originalOf(turn.state, node);
  if (failed.now.status !== "failed" && failed.now.status !== "timed_out") return;
  const { isFailFast } = planNodeOf(turn.state, node);
  const { errorCode } = failed.now;
  windDown(turn, { as: "failed", reason: `${failed.id} failed`, errorCode, failed, isFailFast });
}

/** Returns the failure the node should have handled, when no other handler is left for it. Of several, the earliest. */
function originalOf(state: RunState, node: NodeState): NodeState {
  let original = node;
  for (const [index, outcome] of planNodeOf(state, node).outcomes) {
    const parent = nodeAt(state, index);
    if (outcome !== "failure" || !isOpenFailure(parent) || isUndecided(state, parent)) continue;
    const above = originalOf(state, parent);
    if (settledWith(above) < settledWith(original)) original = above;
  }
  return original;
}

/**
 * Judges again the failures that this node could have handled, since they waited for the result of its own failure.
 * When such a failure is isolated, the failures above it are judged too, each once, however many paths lead to it.
 */
function judgeFailuresAbove(turn: Turn, node: NodeState): void {
  const { state } = turn;
  const above = new Set([node]);
  for (const each of above) {
    for (const index of toleratedBy(planNodeOf(state, each))) {
      const parent = nodeAt(state, index);
      const isPassedBy = planNodeOf(state, parent).onFailure === "isolate" && isOpenFailure(parent);
      if (!isPassedBy) turn.toJudge.push({ node: index });
      else if (!isUndecided(state, parent)) above.add(parent);
    }
  }
}

function isOpenFailure({ now, isHandled }: NodeState): boolean {
  return isMet("failure", now.status) && !isHandled;
}

/** Returns true while a possible handler is still open, or has failed and may itself be handled. */
function isUndecided(state: RunState, failed: NodeState): boolean {
  const seen = new Set([failed]);
  for (const each of seen) {
    if (each.openTolerants > 0) return true;
    for (const index of planNodeOf(state, each).tolerantDependents) {
      const tolerant = nodeAt(state, index);
      if (isOpenFailure(tolerant)) seen.add(tolerant);
    }
  }
  return false;
}

/** Returns a handler that has completed, or a join that was reached without the failed node. */
function handlerOf(state: RunState, failed: NodeState): string | undefined {
  const { tolerantDependents } = planNodeOf(state, failed);
  const found = tolerantDependents.find((index) => {
    const { now, counted } = nodeAt(state, index);
    const { outcomes, join } = required(state.plan.nodes[index], "a dependent is a plan node");
    if (outcomes.get(failed.index) === "failure") return now.status === "completed";
    return join !== null && counted !== null;
  });
  return found === undefined ? undefined : nodeAt(state, found).id;
}
