import type { AuditEntry } from "../core/audit/index.ts";
import type { FileValue, Json, JsonObject } from "../core/base/index.ts";
import type { AttemptKey, OwnWait, Priority, RunEvent, RunPause, RunStatus, WaitingFor } from "../core/event/index.ts";
import type { Timer } from "../core/engine/index.ts";
import type { AgentMemoryStore, MemoryRecord } from "./agent-memory-store.ts";
import type { OutsideStore } from "./alert-store.ts";
import type { ApprovalInboxStore } from "./approval-inbox-store.ts";
import type { ApprovalChange, ApprovalClosing, ApprovalRecord } from "./approval-record.ts";
import type { GovernedStore } from "./audit-store.ts";
import type { BacklogStore } from "./backlog-store.ts";
import type { StoredEvent } from "./event-pack.ts";
import type { EventStore, NewEvent, NewWaiter } from "./event-store.ts";
import type { SearchStore } from "./search-store.ts";
import type { FileStore } from "./file-store.ts";
import type { HistoryStore } from "./history-store.ts";
import type { PeopleStore } from "./people-store.ts";
import type { RunFilter } from "./run-filter.ts";
import type { ReplicaStore } from "./replica-store.ts";
import type { LedgerChange, NewVerdict, Reservation, SlotChange, UsageRecord } from "./governance-store.ts";
import type { IdempotencyScope } from "./idempotency-scope.ts";
import type { LiveStore } from "./live-store.ts";
import type { AttemptReport, GatewayStore, RegistryStore, ReportStore } from "./registry-store.ts";
import type { ScheduleStore } from "./schedule-store.ts";
import type { SecretStore } from "./secret-store.ts";
import type { TriggerStore } from "./trigger-store.ts";
import type { ViewStore } from "./view-store.ts";
import type { PartitionStore } from "./partition-store.ts";
import type { PauseStore } from "./pause-store.ts";
import type { PlaceChange, PlaceStore } from "./place-store.ts";
import type { AttemptWork, WorkStore } from "./work-store.ts";
import type { WorkflowStore } from "./workflow-store.ts";
import type { NodeWait, WaitingStore } from "./waiting-store.ts";

/**
 * The store keeps all data behind one port: memory, embedded and Postgres pass the same contract suite. Everything
 * belongs to an organisation; the id of another organisation finds nothing. Instants are epoch milliseconds.
 *
 * D1 A commit of many runs is one transaction. D2 A run's share is written only if the run's `rowVersion` is the
 * expected one, and then completely. D3 Event ids of a run are contiguous, in commit order. D4 What a reader sees of a
 * run (head, events, attempts, timers, approvals) is from one commit.
 */
export interface Store
  extends
    RunStore,
    ApprovalInboxStore,
    WorkflowStore,
    PeopleStore,
    ReplicaStore,
    WaitingStore,
    PlaceStore,
    PauseStore,
    BacklogStore,
    EventStore,
    LiveStore,
    RegistryStore,
    GatewayStore,
    ReportStore,
    GovernedStore,
    AgentMemoryStore,
    ScheduleStore,
    SecretStore,
    FileStore,
    SearchStore,
    HistoryStore,
    PartitionStore,
    TriggerStore,
    ViewStore,
    WorkStore,
    OutsideStore {
  /** Brings the schema up to date. Safe when several processes start at once. */
  migrate(): Promise<void>;
  /** Throws when the database cannot be reached or the schema is not current. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface RunStore {
  commit(batch: readonly RunCommit[]): Promise<CommitOutcome>;
  /** Returns heads, pinned facts and whole logs of runs, to rebuild their states. Unknown ids are left out. */
  loadRuns(runIds: readonly string[]): Promise<readonly LoadedRun[]>;
  getRun(orgId: string, runId: string): Promise<RunRecord | undefined>;
  /** Returns what open runs wait for, child runs included. Runs that do not wait are left out. */
  readWaiting(runIds: readonly string[]): Promise<ReadonlyMap<string, WaitingFor>>;
  /** Newest first. */
  listRuns(orgId: string, filter: RunFilter, page: Page): Promise<Listed<RunRecord>>;
  /** Returns events after a cursor, in order, at most `limit`. Large values stay references. */
  readEvents(orgId: string, runId: string, afterEventId: number, limit: number): Promise<readonly StoredEvent[]>;
  /** Returns the last event id and status of each watched run in one query, for tails. */
  headsOf(runIds: readonly string[]): Promise<readonly RunHead[]>;
  /** Returns the run that an idempotency key started, and the hash of its body, if the key is younger than a day. */
  findIdempotent(key: IdempotencyScope): Promise<{ readonly runId: string; readonly bodyHash: string } | undefined>;
  getBlob(orgId: string, hash: string): Promise<Json | undefined>;
  getApproval(orgId: string, approvalId: string): Promise<ApprovalRecord | undefined>;
}

/** One run's share of a commit. */
export interface RunCommit {
  readonly runId: string;
  readonly orgId: string;
  /** 0 with `create`: the run must not exist yet. */
  readonly expectedVersion: number;
  readonly create: NewRun | null;
  readonly head: Head;
  readonly events: readonly RunEvent[];
  /** True when the run must be indexed again after the commit. A new run is always indexed. */
  readonly isReindexed: boolean;
  readonly opened: readonly OpenAttempt[];
  readonly closed: readonly AttemptKey[];
  readonly timersSet: readonly { readonly timer: Timer; readonly dueAt: number }[];
  readonly timersCleared: readonly Timer[];
  /** Nodes that begin to wait at a gate, or whose wait changes. */
  readonly waits: readonly NodeWait[];
  /** Nodes that no longer wait at a gate. */
  readonly waitsEnded: readonly string[];
  /** Nodes that begin to wait for an event. `waitersEnded` are nodes that no longer wait for one. */
  readonly waiters: readonly NewWaiter[];
  readonly waitersEnded: readonly string[];
  /** Events that nodes of the run emit. An event with an existing id is the same event. */
  readonly emitted: readonly NewEvent[];
  /** A timer for the run that waits for this one, set in the same commit, in case the notification is missed. */
  readonly parentTimer: { readonly runId: string; readonly timer: Timer; readonly dueAt: number } | null;
  readonly approvalsOpened: readonly ApprovalRecord[];
  readonly approvalsChanged: readonly ApprovalChange[];
  readonly approvalsClosed: readonly ApprovalClosing[];
  /** Reports of attempts besides their results. The first report of an attempt is kept. */
  readonly reports: readonly AttemptReport[];
  /** D5 Nothing of a batch is written when a slot, a window or a ceiling would be exceeded. */
  readonly slots: readonly SlotChange[];
  readonly ledger: readonly LedgerChange[];
  readonly usage: readonly UsageRecord[];
  /** Workflow of the run, for the usage. */
  readonly workflow: string;
  readonly verdicts: readonly NewVerdict[];
  /** Entries written outside the chain, and sealed later. */
  readonly audit: readonly AuditEntry[];
  /** Answers of nodes completed by this commit that agents keep. */
  readonly memories: readonly MemoryRecord[];
  /** Files the run now refers to. Names that the run already has stay unchanged. */
  readonly files: readonly FileValue[];
  /** Null when the place does not change, or the workflow has no limit. */
  readonly place: PlaceChange | null;
}

/** Facts fixed when a run is created, which never change. */
export interface NewRun {
  readonly workflow: string;
  readonly version: number | null;
  readonly definitionHash: string;
  /** Hash under which its text is stored with everything it refers to; null when it refers to nothing outside itself. */
  readonly pinnedHash: string | null;
  readonly args: JsonObject;
  readonly trigger: string;
  readonly traceId: string;
  readonly rootSpanId: string;
  /** The span of the caller that started the run, within the caller's trace; null when the trace begins with the run or its parent. */
  readonly parentSpanId: string | null;
  readonly parentRunId: string | null;
  /** The node of the parent that waits for this run, and its attempt. */
  readonly parentNode: string | null;
  readonly parentAttempt: number | null;
  /** Path of the block that it runs; null when it runs the whole file. Runs of blocks are neither listed nor counted. */
  readonly block: string | null;
  readonly sourceRunId: string | null;
  readonly recursionDepth: number;
  readonly gateway: string | null;
  readonly model: string | null;
  readonly roleBindings: Readonly<Record<string, string>>;
  readonly team: string | null;
  /** Labels by which the run is found. */
  readonly labels: Readonly<Record<string, string>>;
  /** Maximum number of automatic recoveries; null when there are none. */
  readonly recoveryMax: number | null;
  readonly priority: Priority;
  readonly startedBy: string | null;
  /** The caller for whom a trigger started the run: the one that last saved the trigger. Null when the starter is the requester. */
  readonly requestedBy: string | null;
  readonly createdAt: number;
  readonly idempotency: (IdempotencyScope & { readonly bodyHash: string }) | null;
}

/** The part of a run that changes with every commit. */
export interface Head {
  readonly status: RunStatus;
  readonly epoch: number;
  readonly lastEventId: number;
  readonly costMicros: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Wait reason of the run itself, without its child runs. Null when it does not wait, or has ended. */
  readonly waitingFor: OwnWait | null;
  /** Error code of a run that ended without completing. */
  readonly errorCode: string | null;
  /** Set by the commit that ends the run, and kept until the run is reopened. */
  readonly errorMessage: string | null;
  /** Null when neither the run nor the run that waits for it is paused. */
  readonly paused: RunPause | null;
}

export interface RunHead extends Head {
  readonly runId: string;
  readonly rowVersion: number;
}

export interface RunRecord extends Omit<NewRun, "idempotency">, RunHead {
  readonly orgId: string;
}

export interface LoadedRun {
  readonly run: RunRecord;
  readonly events: readonly RunEvent[];
  readonly openAttempts: readonly OpenAttempt[];
  /** All timers set for the run, including deadlines of nodes that wait at a gate. */
  readonly timers: readonly Timer[];
}

/** A dispatch without a report yet: outbox entry, deadline and lease in one row. */
export interface OpenAttempt extends AttemptKey {
  readonly replicaId: string;
  readonly deadlineAt: number | null;
  /** The agent whose slot the attempt holds, and the money reserved for it. */
  readonly agentId: string | null;
  readonly reserved: readonly Reservation[];
  /** The run in whose `max_parallel` it counts, together with the blocks of that run; absent when the run has no blocks. */
  readonly parallelOf?: string;
  /** The work that workers request, when the attempt is opened for a function. Loaded runs do not have it. */
  readonly work?: AttemptWork;
}

export interface CommitOutcome {
  /** True when a limit would have been exceeded, so nothing of the batch was written. */
  readonly isOverLimit: boolean;
  /** Runs whose stored version was not the expected one. Nothing was written for them. */
  readonly conflicts: readonly string[];
  /** Runs not created because their idempotency key is taken, with the run that has it. */
  readonly duplicates: readonly { readonly runId: string; readonly existingRunId: string; readonly bodyHash: string }[];
}

export interface Page {
  readonly limit: number;
  /** Opaque cursor from an earlier page. */
  readonly cursor: string | null;
}

export interface Listed<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

export type * from "./workflow-store.ts";
