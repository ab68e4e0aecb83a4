import type { NodeVerdict, Run, Usage } from "../../../client/index.ts";
import { isTerminal } from "../../../core/event/index.ts";

/** The runs an agent worked on, grouped by state. */
export interface AgentRuns {
  readonly now: readonly Run[];
  readonly ended: number;
  /** Null when no run has ended. */
  readonly successRate: number | null;
  readonly needPerson: number;
}

/** Groups the runs. Cancelled runs do not count in the success rate, because they do not show how well the agent works. */
export function agentRuns(runs: readonly Run[]): AgentRuns {
  const now = runs.filter(({ status }) => !isTerminal(status));
  const ended = runs.filter(({ status }) => isTerminal(status) && status !== "cancelled");
  const completed = ended.filter(({ status }) => status === "completed").length;
  return {
    now,
    ended: ended.length,
    successRate: ended.length === 0 ? null : completed / ended.length,
    needPerson: now.filter(({ waitingFor }) => waitingFor === "person").length,
  };
}

export interface AgentSpend {
  readonly costMicros: number;
  readonly tokens: number;
  readonly attempts: number;
}

export function agentSpend({ data }: Usage, agentId: string): AgentSpend {
  const own = data.filter(({ group }) => group === agentId);
  return {
    costMicros: own.reduce((sum, row) => sum + row.costMicros, 0),
    tokens: own.reduce((sum, row) => sum + row.inputTokens + row.outputTokens, 0),
    attempts: own.reduce((sum, row) => sum + row.count, 0),
  };
}

export type AgentVerdict = NodeVerdict & { readonly run: Pick<Run, "id" | "workflow"> };

/** Returns the verdicts on an agent among those of its runs, in which others work too. Newest first. */
export function verdictsOnAgent(
  agentId: string,
  ofRuns: readonly { readonly run: AgentVerdict["run"]; readonly verdicts: readonly NodeVerdict[] }[],
): readonly AgentVerdict[] {
  return ofRuns
    .flatMap(({ run, verdicts }) => verdicts.map((verdict) => ({ ...verdict, run })))
    .filter(({ facts }) => facts["agentId"] === agentId)
    .sort((left, right) => (left.at < right.at ? 1 : left.at > right.at ? -1 : 0));
}
