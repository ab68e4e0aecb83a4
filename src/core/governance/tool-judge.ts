import type { Gate, Judgement } from "./gate.ts";
import { agentStatus } from "./gates/agent-status.ts";
import { platformOpenForDispatch } from "./gates/platform-open.ts";
import { policyRulesForTool } from "./gates/policy-rules.ts";
import { roundBudgets } from "./gates/round-budgets.ts";
import { toolAllowed } from "./gates/tool-allowed.ts";
import { toolApproval } from "./gates/tool-approval.ts";
import { toolRate } from "./gates/tool-rate.ts";
import { toolTrust } from "./gates/tool-trust.ts";
import { limitsOfCalls, limitsOfRounds } from "./gates/turn-limits.ts";
import { judge } from "./judge.ts";
import type { RoundFacts, CallFacts } from "./tool-fact.ts";

/** Gates of a tool call, in evaluation order. Budgets are checked per round and have no gate here. */
export const TOOL_GATES: readonly Gate<CallFacts>[] = [
  platformOpenForDispatch,
  agentStatus,
  toolAllowed,
  toolRate,
  limitsOfCalls,
  toolTrust,
  policyRulesForTool,
  toolApproval,
];

export const ROUND_GATES: readonly Gate<RoundFacts>[] = [limitsOfRounds, roundBudgets];

/** Decides whether a call may be made. A block denies it and the model receives the reason; a hold waits for a person. */
export function judgeTool(facts: CallFacts): Judgement {
  return judge(TOOL_GATES, facts, facts.tool.callId);
}

/** Decides whether a turn may have another round. A block stops it until a person lets it continue. */
export function judgeRound(facts: RoundFacts): Judgement {
  return judge(ROUND_GATES, facts, `${facts.run.runId}/${facts.node.id}`);
}
