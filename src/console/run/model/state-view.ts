import type { RunView, State } from "../../../client/index.ts";
import { createView, epochMsFromIso, type NodeView, type PlanOutline } from "../../../core/view/index.ts";

const INSTANCE_ID = /^(.+)\[(\d+)\]$/s;

/** Returns the nodes of the plan from the state of a run. */
export function outlineOfState({ nodeResults }: State): PlanOutline {
  const ids = new Set(nodeResults.map(({ nodeId }) => nodeId));
  return {
    nodes: nodeResults
      .filter(({ nodeId }) => !ids.has(INSTANCE_ID.exec(nodeId)?.[1] ?? ""))
      .map(({ nodeId, label, wave }) => ({ id: nodeId, label, wave })),
  };
}

/** Creates a view from the state the server returned. It is shown until the events up to that state have been read. */
export function viewOfState(state: State): RunView {
  const outline = outlineOfState(state);
  const isPlanned = new Set(outline.nodes.map(({ id }) => id));
  const view = createView(outline);
  const blank = createView({ nodes: [{ id: "", label: "", wave: 0 }] }).nodes.get("");
  if (blank === undefined) return view;
  view.counts.pending = 0;
  for (const result of state.nodeResults) {
    const match = isPlanned.has(result.nodeId) ? null : INSTANCE_ID.exec(result.nodeId);
    const node: NodeView = {
      ...blank,
      id: result.nodeId,
      label: result.label,
      wave: result.wave,
      instance: match === null ? null : { parent: match[1] ?? "", element: Number(match[2]) },
      status: result.status,
      waitingReason: result.waitingReason,
      attempts: result.attempts,
      retries: result.retries,
      startedAt: instant(result.startedAt),
      completedAt: instant(result.completedAt),
      durationMs: result.durationMs,
      outputs: result.outputs,
      output: result.output,
      errorCode: result.errorCode,
      errorMessage: result.errorMessage,
      isHandled: result.isHandled,
      costMicros: result.costMicros,
    };
    view.nodes.set(node.id, node);
    view.counts[node.status] += 1;
  }
  for (const { instance, status } of view.nodes.values()) {
    const parent = instance === null ? undefined : view.nodes.get(instance.parent);
    if (parent === undefined || (status !== "failed" && status !== "timed_out")) continue;
    view.nodes.set(parent.id, { ...parent, failedInstances: parent.failedInstances + 1 });
  }
  view.upstreamFailures = state.upstreamFailedCount;
  view.status = state.status;
  view.lastEventId = state.lastEventId;
  view.workflow = state.workflowId;
  view.parentRunId = state.parentRunId;
  view.recursionDepth = state.recursionDepth;
  view.costMicros = state.costMicros;
  return view;
}

function instant(text: string | null): number | null {
  return text === null ? null : epochMsFromIso(text);
}
