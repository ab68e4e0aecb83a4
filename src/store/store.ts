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
 * What Sluice keeps, behind one port: memory, embedded and Postgres obey the same contract suite. Everything belongs to
 * an organisation; another organisation's id finds nothing. Instants are epoch milliseconds.
 *
 * D1 a commit of many runs is one transaction · D2 a run's part of it counts only if the run's `rowVersion` is the
 * expected one, and then all of it counts · D3 event ids of a run are contiguous, in the order they were committed ·
 * D4 what a reader sees of a run (head, events, attempts, timers, approvals) is of one commit.
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
  /** Brings the schema up to date; safe when several start at once. */
  migrate(): Promise<void>;
  /** Throws when the database cannot be reached or the schema is not current. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface RunStore {
  commit(batch: readonly RunCommit[]): Promise<CommitOutcome>;
  /** Heads, pinned facts and whole logs of runs, for rebuilding their states; unknown ids are left out. */
  loadRuns(runIds: readonly string[]): Promise<readonly LoadedRun[]>;
  getRun(orgId: string, runId: string): Promise<RunRecord | undefined>;
  /** What open runs wait for, child runs included; those that do not wait are left out. */
  readWaiting(runIds: readonly string[]): Promise<ReadonlyMap<string, WaitingFor>>;
  /** Newest first. */
  listRuns(orgId: string, filter: RunFilter, page: Page): Promise<Listed<RunRecord>>;
  /** Events after a cursor in order; at most `limit`. Large values stay references. */
  readEvents(orgId: string, runId: string, afterEventId: number, limit: number): Promise<readonly StoredEvent[]>;
  /** For tails: the last event id and status of each watched run, in one query. */
  headsOf(runIds: readonly string[]): Promise<readonly RunHead[]>;
  /** The run an idempotency key started, with the hash of its body, if it is younger than a day. */
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
  /** What it is found by is to be read again, after the commit. A new run is always read. */
  readonly isReindexed: boolean;
  readonly opened: readonly OpenAttempt[];
  readonly closed: readonly AttemptKey[];
  readonly timersSet: readonly { readonly timer: Timer; readonly dueAt: number }[];
  readonly timersCleared: readonly Timer[];
  /** Nodes that begin to wait at a gate, or wait for something else from now on. */
  readonly waits: readonly NodeWait[];
  /** Nodes that wait at no gate any more. */
  readonly waitsEnded: readonly string[];
  /** Nodes that begin to wait for an event, and those that wait for none any more. */
  readonly waiters: readonly NewWaiter[];
  readonly waitersEnded: readonly string[];
  /** Events its nodes emit; one whose id is taken is the same event. */
  readonly emitted: readonly NewEvent[];
  /** Set for the run that waits for this one, with this commit: a missed notification is found by it. */
  readonly parentTimer: { readonly runId: string; readonly timer: Timer; readonly dueAt: number } | null;
  readonly approvalsOpened: readonly ApprovalRecord[];
  readonly approvalsChanged: readonly ApprovalChange[];
  readonly approvalsClosed: readonly ApprovalClosing[];
  /** What attempts reported besides their results; the first report of an attempt stands. */
  readonly reports: readonly AttemptReport[];
  /** D5 nothing of a batch is written when a slot, a window or a ceiling would be passed. */
  readonly slots: readonly SlotChange[];
  readonly ledger: readonly LedgerChange[];
  readonly usage: readonly UsageRecord[];
  /** Of the run, for the usage. */
  readonly workflow: string;
  readonly verdicts: readonly NewVerdict[];
  /** Written unchained; sealed afterwards. */
  readonly audit: readonly AuditEntry[];
  /** What agents keep of nodes it completes. */
  readonly memories: readonly MemoryRecord[];
  /** Files the run refers to from now on; names it already has stay as they are. */
  readonly files: readonly FileValue[];
  /** Null: nothing changes, or its workflow limits nothing. */
  readonly place: PlaceChange | null;
}

/** What is pinned when a run is created and never changes. */
export interface NewRun {
  readonly workflow: string;
  readonly version: number | null;
  readonly definitionHash: string;
  /** Under which its text is kept with everything it refers to; null: it refers to nothing outside itself. */
  readonly pinnedHash: string | null;
  readonly args: JsonObject;
  readonly trigger: string;
  readonly traceId: string;
  readonly rootSpanId: string;
  /** The span of the caller that started it, within its own trace; null: the trace begins with the run or its parent. */
  readonly parentSpanId: string | null;
  readonly parentRunId: string | null;
  /** The node of the parent, and which attempt of it, that waits for this run. */
  readonly parentNode: string | null;
  readonly parentAttempt: number | null;
  /** Path of the block of its file that it runs; null: it runs the file. Runs of blocks are neither listed nor counted. */
  readonly block: string | null;
  readonly sourceRunId: string | null;
  readonly recursionDepth: number;
  readonly gateway: string | null;
  readonly model: string | null;
  readonly roleBindings: Readonly<Record<string, string>>;
  readonly team: string | null;
  /** By which it is found. */
  readonly labels: Readonly<Record<string, string>>;
  /** How often it may be recovered automatically; null: never. */
  readonly recoveryMax: number | null;
  readonly priority: Priority;
  readonly startedBy: string | null;
  /** On whose behalf a trigger started it: the caller that last saved the trigger. Null: on behalf of its starter. */
  readonly requestedBy: string | null;
  readonly createdAt: number;
  readonly idempotency: (IdempotencyScope & { readonly bodyHash: string }) | null;
}

/** What changes with every commit. */
export interface Head {
  readonly status: RunStatus;
  readonly epoch: number;
  readonly lastEventId: number;
  readonly costMicros: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** By itself, child runs left aside. Null: it does not wait, or has ended. */
  readonly waitingFor: OwnWait | null;
  /** Of a run that has ended without completing: why. */
  readonly errorCode: string | null;
  /** Given with the commit that ends it, and kept until it is opened again. */
  readonly errorMessage: string | null;
  /** Null: neither it nor the run that waits for it is paused. */
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
  /** Every timer that is set for the run, deadlines of nodes that wait at a gate included. */
  readonly timers: readonly Timer[];
}

/** A dispatch without a report yet: outbox entry, deadline and lease in one row. */
export interface OpenAttempt extends AttemptKey {
  readonly replicaId: string;
  readonly deadlineAt: number | null;
  /** Whose slot it holds, and what is reserved for it. */
  readonly agentId: string | null;
  readonly reserved: readonly Reservation[];
  /** The run whose `max_parallel` it counts in, with the blocks of that run; absent: of a run without blocks. */
  readonly parallelOf?: string;
  /** Of a function, when the attempt is opened: what workers ask for. Loaded runs do not have it. */
  readonly work?: AttemptWork;
}

export interface CommitOutcome {
  /** A limit would have been passed, so that nothing of the batch was written. */
  readonly isOverLimit: boolean;
  /** Runs whose expected version was not the stored one: nothing of theirs was written. */
  readonly conflicts: readonly string[];
  /** Runs whose creation met an idempotency key that is taken, with the run that has it. */
  readonly duplicates: readonly { readonly runId: string; readonly existingRunId: string; readonly bodyHash: string }[];
}

export interface Page {
  readonly limit: number;
  /** Opaque; from an earlier answer. */
  readonly cursor: string | null;
}

export interface Listed<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

export type * from "./workflow-store.ts";
