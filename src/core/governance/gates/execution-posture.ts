import type { LaunchFacts } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";

export const postureGate: Gate<LaunchFacts> = {
  name: "execution_posture",
  evaluate({ posture, hasApprovedLaunch, run }): GateOutcome {
    if (posture === "bounded_autonomous") return PASS;
    if (posture === "approval_required" && hasApprovedLaunch) return PASS;
    const target = `Workflow/${run.workflow}`;
    const change = { action: "change_posture", target, detail: "set posture to bounded_autonomous" };
    const approve = { action: "approve_launch", target, detail: "have the launch approved, and start it with that" };
    const isApprovable = posture === "approval_required";
    return {
      kind: "block",
      code: "posture_forbidden",
      message: isApprovable
        ? `workflow ${run.workflow} starts only with an approved launch, and there is none`
        : `workflow ${run.workflow} is ${posture} and is never launched; change its posture to let it run`,
      after: "final",
      facts: { workflow: run.workflow, posture, hasApprovedLaunch },
      unblock: isApprovable ? [approve, change] : [change],
    };
  },
};
