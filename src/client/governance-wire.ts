/** What the API says about verdicts, usage and what would be, as types. */
import type { JsonObject } from "../core/base/index.ts";
import type { Explanation, MatchedPolicy, TrailEntry } from "../core/governance/index.ts";
import type { EventFrame } from "../core/view/index.ts";

export type { Explanation };
export type Disposition = "allow" | "block" | "hold";

/** What the gates said of a node. */
export interface JudgedNode {
  readonly verdictId: string;
  readonly nodeId: string;
  /** The attempt it let begin; null when it let none. */
  readonly attempt: number | null;
  readonly at: string;
  readonly disposition: Disposition;
  readonly gate: string | null;
  readonly code: string | null;
  readonly explanation: Explanation | null;
  readonly trail: readonly TrailEntry[];
  readonly policies: readonly string[];
}

export interface NodeVerdict extends JudgedNode {
  readonly matched: readonly MatchedPolicy[];
  readonly facts: JsonObject;
  readonly hash: string;
}

export interface UsageQuery {
  readonly bucket?: "hour" | "day" | "week" | "month";
  readonly by?: "agent" | "model" | "workflow" | "gateway";
  /** ISO 8601, or how long ago, such as 7d. */
  readonly since?: string;
  readonly until?: string;
}

export interface Spent {
  readonly count: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly cachedTokens: number;
  readonly costMicros: number;
  readonly costUsd: string;
}

export interface Usage {
  readonly bucket: NonNullable<UsageQuery["bucket"]>;
  readonly by: NonNullable<UsageQuery["by"]> | null;
  readonly since: string;
  readonly until: string;
  readonly data: readonly (Spent & { readonly bucketStart: string; readonly group: string | null })[];
  readonly totals: Spent;
}

export interface BacktestReport {
  readonly policy: { readonly name: string; readonly version: number };
  readonly since: string | null;
  readonly looked: number;
  readonly isLimited: boolean;
  readonly unreadable: number;
  readonly matched: number;
  readonly changed: number;
  readonly uncertain: number;
  readonly counts: readonly { readonly before: Disposition; readonly after: Disposition; readonly count: number }[];
  readonly examples: readonly {
    readonly verdictId: string;
    readonly runId: string;
    readonly nodeId: string;
    readonly agentId: string;
    readonly at: string;
    readonly before: Disposition;
    readonly after: Disposition;
    readonly gate: string | null;
    readonly message: string | null;
    readonly isUncertain: boolean;
  }[];
  readonly notes: readonly string[];
}

export interface SimulationRequest {
  /** The text of a workflow, or else the name of one that is saved. */
  readonly source?: string;
  readonly workflow?: string;
  readonly version?: number;
  readonly args?: JsonObject;
  readonly gateway?: string;
  readonly script?: string | JsonObject;
  readonly governance?: "live" | "none";
  readonly approve?: "all" | "reject";
}

/** What a workflow would do, wait for and cost. */
export interface SimulationReport {
  readonly workflow: string;
  readonly governance: "live" | "none";
  readonly status: string;
  readonly plan: JsonObject;
  readonly launch: {
    readonly disposition: Disposition;
    readonly explanation: Explanation | null;
    readonly trail: readonly TrailEntry[];
  };
  readonly nodes: readonly {
    readonly nodeId: string;
    readonly kind: string;
    readonly status: string;
    /** Null: no gate was asked. */
    readonly verdict: Disposition | null;
    readonly gate: string | null;
    readonly code: string | null;
    readonly explanation: Explanation | null;
    readonly waitsForPerson: boolean;
    readonly instances: number | null;
    readonly attempts: number;
    readonly reservedMicros: number;
    readonly costMicros: number;
    readonly durationMs: number | null;
  }[];
  readonly verdicts: readonly JudgedNode[];
  readonly approvals: readonly {
    readonly nodeId: string;
    readonly source: string;
    readonly summary: string;
    readonly approvers: readonly string[];
    readonly decision: string | null;
  }[];
  readonly events: readonly EventFrame[];
  readonly forecast: {
    readonly costMicros: number;
    readonly costUsd: string;
    readonly reservedMicros: number;
    readonly durationMs: number;
    readonly criticalPath: readonly string[];
    readonly waitsForPerson: readonly string[];
  };
}
