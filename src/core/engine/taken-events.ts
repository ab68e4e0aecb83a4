/** Records which events the steps of a run have taken. A step takes each event once over all its rounds, also inside blocks. */
import { nodeAt, planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

/** Returns the node that represents all rounds of a step. */
function stepOf(state: RunState, node: NodeState): NodeState {
  const isRound = node.instance !== null && planNodeOf(state, node).repeat !== null;
  return isRound ? nodeAt(state, node.instance.parent) : node;
}

/** `taken`: the id of an event or, for a node that runs a block, `step id` of a step inside it. */
export function takeEvent(state: RunState, node: NodeState, taken: string): void {
  node.takenEvents.add(taken);
  stepOf(state, node).takenEvents.add(taken);
}

export function hasTaken(state: RunState, node: NodeState, id: string): boolean {
  const step = stepOf(state, node);
  return step.takenEvents.has(id) || state.takenBefore.has(`${step.id} ${id}`);
}

/** Returns the events taken by the steps of this block run: `step id`, or `block/step id` for nested blocks. */
export function eventsTakenByBlock(state: RunState): readonly string[] {
  return state.nodes.flatMap((node) => (stepOf(state, node) === node ? eventsTakenByNode(state, node) : []));
}

/** Returns the events taken by one node. Events of a round are listed under its step. */
export function eventsTakenByNode(state: RunState, node: NodeState): readonly string[] {
  if (node.takenEvents.size === 0) return [];
  const { id } = stepOf(state, node);
  const isWait = planNodeOf(state, node).kind === "wait";
  return [...node.takenEvents].map((taken) => `${id}${isWait ? " " : "/"}${taken}`);
}

/** Returns the events that a new run of a block must not take again: those taken in earlier rounds and attempts. */
export function takenForBlock(state: RunState, node: NodeState): readonly string[] {
  const step = stepOf(state, node);
  const inside = `${step.id}/`;
  const earlier = [...state.takenBefore].filter((taken) => taken.startsWith(inside));
  return [...earlier.map((taken) => taken.slice(inside.length)), ...step.takenEvents];
}
