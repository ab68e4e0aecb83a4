import { formatPath } from "../base/index.ts";
import { argSources, childOf, type Family, leavesIn, lifeAt } from "./family.ts";
import { isUsed, type Life, type RunTale } from "./tale.ts";

/** A value that went from one place to another and was used there. A node of null means the args of the run. */
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

/** Every hand-off into a run that was really used, each once, in the order of its log. What was rewound was used too. */
export function handoffsOf(family: Family, runId: string): readonly Handoff[] {
  const tale = family.tales.get(runId);
  if (tale === undefined) return [];
  const rows = new Map<string, Handoff>();
  const add = (targetNodeId: string | null, half: Half): void => {
    const sourceWorkflow = workflowOf(family, tale, half.sourceRunId);
    const { sourceRunId, sourceNodeId, sourceOutputPath, targetInputPath, transform } = half;
    const source = { sourceRunId, sourceWorkflow, sourceNodeId, sourceOutputPath };
    const target = { targetRunId: runId, targetWorkflow: tale.workflow, targetNodeId, targetInputPath };
    const row = { ...source, ...target, transform };
    const key = JSON.stringify(Object.values(row));
    if (!rows.has(key)) rows.set(key, row);
  };
  for (const half of intoArgs(family, tale)) add(null, half);
  for (const { lives } of tale.nodes.values()) {
    for (const life of lives) for (const half of intoLife(family, tale, life)) add(life.nodeId, half);
  }
  return [...rows.values()];
}

/** A run that is not at hand is known at least by what called it, or by what it called. */
function workflowOf({ tales }: Family, tale: RunTale, runId: string): string {
  return tales.get(runId)?.workflow ?? (runId === tale.runId ? tale.workflow : "");
}

function intoArgs(family: Family, tale: RunTale): readonly Half[] {
  return Object.keys(tale.start?.args ?? {}).flatMap((arg) =>
    (argSources(family, tale, arg) ?? []).map(({ runId, nodeId, path, target, transform }) => ({
      sourceRunId: runId,
      sourceNodeId: nodeId,
      sourceOutputPath: path,
      targetInputPath: target,
      transform,
    })),
  );
}

function intoLife(family: Family, tale: RunTale, life: Life): readonly Half[] {
  return [
    ...(isUsed(life) ? life.inputs : []),
    ...collected(tale, life),
    ...fromChild(family, life),
    ...kept(tale, life),
  ];
}

/** Results of instances that became one list. */
function collected(tale: RunTale, { instanceIds, result }: Life): readonly Half[] {
  if (instanceIds === null || result === null || result.isCarried) return [];
  return instanceIds.flatMap((sourceNodeId, index) => {
    const instance = lifeAt(tale, sourceNodeId, { eventId: result.eventId });
    const isCompleted = typeof instance?.result?.eventId === "number";
    const half = { sourceRunId: tale.runId, sourceNodeId, sourceOutputPath: "outputs", transform: "collect" };
    return isCompleted ? [{ ...half, targetInputPath: formatPath(["items", index]) }] : [];
  });
}

/** Results of a child run's leaves that became those of the node that started it. */
function fromChild({ tales }: Family, life: Life): readonly Half[] {
  const childRunId = childOf(life);
  if (childRunId === null) return [];
  return leavesIn(life, tales.get(childRunId), []).map((leaf) => ({
    sourceRunId: childRunId,
    sourceNodeId: leaf,
    sourceOutputPath: "outputs",
    targetInputPath: formatPath(["outputs", leaf]),
    transform: "child",
  }));
}

/** A result that another run had already come to. */
function kept({ start }: RunTale, { nodeId, result }: Life): readonly Half[] {
  if (result?.isCarried !== true || typeof start?.sourceRunId !== "string") return [];
  const paths = { sourceOutputPath: "outputs", targetInputPath: "outputs" };
  return [{ sourceRunId: start.sourceRunId, sourceNodeId: nodeId, ...paths, transform: "carried" }];
}
