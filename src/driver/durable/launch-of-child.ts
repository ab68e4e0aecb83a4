import type { StartChild } from "../../core/engine/index.ts";
import type { RunRecord } from "../../store/index.ts";
import type { Launch } from "./runtime.ts";

/** The version a child runs. */
export interface ChildVersion {
  readonly version: number | null;
  readonly hash: string;
  readonly pinnedHash: string | null;
}

/** How a run is started that another has asked for: under the id, the caller and the names its parent has. */
export function launchOfChild(
  parent: RunRecord,
  wanted: StartChild,
  found: ChildVersion,
  args: Launch["args"],
): Launch {
  const { orgId, runId, startedBy, requestedBy, model, team, traceId, priority } = parent;
  const { childRunId, nodeId, attempt, recursionDepth, workflow, sourceRunId } = wanted;
  const { gateway = null, roleBindings = {} } = wanted.named ?? parent;
  return {
    orgId,
    runId: childRunId,
    workflow: workflow.name,
    version: found.version,
    definitionHash: found.hash,
    pinnedHash: found.pinnedHash,
    args,
    trigger: "parent",
    startedBy,
    requestedBy,
    ...(wanted.startedBy === undefined ? {} : { by: wanted.startedBy }),
    model,
    gateway,
    roleBindings,
    team,
    priority,
    ...(parent.paused === null ? {} : { paused: parent.paused }),
    root: wanted.root ?? { runId, createdAt: parent.createdAt },
    ...(wanted.hops === undefined ? {} : { hops: wanted.hops }),
    ...(wanted.block === undefined ? {} : { block: wanted.block }),
    ...(wanted.owner === undefined ? {} : { owner: wanted.owner }),
    ...(wanted.taken === undefined ? {} : { taken: wanted.taken }),
    // With other args, what reads them runs again.
    ...(sourceRunId === undefined ? {} : { source: { runId: sourceRunId, kind: "branch" } }),
    parent: {
      runId,
      nodeId,
      attempt,
      recursionDepth,
      traceId,
      ...(wanted.handoffs === undefined ? {} : { handoffs: wanted.handoffs }),
    },
  };
}
