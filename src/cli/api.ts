import type { Json, JsonObject } from "../core/base/index.ts";
import type { ApprovalStatus, Decision, RunStatus } from "../core/event/index.ts";
import type { EventFrame, RunProjection } from "../core/view/index.ts";

/** A server, as far as the commands use one. */
export interface Api {
  readonly url: string;
  health(): Promise<void>;
  listWorkflows(page: PageQuery): Promise<Listed<WorkflowReply>>;
  getWorkflow(name: string): Promise<WorkflowReply>;
  getVersion(name: string, version: number): Promise<VersionReply>;
  putWorkflow(name: string, source: string): Promise<SavedReply>;
  setWorkflowStatus(name: string, status: string): Promise<void>;
  startRun(start: RunStart, idempotencyKey: string): Promise<RunReply>;
  listRuns(query: PageQuery & RunQuery): Promise<Listed<RunReply>>;
  getRun(id: string): Promise<RunReply>;
  getState(id: string): Promise<RunProjection>;
  getNode(id: string, nodeId: string): Promise<Json>;
  cancelRun(id: string, reason?: string): Promise<RunReply>;
  restartRun(id: string, fromNode?: string): Promise<RunReply>;
  rewindRun(id: string, eventId: number): Promise<RunReply>;
  branchRun(id: string, eventId: number, args?: JsonObject): Promise<RunReply>;
  recoverRun(id: string): Promise<RunReply>;
  /** The events of a run from its first, resumed as often as needed, until it has ended. */
  watchRun(id: string, signal: AbortSignal): AsyncIterable<EventFrame>;
  listApprovals(query: PageQuery & { readonly status?: string }): Promise<Listed<ApprovalReply>>;
  getApproval(id: string): Promise<ApprovalReply>;
  resolveApproval(id: string, answer: ApprovalAnswerBody): Promise<ApprovalReply>;
  listKeys(page: PageQuery): Promise<Listed<KeyReply>>;
  createKey(wanted: KeyRequest): Promise<KeyReply & { readonly key: string }>;
  revokeKey(id: string): Promise<void>;
}

export interface Listed<T> {
  readonly data: readonly T[];
  readonly nextCursor?: string;
}

export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

export interface RunQuery {
  readonly status?: string;
  readonly workflow?: string;
  readonly parent?: string;
}

export interface RunReply {
  readonly id: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly status: RunStatus;
  readonly args: JsonObject;
  readonly parentRunId?: string | null;
  readonly createdAt: string;
  readonly startedAt?: string | null;
  readonly completedAt?: string | null;
  readonly costMicros: number;
}

export interface RunStart {
  readonly workflow: string;
  readonly version?: number;
  readonly args: JsonObject;
}

export interface WorkflowReply {
  readonly name: string;
  readonly status: string;
  readonly version: number;
  readonly hash: string;
  readonly format: string;
  readonly savedAt?: string;
}

export interface VersionReply {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly format: string;
  readonly source: string;
}

export interface SavedReply {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly format: string;
}

export interface ApprovalReply {
  readonly id: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly source: string;
  readonly status: ApprovalStatus;
  readonly summary: string;
  readonly rendered: string;
  readonly digest: string;
  readonly choices: readonly Decision[];
  readonly requestedAt: string;
  readonly expiresAt: string;
  readonly decision: Decision | null;
  readonly resolvedBy?: string | null;
  readonly reason?: string | null;
}

export interface ApprovalAnswerBody {
  readonly decision: Decision;
  readonly reason?: string;
  readonly digest?: string;
}

export interface KeyRequest {
  readonly label: string;
  readonly role?: string;
  readonly permissions?: readonly string[];
  readonly agent?: string;
  readonly expiresAt?: string;
}

export interface KeyReply {
  readonly id: string;
  readonly label: string;
  readonly permissions: readonly string[];
  readonly agent?: string | null;
  readonly createdAt: string;
  readonly expiresAt?: string | null;
  readonly revokedAt?: string | null;
}
