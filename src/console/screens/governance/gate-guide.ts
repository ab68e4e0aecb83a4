import type { Gate } from "../../../core/governance/index.ts";
import { GATE_QUESTIONS } from "../../parts/gate-questions.ts";

export interface GateGuideEntry {
  readonly name: string;
  readonly question: string;
  /** The facts the gate reads. */
  readonly reads: string;
  /** The effect on a node that the gate stops. */
  readonly otherwise: string;
  /** The change that lets the node pass the next time. */
  readonly fix: string;
}

type EntryTexts = Omit<GateGuideEntry, "name" | "question">;

const ENTRIES: Readonly<Record<string, EntryTexts>> = {
  platform_open: entry("the platform", "refused", "Open the platform again."),
  gateway_health: entry(
    "health of the chosen gateway",
    "fails; a degraded one passes with a warning",
    "Start or repair the Bridge, or choose another gateway.",
  ),
  agent_status: entry(
    "status, lifecycle, phase",
    "fails; a paused agent is asked again after 1, 2 and 4 s",
    "Register the agent, or set its status back to idle.",
  ),
  identity: entry("identity: expires_at, revoked", "fails", "Renew the credential."),
  concurrency: entry(
    "open attempts, max_concurrent",
    "queues, first come, first served",
    "Wait, or raise max_concurrent.",
  ),
  rate_limit: entry("rate_limit", "queues until there is", "Wait, or raise rate_limit."),
  agent_budget: entry(
    "max_spend_usd of its role, else budget_monthly_usd",
    "fails",
    "Raise the bound of its role, or its monthly budget.",
  ),
  budget_envelopes: entry(
    "spent, reserved and ceiling of each budget that counts it",
    "fails, or waits if the budget is set to pause",
    "Raise the budget, or wait for its next period.",
  ),
  trust_level: entry(
    "trust_level, min_trust_level, autonomy, action",
    "fails",
    "Raise its trust or autonomy, or use another gateway.",
  ),
  context_trust: entry(
    "may_read, max_age_hours, sources of context",
    "fails",
    "Allow the class of context, or refresh the source.",
  ),
  policy_rules: entry("enabled policies that hold", "fails", "Change the policy, or the node."),
  approval_required: entry(
    "policies that require approval, the autonomy, the action",
    "held until a person answers",
    "A person of the approval chain approves it.",
  ),
  tool_allowed: entry("tools of the step, tools of the agent", "denied", "Name the tool in the step, or allow it."),
  tool_rate: entry(
    "rate of every tool manifest that fits",
    "denied, with the time to try again",
    "Wait, or raise rate.",
  ),
  turn_limits: entry(
    "turn of the step and of the agent",
    "denied; a turn with too many rounds stops",
    "Raise the limit, or let the turn have more rounds.",
  ),
  budgets: entry(
    "spent, reserved and ceiling of each budget that counts the node",
    "the turn stops until a person lets it continue",
    "Raise the budget, and let the turn continue.",
  ),
  execution_posture: entry("posture", "refused", "Change its posture."),
  start_rate: entry("starts per second", "refused", "Wait, and start it again."),
};

function entry(reads: string, otherwise: string, fix: string): EntryTexts {
  return { reads, otherwise, fix };
}

/** Returns the gates in the order they are checked, each with its question, the facts it reads and how to pass it. */
export function gateGuide(gates: readonly Pick<Gate<never>, "name">[]): readonly GateGuideEntry[] {
  return gates.map(({ name }) => ({
    name,
    question: GATE_QUESTIONS[name] ?? name,
    ...(ENTRIES[name] ?? entry("", "", "")),
  }));
}
