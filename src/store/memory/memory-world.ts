import { compareCodeUnits } from "../../core/base/index.ts";
import type { Timer } from "../../core/engine/index.ts";
import type { PauseFact, WorkflowStatus } from "../../core/event/index.ts";
import type { MemoryRecord } from "../agent-memory-store.ts";
import type { ApprovalCommentRecord } from "../approval-inbox-store.ts";
import type { ApprovalRecord } from "../approval-record.ts";
import type { KeyRecord } from "../key-store.ts";
import type { NewRun, OpenAttempt, PinnedDefinition, RunHead, WorkflowVersion } from "../store.ts";
import type { InvitationRecord } from "../invitation-store.ts";
import type { MembershipRecord } from "../membership-store.ts";
import type { OrganisationRecord } from "../organisation-store.ts";
import type { PersonRecord } from "../person-store.ts";
import type { SessionRecord } from "../session-store.ts";
import type { ViewRecord } from "../view-store.ts";
import type { NodeWait } from "../waiting-store.ts";
import type { AgentCounter, EnvelopeCounter, StoredVerdict, UsageRecord } from "../governance-store.ts";
import { createMemoryAudit, type MemoryAudit } from "./memory-audit.ts";
import type { MarkedWaiter, MemoryEvents } from "./memory-events.ts";
import type { MemoryHold, MemoryWorker } from "./memory-work.ts";
import type { MemoryPlace } from "./memory-places.ts";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.ts";
import { createMemoryHistory, type MemoryHistory } from "./memory-archives.ts";
import type { MemoryTriggerDelivery } from "./memory-triggers.ts";
import { createMemoryChannels, type MemoryChannels } from "./memory-channels.ts";
import { createMemoryWebhooks, type MemoryWebhooks } from "./memory-webhooks.ts";
import type { Platform } from "../../core/governance/index.ts";
import type { Entry, GatewayLink, GatewayStanding, ThreadPart, WorkflowSettings } from "../registry-store.ts";

/** All data of a memory store. It contains only copies: callers may change the objects they passed or received. */
export interface MemoryWorld {
  readonly now: () => number;
  readonly runs: Map<string, MemoryRun>;
  readonly approvals: Map<string, ApprovalRecord>;
  /** By organisation and approval, in order of arrival. */
  readonly comments: Map<string, readonly ApprovalCommentRecord[]>;
  /** When approvals were last assigned or commented on. */
  readonly noted: Map<string, { readonly orgId: string; readonly id: string; readonly notedAt: number }>;
  /** Number of reports of commits by any replica. */
  commitReports: number;
  readonly idempotency: Map<string, { readonly runId: string; readonly bodyHash: string; readonly at: number }>;
  readonly blobs: Map<string, string>;
  readonly definitions: Map<string, PinnedDefinition>;
  readonly workflows: Map<string, MemoryWorkflow>;
  readonly keys: Map<string, KeyRecord>;
  /** End of the lease, by replica. */
  readonly replicas: Map<string, number>;
  /** By organisation, kind and id. */
  readonly entries: Map<string, Entry>;
  readonly entrySecrets: Map<string, Readonly<Record<string, string>>>;
  /** Last use of each secret, by organisation and name. */
  readonly secretUses: Map<string, number>;
  /** By organisation. */
  readonly config: Map<string, MemoryConfig>;
  /** By organisation, then by workflow. */
  readonly pauses: Map<string, Map<string, PauseFact>>;
  readonly gatewayLinks: Map<string, GatewayLink>;
  /** Oldest first. */
  readonly gatewayHistory: Map<string, GatewayStanding[]>;
  readonly secrets: Map<string, string>;
  readonly agentCounters: Map<string, AgentCounter & { readonly orgId: string }>;
  readonly envelopeCounters: Map<string, EnvelopeCounter & { readonly orgId: string }>;
  readonly usage: MemoryUsage[];
  readonly verdicts: MemoryVerdict[];
  readonly memories: (MemoryRecord & { readonly orgId: string })[];
  readonly marked: Set<string>;
  /** The approval of a launch, by organisation and digest. */
  readonly launches: Map<string, string>;
  readonly triggerDeliveries: Map<string, MemoryTriggerDelivery>;
  readonly reports: Map<string, ThreadPart & { readonly orgId: string }>;
  readonly audit: MemoryAudit;
  readonly webhooks: MemoryWebhooks;
  readonly files: MemoryFiles;
  readonly history: MemoryHistory;
  readonly people: MemoryPeople;
  readonly channels: MemoryChannels;
  /** By run. */
  readonly places: Map<string, MemoryPlace>;
  /** By organisation and id. */
  readonly views: Map<string, ViewRecord>;
  /** Kept events, and the nodes that wait for them. */
  readonly waiting: MemoryEvents;
  readonly work: MemoryWork;
}

/** Work of workers: the order of arrival, and the worker that holds each attempt. */
export interface MemoryWork {
  readonly offers: Map<string, number>;
  readonly holds: Map<string, MemoryHold>;
  readonly workers: Map<string, MemoryWorker>;
  offered: number;
}

/** By id; memberships by organisation and person. */
interface MemoryPeople {
  readonly organisations: Map<string, OrganisationRecord>;
  readonly persons: Map<string, PersonRecord>;
  readonly memberships: Map<string, MembershipRecord>;
  readonly invitations: Map<string, InvitationRecord>;
  readonly sessions: Map<string, SessionRecord>;
}

export interface MemoryConfig {
  readonly version: number;
  readonly platform: Platform;
}

type MemoryUsage = UsageRecord & { readonly orgId: string; readonly runId: string; readonly workflow: string };
export type MemoryVerdict = StoredVerdict & { readonly orgId: string; readonly runId: string };

export interface MemoryRun {
  readonly orgId: string;
  readonly pinned: Omit<NewRun, "idempotency">;
  readonly bodies: string[];
  readonly openAttempts: Map<string, OpenAttempt>;
  readonly timers: Map<string, { readonly timer: Timer; readonly dueAt: number }>;
  /** By node. */
  readonly waits: Map<string, NodeWait>;
  /** By node. */
  readonly waiters: Map<string, MarkedWaiter>;
  head: RunHead;
}

export interface MemoryWorkflow {
  readonly orgId: string;
  readonly name: string;
  readonly versions: WorkflowVersion[];
  status: WorkflowStatus;
  settings: WorkflowSettings;
}

export function createMemoryWorld(now: () => number): MemoryWorld {
  return {
    now,
    runs: new Map(),
    approvals: new Map(),
    comments: new Map(),
    noted: new Map(),
    commitReports: 0,
    idempotency: new Map(),
    blobs: new Map(),
    definitions: new Map(),
    workflows: new Map(),
    keys: new Map(),
    replicas: new Map(),
    entries: new Map(),
    entrySecrets: new Map(),
    secretUses: new Map(),
    config: new Map(),
    pauses: new Map(),
    gatewayLinks: new Map(),
    gatewayHistory: new Map(),
    secrets: new Map(),
    agentCounters: new Map(),
    envelopeCounters: new Map(),
    usage: [],
    verdicts: [],
    memories: [],
    marked: new Set(),
    launches: new Map(),
    triggerDeliveries: new Map(),
    reports: new Map(),
    audit: createMemoryAudit(),
    webhooks: createMemoryWebhooks(),
    files: createMemoryFiles(),
    history: createMemoryHistory(),
    people: {
      organisations: new Map(),
      persons: new Map(),
      memberships: new Map(),
      invitations: new Map(),
      sessions: new Map(),
    },
    channels: createMemoryChannels(),
    places: new Map(),
    views: new Map(),
    waiting: { events: new Map(), waiters: new Map() },
    work: { offers: new Map(), holds: new Map(), workers: new Map(), offered: 0 },
  };
}

/** Returns open attempts in the order of a database query. */
export function attemptsOf(run: MemoryRun): OpenAttempt[] {
  return [...run.openAttempts.values()].sort(
    (left, right) => compareCodeUnits(left.nodeId, right.nodeId) || left.attempt - right.attempt,
  );
}

/** Copies a value through JSON text, as a database would. */
export function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Joins several texts into one key. Different texts never give the same key. */
export function keyOf(...parts: readonly (string | number)[]): string {
  return JSON.stringify(parts);
}

/** Removes all other elements. The list may be longer than a call can have arguments. */
export function keep<T>(list: T[], isKept: (value: T) => boolean): void {
  const kept = list.filter(isKept);
  for (const [index, value] of kept.entries()) list[index] = value;
  list.length = kept.length;
}
