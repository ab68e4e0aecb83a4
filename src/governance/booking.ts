import {
  agentEnvelopeId,
  budgetsFor,
  type DispatchFacts,
  isSpendingCounted,
  periodOf,
  rateWindowOf,
} from "../core/governance/index.ts";
import type { LedgerChange } from "../store/index.ts";
import type { AboutRun, AdmittedAttempt, Admission } from "./judge.ts";
import type { Registered } from "./registered.ts";

/** Returns what an allowed attempt takes: a slot, a place in the rate window, and its estimate under every ceiling. */
export function admissionOf(
  { agents, bindings }: Pick<Registered, "agents" | "bindings">,
  { runId, nodeId, parallel }: Pick<AboutRun, "runId" | "parallel"> & Pick<Admission, "nodeId">,
  facts: DispatchFacts,
  at: number,
): Admission {
  const { agent, agentId } = facts;
  const rate = agent?.rateLimit ?? null;
  const reserved = reservedFor({ agents, bindings }, facts, facts.at);
  return {
    runId,
    nodeId,
    agentId,
    maxOpen: agent?.maxConcurrent ?? 0,
    ...(parallel === undefined ? {} : { parallel }),
    rate: rate === null ? null : rateWindowOf(rate),
    at,
    reserved,
  };
}

/** Returns the estimate reserved under every ceiling, also where spending is only counted. `at` decides the month. */
export function reservedFor(
  { agents, bindings }: Pick<Registered, "agents" | "bindings">,
  { agentId, agentBudget, envelopes, estimateMicros }: Estimate,
  at: number,
): Admission["reserved"] {
  const micros = estimateMicros ?? 0;
  const ceilings = agentBudget === null ? envelopes : [agentBudget, ...envelopes];
  const reserved: Admission["reserved"][number][] = ceilings.map(({ id, periodStart, ceilingMicros }) => ({
    envelopeId: id,
    periodStart,
    micros,
    ceiling: ceilingMicros,
  }));
  // The agent has no ceiling here, but its role bindings may count this money elsewhere.
  if (agentBudget === null && isSpendingCounted(agents.get(agentId), bindings)) {
    const { start } = periodOf("monthly", at);
    reserved.unshift({ envelopeId: agentEnvelopeId(agentId), periodStart: start, micros, ceiling: null });
  }
  return reserved;
}

type Estimate = Pick<DispatchFacts, "agentId" | "agentBudget" | "envelopes" | "estimateMicros">;

/** Returns where the cost of an attempt is booked: with the agent and in every budget, in the period of its admission. */
export function settlementOf(
  { budgets, agents, bindings }: Registered,
  { workflow, team = null }: AboutRun,
  { agentId, gatewayId, startedAt }: AdmittedAttempt,
  costMicros: number,
): readonly LedgerChange[] {
  const changes: LedgerChange[] = [];
  const spend = (envelopeId: string, periodStart: number): void => {
    changes.push({ envelopeId, periodStart, reserved: 0, spent: costMicros, ceiling: null });
  };
  if (agentId !== null && isSpendingCounted(agents.get(agentId), bindings)) {
    spend(agentEnvelopeId(agentId), periodOf("monthly", startedAt).start);
  }
  const charged = { gateway: gatewayId, agent: agentId, workflow, team };
  for (const { id, period } of budgetsFor(budgets, charged)) spend(id, periodOf(period, startedAt).start);
  return changes;
}
