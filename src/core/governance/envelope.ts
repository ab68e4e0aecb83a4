import type { EnvelopeFact } from "./facts.ts";
import { periodOf } from "./period.ts";
import type { Agent, Budget } from "./registered.ts";

/** Whom a dispatch, or a run about to be created, is charged to. */
export interface Charged {
  readonly gateway: string | null;
  readonly agent: string | null;
  readonly workflow: string;
  readonly team: string | null;
}

/** What a counter of one period says. */
export interface Spending {
  readonly spentMicros: number;
  readonly reservedMicros: number;
}

/** The enabled budgets that count it. One without `scope_id` counts everything of its scope together. */
export function budgetsFor(budgets: readonly Budget[], charged: Charged): readonly Budget[] {
  return budgets.filter((budget) => {
    if (!budget.isEnabled) return false;
    if (budget.scope === "global") return true;
    const id = charged[budget.scope];
    return id !== null && (budget.scopeId === null || budget.scopeId === id);
  });
}

export function envelopeOf(budget: Budget, at: number, spending: Spending): EnvelopeFact {
  const { id, scope, scopeId, period, amountMicros, onExhausted } = budget;
  const { start, end } = periodOf(period, at);
  return {
    id,
    scope,
    scopeId,
    period,
    periodStart: start,
    periodEnd: end,
    ceilingMicros: amountMicros,
    spentMicros: spending.spentMicros,
    reservedMicros: spending.reservedMicros,
    onExhausted,
  };
}

export function agentEnvelopeId(agentId: string): string {
  return `agent/${agentId}/monthly`;
}

/** An agent's own monthly ceiling; null when it has none. */
export function agentEnvelopeOf(agent: Agent, at: number, spending: Spending): EnvelopeFact | null {
  const { id, budgetMonthlyMicros } = agent;
  if (budgetMonthlyMicros === null) return null;
  const budget: Budget = {
    id: agentEnvelopeId(id),
    scope: "agent",
    scopeId: id,
    period: "monthly",
    amountMicros: budgetMonthlyMicros,
    isEnabled: true,
    alertAt: [],
    onExhausted: "block",
  };
  return envelopeOf(budget, at, spending);
}

/** Written so that a number that is none counts as exhausted: money fails closed. */
export function isExhausted({ spentMicros, ceilingMicros }: EnvelopeFact): boolean {
  return !(spentMicros < ceilingMicros);
}

/** Whether an estimate still fits under the ceiling, with what others have reserved. */
export function fits(envelope: EnvelopeFact, estimateMicros: number): boolean {
  const { spentMicros, reservedMicros, ceilingMicros } = envelope;
  return !isExhausted(envelope) && spentMicros + reservedMicros + estimateMicros <= ceilingMicros;
}

/** The shares of a budget that spending has reached on its way from one amount to another, each alerted once. */
export function thresholdsCrossed(
  { alertAt, amountMicros }: Pick<Budget, "alertAt" | "amountMicros">,
  beforeMicros: number,
  afterMicros: number,
): readonly number[] {
  return alertAt.filter((share) => {
    const mark = share * amountMicros;
    return beforeMicros < mark && mark <= afterMicros;
  });
}
