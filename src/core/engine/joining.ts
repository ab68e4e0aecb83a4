/** Steps that start before all parents have ended: `join: any`, a number, `race`. */
import { isInFlight, isSettled } from "../event/index.ts";
import type { Join } from "../definition/index.ts";
import type { PlanNode } from "../plan/index.ts";
import { closeQuestion, stopAttempt } from "./ending.ts";
import { stopInstances } from "./instances.ts";
import { isMet, nodeAt } from "./move.ts";
import { decideOwnCondition, type Readiness } from "./readiness.ts";
import type { NodeState, RunState } from "./state.ts";
import { about, emit, settledWith, type Turn } from "./turn.ts";

/** Decides a join whose number is reached or cannot be reached any more. The counted parents are recorded before any other decision. */
export function decideJoin(turn: Turn, node: NodeState, planNode: PlanNode, join: Join): Readiness {
  if (node.metParents < join.count) return { kind: "skip", reason: reasonUnreached(planNode) };
  const counted = countedParents(turn.state, planNode, join.count);
  const ids = counted.map((index) => nodeAt(turn.state, index).id);
  emit(turn, "node.queued", { ...about(node), waitingReason: "queued", counted: ids });
  for (const parent of planNode.parents) {
    const isDoneWithout = planNode.outcomes.get(parent) !== "failure";
    if (isDoneWithout && isMet("failure", nodeAt(turn.state, parent).now.status)) {
      turn.toJudge.push({ node: parent, by: node.id });
    }
  }
  if (join.isRace) for (const parent of planNode.parents) loseRace(turn, nodeAt(turn.state, parent));
  return decideOwnCondition(turn.state, node, planNode);
}

/** A step that only handles failures is skipped with `no_failure`: it was not missing anything. */
function reasonUnreached({ outcomes, parents }: PlanNode): "no_failure" | "join_unreachable" {
  return parents.every((parent) => outcomes.get(parent) === "failure") ? "no_failure" : "join_unreachable";
}

/** Returns the counted parents: the first ones in the order in which they settled. */
function countedParents(state: RunState, { parents, outcomes }: PlanNode, count: number): readonly number[] {
  const met = parents.filter((parent) => isMet(outcomes.get(parent) ?? "success", nodeAt(state, parent).now.status));
  return met
    .map((parent) => ({ parent, eventId: settledWith(nodeAt(state, parent)) }))
    .sort((left, right) => left.eventId - right.eventId)
    .slice(0, count)
    .map(({ parent }) => parent);
}

const RACE_LOST = "race_lost";

/** Cancels the work of a parent that lost the race. A child run ends later. */
function loseRace(turn: Turn, node: NodeState): void {
  const { status } = node.now;
  if (isSettled(status)) return;
  closeQuestion(turn, node, RACE_LOST);
  const expansion = node.now.status === "running" && node.now.attempt === 0 ? node.expansion : null;
  if (expansion !== null) stopInstances(turn, expansion, RACE_LOST);
  else if (isInFlight(status)) stopAttempt(turn, node);
  emit(turn, "node.skipped", { ...about(node), reason: RACE_LOST });
}
