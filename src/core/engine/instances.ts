/** `for_each`: a node becomes one instance per element, and settles when all instances have settled. */
import { type Failure, isJsonArray, type Json, LIMITS, type Outcome, required, sameJson } from "../base/index.ts";
import { isInFlight, isSettled } from "../event/index.ts";
import type { ForEachPlan } from "../plan/index.ts";
import { sceneInside } from "./blocks.ts";
import { instanceId } from "./create-state.ts";
import { CANCELLED_BY_SIBLING, cancelReason, closeQuestion, stopAttempt } from "./ending.ts";
import { failNode } from "./failing.ts";
import { nodeAt, planNodeOf } from "./move.ts";
import { decideInstance } from "./readiness.ts";
import { collectRounds } from "./rounds.ts";
import { completeNode, dataResult, skipNode } from "./settle.ts";
import type { Expansion, NodeState, RunState } from "./state.ts";
import { about, emit, type Turn } from "./turn.ts";
import { notAList, readList, sceneOf } from "./value.ts";

export function expandNode(turn: Turn, node: NodeState, forEach: ForEachPlan): void {
  const { state } = turn;
  const list = listOf(state, node, forEach);
  if (!list.ok) return failNode(turn, node, list.failure);
  if (!isJsonArray(list.value)) {
    return failNode(turn, node, { code: "expression_error", message: notAList(forEach.list) });
  }
  const items = list.value;
  const instanceIds = items.map((_, element) => instanceId(node.id, element));
  const limit = limitPassed(state, forEach, instanceIds);
  if (limit !== null) {
    const message = `for_each: ${forEach.list.text} has ${items.length} elements, ${limit}`;
    return failNode(turn, node, { code: "too_many_items", message });
  }
  invalidateOthers(turn, node, items);
  emit(turn, "node.expanded", { ...about(node), count: items.length, instanceIds, items: [...items] });
  turn.toCollect.push(node.index);
}

function listOf(state: RunState, node: NodeState, { list }: ForEachPlan): Outcome<Json, Failure> {
  const planNode = planNodeOf(state, node);
  const { body } = planNode;
  if (body.kind === "step") return readList(sceneOf(state, node, body), list);
  const inside = sceneInside(state, node, planNode, body);
  return inside.ok ? readList(inside.value.scene, list) : inside;
}

/** Instances that exist already and are used again are not counted twice. */
function limitPassed(state: RunState, { maxItems }: ForEachPlan, instanceIds: readonly string[]): string | null {
  if (instanceIds.length > maxItems) return `max_items is ${maxItems}`;
  const { instanceIndexById } = state;
  const added = instanceIds.filter((id) => !instanceIndexById.has(id)).length;
  if (instanceIndexById.size + added <= LIMITS.instancesPerRunMax) return null;
  return `the run has ${instanceIndexById.size} instances already and may have ${LIMITS.instancesPerRunMax}`;
}

/** Of the existing instances, settled ones with the same element stay. The others are invalidated. */
function invalidateOthers(turn: Turn, node: NodeState, items: readonly Json[]): void {
  for (const index of node.expansion?.members ?? []) {
    const instance = nodeAt(turn.state, index);
    const { element, item } = required(instance.instance, "a member is an instance");
    const same = items[element];
    if (same === undefined || !sameJson(same, item)) invalidate(turn, instance);
  }
}

/**
 * Prepares a node for a new expansion: instances that did not complete run again. Rounds whose inputs will change
 * (`areStale`) run again too. Elements are compared later, when the new list is known.
 */
export function redoInstances(turn: Turn, node: NodeState, areStale = false): void {
  const isAll = areStale && planNodeOf(turn.state, node).repeat !== null;
  for (const index of node.expansion?.members ?? []) {
    const instance = nodeAt(turn.state, index);
    if (isAll || instance.now.status !== "completed") invalidate(turn, instance);
  }
}

function invalidate(turn: Turn, instance: NodeState): void {
  if (!isSettled(instance.now.status)) return;
  emit(turn, "node.invalidated", { ...about(instance), reason: "expanded_again" });
}

/**
 * Begins further instances as places become free, and settles the node after the last instance. Once the node can only
 * fail, no instance begins and running ones are cancelled, because they would cost money without any use.
 */
export function collectInstances(turn: Turn, node: NodeState): void {
  const { expansion } = node;
  if (expansion === null || node.now.status !== "running" || node.now.attempt !== 0) return;
  const { repeat } = planNodeOf(turn.state, node);
  if (repeat !== null) return collectRounds(turn, node, repeat, expansion);
  if (hasFailedInstances(turn.state, node, expansion)) stopInstances(turn, expansion, CANCELLED_BY_SIBLING);
  else if (turn.state.ending === null) beginInstances(turn, node, expansion);
  if (expansion.settled === expansion.members.length) settleExpanded(turn, node, expansion);
}

/** Returns true when the failures so far make the node fail, whatever the other instances return. */
function hasFailedInstances(state: RunState, node: NodeState, { failed, members }: Expansion): boolean {
  const { forEach, isFailFast } = planNodeOf(state, node);
  const { tolerate } = required(forEach, "an expanded node has for_each");
  return failed > 0 && (isFailFast || failed > toleratedOf(tolerate, members.length));
}

function toleratedOf(tolerate: ForEachPlan["tolerate"], count: number): number {
  return "count" in tolerate ? tolerate.count : Math.floor((tolerate.percent * count) / 100);
}

/** Cancels all open instances. Afterwards every instance is settled, so this happens once. A cancelled child run ends later. */
export function stopInstances(turn: Turn, { members }: Expansion, reason: string): void {
  for (const index of members) {
    const instance = nodeAt(turn.state, index);
    const { status } = instance.now;
    if (isSettled(status) || status === "invalidated") continue;
    closeQuestion(turn, instance, reason);
    if (isInFlight(status)) stopAttempt(turn, instance);
    emit(turn, "node.cancelled", { ...about(instance), reason });
  }
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

/** A condition that reads the element decides only about its own instance. */
function beginInstance(turn: Turn, instance: NodeState): void {
  const readiness = decideInstance(turn.state, instance);
  switch (readiness.kind) {
    case "run":
      emit(turn, "node.queued", { ...about(instance), waitingReason: "queued" });
      return;
    case "skip":
      return skipNode(turn, instance, readiness.reason);
    case "expression_error":
      return failNode(turn, instance, readiness.failure);
  }
}

function settleExpanded(turn: Turn, node: NodeState, expansion: Expansion): void {
  const { state } = turn;
  const count = expansion.members.length;
  const { failed, cancelled } = expansion;
  if (hasFailedInstances(state, node, expansion)) {
    return failNode(turn, node, { code: "too_many_failures", message: failureText(state, node, expansion) });
  }
  if (cancelled > 0) {
    emit(turn, "node.cancelled", { ...about(node), reason: cancelReason(state) });
    return;
  }
  const items = expansion.members.map((index) => resultOf(nodeAt(state, index)));
  completeNode(turn, node, dataResult({ items, count, failed }));
}

function failureText(state: RunState, node: NodeState, { failed, cancelled, members }: Expansion): string {
  const { forEach, isFailFast } = planNodeOf(state, node);
  const { tolerate } = required(forEach, "an expanded node has for_each");
  const allowed = isFailFast ? "none may under fail_fast" : `${toleratedOf(tolerate, members.length)} may`;
  const unrun = cancelled === 0 ? "" : `; ${cancelled} were stopped or never began`;
  return `${failed} of ${members.length} elements failed, ${allowed}${unrun}`;
}

/** Returns the declared outputs, else the text. Null for a tolerated failure and for a skipped element. */
function resultOf(instance: NodeState): Json {
  if (instance.now.status !== "completed") return null;
  const { outputs, envelope } = instance.now;
  return Object.keys(outputs).length > 0 ? outputs : envelope.output;
}
