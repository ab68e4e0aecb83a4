/** Things of which nothing is set: each field is what the contract says it is by default. */
import type { Subject } from "../../src/core/event/index.ts";
import type { Agent, DispatchFacts, ModelPrice, Tool } from "../../src/core/governance/index.ts";
import type { Estimated } from "../../src/core/governance/estimate.ts";
import type { Member } from "../../src/core/plan/index.ts";

export const PLAIN_AGENT: Agent = {
  id: "plain",
  trustLevel: 1,
  executionTarget: "edge",
  mayRead: ["trusted", "internal", "external"],
  maxAgeHours: null,
  personalityNote: null,
  memoryProfile: null,
  autonomy: "supervised",
  status: "idle",
  lifecycle: "active",
  phase: "none",
  phaseSince: 0,
  maxConcurrent: 10,
  rateLimit: null,
  budgetMonthlyMicros: null,
  skills: [],
  capabilities: [],
  tools: null,
  turn: null,
  model: null,
  provider: null,
  systemPrompt: null,
  identity: null,
  dataClasses: [],
  financialThresholdMicros: null,
};

export const PLAIN_TOOL: Tool = {
  id: "plain",
  name: "pay/*",
  server: null,
  isTrusted: false,
  action: null,
  effects: null,
  rate: null,
  approval: null,
  redact: [],
  timeoutMs: null,
};

export const PLAIN_MEMBER: Member = {
  agent: "a",
  role: null,
  lane: 0,
  sortOrder: 0,
  isActive: true,
  toolProfile: { allowTools: [], requiresApproval: false },
  modelProfile: { supportLevel: "standard" },
  systemPromptPatch: null,
};

/** A definition in either format. */
export const PLAIN_DEFINITION = {
  version: null,
  description: null,
  model: null,
  timeoutMs: null,
  gateway: "pinned",
  notify: [],
  labels: {},
  priority: "normal",
  maxParallel: 50,
};

/** An approval that shows nothing but its title. */
export const PLAIN_SUBJECT: Subject = {
  title: "Go on?",
  workflow: "w",
  version: 1,
  startedBy: null,
  trigger: "manual",
  args: {},
  request: null,
  shown: [],
  parents: {},
  costMicros: 0,
  estimateMicros: null,
  policies: [],
  agent: null,
  action: null,
  answers: [],
};

/** Nothing else is under way, and nothing limits it. */
export const NOTHING_ELSE = {
  openAttempts: 0,
  openExamples: [],
  waitingAhead: 0,
  rate: null,
  agentBudget: null,
  envelopes: [],
  policies: [],
  grants: [],
} satisfies Partial<DispatchFacts>;

/** A call of ten tokens to a model with this price. */
export const callAt = (price: ModelPrice, changes: Partial<Estimated> = {}): Estimated => ({
  estimatedCostMicros: null,
  price,
  isPriced: true,
  promptCharacters: 40,
  maxOutputTokens: null,
  ...changes,
});
