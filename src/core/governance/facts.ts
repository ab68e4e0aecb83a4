/** What gates compare, gathered before they are asked: plain data, so that a verdict can be replayed from it. */
import type { JsonObject } from "../base/index.ts";
import type { Action, ContextSource } from "../definition/index.ts";
import type { NodeKind } from "../plan/index.ts";
import type { CallFacts } from "./tool-fact.ts";
import type { Agent, BudgetScope, Period, Policy, Platform, Posture } from "./registered.ts";

/** A ceiling as it stands in its present period, on locked or freshly committed values. */
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
  /** The role binding that sets the ceiling in place of the agent; absent: the id names its owner. */
  readonly boundBy?: string;
}

export interface GatewayFact {
  readonly id: string;
  /** `restarting`: its Bridge has gone a moment ago, and is waited for. `unknown`: it was never asked. */
  readonly status: "healthy" | "degraded" | "offline" | "restarting" | "unknown";
  readonly environment: string | null;
  readonly minTrustLevel: number;
  /** Why it is offline, where starting its Bridge would not help. */
  readonly offlineBecause?: string;
  /** It stands for the workers that have this function, and is offline while there is none. */
  readonly workerFor?: string;
}

/** How many attempts a run and its blocks have open together. */
export interface ParallelFact {
  /** The run whose `max_parallel` it is. */
  readonly runId: string;
  readonly open: number;
  readonly limit: number;
  /** Nodes that waited for it before this one. */
  readonly waitingAhead: number;
}

export interface RateFact {
  readonly count: number;
  readonly perSeconds: number;
  /** Dispatches in the window that ends now. */
  readonly used: number;
  /** When the next one fits, epoch milliseconds; null while one fits. */
  readonly freesAt: number | null;
}

/** What a node is about to do, as policies see it. */
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
  /** Names of args too large to be kept, only in facts read back from a record. */
  readonly argsLeftOut?: readonly string[];
}

export interface DispatchFacts {
  readonly at: number;
  readonly platform: Platform;
  /** Null: no gateway fits; `noGateway` says why. */
  readonly gateway: GatewayFact | null;
  readonly noGateway: string | null;
  readonly agentId: string;
  /** Null: it is not registered. */
  readonly agent: Agent | null;
  readonly role: { readonly name: string; readonly skills: readonly string[] } | null;
  /** Attempts of the agent that are open, those others have been promised included. */
  readonly openAttempts: number;
  /** Up to five of them, for the explanation. */
  readonly openExamples: readonly { readonly runId: string; readonly nodeId: string }[];
  /** Nodes that waited before this one. */
  readonly waitingAhead: number;
  /** Of a run with blocks, and of a block; absent: only the run itself counts. */
  readonly parallel?: ParallelFact;
  readonly rate: RateFact | null;
  /** Of all nodes of the organisation; absent: it has no limit. */
  readonly organisationRate?: RateFact;
  readonly agentBudget: EnvelopeFact | null;
  readonly envelopes: readonly EnvelopeFact[];
  /** What is reserved if it is allowed; null: no price is known for the model. */
  readonly estimateMicros: number | null;
  /** What the adapter lets see of the turn of an agent: `opaque`, `judged` or `durable`. */
  readonly turns: string;
  readonly node: NodeFact;
  readonly run: RunFact;
  /** Every enabled policy that might apply, whatever its scope. */
  readonly policies: readonly Policy[];
  /**
   * What a person has granted for this node, epoch and request: policies as `name@version`, `Tool/NAME`, `rung`,
   * `two_agents`.
   */
  readonly grants: readonly string[];
  /** The tool call that the node itself is; absent: it is none. */
  readonly call?: NodeCallFacts;
}

/** What is known of that call; everything else is as for the node. */
export interface NodeCallFacts extends Pick<CallFacts, "tool" | "rules" | "rates"> {
  /** Registered grants for this run or agent that name the tool. */
  readonly toolGrants: CallFacts["grants"];
}

/** What is asked before a run exists. */
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
  /** Of all starts of the organisation; absent: it has no limit. */
  readonly organisationRate?: RateFact;
  readonly run: Omit<RunFact, "runId">;
  readonly policies: readonly Policy[];
}
