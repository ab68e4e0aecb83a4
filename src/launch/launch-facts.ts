import type { LaunchSubject } from "../governance/index.ts";
import type { RunRecord, WorkflowRecord } from "../store/index.ts";

export type LaunchFacts = Omit<LaunchSubject, "hasApprovedLaunch" | "keyId">;

type Launched = Pick<RunRecord, "workflow" | "args" | "gateway"> & {
  readonly team?: string | null;
  /** Depth of the run in its family; default: 0. */
  readonly depth?: number;
};

/** Returns the launch data for the gates. A workflow that is no longer stored counts as active and unrestricted. */
export function launchFacts(
  { workflow, args, gateway, team = null, depth = 0 }: Launched,
  record: Pick<WorkflowRecord, "status" | "posture"> | undefined,
): LaunchFacts {
  const { status = "active", posture = "bounded_autonomous" } = record ?? {};
  return { workflow, status, posture, depth, args, gateway, team };
}
