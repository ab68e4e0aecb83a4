import {
  countHandoffs,
  endingOf,
  endStatusOf,
  type EventOf,
  isApprovalEvent,
  isTerminal,
  type RunEndingEvent,
  type RunEvent,
  type HandoffStanding,
} from "../event/index.ts";
import { reduceApproval } from "./reduce-approval.ts";
import { reduceNode } from "./reduce-node.ts";
import { createView, type PlanOutline, type RunView } from "./run-view.ts";

/** Folds a log up to the first missing event. Events may be out of order and repeated. */
export function reduceRun(events: readonly RunEvent[], outline?: PlanOutline): RunView {
  const view = createView(outline);
  for (const event of inOrder(events)) applyToView(view, event);
  return view;
}

function inOrder(events: readonly RunEvent[]): readonly RunEvent[] {
  const isSorted = events.every((event, index) => index === 0 || (events[index - 1]?.eventId ?? 0) <= event.eventId);
  return isSorted ? events : [...events].sort((left, right) => left.eventId - right.eventId);
}

/**
 * Folds one event. An event already folded is ignored. An event after a gap is not folded and sets `hasGap`, so that the view
 * is always the fold of the log up to `lastEventId`, from which the stream is resumed.
 */
export function applyToView(view: RunView, event: RunEvent): RunView {
  if (event.eventId <= view.lastEventId) return view;
  if (event.eventId > view.lastEventId + 1) {
    view.hasGap = true;
    return view;
  }
  view.hasGap = false;
  view.lastEventId = event.eventId;
  countHandoffs(view, event, event.type === "node.completed" ? standingOf(view, event) : "itself");
  reduceEvent(view, event);
  return view;
}

function reduceEvent(view: RunView, event: RunEvent): void {
  switch (event.type) {
    case "run.started":
      return reduceStarted(view, event);
    case "run.status.changed":
      return reduceStatusChanged(view, event);
    case "run.ending":
      view.ending = event.payload.as;
      return;
    case "run.finally":
    case "run.finally.ended":
      return;
    case "run.paused":
    case "run.resumed":
      return reducePause(view, event);
    case "run.rewound":
      return reopenView(view, event.payload.epoch);
    case "run.recovered":
      view.status = "recovered";
      return;
    case "run.completed":
    case "run.failed":
    case "run.cancelled":
    case "run.timed_out":
      return reduceEnded(view, event);
    default:
      return isApprovalEvent(event) ? reduceApproval(view, event) : reduceNode(view, event);
  }
}

function standingOf({ nodes }: RunView, { payload }: EventOf<"node.completed">): HandoffStanding {
  const node = nodes.get(payload.nodeId);
  if (node?.status !== "running") return "itself";
  if (node.isExpanded) return node.isRepeated === true ? "rounds" : "list";
  return node.childRunId === null ? "itself" : "child";
}

function reduceStarted(view: RunView, { payload, at }: EventOf<"run.started">): void {
  view.status = payload.place?.standing === "waiting" ? "queued" : "running";
  view.startedAt = at;
  view.workflow = payload.workflow;
  view.version = payload.version;
  view.parentRunId = payload.parentRunId ?? null;
  view.recursionDepth = payload.recursionDepth;
}

/** Ignores a terminal status: the event that ends the run follows in the same commit. */
function reduceStatusChanged(view: RunView, event: EventOf<"run.status.changed">): void {
  const { to, epoch, reason } = event.payload;
  if (isTerminal(to)) return;
  view.status = to;
  const ending = endingOf(event);
  if (ending !== null) view.ending = ending.as;
  else if (reason !== undefined) reopenView(view, epoch);
}

function reducePause(view: RunView, event: EventOf<"run.paused"> | EventOf<"run.resumed">): void {
  const { by = null, reason = null, isWithParent } = event.payload;
  const scope = isWithParent === true ? "parent" : "run";
  const others = view.pauses.filter((pause) => pause.scope !== scope);
  view.pauses = event.type === "run.paused" ? [...others, { by, reason, at: event.at, scope }] : others;
}

function reopenView(view: RunView, epoch: number): void {
  view.epoch = epoch;
  view.ending = null;
  view.endedAt = null;
  view.errorCode = null;
  view.outputs = null;
}

function reduceEnded(view: RunView, event: RunEndingEvent): void {
  view.status = endStatusOf(event.type);
  view.endedAt = event.at;
  view.errorCode = event.payload.errorCode ?? null;
  view.outputs = event.type === "run.completed" ? (event.payload.outputs ?? null) : null;
  view.ending = null;
  view.pauses = [];
}
