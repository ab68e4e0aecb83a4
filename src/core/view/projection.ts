import type { JsonObject } from "../base/index.ts";
import type { NodeState, RunState } from "../engine/index.ts";
import { isTerminal, type NodeStatus, type RunStatus } from "../event/index.ts";
import { type NodeResult, resultOfState, resultOfView } from "./node-result.ts";
import type { NodeView, RunView } from "./run-view.ts";
import { isUpstreamFailure } from "./upstream-failure.ts";

/** A complete run in one response. It is the same whether derived from the engine's state or from the events alone. */
export interface RunProjection {
  readonly runId: string;
  readonly workflowId: string;
  readonly status: RunStatus;
  /** True when no node is in motion and at least one waits for a person. */
  readonly isPaused: boolean;
  /** True when the run was cancelled and child runs have not ended yet. */
  readonly isCancelling: boolean;
  readonly activeNodeIds: readonly string[];
  readonly pendingCount: number;
  readonly waitingCount: number;
  readonly inFlightCount: number;
  readonly executedCount: number;
  readonly failedCount: number;
  /** Number of failed nodes that did not run because another node had failed, so that they are not a cause themselves. */
  readonly upstreamFailedCount: number;
  /** Plan order; the instances of a `for_each` node follow it directly. */
  readonly nodeResults: readonly NodeResult[];
  /** Hand-offs of values into the run, counted as rows of its provenance. */
  readonly upstreamCount: number;
  /** Hand-offs out of the run, as far as its own log shows them. A hand-off within the run counts in both directions. */
  readonly downstreamCount: number;
  readonly parentRunId: string | null;
  readonly recursionDepth: number;
  /** Outputs that the document names. Null when it names none or the run has not completed. */
  readonly outputs: JsonObject | null;
  readonly costMicros: number;
  readonly lastEventId: number;
}

/** Data that neither state nor events of a run contain. */
export interface ProjectionContext {
  readonly workflowId: string;
}

export function projectRun(state: RunState, about: ProjectionContext): RunProjection {
  const instances = new Map<number, NodeState[]>();
  for (const node of state.nodes) {
    if (node.instance === null) continue;
    const siblings = instances.get(node.instance.parent);
    if (siblings === undefined) instances.set(node.instance.parent, [node]);
    else siblings.push(node);
  }
  const nodeResults = state.nodes
    .slice(0, state.plan.nodes.length)
    .flatMap((node) => [node, ...byElement(instances.get(node.index) ?? [])])
    .map((node) => resultOfState(state, node));
  const isCancelling = state.ending?.as === "cancelled" && !isTerminal(state.status);
  return assemble(state, { nodeResults, isCancelling, expandedRunning: state.expandedRunning }, about);
}

/** `runId` is passed because events do not contain it: a stream belongs to one run. */
export function projectView(view: RunView, about: ProjectionContext & { readonly runId: string }): RunProjection {
  const instances = new Map<string, NodeView[]>();
  for (const node of view.nodes.values()) {
    if (node.instance === null) continue;
    const siblings = instances.get(node.instance.parent);
    if (siblings === undefined) instances.set(node.instance.parent, [node]);
    else siblings.push(node);
  }
  const nodes = [...view.nodes.values()].filter((node) => node.instance === null);
  const nodeResults = nodes.flatMap((node) => [node, ...byElement(instances.get(node.id) ?? [])]).map(resultOfView);
  const expandedRunning = nodes.filter((node) => node.isExpanded).length;
  const isCancelling = view.ending === "cancelled" && !isTerminal(view.status);
  return assemble({ ...view, runId: about.runId }, { nodeResults, isCancelling, expandedRunning }, about);
}

function byElement<N extends { readonly instance: { readonly element: number } | null }>(
  nodes: readonly N[],
): readonly N[] {
  return [...nodes].sort((left, right) => (left.instance?.element ?? 0) - (right.instance?.element ?? 0));
}

type RunFacts = Pick<
  RunProjection,
  | "runId"
  | "status"
  | "parentRunId"
  | "recursionDepth"
  | "outputs"
  | "costMicros"
  | "lastEventId"
  | "upstreamCount"
  | "downstreamCount"
> & { readonly counts: Readonly<Record<NodeStatus, number>> };

interface Folded {
  readonly nodeResults: readonly NodeResult[];
  readonly isCancelling: boolean;
  readonly expandedRunning: number;
}

function assemble(
  run: RunFacts,
  { nodeResults, isCancelling, expandedRunning }: Folded,
  about: ProjectionContext,
): RunProjection {
  const { counts } = run;
  return {
    runId: run.runId,
    workflowId: about.workflowId,
    status: run.status,
    isPaused: isStill(counts, expandedRunning) && nodeResults.some(needsPerson),
    isCancelling,
    activeNodeIds: nodeResults.filter(isActive).map(({ nodeId }) => nodeId),
    pendingCount: counts.pending,
    waitingCount: counts.awaiting_dependency + counts.queued + counts.retrying + counts.blocked,
    inFlightCount: counts.running + counts.streaming,
    executedCount: counts.completed,
    failedCount: counts.failed + counts.timed_out,
    upstreamFailedCount: nodeResults.filter(isUpstreamFailure).length,
    nodeResults,
    upstreamCount: run.upstreamCount,
    downstreamCount: run.downstreamCount,
    parentRunId: run.parentRunId,
    recursionDepth: run.recursionDepth,
    outputs: run.outputs,
    costMicros: run.costMicros,
    lastEventId: run.lastEventId,
  };
}

/** A node may also be blocked while it waits for an event or a moment. */
function needsPerson({ status, waitingReason }: Pick<NodeResult, "status" | "waitingReason">): boolean {
  return status === "blocked" && waitingReason === "human_input";
}

function isStill(counts: RunFacts["counts"], expandedRunning: number): boolean {
  // A `for_each` node counts as running only through its instances.
  const moving = counts.queued + counts.retrying + counts.running + counts.streaming - expandedRunning;
  return moving === 0 && counts.blocked > 0;
}

function isActive({ status }: NodeResult): boolean {
  return status === "running" || status === "streaming" || status === "retrying";
}
