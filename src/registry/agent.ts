import { z } from "zod";
import type { JsonObject } from "../core/base/index.ts";
import { CONTEXT_CLASSES } from "../core/definition/index.ts";
import {
  type Agent,
  AGENT_STATUSES,
  EXECUTION_TARGETS,
  LIFECYCLES,
  mayBecome,
  type MemoryProfile,
  PHASES,
  RUNGS,
} from "../core/governance/index.ts";
import { DEFAULT_AGENT_ID } from "../core/plan/index.ts";
import { type Entry, MEMORY_ENTRIES_MAX } from "../store/index.ts";
import { asBody, epochMsOf, instant, microsOf, name, names, readBody, spec, text, usd, whole } from "./field.ts";
import { rateOf, rateSpec, turnLimitsOf, turnSpec } from "./limit-field.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

/** Default number of memory entries an agent receives. */
const MEMORY_ENTRIES = 20;
const HOURS_MAX = 1_000_000;

export const agentSpec = spec({
  trust_level: whole(1, 10).default(1).describe("Trust level of the agent, which gateways, steps and policies compare"),
  execution_target: z
    .enum(EXECUTION_TARGETS)
    .default("edge")
    .describe("edge: in process; cloud: in the call itself if its timeout is short, otherwise by callback"),
  may_read: z
    .array(z.enum(CONTEXT_CLASSES))
    .max(CONTEXT_CLASSES.length)
    .default(["trusted", "internal", "external"])
    .describe("Classes of context the agent may read"),
  max_age_hours: z.number().gt(0).max(HOURS_MAX).nullish().describe("Maximum age in hours of context the agent reads"),
  personality_note: text.nullish().describe("Text added after the system prompt"),
  memory_profile: z
    .union([name, z.strictObject({ name, entries: whole(1, MEMORY_ENTRIES_MAX).default(MEMORY_ENTRIES) })], {
      error: "must be a name, or a map with name and entries",
    })
    .nullish()
    .describe(
      "Memory of the agent: its name, and how many of its newest answers the agent gets in each prompt. Default: off",
    ),
  autonomy: z
    .enum(RUNGS)
    .default("supervised")
    .describe("Autonomy level: which actions the agent takes alone, after approval, or never"),
  status: z.enum(AGENT_STATUSES).default("idle").describe("Only an idle agent receives work"),
  lifecycle: z.enum(LIFECYCLES).default("active").describe("Only an active agent may act"),
  phase: z
    .enum(PHASES)
    .default("none")
    .describe("Rollout phase: poc ends after 60 days, and in sunset the agent may not act"),
  max_concurrent: whole(1, 100_000).default(10).describe("Maximum number of open attempts"),
  rate_limit: rateSpec
    .nullish()
    .describe("Maximum number of dispatches in a window of this many seconds; further ones wait"),
  budget_monthly_usd: usd.nullish().describe("Budget in US dollars per month. A dispatch that exceeds it is blocked"),
  skills: names.default([]).describe("Skills of the agent, for teams that choose by skill and for policies"),
  capabilities: names.default([]).describe("Capabilities of the agent, for policies"),
  tools: spec({ allow: names.nullish(), deny: names.default([]) })
    .nullish()
    .describe(
      "Tools the agent may call, and tools it may never call; * stands for any characters. Default: the tools of the step",
    ),
  turn: turnSpec.nullish().describe("Limits of its turns. When a step has limits too, the lower one applies"),
  model: name.nullish().describe("Model for steps that name none"),
  provider: name.nullish().describe("Provider for steps that name none"),
  system_prompt: text.nullish().describe("System prompt of the agent"),
  identity: spec({ expires_at: instant.nullish(), revoked: z.boolean().default(false) })
    .nullish()
    .describe("Credentials of the agent. An agent with expired or revoked credentials is blocked"),
  data_classes: names.default([]).describe("Classes of data the agent may receive. Default: all"),
  financial_threshold_usd: usd
    .nullish()
    .describe("Amount in US dollars above which a financial action needs confirmation by a second agent or person"),
});

type AgentBody = z.output<typeof agentSpec>;

/** Extra key of a stored body: the time the present phase started. */
const PHASE_SINCE = "phase_since";

export function agentOf({ id, body, updatedAt }: Entry): Agent {
  const { [PHASE_SINCE]: since, ...written } = body;
  return toAgent(id, readBody(agentSpec, written), typeof since === "number" ? since : updatedAt);
}

function toAgent(id: string, body: AgentBody, phaseSince: number): Agent {
  const { identity } = body;
  return {
    id,
    trustLevel: body.trust_level,
    executionTarget: body.execution_target,
    mayRead: body.may_read,
    maxAgeHours: body.max_age_hours ?? null,
    personalityNote: body.personality_note ?? null,
    memoryProfile: memoryProfileOf(body.memory_profile),
    autonomy: body.autonomy,
    status: body.status,
    lifecycle: body.lifecycle,
    phase: body.phase,
    phaseSince,
    maxConcurrent: body.max_concurrent,
    rateLimit: rateOf(body.rate_limit),
    budgetMonthlyMicros: microsOrNull(body.budget_monthly_usd),
    skills: body.skills,
    capabilities: body.capabilities,
    tools: body.tools === undefined ? null : { allow: body.tools.allow ?? null, deny: body.tools.deny },
    turn: turnLimitsOf(body.turn),
    model: body.model ?? null,
    provider: body.provider ?? null,
    systemPrompt: body.system_prompt ?? null,
    identity: identity === undefined ? null : identityOf(identity),
    dataClasses: body.data_classes,
    financialThresholdMicros: microsOrNull(body.financial_threshold_usd),
  };
}

function memoryProfileOf(written: AgentBody["memory_profile"]): MemoryProfile | null {
  if (written === undefined) return null;
  return typeof written === "string" ? { name: written, entries: MEMORY_ENTRIES } : written;
}

function identityOf(identity: NonNullable<AgentBody["identity"]>): Agent["identity"] {
  const { expires_at: expiresAt, revoked } = identity;
  return { expiresAt: expiresAt === undefined ? null : epochMsOf(expiresAt), isRevoked: revoked };
}

function microsOrNull(amount: number | undefined): number | null {
  return amount === undefined ? null : microsOf(amount);
}

const DEFAULT_AGENT_SPEC = agentSpec.parse({ trust_level: 5, max_concurrent: 50 });

/** The agent every organisation has by default. */
export const DEFAULT_AGENT: Agent = toAgent(DEFAULT_AGENT_ID, DEFAULT_AGENT_SPEC, 0);
export const DEFAULT_AGENT_BODY: JsonObject = { ...asBody(DEFAULT_AGENT_SPEC), [PHASE_SINCE]: 0 };

/** Returns the body to store: the phase starts now unless it was already the same one. */
export function settleAgent(body: JsonObject, before: JsonObject | undefined, at: number): JsonObject {
  const isSamePhase = before !== undefined && before["phase"] === body["phase"];
  return { ...body, [PHASE_SINCE]: (isSamePhase ? before[PHASE_SINCE] : undefined) ?? at };
}

export function withoutPhaseSince({ [PHASE_SINCE]: _since, ...written }: JsonObject): JsonObject {
  return written;
}

export function agentChangeProblems(
  id: string,
  body: JsonObject,
  before: JsonObject | undefined,
): readonly SpecProblem[] {
  if (before === undefined) return [];
  const { lifecycle: from } = readBody(agentSpec, withoutPhaseSince(before));
  const { lifecycle: to } = agentSpec.parse(body);
  if (mayBecome(from, to)) return [];
  const message = `"${id}" is archived, which is final: it cannot become ${to}.`;
  return [specProblem("conflicting_fields", ["lifecycle"], message, { hint: "Register another agent." })];
}
