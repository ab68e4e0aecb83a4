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

/** One cell per gate, in the order they were asked; gates that were not asked follow. */
export function gateCells({ trail, gate }: Pick<JudgedNode, "trail" | "gate">): readonly GateCell[] {
  const cells = trail.map((entry) => ({
    gate: entry.gate,
    outcome: entry.outcome,
    detail: entry.detail ?? null,
    isDecisive: entry.gate === gate && (entry.outcome === "block" || entry.outcome === "hold"),
  }));
  const known = new Set(cells.map((cell) => cell.gate));
  const missing = GATE_ORDER.filter((name) => !known.has(name));
  return [
    ...cells,
    ...missing.map((name) => ({ gate: name, outcome: "not_evaluated", detail: null, isDecisive: false }) as const),
  ];
}
