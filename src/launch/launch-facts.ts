import type { LaunchSubject } from "../governance/index.ts";
import type { RunRecord, WorkflowRecord } from "../store/index.ts";

export type LaunchFacts = Omit<LaunchSubject, "hasApprovedLaunch" | "keyId">;

type Launched = Pick<RunRecord, "workflow" | "args" | "gateway"> & {
  readonly team?: string | null;
  /** How deep in its family the run is; default: 0. */
  readonly depth?: number;
};

/** A launch as the gates read it. A workflow that is no longer stored counts as active and without restriction. */
export function launchFacts(
  { workflow, args, gateway, team = null, depth = 0 }: Launched,
  record: Pick<WorkflowRecord, "status" | "posture"> | undefined,
): LaunchFacts {
  const { status = "active", posture = "bounded_autonomous" } = record ?? {};
  return { workflow, status, posture, depth, args, gateway, team };
}
