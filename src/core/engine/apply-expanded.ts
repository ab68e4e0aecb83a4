/** Turns a node into instances: all elements of a list at once, or rounds one by one. */
import { type Json, required } from "../base/index.ts";
import { type EventOf, isSettled, type SettledStatus } from "../event/index.ts";
import { createInstance, instanceId } from "./create-state.ts";
import { findNode, moveNode, nodeAt } from "./move.ts";
import type { Expansion, NodeState, Running, RunState } from "./state.ts";

/** Settled instances stay. All other instances start over. */
export function applyExpanded(state: RunState, node: NodeState, { payload, at }: EventOf<"node.expanded">): void {
  const expansion: Expansion = { members: [], settled: 0, failed: 0, cancelled: 0, active: 0, next: 0 };
  node.expansion = expansion;
  payload.items.forEach((item, element) => {
    const instance = findNode(state, instanceId(node.id, element)) ?? addInstance(state, node, element, item);
    expansion.members.push(instance.index);
    if (isSettled(instance.now.status)) {
      countKept(expansion, instance.now.status);
      if (payload.isRepeated === true) keepTaken(node, instance);
    } else restartInstance(state, instance, item);
  });
  moveNode(state, node, { ...IDLE_RUNNING, startedAt: at });
  node.firstStartedAt ??= at;
  for (const index of expansion.members) settleCarried(state, nodeAt(state, index));
}

/** Marks the events of a kept round as taken. Events of an invalidated round may be taken again. */
function keepTaken(node: NodeState, round: NodeState): void {
  for (const taken of round.takenEvents) node.takenEvents.add(taken);
}

export function applyRound(state: RunState, node: NodeState, { payload }: EventOf<"node.round">): void {
  const { round, instanceId: id } = payload;
  const instance = findNode(state, id) ?? addInstance(state, node, round, round);
  required(node.expansion, "a repeated node has a first round").members.push(instance.index);
  restartInstance(state, instance, round);
}

function countKept(expansion: Expansion, status: SettledStatus): void {
  expansion.settled += 1;
  if (status === "failed" || status === "timed_out") expansion.failed += 1;
  if (status === "cancelled") expansion.cancelled += 1;
}

function addInstance(state: RunState, node: NodeState, element: number, item: Json): NodeState {
  const instance = createInstance(state, node, element, item);
  instance.turn = state.carriedTurns.get(instance.id) ?? null;
  state.carriedTurns.delete(instance.id);
  state.nodes.push(instance);
  state.instanceIndexById.set(instance.id, instance.index);
  state.counts.pending += 1;
  return instance;
}

function restartInstance(state: RunState, instance: NodeState, item: Json): void {
  required(instance.instance, "an instance has an element").item = item;
  moveNode(state, instance, { status: "pending" });
}

const IDLE_RUNNING: Omit<Running, "startedAt"> = {
  status: "running",
  attempt: 0,
  segment: 0,
  route: null,
  isDeferred: false,
  deltaBase: 0,
  childRunId: null,
  block: null,
  sourceRunId: null,
};

function settleCarried(state: RunState, instance: NodeState): void {
  const carried = state.carriedInstances.get(instance.id);
  if (carried === undefined || instance.now.status !== "pending") return;
  state.carriedInstances.delete(instance.id);
  moveNode(state, instance, { status: "completed", ...carried, durationMs: 0, isCarried: true });
}
