import type { Approval } from "../../../client/index.ts";

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
