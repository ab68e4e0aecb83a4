import type { Tone } from "./status.tsx";

export type BudgetState = "fine" | "near" | "exhausted";

const NEAR = 0.8;

/** Returns the state of a budget for the spent share of its ceiling. All budget colours are based on it. */
export function budgetState(share: number): BudgetState {
  if (share >= 1) return "exhausted";
  return share >= NEAR ? "near" : "fine";
}

export const BUDGET_TONES: Readonly<Record<BudgetState, Tone>> = { fine: "ok", near: "warn", exhausted: "bad" };
