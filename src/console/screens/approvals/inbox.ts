import type { Approval } from "../../../client/index.ts";
import type { Decision } from "../../../core/event/index.ts";

/** Soonest to expire first: that is what is lost by waiting. */
export function byUrgency(approvals: readonly Approval[]): readonly Approval[] {
  return [...approvals].sort((left, right) => {
    const [a, b] = [Date.parse(left.expiresAt), Date.parse(right.expiresAt)];
    return a - b || (left.id < right.id ? -1 : 1);
  });
}

/**
 * Those that ask the very same: the same text, for the same node of the same workflow, with the same answers. Runs
 * whose workflow is not known are not taken for the same.
 */
export function sameAs(
  approval: Approval,
  all: readonly Approval[],
  workflowOf: ReadonlyMap<string, string>,
): readonly Approval[] {
  const key = keyOf(approval);
  const workflow = workflowOf.get(approval.runId ?? "");
  return all.filter(
    (each) =>
      each.id === approval.id ||
      (workflow !== undefined && workflowOf.get(each.runId ?? "") === workflow && keyOf(each) === key),
  );
}

/** The runs to look up before approvals can be called the same: those that would be, if they are of one workflow. */
export function runsAlike(approval: Approval, all: readonly Approval[]): readonly string[] {
  const key = keyOf(approval);
  const runIds = all.filter((each) => keyOf(each) === key).flatMap(({ runId }) => runId ?? []);
  return runIds.length < 2 ? [] : [...new Set(runIds)].sort();
}

function keyOf({ nodeId, source, summary, rendered, choices, agentId }: Approval): string {
  return JSON.stringify([nodeId, source, summary, rendered, choices, agentId]);
}

/** Why somebody is asked at all. */
export const SOURCE_TEXTS: Readonly<Record<Approval["source"], string>> = {
  gate: "The workflow asks for approval at this step.",
  policy: "A policy holds this until somebody approves.",
  escalation: "It failed, and the workflow asks a person what to do.",
  block: "It cannot go on by itself: it lacks a value, or nobody may take it. Give it what it needs on the run's page.",
};

export const CHOICE_TEXTS: Readonly<
  Record<
    Decision,
    { readonly verb: string; readonly done: string; readonly tone: "ok" | "bad" | "info"; readonly means: string }
  >
> = {
  approve: { verb: "Approve", done: "Approved", tone: "ok", means: "It continues, and passes the gates again." },
  reject: {
    verb: "Reject",
    done: "Rejected",
    tone: "bad",
    means: "It does not happen; what depends on it follows its failure rule.",
  },
  retry: { verb: "Retry", done: "Will be tried again", tone: "info", means: "The node is tried once more." },
  skip: { verb: "Skip", done: "Skipped", tone: "info", means: "The node is skipped, and the run continues." },
  abort: { verb: "Abort run", done: "Aborted", tone: "bad", means: "The run ends as failed." },
};

/** What needs a reason: whatever says no. */
export function needsReason(decision: Decision): boolean {
  return decision === "reject" || decision === "abort";
}
