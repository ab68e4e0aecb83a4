import { required } from "../base/index.ts";
import { type EventPayload, type EventType, isSettled, isSettling, type RunEvent } from "../event/index.ts";
import { childCalls, heldCalls } from "./agent-turn.ts";
import { apply } from "./apply.ts";
import type { Effect } from "./effect.ts";
import type { Moment } from "./input.ts";
import { findNode, isMet, nodeAt, planNodeOf, toleratedBy } from "./move.ts";
import type { PlanNode } from "../plan/index.ts";
import type { NodeState, RunState } from "./state.ts";
import type { Timer } from "./timer.ts";

/** The state of one `advance` call: its decisions so far, and the nodes still to be decided. */
export interface Turn {
  readonly state: RunState;
  readonly at: number;
  readonly jitter: number;
  readonly agents: NonNullable<Moment["agents"]>;
  readonly model: string | null;
  readonly countsBlocks: boolean;
  readonly isPausedAround: boolean;
  readonly events: RunEvent[];
  readonly effects: Effect[];
  /** Nodes with enough settled parents to be decided. A list instead of recursion, because a chain of skips can be 10,000 nodes long. */
  readonly toDecide: number[];
  /** `for_each` or repeated nodes with an instance that has settled. */
  readonly toCollect: number[];
  /** Nodes that settled while tool calls of theirs were still held or run by child runs. */
  readonly toClose: number[];
  /**
   * Failed nodes that are handled or end the run. `by`: the node that handled the failure; `isOpen`: other nodes have
   * still
   * to decide about it.
   */
  readonly toJudge: { readonly node: number; readonly by?: string; readonly isOpen?: boolean }[];
  /** Number of computed nodes that this input has completed. */
  computed: number;
}

const NO_AGENTS: Turn["agents"] = new Map();

export function beginTurn(state: RunState, moment: Moment): Turn {
  const { at, jitter, agents = NO_AGENTS, model = null, countsBlocks = false, isPausedAround = false } = moment;
  return {
    state,
    at,
    jitter,
    agents,
    model,
    countsBlocks,
    isPausedAround,
    events: [],
    effects: [],
    toDecide: [],
    toCollect: [],
    toClose: [],
    toJudge: [],
    computed: 0,
  };
}

/** Emits an event: numbers it, folds it at once, and records which nodes it makes ready. Every change goes through here. */
export function emit<T extends EventType>(turn: Turn, type: T, payload: EventPayload<T>): number {
  const { state } = turn;
  const eventId = state.lastEventId + 1;
  const event = { eventId, at: turn.at, type, payload } as unknown as RunEvent;
  apply(state, event);
  turn.events.push(event);
  if (isSettling(event)) noteSettled(turn, event.payload.nodeId);
  return eventId;
}

function noteSettled(turn: Turn, nodeId: string): void {
  const node = findNode(turn.state, nodeId);
  if (node === undefined || !isSettled(node.now.status)) return;
  if (node.turn !== null && heldCalls(node).length + childCalls(node).length > 0) turn.toClose.push(node.index);
  if (node.instance !== null) {
    turn.toCollect.push(node.instance.parent);
    return;
  }
  const planNode = planNodeOf(turn.state, node);
  for (const dependent of planNode.dependents) {
    if (isDecidable(turn.state, nodeAt(turn.state, dependent))) turn.toDecide.push(dependent);
  }
  if (planNode.tolerantDependents.length > 0 && isMet("failure", node.now.status)) {
    turn.toJudge.push({ node: node.index, isOpen: node.openTolerants > 0 });
  }
  if (planNode.join !== null || planNode.outcomes.size > 0) noteTolerated(turn, node, planNode);
}

/** Queues the failures this node has decided about, earliest first. */
function noteTolerated(turn: Turn, node: NodeState, planNode: PlanNode): void {
  const failed = [...toleratedBy(planNode)]
    .map((index) => nodeAt(turn.state, index))
    .filter(({ now }) => isMet("failure", now.status));
  failed.sort((left, right) => settledWith(left) - settledWith(right));
  for (const { index, openTolerants } of failed) {
    const isHandler = planNode.outcomes.get(index) === "failure" && node.now.status === "completed";
    if (isHandler) turn.toJudge.push({ node: index, by: node.id });
    else if (openTolerants === 0) turn.toJudge.push({ node: index });
  }
}

/** Returns the id of the event that settled a node. */
export function settledWith({ now }: NodeState): number {
  return "settledAt" in now ? now.eventId : 0;
}

/** Returns true when no open parent can change the decision about the node. */
export function isDecidable(state: RunState, node: NodeState): boolean {
  const { unsettledParents, metParents } = node;
  if (unsettledParents === 0) return true;
  const { join } = planNodeOf(state, node);
  return join !== null && (metParents >= join.count || metParents + unsettledParents < join.count);
}

export function perform(turn: Turn, effect: Effect): void {
  turn.effects.push(effect);
}

export function setTimer(turn: Turn, timer: Timer, dueAt: number): void {
  turn.effects.push({ type: "set-timer", timer, dueAt });
}

/** The fields of every event about a node: `nodeId` and, once there is one, `attempt`. */
export function about(node: NodeState): { nodeId: string; attempt?: number } {
  return node.attempts === 0 ? { nodeId: node.id } : { nodeId: node.id, attempt: node.attempts };
}

export function log(turn: Turn, node: NodeState, message: string): void {
  emit(turn, "node.log", { ...about(node), level: "warning", message });
}

export function requireNode(state: RunState, nodeId: string): NodeState {
  return required(findNode(state, nodeId), `${nodeId} is a node of the run`);
}

/** Returns a unique id, made from the run id and the number of the event that first contains it. */
export function deriveId(turn: Turn, prefix: string): string {
  const run = turn.state.runId.replace(/^run_/u, "");
  return `${prefix}_${run}_${String(turn.state.lastEventId + 1).padStart(6, "0")}`;
}
