import { required } from "../base/index.ts";
import type { DependencyOutcome } from "../definition/index.ts";
import {
  type AttemptKey,
  dispatchIdOf,
  type EffectGuarantee,
  isInFlight,
  isSettled,
  isTerminal,
  type NodeStatus,
} from "../event/index.ts";
import type { NodeKind, PlanNode } from "../plan/index.ts";
import type { Execution } from "./input.ts";
import type { Lane, NodeNow, NodeState, RunState } from "./state.ts";

/** Sets the status of a node and updates every counter that depends on it. The only writer of `node.now`. */
export function moveNode(state: RunState, node: NodeState, now: NodeNow): void {
  const before = node.now;
  node.now = now;
  if (isLimited(before) !== isLimited(now)) state.limitedNodes += isLimited(now) ? 1 : -1;
  countWait(state, before, -1);
  countWait(state, now, 1);
  if (hasChild(before) !== hasChild(now)) state.childRunning += hasChild(now) ? 1 : -1;
  if (hasBlock(before) !== hasBlock(now)) state.blocksRunning += hasBlock(now) ? 1 : -1;
  if (before.status === now.status) return;
  state.counts[before.status] -= 1;
  state.counts[now.status] += 1;
  if (isInFlight(before.status) !== isInFlight(now.status)) countLane(state, node);
  const wasSettled = isSettled(before.status);
  const settled = isSettled(now.status);
  if (node.instance !== null) countInstance(state, node, before, wasSettled, settled);
  else countNode(state, node, before, wasSettled, settled);
}

/** A `for_each` node is in flight only through its instances, which have lanes of their own. */
function countLane(state: RunState, node: NodeState): void {
  if (node.lane !== null) {
    laneAt(state, node.lane).inFlight -= 1;
    node.lane = null;
  } else if (isInFlight(node.now.status) && !isExpandedRunning(node.now)) {
    node.lane = laneOf(state, node);
    if (node.lane !== null) laneAt(state, node.lane).inFlight += 1;
  }
}

/** Returns the lane of the member that takes the node. Null when the node may run beside any others. */
export function laneOf(state: RunState, node: NodeState): number | null {
  const { duty } = planNodeOf(state, node);
  if (duty === null) return null;
  const taker = node.assignedTo ?? duty.candidates[0]?.agent;
  return duty.candidates.find(({ agent }) => agent === taker)?.lane ?? null;
}

export function laneAt({ lanes }: RunState, number: number): Lane {
  let lane = lanes.get(number);
  if (lane === undefined) lanes.set(number, (lane = { inFlight: 0, waiting: [] }));
  return lane;
}

function countNode(state: RunState, node: NodeState, before: NodeNow, wasSettled: boolean, settled: boolean): void {
  // A `for_each` node is the only one that runs without an attempt.
  if (isExpandedRunning(before)) state.expandedRunning -= 1;
  if (isExpandedRunning(node.now)) state.expandedRunning += 1;
  if (wasSettled === settled) return;
  const step = settled ? -1 : 1;
  state.unsettledNodes += step;
  for (const index of planNodeOf(state, node).dependents) {
    const dependent = nodeAt(state, index);
    dependent.unsettledParents += step;
    countMet(state, dependent, node, settled ? node.now : before, step);
  }
  const { join, outcomes } = planNodeOf(state, node);
  if (join === null && outcomes.size === 0) return;
  countDecided(state, node, step, (isHandler) => isHandler || node.counted === null);
}

function countMet(state: RunState, dependent: NodeState, parent: NodeState, { status }: NodeNow, step: number): void {
  const { join, outcomes } = planNodeOf(state, dependent);
  if (join !== null && isMet(outcomes.get(parent.index) ?? "success", status)) dependent.metParents -= step;
}

/** Checks whether a parent has ended with the outcome its dependent waits for. */
export function isMet(outcome: DependencyOutcome, status: NodeStatus): boolean {
  switch (outcome) {
    case "success":
      return status === "completed";
    case "failure":
      return status === "failed" || status === "timed_out";
    case "settled":
      return isSettled(status);
  }
}

/** Returns the parents whose failure does not prevent the node from running. */
export function toleratedBy({ join, outcomes, parents }: PlanNode): Iterable<number> {
  return join === null ? outcomes.keys() : parents;
}

/** A join no longer depends on its other parents once it is reached. Whether it handles a failure is known when it has settled. */
function countDecided(state: RunState, node: NodeState, step: number, counts: (isHandler: boolean) => boolean): void {
  const planNode = planNodeOf(state, node);
  for (const parent of toleratedBy(planNode)) {
    if (counts(planNode.outcomes.get(parent) === "failure")) nodeAt(state, parent).openTolerants += step;
  }
}

export function noteCounted(state: RunState, node: NodeState, counted: readonly string[] | undefined): void {
  if (counted === undefined) return;
  const indexOf = (id: string): number => required(state.plan.indexById.get(id), "a counted parent is a node");
  setCounted(state, node, new Set(counted.map(indexOf)));
}

/** Records the parents that counted for a join. Null when the join has to be decided again. */
export function setCounted(state: RunState, node: NodeState, counted: ReadonlySet<number> | null): void {
  const wasOpen = node.counted === null;
  node.counted = counted;
  if (wasOpen !== (counted === null)) countDecided(state, node, wasOpen ? -1 : 1, (isHandler) => !isHandler);
}

function countWait({ waits }: RunState, now: NodeNow, step: number): void {
  if (now.status !== "blocked") return;
  const { waitingReason } = now;
  if (waitingReason === "event" || waitingReason === "timer" || waitingReason === "child") waits[waitingReason] += step;
}

function isLimited(now: NodeNow): boolean {
  return now.status === "queued" && now.isLimited;
}

function hasChild(now: NodeNow): boolean {
  return now.status === "running" && now.childRunId !== null;
}

function hasBlock(now: NodeNow): boolean {
  return now.status === "running" && now.block !== null;
}

function isExpandedRunning(now: NodeNow): boolean {
  return now.status === "running" && now.attempt === 0;
}

function countInstance(state: RunState, node: NodeState, before: NodeNow, wasSettled: boolean, settled: boolean): void {
  const parent = nodeAt(state, required(node.instance, "an instance has a node").parent);
  const expansion = required(parent.expansion, "an instance belongs to an expansion");
  const wasActive = isActive(before);
  if (wasActive !== isActive(node.now)) expansion.active += wasActive ? -1 : 1;
  if (wasSettled !== settled) expansion.settled += settled ? 1 : -1;
  if (isFailure(before) !== isFailure(node.now)) expansion.failed += isFailure(before) ? -1 : 1;
  if (before.status === "cancelled" || node.now.status === "cancelled") {
    expansion.cancelled += node.now.status === "cancelled" ? 1 : -1;
  }
}

function isActive(now: NodeNow): boolean {
  return now.status === "queued" || now.status === "retrying" || now.status === "blocked" || isInFlight(now.status);
}

function isFailure(now: NodeNow): boolean {
  return now.status === "failed" || now.status === "timed_out";
}

export function nodeAt(state: RunState, index: number): NodeState {
  return required(state.nodes[index], "a node index points into the state");
}

export function planNodeOf(state: RunState, node: NodeState) {
  return required(state.plan.nodes[node.planIndex], "a node has a plan node");
}

/** Returns whether the effect of an attempt must not happen twice, as its step or the registration of its call requires. */
export function guaranteeOf(state: RunState, node: NodeState): EffectGuarantee {
  return node.isOnce ? "at_most_once" : planNodeOf(state, node).effects;
}

const COMPUTED: ReadonlySet<NodeKind> = new Set(["set", "end", "wait", "emit"]);

/** True for nodes without attempt and place: the engine itself computes them, or starts their wait. */
export function isComputed(kind: NodeKind): boolean {
  return COMPUTED.has(kind);
}

/** True when the run has started but waits for a place. Carried-over results are recorded, and no node is decided yet. */
export function isWaitingForPlace({ place }: RunState): boolean {
  return place?.standing === "waiting";
}

/** Finds a node by id, including instances (`id[3]`). */
export function findNode(state: RunState, nodeId: string): NodeState | undefined {
  const index = state.plan.indexById.get(nodeId) ?? state.instanceIndexById.get(nodeId);
  return index === undefined ? undefined : state.nodes[index];
}

/** Returns the dispatch id of the current execution. */
export function openDispatchId(state: RunState, { nodeId, attempt }: AttemptKey): string {
  const now = findNode(state, nodeId)?.now;
  const segment = now !== undefined && "segment" in now && now.attempt === attempt ? now.segment : 0;
  return dispatchIdOf({ runId: state.runId, nodeId, attempt, segment });
}

/** True while this execution of the attempt runs, so that its reports count. */
export function isExecutionOpen(state: RunState, node: NodeState, { attempt, segment = 0 }: Execution): boolean {
  return isAttemptOpen(state, node, attempt) && "segment" in node.now && node.now.segment === segment;
}

/** True when the final report of this execution has been accepted. */
export function hasReported({ reported }: NodeState, { attempt, segment = 0 }: Omit<Execution, "nodeId">): boolean {
  return reported.has(reportKey(attempt, segment));
}

export function reportKey(attempt: number, segment: number): string {
  return `${attempt}/${segment}`;
}

/** True while the attempt is running, so that a report on it still counts. */
export function isAttemptOpen(state: RunState, node: NodeState, attempt: number): boolean {
  if (isTerminal(state.status)) return false;
  return (node.now.status === "running" || node.now.status === "streaming") && node.now.attempt === attempt;
}
