/**
 * `apply` folds one fact into the state. It never decides: what follows from a fact is in the next event.
 * Replaying a log is folding it; no rule of the engine runs again, so new code never breaks an old run.
 */
import { invariant, required } from "../base/index.ts";
import { type EventOf, type RunEvent, upstreamOf } from "../event/index.ts";
import type { Plan } from "../plan/index.ts";
import { applyApproval } from "./apply-approval.ts";
import { applyNode } from "./apply-node.ts";
import { createRunState } from "./create-state.ts";
import type { Ending, RunState } from "./state.ts";

export function replay(plan: Plan, runId: string, events: Iterable<RunEvent>): RunState {
  const state = createRunState(plan, runId);
  for (const event of events) apply(state, event);
  return state;
}

export function apply(state: RunState, event: RunEvent): void {
  // E13. Event ids are 1, 2, 3, … without gaps.
  invariant(event.eventId === state.lastEventId + 1, `E13 event ${event.eventId} follows ${state.lastEventId}`);
  state.lastEventId = event.eventId;
  switch (event.type) {
    case "run.started":
      return applyStarted(state, event);
    case "run.status.changed":
      return applyStatusChanged(state, event);
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
    case "approval.resolved":
      return applyApproval(state, event);
    default:
      return applyNode(state, event);
  }
}

function applyStarted(state: RunState, event: EventOf<"run.started">): void {
  state.status = "running";
  state.startedAt = event.at;
  state.args = event.payload.args;
  state.recursionDepth = event.payload.recursionDepth;
  state.parentRunId = event.payload.parentRunId ?? null;
  state.upstreamCount = upstreamOf(event.payload).size;
}

const ENDINGS: Readonly<Record<string, Ending["as"]>> = {
  cancelling: "cancelled",
  timing_out: "timed_out",
  halting: "failed",
};

function applyStatusChanged(state: RunState, event: EventOf<"run.status.changed">): void {
  const { to, epoch, reason, detail, errorCode } = event.payload;
  state.status = to;
  const ending = ENDINGS[reason ?? ""];
  if (ending !== undefined) {
    state.ending = {
      as: ending,
      reason: detail ?? required(reason, "an ending has a reason"),
      errorCode: errorCode ?? null,
    };
    return;
  }
  state.epoch = epoch;
  state.ending = null;
  state.endedAt = null;
  state.errorCode = null;
  state.snapshot = null;
  state.isRecovering = reason === "recover";
}

type Ended = EventOf<"run.completed"> | EventOf<"run.failed"> | EventOf<"run.cancelled"> | EventOf<"run.timed_out">;

function applyEnded(state: RunState, event: Ended): void {
  switch (event.type) {
    case "run.completed":
      state.status = "completed";
      break;
    case "run.failed":
      state.status = "failed";
      state.snapshot = event.payload.snapshot ?? null;
      break;
    case "run.cancelled":
      state.status = "cancelled";
      break;
    case "run.timed_out":
      state.status = "timed_out";
      break;
  }
  state.endedAt = event.at;
  state.errorCode = event.payload.errorCode ?? null;
  state.ending = null;
  state.isRecovering = false;
}
