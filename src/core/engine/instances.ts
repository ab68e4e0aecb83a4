/** `for_each`: a node becomes one instance per element, and settles when they have. */
import { isJsonArray, type Json, LIMITS, required, sameJson } from "../base/index.ts";
import { isSettled } from "../event/index.ts";
import type { ForEachPlan } from "../plan/index.ts";
import { instanceId } from "./create-state.ts";
import { cancelReason } from "./ending.ts";
import { failNode } from "./failing.ts";
import { nodeAt, planNodeOf } from "./move.ts";
import { decideInstance } from "./readiness.ts";
import { findValue } from "./references.ts";
import { completeNode, dataResult, skipNode } from "./settle.ts";
import type { Expansion, NodeState } from "./state.ts";
import { about, emit, type Turn } from "./turn.ts";

export function expandNode(turn: Turn, node: NodeState, forEach: ForEachPlan): void {
  const { state } = turn;
  const list = findValue(state, node, forEach.list);
  if (list.kind !== "value" || !isJsonArray(list.value)) {
    return failNode(turn, node, { code: "expression_error", message: `for_each: ${forEach.list.text} is not a list` });
  }
  const items = list.value;
  const isTooMany = items.length > forEach.maxItems;
  if (isTooMany || state.nodes.length + items.length > LIMITS.nodesMax) {
    const limit = isTooMany ? `max_items is ${forEach.maxItems}` : `a run may have ${LIMITS.nodesMax} nodes`;
    const message = `for_each: ${forEach.list.text} has ${items.length} elements, ${limit}`;
    return failNode(turn, node, { code: "too_many_items", message });
  }
  invalidateOthers(turn, node, items);
  const instanceIds = items.map((_, element) => instanceId(node.id, element));
  emit(turn, "node.expanded", { ...about(node), count: items.length, instanceIds, items: [...items] });
  turn.toCollect.push(node.index);
}

/** Of instances that are there from before, settled ones with the same element stay. */
function invalidateOthers(turn: Turn, node: NodeState, items: readonly Json[]): void {
  for (const index of node.expansion?.members ?? []) {
    const instance = nodeAt(turn.state, index);
    const { element, item } = required(instance.instance, "a member is an instance");
    const same = items[element];
    if (same === undefined || !sameJson(same, item)) invalidate(turn, instance);
  }
}

/** Before a node expands anew by choice: whatever did not complete runs again. */
export function redoInstances(turn: Turn, node: NodeState): void {
  for (const index of node.expansion?.members ?? []) {
    const instance = nodeAt(turn.state, index);
    if (instance.now.status !== "completed") invalidate(turn, instance);
  }
}

function invalidate(turn: Turn, instance: NodeState): void {
  if (!isSettled(instance.now.status)) return;
  emit(turn, "node.invalidated", { ...about(instance), reason: "expanded_again" });
}

/** Begins further instances as places free up, and settles the node when the last one has settled. */
export function collectInstances(turn: Turn, node: NodeState): void {
  const { expansion } = node;
  if (expansion === null || node.now.status !== "running" || node.now.attempt !== 0) return;
  if (turn.state.ending === null) beginInstances(turn, node, expansion);
  if (expansion.settled === expansion.members.length) settleExpanded(turn, node, expansion);
}

function beginInstances(turn: Turn, node: NodeState, expansion: Expansion): void {
  const { forEach } = planNodeOf(turn.state, node);
  const places = required(forEach, "an expanded node has for_each").maxParallel ?? turn.state.plan.maxParallel;
  while (expansion.active < places && expansion.next < expansion.members.length) {
    const instance = nodeAt(turn.state, required(expansion.members[expansion.next], "a member"));
    expansion.next += 1;
    if (instance.now.status === "pending") beginInstance(turn, instance);
  }
}

/** A condition that reads the element decides about its instance alone. */
function beginInstance(turn: Turn, instance: NodeState): void {
  const readiness = decideInstance(turn.state, instance);
  switch (readiness.kind) {
    case "run":
      emit(turn, "node.queued", { ...about(instance), waitingReason: "queued" });
      return;
    case "skip":
      return skipNode(turn, instance, readiness.reason);
    case "expression_error":
      return failNode(turn, instance, { code: "expression_error", message: readiness.message });
  }
}

function settleExpanded(turn: Turn, node: NodeState, expansion: Expansion): void {
  const { state } = turn;
  const { forEach } = planNodeOf(state, node);
  const { tolerate } = required(forEach, "an expanded node has for_each");
  const count = expansion.members.length;
  const { failed, cancelled } = expansion;
  if (cancelled > 0) {
    emit(turn, "node.cancelled", { ...about(node), reason: cancelReason(state) });
    return;
  }
  const tolerated = "count" in tolerate ? tolerate.count : Math.floor((tolerate.percent * count) / 100);
  if (failed > tolerated) {
    const message = `${failed} of ${count} elements failed, ${tolerated} may`;
    return failNode(turn, node, { code: "too_many_failures", message });
  }
  const items = expansion.members.map((index) => resultOf(nodeAt(state, index)));
  completeNode(turn, node, dataResult({ items, count, failed }));
}

/** Declared outputs, or the text when there are none; null for a tolerated failure and for a skipped element. */
function resultOf(instance: NodeState): Json {
  if (instance.now.status !== "completed") return null;
  const { outputs, envelope } = instance.now;
  return Object.keys(outputs).length > 0 ? outputs : envelope.output;
}
