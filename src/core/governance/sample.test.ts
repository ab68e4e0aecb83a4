import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOTHING_ELSE, PLAIN_AGENT } from "../../../test/conformance/plain.ts";
import { DAY_MS, type JsonObject } from "../base/index.ts";
import { ACTIONS, CONTEXT_CLASSES } from "../definition/index.ts";
import { parseExpression, type ParsedExpression } from "../expression/index.ts";
import { NODE_KINDS } from "../plan/index.ts";
import type { DispatchFacts, EnvelopeFact, GatewayFact, LaunchFacts, NodeFact } from "./facts.ts";
import { judgeDispatch, judgeLaunch } from "./judge.ts";
import {
  type Agent,
  AGENT_STATUSES,
  ENFORCEMENTS,
  LIFECYCLES,
  PERIODS,
  PHASES,
  type Policy,
  POLICY_ACTIONS,
  POLICY_CATEGORIES,
  POLICY_SCOPES,
  RUNGS,
} from "./registered.ts";

/** 2031-05-04T10:00:00Z, a Sunday. */
export const NOW = Date.UTC(2031, 4, 4, 10);

export function condition(text: string): ParsedExpression {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
}

export function agentOf(changes: Partial<Agent> = {}): Agent {
  return {
    ...PLAIN_AGENT,
    id: "analyst",
    trustLevel: 5,
    phaseSince: NOW - DAY_MS,
    maxConcurrent: 4,
    skills: ["research"],
    ...changes,
  };
}

export function envelope(changes: Partial<EnvelopeFact> = {}): EnvelopeFact {
  return {
    id: "ops",
    scope: "global",
    scopeId: null,
    period: "daily",
    periodStart: Date.UTC(2031, 4, 4),
    periodEnd: Date.UTC(2031, 4, 5),
    ceilingMicros: 10_000_000,
    spentMicros: 0,
    reservedMicros: 0,
    onExhausted: "block",
    ...changes,
  };
}

export function policyOf(changes: Partial<Omit<Policy, "condition">> & { readonly when?: string } = {}): Policy {
  const { when = "true", ...rest } = changes;
  return {
    name: "rule",
    category: "guardrail",
    scope: "global",
    scopeId: null,
    condition: condition(when),
    action: "block",
    enforcement: "hard",
    isEnabled: true,
    reason: null,
    approvers: null,
    instructions: null,
    forbids: null,
    version: 1,
    ...rest,
  };
}

export const GATEWAY: GatewayFact = { id: "local", status: "healthy", environment: "staging", minTrustLevel: 1 };

type FactsChanges = Partial<Omit<DispatchFacts, "agent" | "node">> & {
  readonly agent?: Partial<Agent> | null;
  readonly node?: Partial<NodeFact>;
};

export function factsOf({ agent, node, ...changes }: FactsChanges = {}): DispatchFacts {
  return {
    at: NOW,
    platform: { isOpen: true, reason: null },
    gateway: GATEWAY,
    noGateway: null,
    agentId: "analyst",
    agent: agent === null ? null : agentOf(agent),
    role: { name: "researcher", skills: ["research"] },
    ...NOTHING_ELSE,
    estimateMicros: 250_000,
    turns: "durable",
    node: {
      id: "assess",
      kind: "agent",
      action: "execute",
      phase: "intake",
      provider: "openai",
      model: "gpt-x",
      tools: ["search"],
      contextSources: [],
      ...node,
    },
    run: { runId: "run_1", workflow: "vendor", depth: 0, environment: null, args: { vendor: "acme" } },
    ...changes,
  };
}

export function launchOf(changes: Partial<LaunchFacts> = {}): LaunchFacts {
  return {
    at: NOW,
    platform: { isOpen: true, reason: null },
    workflowStatus: "active",
    posture: "bounded_autonomous",
    hasApprovedLaunch: false,
    gateway: GATEWAY,
    noGateway: null,
    envelopes: [],
    rate: null,
    run: { workflow: "vendor", depth: 0, environment: null, args: { vendor: "acme" } },
    policies: [],
    ...changes,
  };
}

const micros = fc.integer({ min: 0, max: 20 }).map((dollars) => dollars * 1_000_000);
const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null, freq: 2 });
const moment = fc.integer({ min: NOW - 90 * DAY_MS, max: NOW + DAY_MS });
const flag = fc.boolean();

const anyAgent = fc
  .record({
    trustLevel: fc.integer({ min: 1, max: 10 }),
    mayRead: fc.subarray([...CONTEXT_CLASSES]),
    maxAgeHours: nullable(fc.integer({ min: 0, max: 48 })),
    autonomy: fc.constantFrom(...RUNGS),
    status: fc.constantFrom("idle", "idle", "idle", ...AGENT_STATUSES),
    lifecycle: fc.constantFrom("active", "active", "active", ...LIFECYCLES),
    phase: fc.constantFrom(...PHASES),
    phaseSince: moment,
    maxConcurrent: fc.integer({ min: 0, max: 4 }),
    identity: nullable(fc.record({ expiresAt: nullable(moment), isRevoked: fc.constantFrom(false, false, true) })),
    financialThresholdMicros: nullable(micros),
    dataClasses: fc.array(fc.string(), { maxLength: 2 }),
    systemPrompt: fc.constant(null),
  })
  .map((changes) => agentOf(changes));

export const anyEnvelope = fc
  .record({
    id: fc.string({ maxLength: 6 }),
    period: fc.constantFrom(...PERIODS),
    ceilingMicros: micros,
    spentMicros: micros,
    reservedMicros: micros,
  })
  .map((changes) => envelope(changes));

/** Conditions that hold, that do not, and that fail on what they find. */
const PLAIN_CONDITIONS = [
  "true",
  "false",
  "node.action == 'financial'",
  "agent.trust_level < 5",
  "'untrusted' in context.sources",
  "run.args.amount > 5",
  "node.tools > 1",
  "run.args.__proto__ == null",
] as const;

export function anyPolicyOf(conditions: readonly string[] = PLAIN_CONDITIONS): fc.Arbitrary<Policy> {
  return fc
    .record({
      name: fc.constantFrom("a", "b", "c", "__proto__"),
      version: fc.integer({ min: 1, max: 3 }),
      category: fc.constantFrom(...POLICY_CATEGORIES),
      scope: fc.constantFrom(...POLICY_SCOPES),
      scopeId: fc.constantFrom(null, "analyst", "vendor", "local", "staging", "elsewhere"),
      when: fc.constantFrom(...conditions),
      action: fc.constantFrom(...POLICY_ACTIONS),
      enforcement: fc.constantFrom(...ENFORCEMENTS),
      isEnabled: flag,
      reason: nullable(fc.string({ maxLength: 10 })),
      approvers: nullable(
        fc.record({
          approvers: fc.constant([{ who: "role:risk", withinMs: null }]),
          otherwise: fc.constant(null),
          expiresMs: fc.constant(1_000),
          isSeparate: flag,
          quorum: fc.constant(1),
          show: fc.constant([]),
          form: fc.constant(null),
          confirm: fc.constant(null),
        }),
      ),
    })
    .map((changes) => policyOf(changes));
}

const anyNode = fc.record({
  id: fc.constantFrom("assess", "pay"),
  kind: fc.constantFrom(...NODE_KINDS),
  action: fc.constantFrom(...ACTIONS),
  phase: nullable(fc.string({ maxLength: 5 })),
  provider: nullable(fc.constantFrom("openai", "scripted")),
  model: nullable(fc.constant("gpt-x")),
  tools: fc.array(fc.string({ maxLength: 5 }), { maxLength: 2 }),
  contextSources: fc.array(
    fc.record(
      {
        class: fc.constantFrom(...CONTEXT_CLASSES),
        asOf: fc.constantFrom("2031-05-04", "2031-05-01T08:00:00+02:00", "2031-02-30", "constructor"),
        environment: fc.constantFrom("staging", "production"),
      },
      { requiredKeys: ["class"] },
    ),
    { maxLength: 2 },
  ),
});

const anyRate = fc.record({
  count: fc.integer({ min: 0, max: 3 }),
  perSeconds: fc.constant(60),
  used: fc.integer({ min: 0, max: 3 }),
  freesAt: nullable(moment),
});

const anyGateway = fc.record({
  id: fc.constant("local"),
  status: fc.constantFrom("healthy", "healthy", "degraded", "offline"),
  environment: fc.constantFrom(null, "staging", "production"),
  minTrustLevel: fc.integer({ min: 1, max: 6 }),
}) satisfies fc.Arbitrary<GatewayFact>;

/** Through text, as args come: JSON knows no -0. */
const anyArgs = fc
  .dictionary(fc.constantFrom("amount", "vendor", "__proto__", "constructor"), fc.jsonValue(), {
    noNullPrototype: true,
  })
  .map((args) => JSON.parse(JSON.stringify(args)) as JsonObject);

/** Facts of which a good part passes most gates. */
export function anyFactsWith(policies: fc.Arbitrary<Policy>): fc.Arbitrary<DispatchFacts> {
  return fc.record({
    at: fc.constant(NOW),
    platform: fc.record({ isOpen: fc.constantFrom(true, true, true, false), reason: nullable(fc.string()) }),
    gateway: fc.oneof({ weight: 5, arbitrary: anyGateway }, { weight: 1, arbitrary: fc.constant(null) }),
    noGateway: fc.constantFrom(null, "no gateway has the provider openai"),
    agentId: fc.constant("analyst"),
    agent: fc.oneof({ weight: 9, arbitrary: anyAgent }, { weight: 1, arbitrary: fc.constant(null) }),
    role: nullable(fc.record({ name: fc.string({ maxLength: 5 }), skills: fc.array(fc.string(), { maxLength: 2 }) })),
    openAttempts: fc.integer({ min: 0, max: 3 }),
    openExamples: fc.array(fc.constant({ runId: "run_2", nodeId: "x" }), { maxLength: 2 }),
    waitingAhead: fc.nat(3),
    rate: nullable(anyRate),
    agentBudget: nullable(anyEnvelope),
    envelopes: fc.array(anyEnvelope, { maxLength: 2 }),
    estimateMicros: nullable(micros),
    turns: fc.constantFrom("opaque", "judged", "durable"),
    node: anyNode,
    run: fc.record({
      runId: fc.constant("run_1"),
      workflow: fc.constantFrom("vendor", "other"),
      depth: fc.nat(5),
      environment: fc.constantFrom(null, "staging", "production"),
      args: anyArgs,
    }),
    policies: fc.array(policies, { maxLength: 4 }),
    grants: fc.subarray(["a@1", "a@2", "b@1", "c@3", "rung", "two_agents"]),
  });
}

export const anyFacts = anyFactsWith(anyPolicyOf());

describe("the sample facts", () => {
  it("pass every gate, so that each test changes only what it is about", () => {
    expect(judgeDispatch(factsOf()).disposition).toBe("allow");
    expect(judgeLaunch(launchOf()).disposition).toBe("allow");
  });
});
