import type { EnvelopeFact } from "./facts.ts";
import { periodOf } from "./period.ts";
import type { Agent, Budget, RoleBinding } from "./registered.ts";

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

/** An agent as it acts in a role somewhere. */
export interface InRole {
  readonly role: string;
  readonly agent: string;
  readonly workflow: string;
}

/** The binding whose bound holds for an agent in its role: one for the workflow before one for everywhere. */
export function roleBoundOf(bindings: readonly RoleBinding[], { role, agent, workflow }: InRole): RoleBinding | null {
  const bounds = bindings.filter((one) => one.role === role && one.agent === agent && one.maxSpendMicros !== null);
  return bounds.find((one) => one.workflow === workflow) ?? bounds.find((one) => one.workflow === null) ?? null;
}

/**
 * Whether what an agent spends is counted at all. A role bound counts everything the agent spends, in the role or not,
 * so that all of it is booked as soon as there is one.
 */
export function isSpendingCounted(agent: Agent | undefined, bindings: readonly RoleBinding[]): boolean {
  // One that is gone may come back, and with a ceiling.
  if (agent === undefined) return true;
  return (
    agent.budgetMonthlyMicros !== null || bindings.some((one) => one.agent === agent.id && one.maxSpendMicros !== null)
  );
}

/** The monthly ceiling an agent works under: the bound of its role, else its own; null when it has neither. */
export function agentEnvelopeOf(
  agent: Agent,
  bound: RoleBinding | null,
  at: number,
  spending: Spending,
): EnvelopeFact | null {
  const { id } = agent;
  const amountMicros = bound?.maxSpendMicros ?? agent.budgetMonthlyMicros;
  if (amountMicros === null) return null;
  const budget: Budget = {
    id: agentEnvelopeId(id),
    scope: "agent",
    scopeId: id,
    period: "monthly",
    amountMicros,
    isEnabled: true,
    alertAt: [],
    onExhausted: "block",
  };
  const envelope = envelopeOf(budget, at, spending);
  return bound === null ? envelope : { ...envelope, boundBy: bound.id };
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
