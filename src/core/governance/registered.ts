/** Registered objects that gates read. Manifests write them in snake_case; these types are the checked form. */
import type { Action, ApprovalRule, ContextClass, EffectGuarantee, TurnLimits } from "../definition/index.ts";
import type { ParsedExpression } from "../expression/index.ts";

export const RUNGS = ["assistive", "retrieval", "supervised", "bounded"] as const;
export type Rung = (typeof RUNGS)[number];

export const AGENT_STATUSES = ["idle", "paused", "terminated", "error"] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export const LIFECYCLES = ["draft", "active", "suspended", "archived"] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

export const PHASES = ["none", "poc", "staging", "production", "sunset"] as const;
export type AgentPhase = (typeof PHASES)[number];

export const EXECUTION_TARGETS = ["edge", "cloud", "remote"] as const;
export type ExecutionTarget = (typeof EXECUTION_TARGETS)[number];

/** The registered actor a node runs as. */
export interface Agent {
  readonly id: string;
  readonly trustLevel: number;
  readonly executionTarget: ExecutionTarget;
  readonly mayRead: readonly ContextClass[];
  readonly maxAgeHours: number | null;
  readonly personalityNote: string | null;
  /** Null when the agent has no memory. */
  readonly memoryProfile: MemoryProfile | null;
  readonly autonomy: Rung;
  readonly status: AgentStatus;
  readonly lifecycle: Lifecycle;
  readonly phase: AgentPhase;
  /** Start of the current phase in epoch milliseconds: a proof of concept ends after 60 days. */
  readonly phaseSince: number;
  readonly maxConcurrent: number;
  readonly rateLimit: { readonly count: number; readonly perSeconds: number } | null;
  readonly budgetMonthlyMicros: number | null;
  readonly skills: readonly string[];
  readonly capabilities: readonly string[];
  /** Null when the agent may call every tool that its steps name. */
  readonly tools: AgentTools | null;
  readonly turn: TurnLimits | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly systemPrompt: string | null;
  /** Null when the agent has no credential and needs none. */
  readonly identity: { readonly expiresAt: number | null; readonly isRevoked: boolean } | null;
  readonly dataClasses: readonly string[];
  readonly financialThresholdMicros: number | null;
}

/** Names of tools; `*` matches any characters. */
export interface AgentTools {
  /** Null allows the tools that steps name. */
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[];
}

/** The name under which an agent keeps its own answers, and how many of the newest it receives. */
export interface MemoryProfile {
  readonly name: string;
  readonly entries: number;
}

export const POLICY_CATEGORIES = [
  "trust_boundary",
  "budget",
  "run_creation",
  "deployment",
  "guardrail",
  "config_change",
  "data",
  "tool",
] as const;
export type PolicyCategory = (typeof POLICY_CATEGORIES)[number];

/** Ordered from the least to the most specific. */
export const POLICY_SCOPES = ["global", "environment", "gateway", "workflow", "agent"] as const;
export type PolicyScope = (typeof POLICY_SCOPES)[number];

export const POLICY_ACTIONS = ["block", "require_approval", "warn", "log"] as const;
export const ENFORCEMENTS = ["hard", "soft", "audit"] as const;

export interface Policy {
  readonly name: string;
  readonly category: PolicyCategory;
  readonly scope: PolicyScope;
  /** Null for the scope `global`. */
  readonly scopeId: string | null;
  readonly condition: ParsedExpression;
  readonly action: (typeof POLICY_ACTIONS)[number];
  readonly enforcement: (typeof ENFORCEMENTS)[number];
  readonly isEnabled: boolean;
  readonly reason: string | null;
  readonly approvers: ApprovalRule | null;
  readonly instructions: string | null;
  /** The things no lower layer may request where the policy applies. */
  readonly forbids: Forbidden | null;
  readonly version: number;
}

export interface Forbidden {
  readonly tools?: readonly string[];
  readonly models?: readonly string[];
  readonly dataClasses?: readonly string[];
  /** Forbids spending above this amount. */
  readonly spendMicros?: number;
}

export const BUDGET_SCOPES = ["global", "gateway", "agent", "workflow", "team"] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

export const PERIODS = ["daily", "weekly", "monthly"] as const;
export type Period = (typeof PERIODS)[number];

/** A ceiling for a scope and a period. */
export interface Budget {
  readonly id: string;
  readonly scope: BudgetScope;
  readonly scopeId: string | null;
  readonly period: Period;
  readonly amountMicros: number;
  readonly isEnabled: boolean;
  /** Shares of the amount at which an alert fires once per period, ascending. */
  readonly alertAt: readonly number[];
  readonly onExhausted: "block" | "pause";
}

/** Price of a model, in micro-dollars per million tokens. */
export interface ModelPrice {
  /** `provider:model`, with the model named as on the bill. */
  readonly id: string;
  readonly inputMicrosPerMtok: number;
  readonly outputMicrosPerMtok: number;
  readonly cachedMicrosPerMtok: number | null;
  readonly maxOutputTokens: number | null;
}

/** How work is charged in credits: by its cost, or by the tokens of each class. */
export interface CreditPlan {
  readonly id: string;
  readonly perUsd: number | null;
  readonly perToken: Readonly<Record<"input" | "output" | "thinking" | "cached", number>> | null;
  readonly isEnabled: boolean;
}

export interface Deployment {
  readonly id: string;
  readonly workflow: string | null;
  readonly agent: string | null;
  readonly version: number | null;
  readonly gateway: string;
  readonly roleBindings: Readonly<Record<string, string>>;
  readonly environment: string | null;
  readonly isActive: boolean;
}

export interface RoleBinding {
  readonly id: string;
  readonly role: string;
  readonly agent: string;
  /** Null when the binding is for every workflow. */
  readonly workflow: string | null;
  /** Monthly limit for the agent while it acts in the role. Null when only the agent's own ceiling applies. */
  readonly maxSpendMicros: number | null;
}

/** The degree of autonomy of a workflow. */
export const POSTURES = ["advisory", "retrieval", "approval_required", "bounded_autonomous"] as const;
export type Posture = (typeof POSTURES)[number];

/** The kill switch. */
export interface Platform {
  readonly isOpen: boolean;
  readonly reason: string | null;
}

/** Registered rules about tools. When several apply to one tool, every limit and every approval applies, and the strictest action. */
export interface Tool {
  readonly id: string;
  /** `*` matches any characters. */
  readonly name: string;
  /** Server of the tools, as a pattern. Null matches tools of any server and tools without a server. */
  readonly server: string | null;
  /** Whether the hints of these servers about their tools are used. */
  readonly isTrusted: boolean;
  /** Null when the manifest sets no action. */
  readonly action: Action | null;
  readonly effects: EffectGuarantee | null;
  /** Rate limit for the calls of one agent. */
  readonly rate: { readonly count: number; readonly perSeconds: number } | null;
  readonly approval: ApprovalRule | null;
  /** Paths of args whose values are not stored with verdicts; `*` matches any member or element. */
  readonly redact: readonly string[];
  readonly timeoutMs: number | null;
}

/** Tool calls that need no further approval by a person, for one run or one agent, until a given time. */
export interface Grant {
  readonly id: string;
  /** Names of tools; `*` matches any characters. */
  readonly tool: string;
  /** Condition on `tool.args`. Null when any args are covered. */
  readonly where: ParsedExpression | null;
  /** Exactly one of `run` and `agent` is set. */
  readonly run: string | null;
  readonly agent: string | null;
  /** Epoch milliseconds. */
  readonly until: number;
}
