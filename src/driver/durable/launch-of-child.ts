import type { StartChild } from "../../core/engine/index.ts";
import type { RunRecord } from "../../store/index.ts";
import type { Launch } from "./runtime.ts";

/** The version of the workflow that a child run executes. */
export interface ChildVersion {
  readonly version: number | null;
  readonly hash: string;
  readonly pinnedHash: string | null;
}

/** Builds the launch of a child run. It inherits the caller and, unless the request names others, gateway and roles of its parent. */
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
    // A branch: with other args, the nodes that read them run again.
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
