/** The question each gate answers, for people. */
export const GATE_QUESTIONS: Readonly<Record<string, string>> = {
  platform_open: "Is the platform open?",
  gateway_health: "Can the gateway be reached, and is it healthy?",
  agent_status: "Is the agent registered and free to work?",
  identity: "Is the agent's credential valid?",
  concurrency: "Has the agent a free slot?",
  rate_limit: "Is there room in the rate window?",
  agent_budget: "Has the agent budget left this month?",
  budget_envelopes: "Does every envelope have room for the estimate?",
  trust_level: "Is the agent trusted enough for this gateway, and does its autonomy permit this action?",
  context_trust: "May the agent read these sources, and are they fresh?",
  policy_rules: "Does any policy forbid it?",
  approval_required: "Must a person approve it first?",
  instructions: "Does it ask for anything it was forbidden?",
  execution_posture: "May the workflow go this far by itself?",
  start_rate: "Are runs started too fast?",
};
