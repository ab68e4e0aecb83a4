import { agentEnvelopeId, budgetsFor, type DispatchFacts, periodOf } from "../core/governance/index.ts";
import type { LedgerChange } from "../store/index.ts";
import type { AboutRun, AdmittedAttempt, Admission } from "./judge.ts";
import type { Registered } from "./registered.ts";

/** What an allowed attempt takes: a slot, a place in the window, and its estimate under every ceiling. */
export function admissionOf(runId: string, nodeId: string, facts: DispatchFacts, at: number): Admission {
  const { agent, agentId, agentBudget, envelopes, estimateMicros } = facts;
  const rate = agent?.rateLimit ?? null;
  const ceilings = agentBudget === null ? envelopes : [agentBudget, ...envelopes];
  return {
    runId,
    nodeId,
    agentId,
    maxOpen: agent?.maxConcurrent ?? 0,
    rate: rate === null ? null : { count: rate.count, windowMs: rate.perSeconds * 1_000 },
    at,
    reserved: ceilings.map(({ id, periodStart, ceilingMicros }) => ({
      envelopeId: id,
      periodStart,
      micros: estimateMicros ?? 0,
      ceiling: ceilingMicros,
    })),
  };
}

/** Where the cost of an attempt is booked: the agent's own ceiling and every budget, in the period of its admission. */
export function settlementOf(
  { budgets, agents }: Registered,
  { workflow, team = null }: AboutRun,
  { agentId, gatewayId, startedAt }: AdmittedAttempt,
  costMicros: number,
): readonly LedgerChange[] {
  const changes: LedgerChange[] = [];
  const spend = (envelopeId: string, periodStart: number): void => {
    changes.push({ envelopeId, periodStart, reserved: 0, spent: costMicros, ceiling: null });
  };
  if (agentId !== null && agents.get(agentId)?.budgetMonthlyMicros !== null) {
    spend(agentEnvelopeId(agentId), periodOf("monthly", startedAt).start);
  }
  const charged = { gateway: gatewayId, agent: agentId, workflow, team };
  for (const { id, period } of budgetsFor(budgets, charged)) spend(id, periodOf(period, startedAt).start);
  return changes;
}
