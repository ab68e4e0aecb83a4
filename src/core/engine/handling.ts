/** Failures that others wait for: handled once one of them has made up for it, and the end of the run if none does. */
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
    return judgeLeft(turn, node);
  }
  if (isOpen || state.ending !== null || isUndecided(state, node)) return;
  if (planNodeOf(state, node).onFailure === "isolate") return judgeLeft(turn, node);
  haltFor(turn, node);
}

/** Ends the run for the failure of a node; when that was the last that could have made up for another, for that one. */
export function haltFor(turn: Turn, node: NodeState): void {
  const failed = originalOf(turn.state, node);
  if (failed.now.status !== "failed" && failed.now.status !== "timed_out") return;
  const { isFailFast } = planNodeOf(turn.state, node);
  const { errorCode } = failed.now;
  windDown(turn, { as: "failed", reason: `${failed.id} failed`, errorCode, failed, isFailFast });
}

/** The failure a handler was for, once none is left that could handle it; of several, the earliest. */
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
 * What the node was to handle is left without it, and was waiting for what becomes of its failure. A failure on the way
 * that does not end the run leaves others in turn; each is looked at once, however many ways lead to it.
 */
function judgeLeft(turn: Turn, node: NodeState): void {
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

/** Some of those that may make up for the failure are open, or have failed and may be made up for themselves. */
function isUndecided(state: RunState, failed: NodeState): boolean {
  const seen = new Set([failed]);
  for (const each of seen) {
    if (each.openTolerants > 0) return true;
    for (const index of planNodeOf(state, each).tolerants) {
      const tolerant = nodeAt(state, index);
      if (isOpenFailure(tolerant)) seen.add(tolerant);
    }
  }
  return false;
}

/** A handler that has completed, or a step that was reached without it. */
function handlerOf(state: RunState, failed: NodeState): string | undefined {
  const { tolerants } = planNodeOf(state, failed);
  const found = tolerants.find((index) => {
    const { now, counted } = nodeAt(state, index);
    const { outcomes, join } = required(state.plan.nodes[index], "a dependent is a plan node");
    if (outcomes.get(failed.index) === "failure") return now.status === "completed";
    return join !== null && counted !== null;
  });
  return found === undefined ? undefined : nodeAt(state, found).id;
}
