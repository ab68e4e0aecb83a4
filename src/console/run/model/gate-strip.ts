import type { JudgedNode } from "../../../client/index.ts";

export type CellOutcome = JudgedNode["trail"][number]["outcome"];

export interface GateCell {
  readonly gate: string;
  readonly outcome: CellOutcome;
  readonly detail: string | null;
  /** The one that decided. */
  readonly isDecisive: boolean;
}

/** In the order they are asked. */
export const GATE_ORDER = [
  "gateway_health",
  "agent_status",
  "identity",
  "concurrency",
  "rate_limit",
  "agent_budget",
  "budget_envelopes",
  "trust_level",
  "context_trust",
  "policy_rules",
  "approval_required",
] as const;

/** One cell per gate, in the order they were asked; those nobody asked are there, too. */
export function gateCells({ trail, gate }: Pick<JudgedNode, "trail" | "gate">): readonly GateCell[] {
  const told = trail.map((entry) => ({
    gate: entry.gate,
    outcome: entry.outcome,
    detail: entry.detail ?? null,
    isDecisive: entry.gate === gate && (entry.outcome === "block" || entry.outcome === "hold"),
  }));
  const known = new Set(told.map((cell) => cell.gate));
  const missing = GATE_ORDER.filter((name) => !known.has(name));
  return [
    ...told,
    ...missing.map((name) => ({ gate: name, outcome: "not_evaluated", detail: null, isDecisive: false }) as const),
  ];
}

/** What each gate asks, for people. */
export const GATE_QUESTIONS: Readonly<Record<string, string>> = {
  platform_open: "Is the platform open?",
  gateway_health: "Can the gateway be reached, and is it healthy?",
  agent_status: "Is the agent registered and free to work?",
  identity: "Is the agent's identity valid?",
  concurrency: "Has the agent a free slot?",
  rate_limit: "Is there a place in the rate window?",
  agent_budget: "Has the agent budget left this month?",
  budget_envelopes: "Does every envelope have room for the estimate?",
  trust_level: "Is the agent trusted enough for this gateway?",
  context_trust: "May the agent read these sources?",
  policy_rules: "Does any policy forbid it?",
  approval_required: "Must a person approve it first?",
  instructions: "Does it ask for anything it was forbidden?",
};
