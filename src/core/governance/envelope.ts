import type { EnvelopeFact } from "./facts.ts";
import { periodOf } from "./period.ts";
import type { Agent, Budget, RoleBinding } from "./registered.ts";

/** The owners that pay for a dispatch, or for a run about to be created. */
export interface Charged {
  readonly gateway: string | null;
  readonly agent: string | null;
  readonly workflow: string;
  readonly team: string | null;
}

/** The spending counters of one period. */
export interface Spending {
  readonly spentMicros: number;
  readonly reservedMicros: number;
}

/** Returns the enabled budgets that count the spending. A budget without `scope_id` counts its whole scope together. */
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

/** An agent acting in a role of a workflow. */
export interface InRole {
  readonly role: string;
  readonly agent: string;
  readonly workflow: string;
}

/** Returns the binding that limits an agent in its role: one for the workflow takes precedence over one for all workflows. */
export function roleBoundOf(bindings: readonly RoleBinding[], { role, agent, workflow }: InRole): RoleBinding | null {
  const bounds = bindings.filter((one) => one.role === role && one.agent === agent && one.maxSpendMicros !== null);
  return bounds.find((one) => one.workflow === workflow) ?? bounds.find((one) => one.workflow === null) ?? null;
}

/**
 * Checks whether the spending of an agent is counted. A role bound counts everything the agent spends, in the role or not,
 * so all spending is recorded as soon as one such bound exists.
 */
export function isSpendingCounted(agent: Agent | undefined, bindings: readonly RoleBinding[]): boolean {
  // A deleted agent may be registered again, with a ceiling.
  if (agent === undefined) return true;
  return (
    agent.budgetMonthlyMicros !== null || bindings.some((one) => one.agent === agent.id && one.maxSpendMicros !== null)
  );
}

/** Returns the monthly ceiling of an agent: the bound of its role, else its own. Null when it has neither. */
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

/** Written so that NaN counts as exhausted: money checks fail closed. */
export function isExhausted({ spentMicros, ceilingMicros }: EnvelopeFact): boolean {
  return !(spentMicros < ceilingMicros);
}

/** Checks whether an estimate fits under the ceiling, including amounts reserved by others. */
export function fits(envelope: EnvelopeFact, estimateMicros: number): boolean {
  const { spentMicros, reservedMicros, ceilingMicros } = envelope;
  return !isExhausted(envelope) && spentMicros + reservedMicros + estimateMicros <= ceilingMicros;
}

/** Returns the shares of a budget that a change in spending has crossed. Each is alerted once. */
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
