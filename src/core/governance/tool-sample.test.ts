import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLAIN_TOOL } from "../../../test/conformance/plain.ts";
import type { JsonObject } from "../base/index.ts";
import { ACTIONS, ANYONE } from "../definition/index.ts";
import { type Agent, type Grant, type Policy, RUNGS, type Tool } from "./registered.ts";
import { agentOf, anyFactsWith, anyPolicyOf, condition, factsOf, NOW } from "./sample.test.ts";
import type { RoundFacts, ToolFact, CallFacts } from "./tool-fact.ts";
import { judgeRound, judgeTool } from "./tool-judge.ts";

export function ruleOf(changes: Partial<Tool> = {}): Tool {
  return {
    ...PLAIN_TOOL,
    id: "refunds",
    ...changes,
  };
}

export function grantOf(changes: Partial<Omit<Grant, "where">> & { readonly where?: string } = {}): Grant {
  const { where, ...rest } = changes;
  return {
    id: "small",
    tool: "pay/*",
    run: "run_1",
    agent: null,
    until: NOW + 1,
    ...rest,
    where: where === undefined ? null : condition(where),
  };
}

const TOOL: ToolFact = {
  callId: "run_1/assess/0/2/0",
  name: "pay/refund",
  server: "pay",
  action: "execute",
  effects: "at_least_once",
  args: { amount: 900, card: { number: "4111", owner: "Ann" } },
  argsDigest: "sha256:1",
  round: 2,
  calls: 4,
  repeats: 0,
  isApproved: false,
};

type Changes = Partial<Omit<CallFacts, "tool" | "agent">> & {
  readonly tool?: Partial<ToolFact>;
  readonly agent?: Partial<Agent> | null;
};

export function toolFactsOf({ tool, agent, ...changes }: Changes = {}): CallFacts {
  const { at, platform, gateway, agentId, role, node, run } = factsOf();
  return {
    at,
    platform,
    gateway,
    agentId,
    agent: agent === null ? null : agentOf(agent),
    role,
    turns: "durable",
    node: { ...node, tools: ["search", "pay/*"] },
    run,
    tool: { ...TOOL, ...tool },
    rules: [],
    rates: [],
    bounds: { maxRounds: 20, maxToolCalls: 50, maxRepeats: 3 },
    policies: [],
    grants: [],
    ...changes,
  };
}

export function roundFactsOf(changes: Partial<RoundFacts> = {}): RoundFacts {
  const { at, agentId, role, node, run } = factsOf();
  return {
    at,
    agentId,
    role,
    node,
    run,
    rounds: 3,
    extraRounds: 0,
    bounds: { maxRounds: 20, maxToolCalls: 50, maxRepeats: 3 },
    agentBudget: null,
    envelopes: [],
    estimateMicros: 250_000,
    ...changes,
  };
}

const CONDITIONS = ["true", "false", "tool.args.amount > 100", "tool.args.card > 1", "tool.action == 'financial'"];

const anyRule = fc
  .record({
    id: fc.constantFrom("a", "b"),
    action: fc.constantFrom(null, ...ACTIONS),
    approval: fc.constantFrom(null, null, ANYONE),
    redact: fc.subarray(["amount", "card.number", "items.*.x"]),
  })
  .map((changes) => ruleOf(changes));

const anyGrant = fc
  .record({
    run: fc.constantFrom("run_1", "run_2"),
    tool: fc.constantFrom("pay/*", "other"),
    until: fc.constantFrom(NOW - 1, NOW, NOW + 1),
    where: fc.constantFrom("true", "tool.args.amount < 100", "tool.args.card > 1"),
  })
  .map((changes) => grantOf(changes));

const anyArgs = fc
  .record({ amount: fc.constantFrom(1, 900, "many"), card: fc.jsonValue() })
  .map((args) => JSON.parse(JSON.stringify(args)) as JsonObject);

export const anyToolPolicy: fc.Arbitrary<Policy> = anyPolicyOf(CONDITIONS).map((policy) => ({
  ...policy,
  category: policy.category === "run_creation" ? policy.category : "tool",
}));

/** Facts of which a good part passes most gates. */
export const anyToolFacts: fc.Arbitrary<CallFacts> = fc
  .record({
    base: anyFactsWith(anyToolPolicy),
    autonomy: fc.constantFrom(...RUNGS),
    rules: fc.array(anyRule, { maxLength: 2 }),
    grants: fc.array(anyGrant, { maxLength: 2 }),
    args: anyArgs,
    action: fc.constantFrom(...ACTIONS),
    calls: fc.constantFrom(0, 1, 49, 50),
    repeats: fc.constantFrom(0, 2, 3),
    isApproved: fc.boolean(),
    name: fc.constantFrom("pay/refund", "pay/refund", "search", "other"),
  })
  .map(({ base, autonomy, rules, grants, name, ...tool }) => {
    const { at, platform, gateway, agentId, agent, role, run, policies } = base;
    const scene = { at, platform, gateway, agentId, role, run, policies, rules, grants };
    return {
      ...toolFactsOf({ ...scene, tool: { ...tool, name } }),
      agent: agent === null ? null : { ...agent, autonomy },
    };
  });

describe("the sample facts of a turn", () => {
  it("pass every gate, so that each test changes only what it is about", () => {
    expect(judgeTool(toolFactsOf()).disposition).toBe("allow");
    expect(judgeRound(roundFactsOf()).disposition).toBe("allow");
  });
});
