import type { EventPayload, EventType, RunEvent } from "../../../core/event/index.ts";
import { dollars, spanText } from "../../parts/figures.ts";

export type EventTone = "ok" | "bad" | "warn" | "hold" | "info" | "idle";

interface Look {
  readonly label: string;
  readonly tone: EventTone;
}

/** Labels of all events. The filter lists them in this order. */
export const EVENT_LOOKS: Readonly<Record<EventType, Look>> = {
  "run.started": { label: "Run started", tone: "info" },
  "run.status.changed": { label: "Run status changed", tone: "info" },
  "run.ending": { label: "Run is ending", tone: "warn" },
  "run.finally": { label: "Finally started", tone: "info" },
  "run.finally.ended": { label: "Finally ended", tone: "info" },
  "run.paused": { label: "Run paused", tone: "warn" },
  "run.resumed": { label: "Run resumed", tone: "info" },
  "run.rewound": { label: "Run rewound", tone: "warn" },
  "run.completed": { label: "Run completed", tone: "ok" },
  "run.failed": { label: "Run failed", tone: "bad" },
  "run.cancelled": { label: "Run cancelled", tone: "warn" },
  "run.timed_out": { label: "Run timed out", tone: "bad" },
  "run.recovered": { label: "Run recovered", tone: "info" },
  "node.queued": { label: "Queued", tone: "idle" },
  "node.waiting": { label: "Waiting", tone: "idle" },
  "node.expanded": { label: "Expanded", tone: "info" },
  "node.round": { label: "Next round", tone: "info" },
  "node.started": { label: "Started", tone: "info" },
  "node.stream.delta": { label: "Streamed", tone: "idle" },
  "node.log": { label: "Logged", tone: "idle" },
  "node.retried": { label: "Will be tried again", tone: "warn" },
  "node.completed": { label: "Completed", tone: "ok" },
  "node.failed": { label: "Failed", tone: "bad" },
  "node.handled": { label: "Handled", tone: "warn" },
  "node.timed_out": { label: "Timed out", tone: "bad" },
  "node.cancelled": { label: "Cancelled", tone: "warn" },
  "node.skipped": { label: "Skipped", tone: "idle" },
  "node.blocked": { label: "Blocked", tone: "hold" },
  "node.invalidated": { label: "Invalidated", tone: "warn" },
  "node.provenance": { label: "Took a value", tone: "idle" },
  "gate.decided": { label: "Gates decided", tone: "info" },
  "moderation.flagged": { label: "Moderation flagged", tone: "warn" },
  "contract.violated": { label: "Contract violated", tone: "bad" },
  "approval.requested": { label: "Approval requested", tone: "hold" },
  "approval.reminded": { label: "Approval reminded", tone: "hold" },
  "approval.escalated": { label: "Approval escalated", tone: "hold" },
  "approval.answered": { label: "Approval answered", tone: "hold" },
  "approval.revised": { label: "Approval revised", tone: "hold" },
  "approval.resolved": { label: "Approval resolved", tone: "hold" },
  "round.completed": { label: "Model answered", tone: "info" },
  "tool.requested": { label: "Tool call asked for", tone: "info" },
  "tool.decided": { label: "Tool call decided", tone: "info" },
  "tool.completed": { label: "Tool call made", tone: "info" },
  "event.received": { label: "Event received", tone: "info" },
  "event.emitted": { label: "Event emitted", tone: "info" },
  "cost.recorded": { label: "Cost recorded", tone: "idle" },
  "child.started": { label: "Child run started", tone: "info" },
  "child.finished": { label: "Child run finished", tone: "info" },
};

const NOT_RUN: Look = { label: "Not run", tone: "idle" };
const REJECTED: Look = { label: "Approval resolved", tone: "bad" };

/** Returns the look of an event. A node that did not run because another failed does not look failed. */
export function lookOfEvent(event: RunEvent): Look {
  if (event.type === "node.failed" && event.payload.errorCode === "upstream_failure") return NOT_RUN;
  if (event.type === "approval.resolved" && event.payload.status === "rejected") return REJECTED;
  return EVENT_LOOKS[event.type];
}

/** Returns the details of an event on one line, without its kind. Texts may come from models. */
export function detailOf(event: RunEvent): string {
  switch (event.type) {
    case "run.started":
      return join(startText(event.payload), editedText(event.payload.prompts));
    case "run.status.changed":
      return join(`${event.payload.from} → ${event.payload.to}`, event.payload.reason, event.payload.detail);
    case "run.ending":
      return join(`as ${words(event.payload.as)}`, event.payload.errorCode, oneLine(event.payload.reason));
    case "run.paused":
    case "run.resumed":
      return join(oneLine(event.payload.by ?? ""), oneLine(event.payload.reason ?? ""));
    case "run.rewound":
      return `to event ${event.payload.toEventId}`;
    case "run.completed":
    case "run.failed":
    case "run.cancelled":
    case "run.timed_out":
    case "run.recovered":
      return join(event.payload.errorCode, event.payload.reason, dollars(event.payload.costMicros));
    case "node.queued":
    case "node.waiting":
      return join(words(event.payload.waitingReason), position(event.payload.queuePosition));
    case "node.expanded":
      return event.payload.isRepeated === true ? "in rounds" : `${event.payload.count} instances`;
    case "node.round":
      return event.payload.instanceId;
    case "node.started":
      return join(event.payload.agentId, event.payload.gatewayId, event.payload.model ?? event.payload.provider);
    case "node.stream.delta":
      return oneLine(event.payload.text ?? "media");
    case "node.log":
      return `${event.payload.level}: ${oneLine(event.payload.message)}`;
    case "node.retried":
      return join(
        `in ${spanText(event.payload.delayMs)}`,
        event.payload.errorCode,
        oneLine(event.payload.errorMessage),
      );
    case "node.completed":
      return completedText(event.payload);
    case "node.failed":
    case "node.timed_out":
      return join(event.payload.errorCode, oneLine(event.payload.errorMessage));
    case "node.cancelled":
    case "node.invalidated":
      return event.payload.reason;
    case "node.skipped":
      return join(words(event.payload.reason), event.payload.errorCode);
    case "node.blocked":
      return join(
        words(event.payload.waitingReason),
        event.payload.event?.type,
        event.payload.code,
        event.payload.missing?.join(", "),
      );
    case "node.handled":
      return `by ${event.payload.by}`;
    case "event.received":
    case "event.emitted":
      return join(event.payload.type, event.payload.id);
    default:
      return moreDetailOf(event);
  }
}

function moreDetailOf(event: RunEvent): string {
  switch (event.type) {
    case "node.provenance":
      return `${event.payload.sourceNodeId ?? "args"}.${event.payload.sourceOutputPath} → ${event.payload.targetInputPath}`;
    case "gate.decided":
      return join(event.payload.disposition, event.payload.gate, event.payload.code);
    case "moderation.flagged":
      return event.payload.phase;
    case "contract.violated":
      return join(
        event.payload.phase,
        event.payload.errors.map(({ field, reason }) => `${field} ${reason}`).join("; "),
      );
    case "approval.requested":
      return join(event.payload.source, oneLine(event.payload.summary));
    case "approval.reminded":
      return event.payload.urgency;
    case "approval.escalated":
      return `to ${event.payload.who}`;
    case "approval.answered":
      return `${event.payload.by}, ${event.payload.answers} of ${event.payload.quorum}`;
    case "approval.revised":
      return event.payload.by;
    case "round.completed":
      return join(`round ${event.payload.round + 1}`, event.payload.model ?? undefined, oneLine(event.payload.text));
    case "tool.requested":
      return join(event.payload.tool, oneLine(JSON.stringify(event.payload.args)));
    case "tool.decided":
      return join(event.payload.disposition, event.payload.code, oneLine(event.payload.reason ?? ""));
    case "tool.completed":
      return join(event.payload.isError ? "error" : undefined, oneLine(JSON.stringify(event.payload.result)));
    case "approval.resolved":
      return join(event.payload.decision ?? event.payload.status, event.payload.by, event.payload.reason);
    case "cost.recorded":
      return join(dollars(event.payload.costMicros), event.payload.late === true ? "late" : undefined);
    case "child.started":
      return `${event.payload.block === undefined ? event.payload.workflow : `block ${event.payload.block}`}, ${event.payload.childRunId}`;
    case "run.finally":
      return join(event.payload.as, event.payload.errorCode, event.payload.childRunId);
    case "run.finally.ended":
      return join(event.payload.status, event.payload.errorCode, event.payload.errorMessage);
    case "child.finished":
      return `${event.payload.childRunId} ${event.payload.status}`;
    default:
      return "";
  }
}

function completedText(completed: EventPayload<"node.completed">): string {
  const { carried, by, durationMs, costMicros, creditsCharged } = completed;
  if (carried === true) return by === undefined ? "carried over" : `given by ${by}`;
  return join(spanText(durationMs), dollars(costMicros), creditsText(creditsCharged));
}

function startText({ workflow, version, nodeCount }: EventPayload<"run.started">): string {
  return `${workflow}${version === null ? "" : ` v${version}`}, ${nodeCount} nodes`;
}

function editedText(prompts: EventPayload<"run.started">["prompts"]): string | undefined {
  if (prompts === undefined) return undefined;
  const edited = Object.entries(prompts).map(([nodeId, { by }]) => (by === undefined ? nodeId : `${nodeId} by ${by}`));
  return oneLine(`prompt edited: ${edited.join(", ")}`);
}

const LINE_MAX = 200;

/** Returns the beginning of a text on one line. */
export function oneLine(text: string): string {
  const start = text
    .slice(0, LINE_MAX * 2)
    .replaceAll(/\s+/g, " ")
    .trim();
  return start.length > LINE_MAX ? `${start.slice(0, LINE_MAX)}…` : start;
}

export function words(code: string): string {
  return code.replaceAll("_", " ");
}

function creditsText(credits: number | undefined): string | undefined {
  return credits === undefined ? undefined : `${credits} ${credits === 1 ? "credit" : "credits"}`;
}

function position(place: number | undefined): string | undefined {
  return place === undefined ? undefined : `place ${place} in line`;
}

function join(...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== "").join(" · ");
}
