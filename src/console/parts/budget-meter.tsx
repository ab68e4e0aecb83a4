import type { JSX } from "react";
import { BUDGET_TONES, budgetState } from "./budget-state.ts";
import "./budget-meter.css";

interface BudgetMeterProps {
  /** Share of the budget that is spent. 1 means all of it. */
  readonly share: number;
  readonly label: string;
}

/** Shows how much of a budget is spent, in the colour of `budgetState`. */
export function BudgetMeter({ share, label }: BudgetMeterProps): JSX.Element {
  const state = budgetState(share);
  return (
    <span
      className="budget-meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(Math.min(share, 1) * 100)}
      aria-valuetext={`${Math.round(share * 100)} percent spent`}
      data-state={state}
    >
      <span className={`fill-${BUDGET_TONES[state]}`} style={{ width: `${Math.min(share, 1) * 100}%` }} />
    </span>
  );
}
