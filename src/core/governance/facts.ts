/** The facts that gates compare, collected before the gates run. They are plain data, so that a verdict can be replayed from them. */
import type { JsonObject } from "../base/index.ts";
import type { Action, ContextSource } from "../definition/index.ts";
import type { NodeKind } from "../plan/index.ts";
import type { CallFacts } from "./tool-fact.ts";
import type { Agent, BudgetScope, Period, Policy, Platform, Posture } from "./registered.ts";

/** A ceiling with its counters in the current period, based on locked or freshly committed values. */
export interface EnvelopeFact {
  /** `agent/analyst/monthly` for an agent's own ceiling, else the budget's id. */
  readonly id: string;
  readonly scope: BudgetScope;
  readonly scopeId: string | null;
  readonly period: Period;
  /** Epoch milliseconds, UTC. */
  readonly periodStart: number;
  readonly periodEnd: number;
  readonly ceilingMicros: number;
  readonly spentMicros: number;
  readonly reservedMicros: number;
  readonly onExhausted: "block" | "pause";
  /** The role binding that sets the ceiling instead of the agent. Absent when the id contains the owner. */
  readonly boundBy?: string;
}

export interface GatewayFact {
  readonly id: string;
  /** `restarting`: its Bridge stopped a moment ago and is expected back. `unknown`: it was never pinged. */
  readonly status: "healthy" | "degraded" | "offline" | "restarting" | "unknown";
  readonly environment: string | null;
  readonly minTrustLevel: number;
  /** The reason why it is offline, when starting its Bridge would not help. */
  readonly offlineBecause?: string;
  /** Set when it represents the workers with this function. It is offline while there are none. */
  readonly workerFor?: string;
}

/** The number of open attempts of a run together with its blocks. */
export interface ParallelFact {
  /** The run whose `max_parallel` applies. */
  readonly runId: string;
  readonly open: number;
  readonly limit: number;
  /** Number of nodes that waited for it before this one. */
  readonly waitingAhead: number;
}

export interface RateFact {
  readonly count: number;
  readonly perSeconds: number;
  /** Dispatches in the window that ends now. */
  readonly used: number;
  /** When the next dispatch fits, in epoch milliseconds. Null when one fits now. */
  readonly freesAt: number | null;
}

/** The planned work of a node, as policies see it. */
export interface NodeFact {
  readonly id: string;
  readonly kind: NodeKind;
  readonly action: Action;
  readonly phase: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly tools: readonly string[];
  readonly contextSources: readonly ContextSource[];
}

export interface RunFact {
  readonly runId: string;
  readonly workflow: string;
  readonly depth: number;
  readonly environment: string | null;
  readonly args: JsonObject;
  /** Names of args too large to be recorded. Present only in facts read from a record. */
  readonly argsLeftOut?: readonly string[];
}

export interface DispatchFacts {
  readonly at: number;
  readonly platform: Platform;
  /** Null when no gateway fits. `noGateway` then contains the reason. */
  readonly gateway: GatewayFact | null;
  readonly noGateway: string | null;
  readonly agentId: string;
  /** Null when the agent is not registered. */
  readonly agent: Agent | null;
  readonly role: { readonly name: string; readonly skills: readonly string[] } | null;
  /** Number of open attempts of the agent, including slots already reserved for other nodes. */
  readonly openAttempts: number;
  /** Up to five open attempts, for the explanation. */
  readonly openExamples: readonly { readonly runId: string; readonly nodeId: string }[];
  /** Number of nodes that waited before this one. */
  readonly waitingAhead: number;
  /** Present for a run with blocks, and for a block. Absent when only the run itself counts. */
  readonly parallel?: ParallelFact;
  readonly rate: RateFact | null;
  /** Rate of all nodes of the organisation. Absent when it has no limit. */
  readonly organisationRate?: RateFact;
  readonly agentBudget: EnvelopeFact | null;
  readonly envelopes: readonly EnvelopeFact[];
  /** The amount reserved if the node is allowed. Null when no price is known for the model. */
  readonly estimateMicros: number | null;
  /** How much of an agent's turn the adapter reports: `opaque`, `judged` or `durable`. */
  readonly turns: string;
  readonly node: NodeFact;
  readonly run: RunFact;
  /** Every enabled policy that might apply, whatever its scope. */
  readonly policies: readonly Policy[];
  /**
   * Grants of people for this node, epoch and request: policies as `name@version`, `Tool/NAME`, `rung`,
   * `two_agents`.
   */
  readonly grants: readonly string[];
  /** The tool call that the node itself makes. Absent when it makes none. */
  readonly call?: NodeCallFacts;
}

/** Facts about that call. All other facts are those of the node. */
export interface NodeCallFacts extends Pick<CallFacts, "tool" | "rules" | "rates"> {
  /** Registered grants for this run or agent that name the tool. */
  readonly toolGrants: CallFacts["grants"];
}

/** The facts that are checked before a run exists. */
export interface LaunchFacts {
  readonly at: number;
  readonly platform: Platform;
  readonly workflowStatus: "active" | "paused" | "deprecated";
  readonly posture: Posture;
  readonly hasApprovedLaunch: boolean;
  readonly gateway: GatewayFact | null;
  readonly noGateway: string | null;
  readonly envelopes: readonly EnvelopeFact[];
  readonly rate: RateFact | null;
  /** Rate of all starts in the organisation. Absent when it has no limit. */
  readonly organisationRate?: RateFact;
  readonly run: Omit<RunFact, "runId">;
  readonly policies: readonly Policy[];
}
