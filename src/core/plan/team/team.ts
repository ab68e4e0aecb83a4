import type { ApprovalRule, RetryBlock } from "../../definition/index.ts";

/** Agents that share the nodes of a run, and the policies of their work. */
export interface Team extends TeamPolicies {
  readonly name: string;
  readonly members: readonly Member[];
  /** Policies of this team for one workflow. Absent fields are those of the team. */
  readonly assignments: readonly Assignment[];
}

/** One place in a team. An agent may hold several. */
export interface Member {
  readonly agent: string;
  readonly role: string | null;
  readonly lane: number;
  readonly sortOrder: number;
  readonly isActive: boolean;
  readonly toolProfile: ToolProfile;
  readonly modelProfile: { readonly supportLevel: SupportLevel };
  readonly systemPromptPatch: string | null;
}

export interface ToolProfile {
  readonly allowTools: readonly string[];
  /** Tools that a person must approve, whether or not they are allowed above; `true` means every tool that is not allowed. */
  readonly requiresApproval: boolean | readonly string[];
}

export const SUPPORT_LEVELS = ["basic", "standard", "advanced"] as const;
export type SupportLevel = (typeof SUPPORT_LEVELS)[number];

/** `serial` runs one node at a time in each lane. */
export const QUEUE_POLICIES = ["parallel", "serial"] as const;
export type QueuePolicy = (typeof QUEUE_POLICIES)[number];

/** `isolate`: a failure affects only nodes that depend on it. `fallback`: another member takes the node. */
export const FAILURE_POLICIES = ["isolate", "halt", "fallback"] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** Absent fields are resolved by the next source: assignment, then team, then the default. */
export interface TeamPolicies {
  readonly queuePolicy?: QueuePolicy;
  readonly failurePolicy?: FailurePolicy;
  readonly approvalPolicy?: ApprovalRule;
  readonly retryPolicy?: RetryBlock;
}

export interface Assignment extends TeamPolicies {
  readonly workflow: string;
}
