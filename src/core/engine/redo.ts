/** Which nodes run again, and which results are kept, when a run is restarted, branched or recovered. */
import { required } from "../base/index.ts";
import type { Carried } from "./input.ts";
import { findNode, nodeAt, planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

/** Failed, timed out and cancelled nodes, or the named one, with everything below them. */
export function nodesToRedo(state: RunState, fromNode?: string): ReadonlySet<number> {
  const open: number[] = [];
  for (const planNode of state.plan.nodes) {
    const { status } = nodeAt(state, planNode.index).now;
    if (status !== "completed" && status !== "skipped") open.push(planNode.index);
  }
  const named = fromNode === undefined ? undefined : findNode(state, fromNode);
  if (named !== undefined) open.push(named.planIndex);
  const redo = new Set<number>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (redo.has(next)) continue;
    redo.add(next);
    open.push(...required(state.plan.nodes[next], "a plan node").dependents);
  }
  return redo;
}

/** What a restarted run keeps of this one. */
export function restartFrom(state: RunState, fromNode?: string): readonly Carried[] {
  return keep(state, nodesToRedo(state, fromNode));
}

/** What a run branched from this state keeps of it: all that has settled well. */
export function branchFrom(state: RunState): readonly Carried[] {
  const unsettled = state.plan.nodes.filter(({ index }) => carriedOf(nodeAt(state, index)).length === 0);
  return keep(state, new Set(unsettled.map(({ index }) => index)));
}

function keep(state: RunState, redo: ReadonlySet<number>): readonly Carried[] {
  return state.nodes.flatMap((node) => (isKept(state, node, redo) ? carriedOf(node) : []));
}

/** An instance is kept when its node did not complete and runs again with the very list it had. */
function isKept(state: RunState, node: NodeState, redo: ReadonlySet<number>): boolean {
  if (node.instance === null) return !redo.has(node.planIndex);
  const { parents } = planNodeOf(state, node);
  const isDone = nodeAt(state, node.planIndex).now.status === "completed";
  return !isDone && redo.has(node.planIndex) && parents.every((parent) => !redo.has(parent));
}

function carriedOf({ id: nodeId, now }: NodeState): readonly Carried[] {
  if (now.status === "completed") {
    return [{ nodeId, status: "completed", outputs: now.outputs, envelope: now.envelope }];
  }
  return now.status === "skipped" ? [{ nodeId, status: "skipped", reason: now.reason }] : [];
}
