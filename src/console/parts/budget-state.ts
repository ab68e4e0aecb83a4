import type { Tone } from "./status.tsx";

export type BudgetState = "fine" | "near" | "exhausted";

const NEAR = 0.8;

/** The one rule by which budgets are judged and coloured, by the share of the ceiling that is spent. */
export function budgetState(share: number): BudgetState {
  if (share >= 1) return "exhausted";
  return share >= NEAR ? "near" : "fine";
}

export const BUDGET_TONES: Readonly<Record<BudgetState, Tone>> = { fine: "ok", near: "warn", exhausted: "bad" };
