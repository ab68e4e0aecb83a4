/** Failures that others wait for: handled once one of them has made up for it, and the end of the run if none does. */
import { required } from "../base/index.ts";
import { windDown } from "./ending.ts";
import { isMet, nodeAt, planNodeOf, toleratedBy } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";
import { about, emit, type Turn } from "./turn.ts";

export function judgeFailure(turn: Turn, { node: index, by, isOpen = false }: Turn["toJudge"][number]): void {
  const { state } = turn;
  const node = nodeAt(state, index);
  const { now } = node;
  if ((now.status !== "failed" && now.status !== "timed_out") || node.isHandled) return;
  const planNode = planNodeOf(state, node);
  const handler = by ?? handlerOf(state, node);
  if (handler !== undefined) {
    emit(turn, "node.handled", { ...about(node), by: handler });
    // What this node was to handle is left without a handler, and was waiting for its own.
    for (const parent of toleratedBy(planNode)) turn.toJudge.push({ node: parent });
    return;
  }
  const { onFailure, isFailFast } = planNode;
  if (isOpen || state.ending !== null || onFailure === "isolate" || isUndecided(state, node)) return;
  windDown(turn, { as: "failed", reason: `${node.id} failed`, errorCode: now.errorCode, failed: node, isFailFast });
}

/** Some of those that may make up for the failure are open, or have failed and may be made up for themselves. */
function isUndecided(state: RunState, failed: NodeState): boolean {
  if (failed.openTolerants > 0) return true;
  return planNodeOf(state, failed).tolerants.some((index) => {
    const { now, isHandled, openTolerants } = nodeAt(state, index);
    return isMet("failure", now.status) && !isHandled && openTolerants > 0;
  });
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
