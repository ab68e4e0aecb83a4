import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY_CATALOG } from "../../src/core/definition/index.ts";
import { createRunState, type Dispatch, type RequestVerdict } from "../../src/core/engine/index.ts";
import { type Agent, judgeDispatch, type Policy } from "../../src/core/governance/index.ts";
import { parseExpression } from "../../src/core/expression/index.ts";
import { checkSource, type Duty, type Plan } from "../../src/core/plan/index.ts";
import { dispatchRequest } from "../../src/driver/dispatch-request.ts";
import { memoryText } from "../../src/driver/durable/memory-entries.ts";
import { gatherFacts, type Scene } from "../../src/governance/facts.ts";
import { instructed } from "../../src/governance/instructing.ts";
import { Memories } from "../../src/governance/memories.ts";
import type { Registered } from "../../src/governance/registered.ts";
import { Tally } from "../../src/governance/tally.ts";
import { WaitingRoom } from "../../src/governance/waiting-room.ts";
import { aboutRun, LOCAL, NOTHING_REGISTERED } from "../governance/scene.ts";
import type { GatewayView } from "../../src/gateway/index.ts";
import { DEFAULT_AGENT } from "../../src/registry/index.ts";
import type { MemoryRecord } from "../../src/store/index.ts";

const AT = Date.UTC(2026, 10, 15, 12);
const SOURCE = "name: w\nsteps: [{ id: a, command: go, agent: ada, model: dear }]\n";

function planWith(duty: Duty | null): Plan {
  const { plan, problems } = checkSource(SOURCE, EMPTY_CATALOG);
  if (plan === null) throw new Error(JSON.stringify(problems));
  return { ...plan, nodes: plan.nodes.map((node) => ({ ...node, duty })) };
}

const OWN: GatewayView = { ...LOCAL, isDefault: true, providers: ["openai", "scripted"], defaultProvider: "openai" };

/** Texts in which headings, spaces of all kinds and characters that take two places are frequent. */
const words = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.constantFrom("# Layer 1: x", "\n", " ", "\u2028", "𝄞", "ö", "\t#layer 2"), fc.string()), {
      maxLength: 30,
    })
    .map((parts) => parts.join("").slice(0, maxLength));
const maybe = (maxLength: number): fc.Arbitrary<string | null> => fc.option(words(maxLength), { nil: null });

const anyAgent = fc.record<Partial<Agent>>({
  systemPrompt: maybe(2_000),
  personalityNote: maybe(200),
  memoryProfile: fc.option(fc.record({ name: fc.constantFrom("log", "m"), entries: fc.integer({ min: 1, max: 50 }) }), {
    nil: null,
  }),
});

const condition = (text: string): Policy["condition"] => {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(text);
  return parsed.value;
};
const CONDITIONS = ["1 == 1", "node.id == 'a'", "node.id == 'other'"].map(condition);

const anyPolicy = fc.record({
  scope: fc.constantFrom("global", "workflow", "agent", "gateway", "environment"),
  isMeant: fc.boolean(),
  condition: fc.constantFrom(...CONDITIONS),
  instructions: maybe(1_000),
  isEnabled: fc.boolean(),
});

const MEANT = { global: null, workflow: "w", agent: "ada", gateway: "local", environment: "test" } as const;

const policiesFrom = (drawn: readonly Drawn[]): readonly Policy[] =>
  drawn.map(({ scope, isMeant, ...rest }, index) => ({
    name: `p${index}`,
    version: 1,
    category: "guardrail",
    scope,
    scopeId: scope === "global" ? null : isMeant ? MEANT[scope] : "elsewhere",
    action: "log",
    enforcement: "audit",
    reason: null,
    approvers: null,
    forbids: null,
    ...rest,
  }));
type Drawn = typeof anyPolicy extends fc.Arbitrary<infer T> ? T : never;

const anyDuty = fc.option(
  fc
    .record({ patch: maybe(500), tools: fc.array(fc.constantFrom("read", "write", "search"), { maxLength: 3 }) })
    .map(({ patch, tools }): Duty => ({
      team: "crew",
      candidates: ["bob", "ada"].map((agent) => ({
        agent,
        lane: null,
        reasons: [],
        allowedTools: tools,
        promptPatch: patch,
      })),
      considered: [],
      toolBans: { byAgent: {}, others: [] },
    })),
  { nil: null },
);

/** Answers of any length, as they are kept. */
const anyEntry = fc.record({
  text: fc.oneof(words(1_500), fc.constant("𝄞".repeat(600)), fc.constant("x".repeat(501))).map(memoryText),
  nodeId: fc.constantFrom("a", `${"n".repeat(64)}[999]`),
  at: fc.integer({ min: 0, max: AT }),
});

const anyCase = fc.record({
  agent: anyAgent,
  policies: fc.array(anyPolicy, { maxLength: 5 }),
  duty: anyDuty,
  memory: fc.array(anyEntry, { maxLength: 60 }),
  message: words(300),
  stdin: maybe(300),
  provider: fc.constantFrom("openai", "openai", "openai", "scripted"),
});
type Case = typeof anyCase extends fc.Arbitrary<infer T> ? T : never;

const CHILD_OF_CHILDREN = `run_${"0".repeat(26)}${"_250000".repeat(5)}`;

async function memoriesOf({ agent, memory }: Case, registered: Registered): Promise<Memories> {
  const entries = memory.map((entry, index): MemoryRecord => ({
    agentId: "ada",
    profile: agent.memoryProfile?.name ?? "none",
    workflow: "w",
    runId: CHILD_OF_CHILDREN,
    attempt: index + 1,
    ...entry,
  }));
  const memories = new Memories({ readMemories: async () => entries });
  await memories.ensure("default", registered);
  return memories;
}

function sceneOf({ agent, policies, duty, message, stdin, provider }: Case): Scene {
  const plan = planWith(duty);
  const [node] = plan.nodes;
  if (node === undefined) throw new Error("the plan has no node");
  const ada: Agent = { ...DEFAULT_AGENT, id: "ada", ...agent };
  const price = { inputMicrosPerMtok: 3e6, outputMicrosPerMtok: 9e6, cachedMicrosPerMtok: null, maxOutputTokens: null };
  return {
    request: {
      type: "request-verdict",
      nodeId: "a",
      epoch: 0,
      nextAttempt: 1,
      request: { message, stdin, inputs: {}, outputStrategy: "text", outputFields: null },
      hints: { ...node.request, provider },
      moderation: "off",
      grants: [],
      assignedTo: null,
    } as unknown as RequestVerdict,
    about: aboutRun({ plan, at: AT }),
    registered: {
      ...NOTHING_REGISTERED,
      agents: new Map([["ada", ada]]),
      policies: policiesFrom(policies),
      models: new Map([["dear", { id: "dear", ...price }]]),
    },
    gateways: [OWN],
    tally: new Tally(),
    waiting: new WaitingRoom(),
  };
}

/** What would be sent for it. */
async function sentFor(drawn: Case, scene: Scene) {
  const { facts, call } = gatherFacts(scene);
  const judgement = judgeDispatch(facts);
  expect(judgement.disposition).toBe("allow");
  const memories = await memoriesOf(drawn, scene.registered);
  const { sections } = instructed(judgement, facts, scene, memories);
  const dispatch = {
    type: "dispatch",
    nodeId: "a",
    attempt: 1,
    dispatchId: "d",
    request: scene.request.request,
    hints: scene.request.hints,
    route: { agentId: "ada", model: "dear" },
    instructions: sections,
    maxOutputTokens: null,
    segment: 0,
    turn: null,
  } as unknown as Dispatch;
  const state = createRunState(scene.about.plan, "run_1");
  const { systemPrompt = "", message, stdin = "" } = dispatchRequest(dispatch, state, drawn.provider);
  return { call, isPrompted: systemPrompt !== "", length: systemPrompt.length + message.length + stdin.length };
}

describe("the prompt a reservation is made for", () => {
  it("is never shorter than the one that is sent, whatever prompts, policies, teams and memories say", async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async (drawn) => {
        const { call, length, isPrompted } = await sentFor(drawn, sceneOf(drawn));
        expect(isPrompted).toBe(drawn.provider === "openai");
        expect(call.promptCharacters).toBeGreaterThanOrEqual(length);
      }),
      { numRuns: 150 },
    );
  });

  it("is the one that is sent where every policy matches and nothing is remembered", async () => {
    const says = { scope: "workflow", isMeant: true, isEnabled: true } as const;
    const drawn: Case = {
      agent: { systemPrompt: "Be brief.\n# Layer 1: me", personalityNote: "Kind.", memoryProfile: null },
      policies: [{ ...says, condition: condition("1 == 1"), instructions: "Say no names." }],
      duty: null,
      memory: [],
      message: "go",
      stdin: null,
      provider: "openai",
    };
    const { call, length } = await sentFor(drawn, sceneOf(drawn));
    expect(call.promptCharacters).toBe(length + "{}".length);
  });

  it("does not hold what is meant for others, and nothing at all where no price is known or no agent reads", () => {
    const policy: Drawn = {
      scope: "agent",
      isMeant: false,
      isEnabled: true,
      condition: condition("1 == 1"),
      instructions: "x".repeat(1_000),
    };
    const drawn: Case = {
      agent: { systemPrompt: null, personalityNote: null, memoryProfile: null },
      policies: [policy],
      duty: null,
      memory: [],
      message: "go",
      stdin: null,
      provider: "openai",
    };
    const lengthOf = (one: Case): number => gatherFacts(sceneOf(one)).call.promptCharacters;
    const plain = lengthOf({ ...drawn, policies: [] });
    expect(lengthOf(drawn)).toBe(plain);
    expect(lengthOf({ ...drawn, policies: [{ ...policy, isMeant: true }] })).toBeGreaterThan(plain + 1_000);
    expect(lengthOf({ ...drawn, provider: "scripted" })).toBe("go{}".length);
    const scene = sceneOf(drawn);
    const unpriced = { ...scene, registered: { ...scene.registered, models: new Map() } };
    expect(gatherFacts(unpriced).call.promptCharacters).toBe(0);
  });
});
