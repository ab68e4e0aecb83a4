import type { RunEvent } from "../../src/core/event/index.ts";
import {
  type ApprovalRecord,
  type GatewayLink,
  type Head,
  type KeyRecord,
  type NewRun,
  NO_CHANGES,
  type OpenAttempt,
  type RunCommit,
  type UsageRecord,
} from "../../src/store/index.ts";

/** Shares of commits as a driver would make them, for runs that do nothing in particular. */
export const NEW_RUN: NewRun = {
  workflow: "triage",
  version: 1,
  definitionHash: "sha256:0",
  pinnedHash: null,
  args: { ticket: 7 },
  trigger: "api",
  traceId: "t".repeat(32),
  rootSpanId: "s".repeat(16),
  parentSpanId: "p".repeat(16),
  parentRunId: null,
  parentNode: null,
  parentAttempt: null,
  block: null,
  sourceRunId: null,
  recursionDepth: 0,
  gateway: null,
  model: null,
  roleBindings: { writer: "agent-1" },
  team: null,
  labels: {},
  recoveryMax: null,
  priority: "normal",
  requestedBy: null,
  startedBy: "key_1",
  createdAt: 1_000,
  idempotency: null,
};

/** The outcome of a commit of which nothing was left out. */
export const WRITTEN = { isOverLimit: false, conflicts: [], duplicates: [] };

/** Of a run that is under way. */
export const HEAD: Head = {
  status: "running",
  epoch: 0,
  lastEventId: 0,
  costMicros: 0,
  startedAt: 1_000,
  endedAt: null,
  waitingFor: null,
  errorCode: null,
  errorMessage: null,
  paused: null,
};

export type Parts = Partial<Omit<RunCommit, "head">> & { readonly head?: Partial<Head> };

export function logged(eventId: number, message = `event ${eventId}`): RunEvent {
  return { eventId, at: 1_000 + eventId, type: "node.log", payload: { nodeId: "a", level: "info", message } };
}

/** `count` events after `after`. */
export function logFrom(after: number, count: number): RunEvent[] {
  return Array.from({ length: count }, (_, index) => logged(after + index + 1));
}

/** One run's share: its head follows from its events. */
export function share(
  runId: string,
  expectedVersion: number,
  events: readonly RunEvent[],
  parts: Parts = {},
): RunCommit {
  return {
    ...NO_CHANGES,
    runId,
    orgId: "org_1",
    expectedVersion,
    events,
    workflow: "w",
    ...parts,
    head: { ...HEAD, lastEventId: events.at(-1)?.eventId ?? 0, ...parts.head },
  };
}

export function creation(runId: string, run: Partial<NewRun> = {}, parts: Parts = {}): RunCommit {
  return share(runId, 0, parts.events ?? logFrom(0, 2), { create: { ...NEW_RUN, ...run }, ...parts });
}

/** The first attempt of a node, opened by the replica `rep_1` without a deadline, an agent or a reservation. */
export function openAttempt(nodeId: string, parts: Partial<OpenAttempt> = {}): OpenAttempt {
  return { nodeId, attempt: 1, replicaId: "rep_1", deadlineAt: null, agentId: null, reserved: [], ...parts };
}

export function approval(id: string, runId: string, parts: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return {
    id,
    orgId: "org_1",
    runId,
    nodeId: "a",
    attempt: null,
    epoch: 0,
    source: "gate",
    summary: "May it?",
    agentId: null,
    digest: "sha256:1",
    rendered: "rm -rf \u{1F600} \\ \" ' \n",
    choices: ["approve", "reject"],
    approvers: [{ who: "ops", withinMs: null }],
    isSeparate: false,
    status: "pending",
    choice: null,
    requestedAt: 1_000,
    expiresAt: 2_000,
    resolvedBy: null,
    resolvedAt: null,
    reason: null,
    modifications: null,
    workflow: "w",
    title: "May it?",
    subject: null,
    subjectDigest: null,
    quorum: 1,
    answers: [],
    hop: 0,
    form: null,
    entered: null,
    confirm: null,
    assignee: null,
    ...parts,
  };
}

export function key(id: string, parts: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id,
    orgId: "org_1",
    hash: `hash of ${id}`,
    label: "laptop",
    permissions: ["run:read"],
    agentId: null,
    isNamed: true,
    createdBy: null,
    personId: null,
    createdAt: 1_000,
    expiresAt: null,
    revokedAt: null,
    ...parts,
  };
}

/** A node `a` that has completed with these outputs. */
export function completed(eventId: number, outputs: Record<string, string>): RunEvent {
  return {
    eventId,
    at: 1,
    type: "node.completed",
    payload: {
      nodeId: "a",
      attempt: 1,
      envelope: { kind: "text", artifactKind: "text", output: "" },
      outputs,
      durationMs: 1,
      inputTokens: 0,
      outputTokens: 0,
      costMicros: 0,
    },
  };
}

export function link(gatewayId: string, parts: Partial<GatewayLink> = {}): GatewayLink {
  return {
    orgId: "org_1",
    gatewayId,
    status: "healthy",
    instanceId: null,
    instanceStartedAt: null,
    dispatchToken: null,
    callbackHash: null,
    previousCallbackHash: null,
    previousUntil: null,
    seenAt: null,
    instanceFacts: null,
    ...parts,
  };
}

export function usage(at: number, parts: Partial<UsageRecord> = {}): UsageRecord {
  return {
    nodeId: "a",
    attempt: 1,
    agentId: "analyst",
    model: "m",
    gatewayId: "local",
    inputTokens: 1,
    outputTokens: 2,
    thinkingTokens: 3,
    cachedTokens: 4,
    costMicros: 5,
    priceId: null,
    at,
    ...parts,
  };
}
