import { formatPath } from "../base/index.ts";
import { argSources, childOf, type RelatedRuns, leavesIn, historyAt } from "./related-runs.ts";
import { isUsed, type NodeHistory, type RunHistory } from "./run-history.ts";

/** A value that was passed from one place to another and used there. A null node means the args of the run. */
export interface Handoff {
  readonly sourceRunId: string;
  readonly sourceWorkflow: string;
  readonly sourceNodeId: string | null;
  readonly sourceOutputPath: string;
  readonly targetRunId: string;
  readonly targetWorkflow: string;
  readonly targetNodeId: string | null;
  readonly targetInputPath: string;
  readonly transform: string | null;
}

type Half = Pick<Handoff, "sourceRunId" | "sourceNodeId" | "sourceOutputPath" | "targetInputPath" | "transform">;

/** Returns every hand-off into a run that was actually used, each once, in log order. Includes use by histories that were rewound later. */
export function handoffsOf(related: RelatedRuns, runId: string): readonly Handoff[] {
  const run = related.runs.get(runId);
  if (run === undefined) return [];
  const rows = new Map<string, Handoff>();
  const add = (targetNodeId: string | null, half: Half): void => {
    const sourceWorkflow = workflowOf(related, run, half.sourceRunId);
    const { sourceRunId, sourceNodeId, sourceOutputPath, targetInputPath, transform } = half;
    const source = { sourceRunId, sourceWorkflow, sourceNodeId, sourceOutputPath };
    const target = { targetRunId: runId, targetWorkflow: run.workflow, targetNodeId, targetInputPath };
    const row = { ...source, ...target, transform };
    const key = JSON.stringify(Object.values(row));
    if (!rows.has(key)) rows.set(key, row);
  };
  for (const half of intoArgs(related, run)) add(null, half);
  for (const { histories } of run.nodes.values()) {
    for (const history of histories)
      for (const half of intoNodeHistory(related, run, history)) add(history.nodeId, half);
  }
  return [...rows.values()];
}

/** Returns the workflow of a run. Empty when the run is not available. */
function workflowOf({ runs }: RelatedRuns, run: RunHistory, runId: string): string {
  return runs.get(runId)?.workflow ?? (runId === run.runId ? run.workflow : "");
}

function intoArgs(related: RelatedRuns, run: RunHistory): readonly Half[] {
  return Object.keys(run.start?.args ?? {}).flatMap((arg) =>
    (argSources(related, run, arg) ?? []).map(({ runId, nodeId, path, target, transform }) => ({
      sourceRunId: runId,
      sourceNodeId: nodeId,
      sourceOutputPath: path,
      targetInputPath: target,
      transform,
    })),
  );
}

function intoNodeHistory(related: RelatedRuns, run: RunHistory, history: NodeHistory): readonly Half[] {
  return [
    ...(isUsed(history) ? history.inputs : []),
    ...collected(run, history),
    ...fromChild(related, history),
    ...kept(run, history),
  ];
}

/** Returns the results of instances that were collected into one list. */
function collected(run: RunHistory, { instanceIds, result }: NodeHistory): readonly Half[] {
  if (instanceIds === null || result === null || result.isCarried) return [];
  return instanceIds.flatMap((sourceNodeId, index) => {
    const instance = historyAt(run, sourceNodeId, { eventId: result.eventId });
    const isCompleted = typeof instance?.result?.eventId === "number";
    const half = { sourceRunId: run.runId, sourceNodeId, sourceOutputPath: "outputs", transform: "collect" };
    return isCompleted ? [{ ...half, targetInputPath: formatPath(["items", index]) }] : [];
  });
}

/** Returns the results of a child run's leaves that became outputs of the node that started it. */
function fromChild({ runs }: RelatedRuns, history: NodeHistory): readonly Half[] {
  const childRunId = childOf(history);
  if (childRunId === null) return [];
  return leavesIn(history, runs.get(childRunId), []).map((leaf) => ({
    sourceRunId: childRunId,
    sourceNodeId: leaf,
    sourceOutputPath: "outputs",
    targetInputPath: formatPath(["outputs", leaf]),
    transform: "child",
  }));
}

/** Returns the result that was carried over from another run. */
function kept({ start }: RunHistory, { nodeId, result }: NodeHistory): readonly Half[] {
  if (result?.isCarried !== true || result.by !== null || typeof start?.sourceRunId !== "string") return [];
  const paths = { sourceOutputPath: "outputs", targetInputPath: "outputs" };
  return [{ sourceRunId: start.sourceRunId, sourceNodeId: nodeId, ...paths, transform: "carried" }];
}
