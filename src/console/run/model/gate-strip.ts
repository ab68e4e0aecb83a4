import type { JudgedNode, NodeVerdict } from "../../../client/index.ts";

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

/** `callId`: of the tool call it is about. */
type Judged = Pick<JudgedNode, "trail" | "gate"> & { readonly callId?: string | undefined };

/** One cell per gate, in the order they were asked; gates of a node that were not asked follow. */
export function gateCells({ trail, gate, callId }: Judged): readonly GateCell[] {
  const cells = trail.map((entry) => ({
    gate: entry.gate,
    outcome: entry.outcome,
    detail: entry.detail ?? null,
    isDecisive: entry.gate === gate && (entry.outcome === "block" || entry.outcome === "hold"),
  }));
  const known = new Set(cells.map((cell) => cell.gate));
  const missing = callId === undefined ? GATE_ORDER.filter((name) => !known.has(name)) : [];
  return [
    ...cells,
    ...missing.map((name) => ({ gate: name, outcome: "not_evaluated", detail: null, isDecisive: false }) as const),
  ];
}

/** Whether what the node does inside is seen by no gate. Nodes that are a call themselves, and scripts, are judged whole. */
export function isUnseen({
  callId,
  disposition,
  facts,
}: Pick<NodeVerdict, "callId" | "disposition" | "facts">): boolean {
  return callId === undefined && disposition === "allow" && facts["turns"] === "opaque";
}
