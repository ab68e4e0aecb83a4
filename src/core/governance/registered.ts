/** What people register and gates read. Written as manifests in snake_case; these are the same things once checked. */
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
  /** Null: it remembers nothing. */
  readonly memoryProfile: MemoryProfile | null;
  readonly autonomy: Rung;
  readonly status: AgentStatus;
  readonly lifecycle: Lifecycle;
  readonly phase: AgentPhase;
  /** When the present phase began, epoch milliseconds: a proof of concept ends after 60 days. */
  readonly phaseSince: number;
  readonly maxConcurrent: number;
  readonly rateLimit: { readonly count: number; readonly perSeconds: number } | null;
  readonly budgetMonthlyMicros: number | null;
  readonly skills: readonly string[];
  readonly capabilities: readonly string[];
  /** Null: it may call what steps name. */
  readonly tools: AgentTools | null;
  readonly turn: TurnLimits | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly systemPrompt: string | null;
  /** Null: it has no credential, and needs none. */
  readonly identity: { readonly expiresAt: number | null; readonly isRevoked: boolean } | null;
  readonly dataClasses: readonly string[];
  readonly financialThresholdMicros: number | null;
}

/** Names of tools, in which `*` stands for any characters. */
export interface AgentTools {
  /** Null: what steps name. */
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[];
}

/** What an agent keeps of its own answers under a name, and how many of the newest it is given. */
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

/** Most specific last. */
export const POLICY_SCOPES = ["global", "environment", "gateway", "workflow", "agent"] as const;
export type PolicyScope = (typeof POLICY_SCOPES)[number];

export const POLICY_ACTIONS = ["block", "require_approval", "warn", "log"] as const;
export const ENFORCEMENTS = ["hard", "soft", "audit"] as const;

export interface Policy {
  readonly name: string;
  readonly category: PolicyCategory;
  readonly scope: PolicyScope;
  /** Null with `global`. */
  readonly scopeId: string | null;
  readonly condition: ParsedExpression;
  readonly action: (typeof POLICY_ACTIONS)[number];
  readonly enforcement: (typeof ENFORCEMENTS)[number];
  readonly isEnabled: boolean;
  readonly reason: string | null;
  readonly approvers: ApprovalRule | null;
  readonly instructions: string | null;
  /** What no layer below may ask for, where the policy holds. */
  readonly forbids: Forbidden | null;
  readonly version: number;
}

export interface Forbidden {
  readonly tools?: readonly string[];
  readonly models?: readonly string[];
  readonly dataClasses?: readonly string[];
  /** Anything above. */
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

/** What a model costs, in micro-dollars per million tokens. */
export interface ModelPrice {
  /** `provider:model`, as exact as the bill. */
  readonly id: string;
  readonly inputMicrosPerMtok: number;
  readonly outputMicrosPerMtok: number;
  readonly cachedMicrosPerMtok: number | null;
  readonly maxOutputTokens: number | null;
}

/** How work is charged in credits: by what it cost, or by the tokens of each class. */
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
  /** Null: for every workflow. */
  readonly workflow: string | null;
  /** What the agent may spend in a month while it acts in the role; null: its own ceiling holds. */
  readonly maxSpendMicros: number | null;
}

/** How far a workflow may go by itself. */
export const POSTURES = ["advisory", "retrieval", "approval_required", "bounded_autonomous"] as const;
export type Posture = (typeof POSTURES)[number];

/** The kill switch. */
export interface Platform {
  readonly isOpen: boolean;
  readonly reason: string | null;
}

/**
 * Registered rules about tools. Several may apply to one tool: each limit and each approval holds, and the
 * strictest action.
 */
export interface Tool {
  readonly id: string;
  /** `*` stands for any characters. */
  readonly name: string;
  /** Only tools of servers that fit; null: of any, and of none. */
  readonly server: string | null;
  /** What these servers say of their tools counts. */
  readonly isTrusted: boolean;
  /** Null: nothing is said about it here. */
  readonly action: Action | null;
  readonly effects: EffectGuarantee | null;
  /** Calls of one agent. */
  readonly rate: { readonly count: number; readonly perSeconds: number } | null;
  readonly approval: ApprovalRule | null;
  /** Paths of args of which no values are kept with verdicts; `*` stands for any member or element. */
  readonly redact: readonly string[];
  readonly timeoutMs: number | null;
}

/** Calls that need no further answer of a person, for one run or one agent, until a moment. */
export interface Grant {
  readonly id: string;
  /** Names of tools; `*` stands for any characters. */
  readonly tool: string;
  /** Over `tool.args`; null: whatever they are. */
  readonly where: ParsedExpression | null;
  /** Exactly one of both is given. */
  readonly run: string | null;
  readonly agent: string | null;
  /** Epoch milliseconds. */
  readonly until: number;
}
