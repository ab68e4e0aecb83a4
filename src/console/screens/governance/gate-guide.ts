import type { Gate } from "../../../core/governance/index.ts";

export interface GateStory {
  readonly name: string;
  readonly asks: string;
  readonly reads: string;
  readonly unblocks: string;
}

type Told = Omit<GateStory, "name">;

const STORIES: Readonly<Record<string, Told>> = {
  platform_open: told("Is the kill switch open?", "the platform", "Open the platform again."),
  gateway_health: told(
    "Can the gateway be reached, and does it run what the node needs?",
    "gateway status, providers, capabilities",
    "Start or mend the Bridge, or choose another gateway.",
  ),
  agent_status: told(
    "Is the agent registered and at work?",
    "status, lifecycle, phase",
    "Register the agent, or set its status back to idle.",
  ),
  identity: told("Is its credential good?", "identity.expires_at, identity.revoked", "Renew the credential."),
  concurrency: told(
    "Has the agent a free slot?",
    "open attempts, max_concurrent",
    "It waits in line; raise max_concurrent to wait less.",
  ),
  rate_limit: told("Is there room in its window?", "rate_limit", "It waits for the window; raise the limit."),
  agent_budget: told("Has the agent money left this month?", "budget_monthly_usd", "Raise its monthly budget."),
  budget_envelopes: told(
    "Does the estimate fit under every envelope?",
    "spent, reserved and ceiling of each budget that counts it",
    "Raise the budget, or wait for its next period.",
  ),
  trust_level: told(
    "Is the agent trusted enough for this gateway?",
    "trust_level, min_trust_level",
    "Raise the agent's trust, or use another gateway.",
  ),
  context_trust: told(
    "May it read what it is given, and is that fresh?",
    "may_read, max_age_hours, sources of context",
    "Allow the class of context, or refresh the source.",
  ),
  policy_rules: told("Does a policy say no?", "every enabled policy whose condition holds", "Change the policy, or the node."),
  approval_required: told(
    "Must a person say yes first?",
    "policies that require approval, the agent's rung, the action",
    "Somebody in the chain approves it.",
  ),
  execution_posture: told("May the workflow go this far by itself?", "posture of the workflow", "Change its posture."),
  start_rate: told("Are runs started too fast?", "starts per second", "Wait; it is asked again by whoever starts the run."),
};

function told(asks: string, reads: string, unblocks: string): Told {
  return { asks, reads, unblocks };
}

/** Gates in the order they are asked, each with what it asks, what it reads and what lets a node through. */
export function gateGuide(gates: readonly Pick<Gate<never>, "name">[]): readonly GateStory[] {
  return gates.map(({ name }) => ({ name, ...(STORIES[name] ?? told(name, "", "")) }));
}
