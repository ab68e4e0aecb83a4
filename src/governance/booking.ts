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

/** What an allowed attempt takes: a slot, a place in the window, and its estimate under every ceiling. */
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

/** An estimate under every ceiling, and where it is only counted. `at` says in which month that is. */
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
  // Nothing holds it here, but it is money a bound of the agent counts elsewhere.
  if (agentBudget === null && isSpendingCounted(agents.get(agentId), bindings)) {
    const { start } = periodOf("monthly", at);
    reserved.unshift({ envelopeId: agentEnvelopeId(agentId), periodStart: start, micros, ceiling: null });
  }
  return reserved;
}

type Estimate = Pick<DispatchFacts, "agentId" | "agentBudget" | "envelopes" | "estimateMicros">;

/** Where the cost of an attempt is booked: with the agent and in every budget, in the period of its admission. */
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
