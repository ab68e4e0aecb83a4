import type { Gate } from "../../../core/governance/index.ts";

export interface GateStory {
  readonly name: string;
  readonly asks: string;
  readonly reads: string;
  /** What becomes of a node it stops. */
  readonly otherwise: string;
  readonly unblocks: string;
}

type Told = Omit<GateStory, "name">;

const STORIES: Readonly<Record<string, Told>> = {
  platform_open: told("Is the kill switch open?", "the platform", "refused", "Open the platform again."),
  gateway_health: told(
    "Does the gateway answer?",
    "health of the chosen gateway",
    "fails; a degraded one passes with a warning",
    "Start or mend the Bridge, or choose another gateway.",
  ),
  agent_status: told(
    "Is the agent registered and at work?",
    "status, lifecycle, phase",
    "fails; a paused agent is asked again after 1, 2 and 4 s",
    "Register the agent, or set its status back to idle.",
  ),
  identity: told("Is its credential good?", "identity: expires_at, revoked", "fails", "Renew the credential."),
  concurrency: told(
    "Has the agent a free slot?",
    "open attempts, max_concurrent",
    "queues, first come, first served",
    "Wait, or raise max_concurrent.",
  ),
  rate_limit: told("Is there room in its window?", "rate_limit", "queues until there is", "Wait, or raise rate_limit."),
  agent_budget: told(
    "Has the agent money left this month?",
    "max_spend_usd of its role, else budget_monthly_usd",
    "fails",
    "Raise the bound of its role, or its monthly budget.",
  ),
  budget_envelopes: told(
    "Does the estimate fit under every envelope?",
    "spent, reserved and ceiling of each budget that counts it",
    "fails, or waits where the budget says pause",
    "Raise the budget, or wait for its next period.",
  ),
  trust_level: told(
    "Is the agent trusted enough here, and does its rung let it do this?",
    "trust_level, min_trust_level, autonomy, action",
    "fails",
    "Raise its trust or rung, or use another gateway.",
  ),
  context_trust: told(
    "May it read what it is given, and is that fresh?",
    "may_read, max_age_hours, sources of context",
    "fails",
    "Allow the class of context, or refresh the source.",
  ),
  policy_rules: told("Does a policy say no?", "enabled policies that hold", "fails", "Change the policy, or the node."),
  approval_required: told(
    "Must a person say yes first?",
    "policies that require approval, the rung, the action",
    "held until somebody answers",
    "Somebody in the chain approves it.",
  ),
  execution_posture: told("May the workflow go this far by itself?", "posture", "refused", "Change its posture."),
  start_rate: told("Are runs started too fast?", "starts per second", "refused", "Wait, and start it again."),
};

function told(asks: string, reads: string, otherwise: string, unblocks: string): Told {
  return { asks, reads, otherwise, unblocks };
}

/** Gates in the order they are asked, each with what it asks, what it reads and what lets a node through. */
export function gateGuide(gates: readonly Pick<Gate<never>, "name">[]): readonly GateStory[] {
  return gates.map(({ name }) => ({ name, ...(STORIES[name] ?? told(name, "", "", "")) }));
}
