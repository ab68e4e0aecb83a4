import type { DispatchFacts, LaunchFacts } from "../facts.ts";
import { type GateBlock, type Gate, type GateOutcome, PASS } from "../gate.ts";
import type { Platform } from "../registered.ts";

const NAME = "platform_open";

/**
 * The kill switch before the eleven dispatch gates. A node is checked again after 1, 2 and 4 s, and then fails:
 * a switch used by mistake costs nothing, and a closed platform neither dispatches nor leaves runs hanging.
 */
export const platformOpenForDispatch: Gate<Pick<DispatchFacts, "platform">> = {
  name: NAME,
  evaluate: ({ platform }): GateOutcome => (platform.isOpen ? PASS : closed(platform, "paused")),
};

/** Checks the kill switch, and whether the workflow itself may be started. */
export const platformOpenForLaunch: Gate<LaunchFacts> = {
  name: NAME,
  evaluate({ platform, workflowStatus, run }): GateOutcome {
    if (!platform.isOpen) return closed(platform, "final");
    if (workflowStatus === "active") return PASS;
    const detail =
      workflowStatus === "paused" ? "set its status to active" : "start its successor, or set its status to active";
    return {
      kind: "block",
      code: "workflow_paused",
      message: `workflow ${run.workflow} is ${workflowStatus}; ${detail}`,
      after: "final",
      facts: { workflow: run.workflow, status: workflowStatus },
      unblock: [{ action: "activate_workflow", target: `Workflow/${run.workflow}`, detail }],
    };
  },
};

function closed({ reason }: Platform, after: GateBlock["after"]): GateBlock {
  const why = reason === null || reason === "" ? "" : `: ${reason}`;
  return {
    kind: "block",
    code: "platform_closed",
    message: `the platform is closed${why}; open it again to continue`,
    after,
    facts: { open: false, reason },
    unblock: [{ action: "open_platform", target: "platform", detail: "open the platform (kill switch)" }],
  };
}
