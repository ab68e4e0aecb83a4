/** What the API says, as types. */
import type { Json, JsonObject } from "../core/base/index.ts";
import type {
  ApprovalSource,
  ApprovalStatus,
  Decision,
  EventType,
  NodeStatus,
  RunStatus,
} from "../core/event/index.ts";
import type { Explanation } from "../core/governance/index.ts";
import type { EventFrame, NodeResult, RunProjection } from "../core/view/index.ts";
import type { ProblemBody } from "./api-error.ts";

export type SentProblem = NonNullable<ProblemBody["problems"]>[number];
export type WorkflowStatus = "active" | "paused" | "deprecated";

export interface ListPage<T> {
  readonly data: readonly T[];
  readonly nextCursor?: string;
}

export interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

export interface PlanDescription {
  readonly name: string;
  readonly format: string;
  readonly nodes: readonly {
    readonly id: string;
    readonly kind: string;
    readonly dependsOn: readonly string[];
    readonly dependents: readonly string[];
    readonly wave: number;
    /** What people call it; the id when the author did not say. */
    readonly label: string;
    readonly phase: string | null;
  }[];
  readonly layers: readonly (readonly string[])[];
}

export interface Validation {
  readonly ok: boolean;
  readonly problems: readonly SentProblem[];
  readonly warnings: readonly SentProblem[];
  readonly plan?: PlanDescription;
}

interface VersionHead {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly format: string;
}

export interface SavedWorkflow extends VersionHead {
  readonly warnings: readonly SentProblem[];
}

export interface Workflow extends VersionHead {
  readonly status: WorkflowStatus;
  readonly posture: "advisory" | "retrieval" | "approval_required" | "bounded_autonomous";
  /** Over MCP. */
  readonly exposed: boolean;
  readonly savedAt: string;
}

export interface Version extends VersionHead {
  readonly savedAt: string;
  readonly source: string;
  readonly plan: PlanDescription | null;
}

export interface Start {
  readonly workflow: string;
  readonly version?: number;
  readonly args?: JsonObject;
  readonly model?: string;
  readonly gateway?: string;
  readonly roleBindings?: Readonly<Record<string, string>>;
  readonly team?: string;
  /** How often it may be recovered without anybody asking. */
  readonly recovery?: { readonly max: number };
}

export interface Run {
  readonly id: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly hash: string;
  readonly status: RunStatus;
  readonly args: JsonObject;
  readonly trigger: string;
  readonly model: string | null;
  readonly gateway: string | null;
  readonly roleBindings: Readonly<Record<string, string>>;
  readonly traceId: string;
  readonly rootSpanId: string;
  readonly parentRunId?: string;
  readonly sourceRunId?: string;
  readonly recursionDepth: number;
  readonly epoch: number;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly completedAt?: string;
  readonly costMicros: number;
  readonly lastEventId: number;
  /** Only when it has just been started: what newer checks would refuse in a version that was saved before them. */
  readonly warnings?: readonly SentProblem[];
}

/** A restarted or branched run. */
export interface Relaunched extends Run {
  /** Nodes and instances whose results are kept. */
  readonly carriedOver: readonly string[];
  /** Nodes that run again, in plan order. */
  readonly runsAgain: readonly string[];
}

/** A large value that is not in the answer itself: null stands at `path`, and `getBlob(hash)` gives it. */
export interface ValueRef {
  readonly path: readonly string[];
  readonly hash: string;
  readonly bytes: number;
}

interface WithRefs {
  readonly refs?: readonly ValueRef[];
}

export type Frame = EventFrame & WithRefs;
export type NodeState = NodeResult & WithRefs;
export type State = Omit<RunProjection, "nodeResults"> & { readonly nodeResults: readonly NodeState[] };

export interface Checkpoint {
  readonly eventId: number;
  readonly type: EventType;
  readonly nodeId?: string;
  readonly attempt?: number;
  readonly timestamp: string;
}

export interface NodeDetail {
  readonly runId: string;
  readonly node: NodeState;
  /** What the newest attempt was sent. */
  readonly request: {
    readonly attempt: number;
    readonly message: string;
    readonly stdin: string | null;
    readonly inputs: JsonObject;
  } | null;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly status: NodeStatus;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly durationMs: number | null;
    readonly verdictId: string | null;
    readonly route: {
      readonly agentId: string | null;
      readonly gatewayId: string | null;
      readonly provider: string | null;
      readonly model: string | null;
      readonly executionPath: string | null;
    };
    readonly outputs: JsonObject | null;
    readonly output: string | null;
    readonly errorCode: string | null;
    readonly errorMessage: string | null;
    readonly costMicros: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly streamedText: string;
    readonly logs: readonly {
      readonly eventId: number;
      readonly level: string;
      readonly message: string;
      readonly detail?: Json;
    }[];
  }[];
  readonly verdicts: readonly {
    readonly eventId: number;
    readonly verdictId: string | null;
    readonly disposition: "allow" | "block" | "hold";
    readonly gate: string | null;
    readonly code: string | null;
    readonly explanation: Explanation | null;
  }[];
  readonly inputs: readonly {
    readonly sourceRunId: string;
    readonly sourceNodeId: string | null;
    readonly sourceOutputPath: string;
    readonly targetInputPath: string;
    readonly transform?: string;
  }[];
}

export interface Approval {
  readonly id: string;
  /** Null: the approval of a launch, before there is a run. */
  readonly runId: string | null;
  readonly nodeId: string | null;
  readonly attempt: number | null;
  readonly epoch: number;
  readonly source: ApprovalSource;
  readonly summary: string;
  readonly agentId: string | null;
  readonly digest: string;
  readonly rendered: string;
  readonly choices: readonly Decision[];
  readonly approvers: readonly { readonly who: string; readonly withinMs: number | null }[];
  readonly isSeparate: boolean;
  readonly status: ApprovalStatus;
  readonly decision: Decision | null;
  readonly requestedAt: string;
  readonly expiresAt: string;
  readonly resolvedBy: string | null;
  readonly resolvedAt: string | null;
  readonly reason: string | null;
  readonly modifications: JsonObject | null;
}

export interface Answer {
  readonly decision: Decision;
  readonly reason?: string;
  readonly digest?: string;
  readonly modifications?: JsonObject;
}

/** A place of execution. */
export interface Gateway {
  readonly id: string;
  readonly name: string | null;
  readonly environment: string | null;
  /** Null: in the server's own process. */
  readonly url: string | null;
  readonly default: boolean;
  readonly minTrustLevel: number;
  /** What it costs to run there, relative to the others; less is taken first. */
  readonly costRank: number;
  readonly capabilities: readonly string[];
  readonly providers: readonly string[];
  readonly defaultProvider: string | null;
  readonly status: "healthy" | "degraded" | "offline" | "unknown";
  /** Why it is offline whatever it would answer: the server does not call its URL. */
  readonly reason?: "outbound_refused";
  readonly detail?: string;
  readonly instanceId: string | null;
  readonly seenAt: string | null;
  readonly history?: readonly { readonly status: string; readonly at: string }[];
}

export interface Key {
  readonly id: string;
  readonly label: string;
  readonly permissions: readonly string[];
  readonly agent: string | null;
  /** The key or token it was made with; null: the operator made it. */
  readonly createdBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

export interface KeyRequest {
  readonly label: string;
  readonly role?: "viewer" | "author" | "operator" | "approver" | "admin";
  readonly permissions?: readonly string[];
  readonly agent?: string;
  readonly expiresAt?: string;
}
