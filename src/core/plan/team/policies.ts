import type { ApprovalRule, RetryBlock } from "../../definition/index.ts";
import type { FailurePolicy, QueuePolicy, Team, TeamPolicies } from "./team.ts";

/** The policies in effect for one node of a team run, with the source of each. */
export interface ResolvedPolicies {
  readonly queuePolicy: Resolved<QueuePolicy>;
  readonly failurePolicy: Resolved<FailurePolicy>;
  readonly approvalPolicy: Resolved<ApprovalRule | null>;
  readonly retryPolicy: Resolved<RetryBlock | null>;
}

export interface Resolved<T> {
  readonly value: T;
  readonly from: "step" | "assignment" | "team" | "default";
}

/** Resolves the policies. Precedence: field of the step, assignment of the workflow, team, default. */
export function resolvePolicies(team: Team, workflow: string, explicit: TeamPolicies): ResolvedPolicies {
  const assignment = team.assignments.find((one) => one.workflow === workflow);
  const resolve = <K extends keyof TeamPolicies, D>(
    key: K,
    otherwise: D,
  ): Resolved<NonNullable<TeamPolicies[K]> | D> => {
    const sources = [
      ["step", explicit],
      ["assignment", assignment],
      ["team", team],
    ] as const;
    for (const [from, policies] of sources) {
      const value = policies?.[key];
      if (value !== undefined) return { value, from };
    }
    return { value: otherwise, from: "default" };
  };
  return {
    queuePolicy: resolve("queuePolicy", "parallel"),
    failurePolicy: resolve("failurePolicy", "isolate"),
    approvalPolicy: resolve("approvalPolicy", null),
    retryPolicy: resolve("retryPolicy", null),
  };
}
