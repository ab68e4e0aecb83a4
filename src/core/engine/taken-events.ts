/** Which events the steps of a run have taken: each one once over all its rounds, also where a round is a block. */
import { nodeAt, planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

/** The node that stands for all rounds of a step. */
function stepOf(state: RunState, node: NodeState): NodeState {
  const isRound = node.instance !== null && planNodeOf(state, node).repeat !== null;
  return isRound ? nodeAt(state, node.instance.parent) : node;
}

/** `taken`: the id of an event, or for a node that runs a block, `step id` of a step inside. */
export function takeEvent(state: RunState, node: NodeState, taken: string): void {
  node.takenEvents.add(taken);
  stepOf(state, node).takenEvents.add(taken);
}

export function hasTaken(state: RunState, node: NodeState, id: string): boolean {
  const step = stepOf(state, node);
  return step.takenEvents.has(id) || state.takenBefore.has(`${step.id} ${id}`);
}

/** What the steps of a block have taken in this run of it: `step id`, or `block/step id` from further inside. */
export function takenIn(state: RunState): readonly string[] {
  return state.nodes.flatMap((node) => (stepOf(state, node) === node ? takenBy(state, node) : []));
}

/** The same of one node; what a round has taken is said of its step. */
export function takenBy(state: RunState, node: NodeState): readonly string[] {
  if (node.takenEvents.size === 0) return [];
  const { id } = stepOf(state, node);
  const isWait = planNodeOf(state, node).kind === "wait";
  return [...node.takenEvents].map((taken) => `${id}${isWait ? " " : "/"}${taken}`);
}

/** The same for a run of a block that is about to start: what was taken in rounds and attempts before it. */
export function takenForBlock(state: RunState, node: NodeState): readonly string[] {
  const step = stepOf(state, node);
  const inside = `${step.id}/`;
  const earlier = [...state.takenBefore].filter((taken) => taken.startsWith(inside));
  return [...earlier.map((taken) => taken.slice(inside.length)), ...step.takenEvents];
}
