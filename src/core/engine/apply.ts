/**
 * `apply` folds one event into the state. It never decides: the consequences of an event are in the events after it.
 * To replay a log is to fold it. No rule of the engine runs again, so new code never breaks an old run.
 */
import { invariant } from "../base/index.ts";
import {
  countHandoffs,
  endingOf,
  endStatusOf,
  type EventOf,
  isTerminal,
  type RunEndingEvent,
  type RunEvent,
  type HandoffStanding,
} from "../event/index.ts";
import type { Plan } from "../plan/index.ts";
import { applyFinally, applyFinallyEnded } from "./apply-child.ts";
import { applyApproval } from "./apply-approval.ts";
import { applyNode } from "./apply-node.ts";
import { createRunState } from "./create-state.ts";
import { findNode, planNodeOf } from "./move.ts";
import type { RunState } from "./state.ts";

export function replay(plan: Plan, runId: string, events: Iterable<RunEvent>): RunState {
  const state = createRunState(plan, runId);
  for (const event of events) apply(state, event);
  return state;
}

export function apply(state: RunState, event: RunEvent): void {
  // E13. Event ids are 1, 2, 3, … without gaps.
  invariant(event.eventId === state.lastEventId + 1, `E13 event ${event.eventId} follows ${state.lastEventId}`);
  state.lastEventId = event.eventId;
  countHandoffs(state, event, event.type === "node.completed" ? standingOf(state, event) : "itself");
  switch (event.type) {
    case "run.started":
      return applyStarted(state, event);
    case "run.status.changed":
      return applyStatusChanged(state, event);
    case "run.ending":
      state.ending = endingOf(event);
      state.haltedBy = event.payload.failedNode ?? null;
      if (event.payload.isOfOwner === true) state.endsOwner = state.ending;
      return;
    case "run.finally":
      return applyFinally(state, event);
    case "run.finally.ended":
      return applyFinallyEnded(state, event);
    case "run.paused":
      return applyPaused(state, event);
    case "run.resumed":
      if (event.payload.isWithParent === true) state.pausedWithParent = null;
      else state.paused = null;
      return;
    case "run.rewound":
      return reopen(state, event.payload.epoch, false);
    case "run.recovered":
      state.status = "recovered";
      return;
    case "run.completed":
    case "run.failed":
    case "run.cancelled":
    case "run.timed_out":
      return applyEnded(state, event);
    case "approval.requested":
    case "approval.reminded":
    case "approval.escalated":
    case "approval.answered":
    case "approval.revised":
    case "approval.resolved":
      return applyApproval(state, event);
    default:
      return applyNode(state, event);
  }
}

/** Must be computed before the node moves on: afterwards the node only has a result. */
function standingOf(state: RunState, { payload }: EventOf<"node.completed">): HandoffStanding {
  const node = findNode(state, payload.nodeId);
  if (node?.now.status !== "running") return "itself";
  const { now } = node;
  if (now.attempt === 0) return planNodeOf(state, node).repeat === null ? "list" : "rounds";
  return now.childRunId === null ? "itself" : "child";
}

function applyStarted(state: RunState, event: EventOf<"run.started">): void {
  state.place = event.payload.place ?? null;
  state.heldKeys = event.payload.heldKeys ?? [];
  if (event.payload.taken !== undefined) state.takenBefore = new Set(event.payload.taken);
  state.status = state.place?.standing === "waiting" ? "queued" : "running";
  state.startedAt = event.at;
  state.args = event.payload.args;
  state.prompts = event.payload.prompts ?? {};
  state.recursionDepth = event.payload.recursionDepth;
  state.parentRunId = event.payload.parentRunId ?? null;
  state.root = event.payload.root ?? null;
  state.hops = event.payload.hops ?? 0;
  state.block = event.payload.block ?? null;
  state.owner = event.payload.owner ?? null;
  for (const [nodeId, run] of Object.entries(event.payload.blocks ?? {})) state.carriedBlocks.set(nodeId, run);
  state.workflow = event.payload.workflow;
  state.version = event.payload.version;
  state.trigger = event.payload.trigger;
  state.startedBy = event.payload.startedBy ?? null;
  state.placement = event.payload.placement ?? null;
}

/**
 * A change to a terminal status does not end the run in the fold: the event that ends the run follows in the same commit.
 * A fold cut between the two therefore never shows an ended run without its time and outcome.
 */
function applyStatusChanged(state: RunState, event: EventOf<"run.status.changed">): void {
  const { to, epoch, reason } = event.payload;
  if (isTerminal(to)) return;
  state.status = to;
  if (state.place?.standing === "waiting") state.place = { ...state.place, standing: "held" };
  const ending = endingOf(event);
  if (ending !== null) state.ending = ending;
  else if (reason !== undefined) reopen(state, epoch, reason === "recover");
}

function applyPaused(state: RunState, { payload, at }: EventOf<"run.paused">): void {
  const { by = null, reason = null, isWithParent } = payload;
  if (isWithParent === true) state.pausedWithParent = { by, reason, at, scope: "parent" };
  else state.paused = { by, reason, at, scope: "run" };
}

/** Reopens a run after a rewind or recovery. Its previous ending, or planned ending, is dropped. */
function reopen(state: RunState, epoch: number, isRecovering: boolean): void {
  state.epoch = epoch;
  // The run ended because it found no place. It has taken one in order to be reopened.
  if (state.place?.standing === "full") state.place = { ...state.place, standing: "held" };
  state.ending = null;
  state.haltedBy = null;
  state.endsOwner = null;
  state.finally = null;
  state.endedAt = null;
  state.errorCode = null;
  state.errorReason = null;
  state.outputs = null;
  state.snapshot = null;
  state.isRecovering = isRecovering;
}

function applyEnded(state: RunState, event: RunEndingEvent): void {
  state.status = endStatusOf(event.type);
  if (event.type === "run.completed") state.outputs = event.payload.outputs ?? null;
  if (event.type === "run.failed") state.snapshot = event.payload.snapshot ?? null;
  state.endedAt = event.at;
  state.errorCode = event.payload.errorCode ?? null;
  state.errorReason = event.payload.reason ?? null;
  state.ending = null;
  state.paused = null;
  state.pausedWithParent = null;
  state.isRecovering = false;
}
