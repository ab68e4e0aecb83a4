/** Takes a run back to an earlier point: the epoch increases, kept results stay, and the rest is invalidated and runs again. */
import { LIMITS } from "../base/index.ts";
import { isInFlight, isSettled, isTerminal } from "../event/index.ts";
import { approvalOf, closeApproval } from "./approvals.ts";
import { stopAttempt } from "./ending.ts";
import { stopFinally } from "./finally.ts";
import type { RecoverInput, RewindInput } from "./input.ts";
import { redoInstances } from "./instances.ts";
import { nodeAt, planNodeOf } from "./move.ts";
import { nodesToRedo } from "./redo.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { armRunTimeout } from "./start.ts";
import type { NodeState } from "./state.ts";
import { closeCallQuestions } from "./tool-answer.ts";
import { stopToolChildren } from "./tool-child.ts";
import { about, emit, isDecidable, type Turn } from "./turn.ts";

export function onRewind(turn: Turn, input: RewindInput): Refusal | undefined {
  const { state } = turn;
  const isWaiting = state.place?.standing === "waiting" && !isTerminal(state.status);
  if (state.startedAt === null || isWaiting) return refuse("not_started", "the run has not started");
  const full = refuseFull(turn);
  if (full !== undefined) return full;
  if (input.isConsumed) return refuse("already_consumed", "a parent run has taken this run's result");
  if (input.eventId < 1 || input.eventId > state.lastEventId) {
    return refuse("cursor_ahead", `event ${input.eventId} is not in the log, which ends at ${state.lastEventId}`);
  }
  const epoch = state.epoch + 1;
  stopFinally(turn);
  if (state.status !== "running") reopen(turn, "rewind");
  emit(turn, "run.rewound", { toEventId: input.eventId, epoch });
  armRunTimeout(turn);
  for (const node of state.nodes) {
    if (!isKept(node, input.eventId)) takeBack(turn, node);
  }
  runAgain(turn);
  return undefined;
}

function isKept({ now }: NodeState, eventId: number): boolean {
  return "settledAt" in now && now.eventId <= eventId;
}

export function onRecover(turn: Turn, input: RecoverInput): Refusal | undefined {
  const { state } = turn;
  if (state.status !== "failed" && state.status !== "timed_out") {
    return refuse("not_recoverable", `only a failed or timed out run can be recovered, this one is ${state.status}`);
  }
  const full = refuseFull(turn);
  if (full !== undefined) return full;
  const redo = nodesToRedo(state);
  reopen(turn, "recover", input.reason);
  armRunTimeout(turn);
  for (const index of [...redo].sort((left, right) => left - right)) {
    const areStale = planNodeOf(state, nodeAt(state, index)).parents.some((parent) => redo.has(parent));
    redoInstances(turn, nodeAt(state, index), areStale);
    takeBack(turn, nodeAt(state, index));
  }
  runAgain(turn);
  return undefined;
}

/** A reopened run with a full log would fail again. A restart creates a new run with its own log. */
function refuseFull({ state }: Turn): Refusal | undefined {
  if (state.lastEventId < LIMITS.eventsPerRunMax) return undefined;
  return refuse("too_many_events", `the run has written ${state.lastEventId} events; restart it instead`);
}

function reopen(turn: Turn, reason: "rewind" | "recover", detail?: string): void {
  const { state } = turn;
  const more = detail === undefined ? {} : { detail };
  emit(turn, "run.status.changed", { from: state.status, to: "running", epoch: state.epoch + 1, reason, ...more });
}

/** Settles a node that is still open, then invalidates it. A plan node that never began stays as it is. */
function takeBack(turn: Turn, node: NodeState): void {
  const { status } = node.now;
  if (status === "awaiting_dependency" || status === "invalidated") return;
  if (status === "pending" && node.instance === null) return;
  const approval = approvalOf(turn, node);
  if (approval !== undefined) closeApproval(turn, approval, { status: "cancelled", reason: "rewound" });
  // The turn of the node is dropped when it runs again, so its open questions are closed.
  if (!isSettled(status)) closeCallQuestions(turn, node, "rewound");
  stopToolChildren(turn, node);
  if (isInFlight(status) && node.attempts > 0 && node.expansion === null) stopAttempt(turn, node);
  turn.state.asked.delete(node.index);
  if (!isSettled(status)) emit(turn, "node.cancelled", { ...about(node), reason: "rewound" });
  emit(turn, "node.invalidated", { ...about(node), reason: "rewound" });
}

/** All nodes wait before any is decided: the first failure may end the run again, and must find the others waiting. */
function runAgain(turn: Turn): void {
  const { state } = turn;
  for (const planNode of state.plan.nodes) {
    const node = nodeAt(state, planNode.index);
    if (node.now.status !== "invalidated") continue;
    emit(turn, "node.waiting", { ...about(node), waitingReason: "dependency" });
    if (isDecidable(state, node)) turn.toDecide.push(node.index);
  }
}
