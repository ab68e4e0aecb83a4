import type { Json, JsonObject } from "../base/index.ts";
import type { DispatchFacts, EnvelopeFact, GatewayFact, LaunchFacts, NodeFact, RunFact } from "./facts.ts";
import { toUsd } from "./money.ts";
import type { Agent } from "./registered.ts";
import type { CallFacts } from "./tool-fact.ts";

/** Returns the data of a dispatch that policy expressions can read. */
export function policySubject(facts: DispatchFacts): JsonObject {
  const { agent, gateway, role, node, run } = facts;
  return {
    agent: agent === null ? null : agentSubject(agent),
    gateway: gateway === null ? null : gatewaySubject(gateway),
    run: runSubject(run),
    node: nodeSubject(node, facts.estimateMicros),
    role: roleSubject(role),
    adapter: { turns: facts.turns },
    budget: budgetSubject(tightest(facts)),
    context: { sources: node.contextSources.map((source) => source.class) },
  };
}

/** Returns the data of a tool call that policy expressions can read. */
export function toolSubject({ agent, gateway, role, node, run, tool, turns }: CallFacts): JsonObject {
  const { name, server, action, args, calls, round } = tool;
  const { estimatedUsd: _unknown, ...ofNode } = nodeSubject(node, null);
  return {
    agent: agent === null ? null : agentSubject(agent),
    gateway: gateway === null ? null : gatewaySubject(gateway),
    run: runSubject(run),
    node: ofNode,
    role: roleSubject(role),
    tool: { name, server, action, args, calls, round },
    adapter: { turns },
  };
}

/** Returns the data of a launch that policy expressions can read. Before the run exists, only its planned properties are known. */
export function launchSubject({ run }: LaunchFacts): JsonObject {
  return { run: runSubject(run) };
}

function roleSubject(role: DispatchFacts["role"]): Json {
  return role === null ? null : { name: role.name, skills: role.skills };
}

function runSubject({ workflow, depth, environment, args }: Omit<RunFact, "runId">): JsonObject {
  return { workflow, depth, environment, args };
}

function nodeSubject(node: NodeFact, estimateMicros: number | null): JsonObject {
  const { id, kind, action, phase, provider, model, tools } = node;
  const estimatedUsd = estimateMicros === null ? null : toUsd(estimateMicros);
  return { id, kind, action, phase, provider, model, tools, estimatedUsd };
}

/** Contains both spellings, because authors know these fields in snake_case from manifests and in camelCase from the API. */
function gatewaySubject({ id, status, environment, minTrustLevel }: GatewayFact): JsonObject {
  return { id, status, environment, minTrustLevel, min_trust_level: minTrustLevel };
}

const AGENT_SUBJECTS = new WeakMap<Agent, JsonObject>();

/** Cached per agent: a changed agent is a new object. */
function agentSubject(agent: Agent): JsonObject {
  let subject = AGENT_SUBJECTS.get(agent);
  if (subject === undefined) AGENT_SUBJECTS.set(agent, (subject = subjectOfAgent(agent)));
  return subject;
}

function subjectOfAgent(agent: Agent): JsonObject {
  const { id, trustLevel, executionTarget, autonomy, status, lifecycle, phase, maxConcurrent, rateLimit } = agent;
  const { mayRead, maxAgeHours, skills, capabilities, model, provider, dataClasses } = agent;
  const budgetMonthlyUsd = usdOrNull(agent.budgetMonthlyMicros);
  const financialThresholdUsd = usdOrNull(agent.financialThresholdMicros);
  const rate: Json =
    rateLimit === null
      ? null
      : { count: rateLimit.count, perSeconds: rateLimit.perSeconds, per_seconds: rateLimit.perSeconds };
  return {
    id,
    autonomy,
    status,
    lifecycle,
    phase,
    skills,
    capabilities,
    model,
    provider,
    trustLevel,
    trust_level: trustLevel,
    executionTarget,
    execution_target: executionTarget,
    maxConcurrent,
    max_concurrent: maxConcurrent,
    rateLimit: rate,
    rate_limit: rate,
    mayRead,
    may_read: mayRead,
    maxAgeHours,
    max_age_hours: maxAgeHours,
    dataClasses,
    data_classes: dataClasses,
    budgetMonthlyUsd,
    budget_monthly_usd: budgetMonthlyUsd,
    financialThresholdUsd,
    financial_threshold_usd: financialThresholdUsd,
  };
}

function usdOrNull(micros: number | null): number | null {
  return micros === null ? null : toUsd(micros);
}

function budgetSubject(envelope: EnvelopeFact | null): Json {
  if (envelope === null) return null;
  const { spentMicros, ceilingMicros } = envelope;
  return { spentUsd: toUsd(spentMicros), limitUsd: toUsd(ceilingMicros), ratio: ratioOf(envelope) };
}

/** Returns the ceiling with the highest used share. With several ceilings, a policy about money refers to this one. */
function tightest({ agentBudget, envelopes }: DispatchFacts): EnvelopeFact | null {
  let found = agentBudget;
  for (const envelope of envelopes) {
    if (found === null || ratioOf(envelope) > ratioOf(found)) found = envelope;
  }
  return found;
}

/** Returns the used share of a ceiling. A ceiling of 0 counts as fully used. */
function ratioOf({ spentMicros, ceilingMicros }: EnvelopeFact): number {
  return ceilingMicros > 0 ? spentMicros / ceilingMicros : 1;
}
