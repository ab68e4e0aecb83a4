import type { JudgedNode, NodeVerdict } from "../../../client/index.ts";

export type CellOutcome = JudgedNode["trail"][number]["outcome"];

export interface GateCell {
  readonly gate: string;
  readonly outcome: CellOutcome;
  readonly detail: string | null;
  /** True for the gate that decided. */
  readonly isDecisive: boolean;
}

/** Gates in the order in which they are evaluated. */
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

/** A verdict. `callId` is set when it is about a tool call. */
type Judged = Pick<JudgedNode, "trail" | "gate"> & { readonly callId?: string | undefined };

/** Returns one cell per gate in the order of evaluation, then the gates of a node that were not evaluated. */
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

/** Checks whether no gate sees the calls inside the node. Nodes that are a single call, and scripts, are judged as a whole. */
export function isOpaqueTurn({
  callId,
  disposition,
  facts,
}: Pick<NodeVerdict, "callId" | "disposition" | "facts">): boolean {
  return callId === undefined && disposition === "allow" && facts["turns"] === "opaque";
}
