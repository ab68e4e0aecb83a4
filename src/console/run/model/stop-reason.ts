import { type EventType, isTerminal, type RunEvent } from "../../../core/event/index.ts";
import { isUpstreamFailure, type NodeView } from "../../../core/view/index.ts";
import type { RunView } from "../../../client/index.ts";
import { words } from "./event-text.ts";
import { listed } from "./waiting.ts";

/** Reason why a run stopped or does not progress, as text for people. */
export interface StopReason {
  readonly tone: "bad" | "hold" | "warn" | "idle";
  readonly title: string;
  /** Message of the failed step, the person or the gate. It may come from a model. */
  readonly detail: string | null;
  /** The nodes to check, the most important first. */
  readonly nodeIds: readonly string[];
  /** Number of nodes that did not run only because of these nodes. */
  readonly followers: number;
}

/** Returns the reason. Null when the run progresses or has ended normally. A run that will fail ends once nothing is in flight. */
export function stopReason(view: RunView, events: readonly RunEvent[]): StopReason | null {
  switch (view.status) {
    case "failed":
    case "timed_out":
      return ofFailure(view, events);
    case "cancelled":
      return { ...NOTHING, title: "The run was cancelled", detail: endReason(view, events) };
    case "completed":
      return ofTolerated(view);
    default:
      if (isTerminal(view.status)) return null;
      return view.ending === "failed" || view.ending === "timed_out" ? ofFailure(view, events) : ofWait(view);
  }
}

const NOTHING = { tone: "idle", nodeIds: [], followers: 0 } as const;

/** Returns the nodes that failed themselves, without nodes that did not run because of them and nodes whose failure was handled. */
export function failureCauses(view: RunView): readonly NodeView[] {
  const failed = [...view.nodes.values()].filter(
    (node) => (node.status === "failed" || node.status === "timed_out") && !node.isHandled && !isUpstreamFailure(node),
  );
  // For a node with instances, the instances contain the reasons.
  const parents = new Set(failed.flatMap(({ instance }) => (instance === null ? [] : [instance.parent])));
  const causes = failed.filter(({ id, instance }) =>
    instance === null ? !parents.has(id) : isCause(view.nodes.get(instance.parent)),
  );
  return causes.toSorted((left, right) => (left.completedAt ?? 0) - (right.completedAt ?? 0));
}

/** The failure of an instance that its node tolerated is not a cause. */
function isCause(parent: NodeView | undefined): boolean {
  return parent?.status === "failed" || parent?.status === "timed_out";
}

function ofFailure(view: RunView, events: readonly RunEvent[]): StopReason {
  const causes = failureCauses(view);
  const verb =
    view.ending !== null && !isTerminal(view.status)
      ? "is ending"
      : view.status === "timed_out"
        ? "timed out"
        : "failed";
  const [first] = causes;
  if (first === undefined) {
    const code = view.errorCode === null ? "" : `: ${words(view.errorCode)}`;
    return { ...NOTHING, tone: "bad", title: `The run ${verb}${code}`, detail: endReason(view, events) };
  }
  const names = listed(causes.map(({ title, id }) => title || id));
  const own = first.status === "timed_out" ? "timed out" : "failed";
  const code = first.errorCode === null ? "" : ` with ${words(first.errorCode)}`;
  return {
    tone: "bad",
    title: `The run ${verb} because ${names} ${own}${causes.length === 1 ? code : ""}`,
    detail: first.errorMessage,
    nodeIds: causes.map(({ id }) => id),
    followers: view.upstreamFailures,
  };
}

/** Describes failures in a completed run that are easily overlooked. */
function ofTolerated(view: RunView): StopReason | null {
  const handled = [...view.nodes.values()].filter(({ isHandled }) => isHandled);
  const partly = [...view.nodes.values()].filter(({ failedInstances }) => failedInstances > 0);
  if (handled.length + partly.length === 0) return null;
  const texts = [
    ...partly.map(({ title, failedInstances }) => `${failedInstances} of the instances of ${title} failed`),
    ...handled.map(({ title }) => `${title} failed and was handled`),
  ];
  return {
    ...NOTHING,
    tone: "warn",
    title: `The run completed, although ${listed(texts)}`,
    detail: null,
    nodeIds: [...partly, ...handled].map(({ id }) => id),
  };
}

function ofWait(view: RunView): StopReason | null {
  const asked = [...view.approvals.values()].filter(({ status }) => status === "pending");
  const [first] = asked;
  if (first !== undefined) {
    const more = asked.length === 1 ? "" : `, and ${asked.length - 1} more`;
    return {
      ...NOTHING,
      tone: "hold",
      title: `The run waits for a person at ${view.nodes.get(first.nodeId)?.title ?? first.nodeId}${more}`,
      detail: first.summary.charAt(0).toUpperCase() + first.summary.slice(1),
      nodeIds: asked.map(({ nodeId }) => nodeId),
    };
  }
  const blocked = [...view.nodes.values()].filter(({ missing, status }) => status === "blocked" && missing.length > 0);
  const [held] = blocked;
  if (held === undefined) return null;
  return {
    ...NOTHING,
    tone: "hold",
    title: `The run waits for a person: ${held.title} needs values for ${listed(held.missing)}`,
    detail: null,
    nodeIds: blocked.map(({ id }) => id),
  };
}

const ENDS: ReadonlySet<EventType> = new Set<EventType>(["run.ending", "run.failed", "run.cancelled", "run.timed_out"]);

/** Returns the reason for the end of the run, given by the engine or by a person. */
function endReason({ lastEventId }: RunView, events: readonly RunEvent[]): string | null {
  const last = events.findLast(
    ({ eventId, type, payload }) => eventId <= lastEventId && ENDS.has(type) && "reason" in payload,
  );
  return last !== undefined && "reason" in last.payload ? (last.payload.reason ?? null) : null;
}
